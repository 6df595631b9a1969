// Deviations of idempotency keys (IDEM).
import { keyRetentionMs } from '../../fixtures/constants.ts';
import type { OperationName } from '../../fixtures/operations.ts';
import type { Reply } from '../core/call.ts';
import { type Change, put } from '../core/change.ts';
import { findEntry } from '../core/journal.ts';
import { optionalText } from '../core/operations/members.ts';
import type { Body, RequestContext } from '../core/pipeline/request-context.ts';
import type { Entry, KeyRecord } from '../core/records.ts';
import type { DeviationFamily } from './deviation.ts';
import {
  decision,
  entryBooked,
  everyReply,
  type Json,
  mapJson,
  memory,
  type Override,
  policy,
  refuseAs,
  stage,
  stageAfter,
  transitionOperations,
  underStatus,
  writeOperations,
} from './overrides.ts';

const parse = (change: (key: string | null, header: string | undefined) => string | null) =>
  policy('keys', (keys) => ({ parse: (header) => change(keys.parse(header), header) }));

/** Changes the identity under which a key record is stored. */
const identity = (change: (context: RequestContext, id: string) => string) =>
  policy('keys', (keys) => ({ id: (context) => change(context, keys.id(context)) }));

const subject = (
  names: readonly OperationName[],
  change: (context: RequestContext, subject: string) => string,
) =>
  policy('keys', ({ subjects }) => ({
    subjects: {
      ...subjects,
      ...Object.fromEntries(
        names.map((name) => [
          name,
          (context: RequestContext) => change(context, subjects[name]?.(context) ?? ''),
        ]),
      ),
    },
  }));

const replay = (change: (stored: Reply, context: RequestContext) => Reply) =>
  policy('keys', (keys) => ({
    replay: (stored, context) => change(keys.replay(stored, context), context),
  }));

const records = (test: (reply: Reply, conforming: boolean) => boolean) =>
  policy('keys', (keys) => ({ records: (reply) => test(reply, keys.records(reply)) }));

/** Changes the body of replayed problems. */
const replayedProblem = (change: (body: Json, context: RequestContext) => Json) =>
  replay((stored, context) =>
    stored.contentType === 'application/problem+json'
      ? mapJson(stored, (body) => change(body, context))
      : stored,
  );

/** Makes an additional change when an operation is replayed. */
const replaying = (
  names: readonly OperationName[],
  change: (context: RequestContext, replayed: Reply) => readonly Change[],
): Override =>
  stage('replay', (given, context) => {
    const isReplay =
      context.idempotency === 'replayed' && names.some((name) => name === context.operation);
    if (given === null || !isReplay) return given;
    return { ...given, changes: [...given.changes, ...change(context, given.reply)] };
  });

/** Books the last entry of this kind again. */
function bookAgain(context: RequestContext, kind: Entry['kind']): readonly Change[] {
  const { world, pathId } = context;
  const account = world.tradingAccounts.get(
    world.transactions.get(pathId)?.trading_account_id ?? '',
  );
  const booked = account?.entries.findLast(
    (each) => each.transaction_id === pathId && each.kind === kind,
  );
  return booked === undefined ? [] : entryBooked(context, booked.amount, kind);
}

const find = (test: (record: KeyRecord, ageMs: number, keyId: string) => boolean) =>
  policy('keys', (keys) => ({
    find: (world, keyId, atMs) => {
      const record = keys.find(world, keyId, atMs);
      return record !== undefined && test(record, atMs - record.atMs, keyId) ? record : undefined;
    },
  }));

/** Records nothing for some operations, so that a repeat runs again. */
function forgets(...names: readonly OperationName[]): Override {
  return find((_record, _age, keyId) => !names.some((name) => keyId.includes(`\n${name}\n`)));
}

/** Waits longer than concurrent requests do for each other, but less than reading a response. */
async function afterTurns(): Promise<void> {
  for (let turn = 0; turn < 4; turn += 1) await undefined;
}

