// Wrong ways with the key itself: whether it is asked for, how long it may be, what it stands together with.
import type { Attempt } from '../core/attempt.ts';
import { optionalText } from '../core/operations/members.ts';
import { sha256Hex } from '../core/values/digest.ts';
import { moves, policy, stage, writes } from './bend.ts';
import type { Deviation } from './deviation.ts';

const keyed: readonly string[] = writes;

function without(attempt: Attempt, key: string): null {
  if (attempt.operation !== null && keyed.includes(attempt.operation)) attempt.key = key;
  return null;
}

const parse = (change: (key: string | null, header: string | undefined) => string | null) =>
  policy('keys', (keys) => ({ parse: (header) => change(keys.parse(header), header) }));

/** Bends what a key record is found by. */
const identity = (change: (attempt: Attempt, id: string) => string) =>
  policy('keys', (keys) => ({ id: (attempt) => change(attempt, keys.id(attempt)) }));

const subject = (names: readonly string[], change: (attempt: Attempt, subject: string) => string) =>
  policy('keys', (keys) => {
    const subjects = { ...keys.subjects } as Record<string, (attempt: Attempt) => string>;
    for (const name of names) {
      const conforming = subjects[name];
      if (conforming !== undefined)
        subjects[name] = (attempt) => change(attempt, conforming(attempt));
    }
    return { subjects };
  });

