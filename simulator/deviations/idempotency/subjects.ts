// Wrong subjects of idempotency keys (IDEM-2c, IDEM-3, IDEM-9, IDEM-10).

import { optionalText } from '../../core/operations/members.ts';
import type { RequestContext } from '../../core/pipeline/request-context.ts';
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
];
