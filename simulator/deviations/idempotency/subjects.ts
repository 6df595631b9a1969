// Wrong subjects of idempotency keys (IDEM-2c, IDEM-3, IDEM-9, IDEM-10).

import { optionalText } from '../../core/operations/members.ts';
import type { RequestContext } from '../../core/pipeline/request-context.ts';
import { sha256Hex } from '../../core/values/digest.ts';
import { policy, transitionOperations } from '../bend.ts';
import type { Deviation } from '../deviation.ts';

/** Bends what a key record is found by. */
const identity = (change: (context: RequestContext, id: string) => string) =>
  policy('keys', (keys) => ({ id: (context) => change(context, keys.id(context)) }));

const subject = (
  names: readonly string[],
  change: (context: RequestContext, subject: string) => string,
) =>
  policy('keys', (keys) => {
    const subjects = { ...keys.subjects } as Record<string, (context: RequestContext) => string>;
    for (const name of names) {
      const conforming = subjects[name];
      if (conforming !== undefined)
        subjects[name] = (context) => change(context, conforming(context));
    }
    return { subjects };
  });

export const subjectDeviations: readonly Deviation[] = [
  {
    id: 'subject-open-and-close-collide',
    breaks: ['POS-3', 'IDEM-3'],
    story: 'Both position endpoints share one idempotency table without saying which they are.',
    bend: identity((_attempt, id) => id.replace(/\n(open|close)Position\n/, '\nposition\n')),
  },
  {
    id: 'subject-moves-collide',
    breaks: ['IDEM-3'],
    story: 'Approve, reject and cancel store their keys under one name.',
    bend: identity((_attempt, id) =>
      id.replace(/\n(approve|reject|cancel)Transaction\n/, '\nmove\n'),
    ),
  },
  {
    id: 'subject-creates-collide',
    breaks: ['IDEM-3'],
    story: 'Account and transaction creates with one reference share a key record.',
    bend: identity((_attempt, id) => id.replace(/\ncreate(Account|Transaction)\n/, '\ncreate\n')),
  },
  {
    id: 'subject-update-collides-with-moves',
    breaks: ['IDEM-3'],
    story: 'Everything that has the account as its subject shares one record.',
    bend: identity((_attempt, id) =>
      id.replace(/\n(update|approve|reject|cancel)(Account|Transaction)\n/, '\naccount\n'),
    ),
  },
  {
    id: 'subject-of-moves-is-the-transaction',
    breaks: ['IDEM-10'],
    story: 'The transaction in the path is taken for the subject, as one would expect.',
    bend: subject(transitionOperations, ({ pathId }) => pathId),
  },
  {
    id: 'subject-of-update-is-nothing',
    breaks: ['IDEM-2c'],
    story: 'Updates are keyed by the key alone, so it cannot be used for two accounts.',
    bend: subject(['updateAccount'], () => ''),
  },
  {
    id: 'subject-of-positions-is-the-instrument',
    breaks: ['POS-2'],
    story: 'The instrument is taken into the subject of positions.',
    bend: subject(
      ['openPosition'],
      ({ body }, own) => `${own}\n${optionalText(body, 'instrument')}`,
    ),
  },
  {
    id: 'subject-of-positions-is-nothing',
    breaks: ['POS-4'],
    story: 'Orders are keyed by the key alone.',
    bend: subject(['openPosition', 'closePosition'], () => ''),
    alsoSeenAs: { 'IDEM-2c': 'the trading account is not the subject any more' },
  },
  {
    id: 'subject-of-accounts-is-the-email',
    breaks: ['IDEM-2c'],
    story: 'The person is known by the email, so that is the subject.',
    bend: subject(['createAccount'], ({ body }) => optionalText(body, 'email') ?? ''),
  },
  {
    id: 'subject-of-accounts-has-the-brand',
    breaks: ['IDEM-2c'],
    story: 'References are per brand, so the brand is taken into the subject.',
    bend: subject(
      ['createAccount'],
      ({ body }, own) => `${own}\n${optionalText(body, 'brand_id') ?? ''}`,
    ),
  },
  {
    id: 'subject-of-accounts-case-sensitive',
    breaks: ['IDEM-2c'],
    story: 'The subject is the reference as it was sent, though the look-up folds its case.',
    bend: subject(['createAccount'], ({ body }) => optionalText(body, 'client_reference_id') ?? ''),
  },
  {
    id: 'subject-of-transactions-has-the-account',
    breaks: ['IDEM-2c'],
    story:
      'A transaction is of an account, so that is taken into the subject beside the reference.',
    bend: subject(
      ['createTransaction'],
      ({ body }, own) => `${own}\n${optionalText(body, 'account_id')}`,
    ),
  },
  {
    id: 'subject-of-transactions-is-the-account',
    breaks: ['IDEM-2c'],
    story: 'Creating a transaction has the account as its subject, like deciding on one.',
    bend: subject(['createTransaction'], ({ body }) => optionalText(body, 'account_id') ?? ''),
  },
  {
    id: 'batch-by-references-only',
    breaks: ['IDEM-9a'],
    story: 'Only the references are hashed, so a corrected email replays the old batch.',
    bend: subject(['bulkCreateAccounts'], ({ body }) =>
      JSON.stringify(
        (body.accounts as Record<string, unknown>[]).map((row) => row.client_reference_id),
      ),
    ),
    alsoSeenAs: { 'IDEM-2c': 'the rows’ emails and brands are not in the subject' },
  },
  {
    id: 'batch-order-ignored',
    breaks: ['IDEM-9b'],
    story: 'The rows are sorted before they are hashed.',
    bend: subject(['bulkCreateAccounts'], ({ body }) =>
      JSON.stringify(
        (body.accounts as Record<string, unknown>[])
          .map((row) => `${row.client_reference_id}|${row.email}|${row.brand_id}`)
          .sort(),
      ),
    ),
  },
  {
    id: 'batch-by-row-count',
    breaks: ['IDEM-9b'],
    story: 'First and last row and the count stand for the batch.',
    bend: subject(['bulkCreateAccounts'], ({ body }) => {
      const rows = body.accounts as Record<string, unknown>[];
      const [first, last] = [rows[0], rows.at(-1)].map((row) => row?.client_reference_id);
      return `${rows.length}|${first}|${last}`;
    }),
    alsoSeenAs: { 'IDEM-2c': 'the subject is not the rows' },
  },
  {
    id: 'batch-extended-replays',
    breaks: ['IDEM-9b'],
    story: 'Only the first row is looked at, so a longer batch replays the shorter one.',
    bend: subject(['bulkCreateAccounts'], ({ body }) => {
      const [first] = body.accounts as Record<string, unknown>[];
      return `${first?.client_reference_id}|${first?.email}|${first?.brand_id}`;
    }),
    alsoSeenAs: { 'IDEM-2c': 'the subject is one row' },
  },
  {
    id: 'batch-by-whole-rows',
    breaks: ['IDEM-9a'],
    story: 'Whole rows are hashed, so an edited first name makes a new batch.',
    bend: subject(['bulkCreateAccounts'], ({ call }) => sha256Hex(call.body)),
  },
];