export const keyDeviations: readonly Deviation[] = [
  {
    id: 'key-optional',
    breaks: ['IDEM-1a'],
    story: 'A missing key is taken as "no idempotency wanted" and the write is served.',
    bend: stage('key', (decide, attempt) =>
      attempt.call.headers['idempotency-key'] === undefined
        ? without(attempt, `none-${attempt.n}`)
        : decide(attempt),
    ),
    alsoSeenAs: { 'IDEM-1d': 'what should be refused first is not refused at all' },
  },
  {
    id: 'key-blank-accepted',
    breaks: ['IDEM-1a'],
    story: 'Only the presence of the header is checked, so a blank one is a key like any other.',
    bend: parse((key, header) => (header !== undefined && header.trim() === '' ? ' ' : key)),
  },
  {
    id: 'key-missing-is-422',
    breaks: ['IDEM-1a'],
    story: 'The key is validated with the body, so a missing one is a validation failure.',
    bend: (behaviour) => ({
      ...behaviour,
      refusedAs: (code) => ({
        ...behaviour.refusedAs(code),
        ...(code === 'idempotency_key_required' ? { status: 422 } : {}),
      }),
    }),
    alsoSeenAs: {
      'IDEM-1b': 'a key that is too long is refused by the same line of the table',
      'IDEM-1d': 'the refusal that comes first has the wrong status',
      'ERR-3': 'the code stands under another status than the table says',
    },
  },
  {
    id: 'key-limit-256',
    breaks: ['IDEM-1b'],
    story: 'The column has room for 256 characters and nobody checks before it.',
    bend: parse((key, header) => (header?.trim().length === 256 ? header.trim() : key)),
  },
  {
    id: 'key-limit-254',
    breaks: ['IDEM-1b'],
    story: 'Less than 255 where the rule says at most.',
    bend: parse((key) => (key !== null && key.length >= 255 ? null : key)),
  },
  {
    id: 'key-limit-none',
    breaks: ['IDEM-1b'],
    story: 'Keys are hashed before they are stored, so nobody limits their length.',
    bend: parse(
      (key, header) => key ?? ((header?.trim().length ?? 0) > 255 ? header!.trim() : null),
    ),
  },
  {
    id: 'key-limit-cuts-off',
    breaks: ['IDEM-1b'],
    story: 'Too long a key is silently cut to 255 characters.',
    bend: parse((key, header) => key ?? (header?.trim().slice(0, 255) || null)),
  },
  {
    id: 'key-checked-after-token',
    breaks: ['IDEM-1d'],
    story: 'The authentication middleware comes first in the chain.',
    bend: reorder('token', 'key'),
  },
  {
    id: 'key-checked-after-body',
    breaks: ['IDEM-1d'],
    story: 'The key is read by the handler, once the framework has parsed the body.',
    bend: (behaviour) => {
      const key = behaviour.stages.find(({ name }) => name === 'key')!;
      const rest = behaviour.stages.filter(({ name }) => name !== 'key');
      const at = rest.findIndex(({ name }) => name === 'readable') + 1;
      return { ...behaviour, stages: [...rest.slice(0, at), key, ...rest.slice(at)] };
    },
  },
  {
    id: 'key-cut-at-32',
    breaks: ['IDEM-2a'],
    story: 'The cache key keeps 32 characters of the key, so two long ones are one.',
    bend: parse((key) => key?.slice(0, 32) ?? null),
    alsoSeenAs: { 'IDEM-1b': 'two keys of the greatest length that differ at the end are one' },
  },
  {
    id: 'key-alone-decides',
    breaks: ['IDEM-2a'],
    story: 'The key alone is looked up, whatever it came with.',
    bend: identity(
      ({ credential, operation, key }) => `${credential?.clientId}\n${operation}\n${key}`,
    ),
    alsoSeenAs: {
      'IDEM-2c': 'no subject tells two operations apart any more',
      'IDEM-9b': 'a changed batch under the old key is no new batch',
      'POS-4': 'another trading account under the key is no other operation',
      'IDEM-11': 'a correction with another subject gets the old refusal',
    },
  },
  {
    id: 'key-shared-by-credentials',
    breaks: ['IDEM-2b'],
    story: 'Keys are looked up without the credential.',
    bend: identity((_attempt, id) => id.slice(id.indexOf('\n') + 1)),
  },
  {
    id: 'key-by-firm',
    breaks: ['IDEM-2b'],
    story: 'Keys belong to the firm, not to the credential.',
    bend: identity(
      ({ credential }, id) => `firm ${credential?.firmId}${id.slice(id.indexOf('\n'))}`,
    ),
  },
  {
    id: 'key-by-token',
    breaks: ['IDEM-4a'],
    story: 'Keys belong to the access token, so a renewed token forgets them.',
    bend: identity(({ token }, id) => `${token?.token}${id.slice(id.indexOf('\n'))}`),
  },
  {
    id: 'key-with-body-hash',
    breaks: ['IDEM-8'],
    story: 'The body is part of the fingerprint, as other APIs do it.',
    bend: identity(({ call }, id) => `${id}\n${sha256Hex(call.body)}`),
    alsoSeenAs: {
      'IDEM-9a': 'editing a first name makes a new batch',
      'IDEM-11': 'the corrected request runs under the old key',
      'POS-2': 'another order under the same key is opened',
      'IDEM-10': 'another reason is another operation',
    },
  },
  {
    id: 'key-with-other-body-conflicts',
    breaks: ['IDEM-8'],
    story: 'A key that comes with another body is refused as misuse.',
    bend: policy('keys', (keys) => ({
      replay: (stored, attempt) => {
        const first =
          attempt.world.journal.slots[(attempt.firstAttempt ?? 0) % attempt.world.journal.capacity];
        const same =
          first === undefined || sha256Hex(first.call.body) === sha256Hex(attempt.call.body);
        if (same) return keys.replay(stored, attempt);
        return attempt.behaviour.refuse(attempt, {
          status: 422,
          title: 'Key reused',
          code: 'validation_failed',
          detail: 'This key was used with another body.',
          errors: [],
        });
      },
    })),
    alsoSeenAs: {
      'IDEM-9a': 'an edited first name is refused',
      'IDEM-11': 'the corrected request is refused as misuse',
      'POS-2': 'another order under the same key is refused',
      'IDEM-10': 'another reason under the same key is refused',
    },
  },
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
    bend: subject(moves, ({ pathId }) => pathId),
    alsoSeenAs: { 'IDEM-2c': 'the subject is not the one of the table' },
  },
  {
    id: 'subject-of-update-is-nothing',
    breaks: ['IDEM-2c'],
    story: 'Updates are keyed by the key alone, so it cannot be used for two accounts.',
    bend: subject(['updateAccount'], () => ''),
    alsoSeenAs: { 'IDEM-2a': 'another account under the key is not another operation' },
  },
  {
    id: 'subject-of-positions-is-the-instrument',
    breaks: ['IDEM-2c'],
    story: 'The instrument is taken into the subject of positions.',
    bend: subject(
      ['openPosition'],
      ({ body }, own) => `${own}\n${optionalText(body, 'instrument')}`,
    ),
    alsoSeenAs: {
      'POS-2': 'another instrument under the key opens another position',
      'IDEM-8': 'part of the body is compared',
    },
  },
  {
    id: 'subject-of-positions-is-nothing',
    breaks: ['POS-4'],
    story: 'Orders are keyed by the key alone.',
    bend: subject(['openPosition', 'closePosition'], () => ''),
    alsoSeenAs: {
      'IDEM-2c': 'the trading account is not the subject any more',
      'IDEM-2a': 'nor is any other',
    },
  },
  {
    id: 'subject-of-accounts-is-the-email',
    breaks: ['IDEM-2c'],
    story: 'The person is known by the email, so that is the subject.',
    bend: subject(['createAccount'], ({ body }) => optionalText(body, 'email') ?? ''),
    alsoSeenAs: {
      'IDEM-8': 'another email is another operation',
      'IDEM-2a': 'another reference with the same email is a repeat',
      'IDEM-11': 'a corrected email runs under the old key',
    },
  },
  {
    id: 'subject-of-transactions-is-the-account',
    breaks: ['IDEM-2c'],
    story: 'Creating a transaction has the account as its subject, like deciding on one.',
    bend: subject(['createTransaction'], ({ body }) => optionalText(body, 'account_id') ?? ''),
    alsoSeenAs: {
      'IDEM-2a': 'another reference for the same account is a repeat',
      'IDEM-8': 'another account is another operation',
    },
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
      return `${rows.length}|${rows[0]?.client_reference_id}|${rows[rows.length - 1]?.client_reference_id}`;
    }),
    alsoSeenAs: {
      'IDEM-9a': 'emails and brands are not looked at',
      'IDEM-2c': 'the subject is not the rows',
    },
  },
  {
    id: 'batch-extended-replays',
    breaks: ['IDEM-9b'],
    story: 'Only the first row is looked at, so a longer batch replays the shorter one.',
    bend: subject(['bulkCreateAccounts'], ({ body }) => {
      const [first] = body.accounts as Record<string, unknown>[];
      return `${first?.client_reference_id}|${first?.email}|${first?.brand_id}`;
    }),
    alsoSeenAs: {
      'IDEM-9a': 'emails and brands of later rows are not looked at',
      'IDEM-2c': 'the subject is one row',
    },
  },
  {
    id: 'batch-by-whole-rows',
    breaks: ['IDEM-9a'],
    story: 'Whole rows are hashed, so an edited first name makes a new batch.',
    bend: subject(['bulkCreateAccounts'], ({ call }) => sha256Hex(call.body)),
    alsoSeenAs: {
      'IDEM-8': 'the body of a batch is compared',
      'IDEM-2c': 'more than references, emails and brands counts',
    },
  },
];

function reorder(first: string, second: string): Deviation['bend'] {
  return (behaviour) => {
    const moved = behaviour.stages.find(({ name }) => name === first)!;
    const rest = behaviour.stages.filter(({ name }) => name !== first);
    const at = rest.findIndex(({ name }) => name === second);
    return { ...behaviour, stages: [...rest.slice(0, at), moved, ...rest.slice(at)] };
  };
}