/** Keeps some responses outside the key records, so that a repeat gets them again. */
const recording =
  (test: (reply: Reply, context: RequestContext) => boolean): Override =>
  (behaviour) => {
    const kept = memory(() => new Map<string, Reply>());
    const keep = everyReply((reply, context) => {
      if (context.keyId !== null && test(reply, context))
        kept(context.world).set(context.keyId, reply);
      return reply;
    });
    const repeat = stage('replay', (given, context) => {
      const reply = kept(context.world).get(context.keyId ?? '');
      if (reply === undefined) return given;
      context.idempotency = 'replayed';
      return { reply, changes: [], cites: [] };
    });
    return repeat(keep(behaviour));
  };

const rowsOf = (body: Body) => body.accounts as readonly Json[];

export const idempotencyDeviations: DeviationFamily = {
  'key-optional': {
    breaks: ['IDEM-1a'],
    story: 'A write without a key is served without idempotency.',
    override: stage('key', (given, context) => {
      if (context.call.headers['idempotency-key'] !== undefined) return given;
      if (writeOperations.some((name) => name === context.operation))
        context.key = `none-${context.n}`;
      return null;
    }),
  },
  'key-limit-short': {
    breaks: ['IDEM-1b'],
    story: 'The length has to be less than 255 instead of at most 255.',
    override: parse((key) => (key !== null && key.length >= 255 ? null : key)),
  },
  'key-checked-after-body': {
    breaks: ['IDEM-1d'],
    story: 'The handler reads the key after the framework has parsed the body.',
    override: stageAfter('key', 'readable'),
  },
  'key-cut-off': {
    breaks: ['IDEM-1b'],
    story: 'The cache keeps 32 characters of a key, so two long keys can be one.',
    override: parse((key) => key?.slice(0, 32) ?? null),
  },
  'key-alone-decides': {
    breaks: ['IDEM-2a'],
    story: 'Only the key is looked up, without its subject.',
    override: identity(
      ({ credential, operation, key }) => `${credential?.client_id}\n${operation}\n${key}`,
    ),
    alsoSeenAs: {
      'IDEM-2c': 'the subject is ignored',
      'IDEM-9b': 'a changed batch under the old key is replayed',
      'POS-4': 'another trading account under the key is replayed',
    },
  },
  'key-shared-by-credentials': {
    breaks: ['IDEM-2b'],
    story: 'Keys are looked up without the credential.',
    override: identity((_attempt, id) => id.slice(id.indexOf('\n') + 1)),
  },
  'key-by-token': {
    breaks: ['IDEM-2b'],
    story: 'Keys belong to the access token, so a renewed token forgets them.',
    override: identity(({ token }, id) => `${token?.token}${id.slice(id.indexOf('\n'))}`),
  },
  'key-with-other-body-conflicts': {
    breaks: ['IDEM-8'],
    story: 'A key that is sent with another body is refused as misuse.',
    override: replay((stored, context) => {
      const first = findEntry(context.world.journal, context.firstCall ?? 0);
      return first === undefined || Buffer.compare(first.call.body, context.call.body) === 0
        ? stored
        : refuseAs(context, 'validation_failed').reply;
    }),
    alsoSeenAs: {
      'IDEM-9a': 'an edited first name is refused',
      'POS-2': 'another order under the same key is refused',
    },
  },
  'subject-open-and-close-collide': {
    breaks: ['POS-3', 'IDEM-3'],
    story: 'Both position endpoints share key records.',
    override: identity((_attempt, id) => id.replace(/\n(open|close)Position\n/, '\nposition\n')),
  },
  'subject-creates-collide': {
    breaks: ['IDEM-3'],
    story: 'Creating an account and a transaction with one reference shares a key record.',
    override: identity((_attempt, id) =>
      id.replace(/\ncreate(Account|Transaction)\n/, '\ncreate\n'),
    ),
  },
  'subject-update-collides-with-moves': {
    breaks: ['IDEM-3'],
    story: 'All operations on one account share a key record.',
    override: identity((_attempt, id) =>
      id.replace(/\n(update|approve|reject|cancel)(Account|Transaction)\n/, '\naccount\n'),
    ),
  },
  'subject-of-moves-is-the-transaction': {
    breaks: ['IDEM-10'],
    story: 'The transaction in the path is the subject.',
    override: subject(transitionOperations, ({ pathId }) => pathId),
  },
  'subject-of-positions-is-nothing': {
    breaks: ['POS-4'],
    story: 'Orders have no subject.',
    override: subject(['openPosition', 'closePosition'], () => ''),
    alsoSeenAs: { 'IDEM-2c': 'the trading account is not part of the subject' },
  },
  'subject-of-accounts-is-the-email': {
    breaks: ['IDEM-2c'],
    story: 'The email identifies the person, so it is the subject.',
    override: subject(['createAccount'], ({ body }) => optionalText(body, 'email') ?? ''),
  },
  'subject-of-accounts-has-the-brand': {
    breaks: ['IDEM-2c'],
    story: 'References are per brand, so the brand is part of the subject.',
    override: subject(
      ['createAccount'],
      ({ body }, own) => `${own}\n${optionalText(body, 'brand_id') ?? ''}`,
    ),
  },
  'subject-of-accounts-case-sensitive': {
    breaks: ['IDEM-2c'],
    story: 'The subject keeps the case of the reference, though the look-up ignores it.',
    override: subject(
      ['createAccount'],
      ({ body }) => optionalText(body, 'client_reference_id') ?? '',
    ),
  },
  'subject-of-transactions-has-the-account': {
    breaks: ['IDEM-2c'],
    story: 'The account is part of the subject of a transaction.',
    override: subject(
      ['createTransaction'],
      ({ body }, own) => `${own}\n${optionalText(body, 'account_id')}`,
    ),
  },
  'batch-by-references-only': {
    breaks: ['IDEM-9a'],
    story: 'Only the references are hashed, so a corrected email replays the old batch.',
    override: subject(['bulkCreateAccounts'], ({ body }) =>
      JSON.stringify(rowsOf(body).map((row) => row.client_reference_id)),
    ),
    alsoSeenAs: { 'IDEM-2c': 'emails and brands are not part of the subject' },
  },
  'batch-order-ignored': {
    breaks: ['IDEM-9b'],
    story: 'The rows are sorted before they are hashed.',
    override: subject(['bulkCreateAccounts'], ({ body }) =>
      JSON.stringify(
        rowsOf(body)
          .map((row) => `${row.client_reference_id}|${row.email}|${row.brand_id}`)
          .sort(),
      ),
    ),
  },
  'replay-answers-200': {
    breaks: ['IDEM-4a'],
    story: 'A replayed create is answered with 200, because nothing is created.',
    override: replay((stored) => (stored.status === 201 ? { ...stored, status: 200 } : stored)),
  },
  'replay-of-422-answers-409': {
    breaks: ['IDEM-4a', 'IDEM-4d'],
    story: 'A repeat of a request that was refused with 422 is answered as a conflict.',
    override: replay((stored) => (stored.status === 422 ? { ...stored, status: 409 } : stored)),
  },
  'replay-of-404-answers-409': {
    breaks: ['IDEM-4a', 'IDEM-4d'],
    story: 'A repeat of a request that was refused with 404 is answered as a conflict.',
    override: replay((stored) => (stored.status === 404 ? { ...stored, status: 409 } : stored)),
  },
  'replay-reprints-members-sorted': {
    breaks: ['IDEM-4b'],
    story: 'Responses are kept in a JSON column that sorts their members.',
    override: replay((stored) =>
      stored.contentType === 'text/plain' || stored.contentType === null
        ? stored
        : mapJson(stored, (body) =>
            Object.fromEntries(Object.entries(body).sort(([a], [b]) => a.localeCompare(b))),
          ),
    ),
  },
  'replay-applies-the-change-again': {
    breaks: ['IDEM-4c'],
    story: 'The change runs again before the response is replayed.',
    override: replaying(['updateAccount'], ({ world, pathId }) => {
      const account = world.accounts.get(pathId);
      if (account === undefined) return [];
      return [put('accounts', { ...account, revision: account.revision + 1 })];
    }),
  },
  'replay-emits-the-event-again': {
    breaks: ['IDEM-4c'],
    story: 'The event is published after every 2xx, including replays.',
    override: replaying(writeOperations, ({ world }, { status, body }) => {
      const last =
        status === 201 ? world.events.records.findLast((each) => each.body === body) : undefined;
      if (last === undefined) return [];
      const { seq: _seq, occurred_at: _occurredAt, ...draft } = last;
      return [{ type: 'event', draft }];
    }),
  },
  'refusals-not-recorded': {
    breaks: ['IDEM-4d'],
    story: 'Only successes are kept.',
    override: records((reply, conforming) => conforming && reply.status < 400),
    alsoSeenAs: {
      'IDEM-11': 'a corrected request runs under the old key',
      'IDEM-13': 'a conflict is not kept',
    },
  },
  'refusals-corrected-under-old-key': {
    breaks: ['IDEM-11'],
    story: 'A refusal is kept for the same body only, so a corrected request may use the old key.',
    override: (behaviour) =>
      identity((context, id) => {
        const record = behaviour.keys.find(context.world, id, context.atMs);
        if (record?.reply == null || record.reply.status < 400) return id;
        const first = findEntry(context.world.journal, record.firstCall);
        const isSame =
          first === undefined || Buffer.compare(first.call.body, context.call.body) === 0;
        return isSame ? id : `${id}\n${Buffer.from(context.call.body).toString()}`;
      })(behaviour),
    alsoSeenAs: { 'IDEM-13': 'a corrected request runs' },
  },
  'refusals-409-not-recorded': {
    breaks: ['IDEM-4d', 'IDEM-13'],
    story: 'A 409 describes the moment, so it is not kept.',
    override: records((reply, conforming) => conforming && reply.status !== 409),
  },
  'refusals-replay-with-new-detail': {
    breaks: ['IDEM-4d'],
    story: 'Only the code of a refusal is kept, and its words are written again.',
    override: replayedProblem((body) => ({ ...body, detail: 'This request was refused before.' })),
  },
  'replay-with-own-request-id': {
    breaks: ['IDEM-5'],
    story: 'A replayed body gets the request id of the repeat.',
    override: replayedProblem((body, { requestId }) => ({ ...body, request_id: requestId })),
  },
  'replay-credits-again': {
    breaks: ['IDEM-4c'],
    story: 'A listener writes the ledger for every approval, including replays.',
    override: replaying(['approveTransaction'], (context) => bookAgain(context, 'movement')),
  },
  'replay-reverses-again': {
    breaks: ['IDEM-4c'],
    story: 'A listener writes the compensating entry for every cancellation, including replays.',
    override: replaying(['cancelTransaction'], (context) => bookAgain(context, 'compensation')),
  },
  'replay-of-updates-runs': {
    breaks: ['IDEM-4a'],
    story: 'Updates are protected by their tag only.',
    override: forgets('updateAccount'),
    alsoSeenAs: { 'IDEM-4d': 'refused updates are not kept' },
  },
  'replay-of-positions-runs': {
    breaks: ['IDEM-4c', 'POS-2'],
    story: 'Orders go to the trading server, which ignores keys.',
    override: forgets('openPosition', 'closePosition'),
    alsoSeenAs: {
      'IDEM-4a': 'the repeat may have another status',
      'IDEM-4b': 'the repeat has another body',
      'IDEM-4d': 'refused orders are not kept',
    },
  },
  'limited-is-recorded': {
    breaks: ['IDEM-6a'],
    story: 'The key is reserved before the rate is checked, so a 429 is kept under it.',
    override: (behaviour) =>
      records((reply, conforming) => conforming || reply.status === 429)(
        stageAfter('rate', 'replay')(behaviour),
      ),
  },
  'record-expires-early': {
    breaks: ['IDEM-7a'],
    story: 'The cache keeps records for half the time.',
    override: find((_record, ageMs) => ageMs < keyRetentionMs / 2),
  },
  'record-expires-late': {
    breaks: ['IDEM-7b'],
    story: 'The cache keeps records for twice the time.',
    override: policy('keys', (keys) => ({
      find: (world, keyId, atMs) => {
        const record = world.keys.get(keyId);
        if (record === undefined || record.reply === null) return keys.find(world, keyId, atMs);
        return atMs - record.atMs < 2 * keyRetentionMs ? record : undefined;
      },
    })),
  },
  'in-flight-is-recorded': {
    breaks: ['IDEM-14a'],
    story: 'The 409 for a running request is kept, and every repeat gets it.',
    override: recording((_reply, { idempotency }) => idempotency === 'in_flight'),
  },
  'in-flight-is-425': {
    breaks: ['IDEM-14a'],
    story: '425 "Too Early" seems to fit better.',
    override: underStatus('idempotency_in_flight', 425),
    alsoSeenAs: { 'ERR-3': 'the table has another status' },
  },
  'in-flight-given-up-early': {
    breaks: ['IDEM-14b'],
    story: 'The lock expires after five seconds.',
    override: policy('keys', () => ({ abandonAfterMs: 5000 })),
  },
  'race-check-then-insert': {
    breaks: ['IDEM-15'],
    story: 'The key is looked up first and stored last, so concurrent requests all run.',
    override: (behaviour) => {
      const known = memory(() => ({ seen: new Set<string>(), stored: new Set<string>() }));
      return policy('keys', (keys) => ({
        find: (world, keyId, atMs) => {
          const { seen, stored } = known(world);
          if (!seen.has(keyId)) {
            seen.add(keyId);
            void afterTurns().then(() => stored.add(keyId));
          }
          return stored.has(keyId) ? keys.find(world, keyId, atMs) : undefined;
        },
      }))(behaviour);
    },
  },
  'reference-only-under-same-key': {
    breaks: ['IDEM-12'],
    story: 'Under another key a known reference is refused as taken.',
    override: decision(['createAccount', 'createTransaction'], (given, context) =>
      context.idempotency === 'converged'
        ? {
            ...refuseAs(context, 'invalid_state'),
            cites: given.cites,
          }
        : given,
    ),
    alsoSeenAs: {
      'ACC-5': 'a known account is not found',
      'TXN-2': 'a known transaction is not found',
    },
  },
  'keys-for-few-repeats': {
    breaks: ['IDEM-4a'],
    story: 'A key is forgotten after its second repeat.',
    override: (behaviour) => {
      const repeats = memory(() => new Map<string, number>());
      return policy('keys', (keys) => ({
        find: (world, keyId, atMs) => {
          const record = keys.find(world, keyId, atMs);
          if (record === undefined) return record;
          const count = (repeats(world).get(keyId) ?? 0) + 1;
          repeats(world).set(keyId, count);
          return count > 2 ? undefined : record;
        },
      }))(behaviour);
    },
    alsoSeenAs: {
      'IDEM-14b': 'a request that is still running loses its key while others repeat it',
      'IDEM-15': 'the fourth of the concurrent requests runs again',
    },
  },
  'keys-of-a-small-cache': {
    breaks: ['IDEM-4a'],
    story: 'The cache holds 200 keys and drops the oldest.',
    override: (behaviour) => {
      const newest = memory((): string[] => []);
      return policy('keys', (keys) => ({
        find: (world, keyId, atMs) => {
          const record = keys.find(world, keyId, atMs);
          const ids = newest(world);
          if (record === undefined) ids.push(keyId);
          return ids.lastIndexOf(keyId) < ids.length - 200 ? undefined : record;
        },
      }))(behaviour);
    },
  },
  'contention-is-recorded': {
    breaks: ['IDEM-6b'],
    story: 'A 503 is kept like any other response.',
    override: recording(({ status }) => status === 503),
  },
  'internal-error-is-recorded': {
    breaks: ['IDEM-6c'],
    story: 'A 500 is kept like any other response.',
    override: recording(({ status }) => status === 500),
  },
};
