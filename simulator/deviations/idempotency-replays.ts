// Wrong ways of recording and replaying answers (IDEM-4 to IDEM-15).
import type { Attempt } from '../core/attempt.ts';
import type { Reply } from '../core/call.ts';
import type { KeyRecord } from '../core/records.ts';
import type { OperationName } from '../core/tables/operations.ts';
import { all, type Json, mapJson, operation, policy, stage } from './bend.ts';
import type { Deviation } from './deviation.ts';

const hour = 3600 * 1000;

const replay = (change: (stored: Reply, attempt: Attempt) => Reply) =>
  policy('keys', (keys) => ({
    replay: (stored, attempt) => change(keys.replay(stored, attempt), attempt),
  }));

const records = (test: (reply: Reply, conforming: boolean) => boolean) =>
  policy('keys', (keys) => ({ records: (reply) => test(reply, keys.records(reply)) }));

const find = (test: (record: KeyRecord, ageMs: number, keyId: string) => boolean) =>
  policy('keys', (keys) => ({
    find: (world, keyId, atMs) => {
      const record = keys.find(world, keyId, atMs);
      return record !== undefined && test(record, atMs - record.atMs, keyId) ? record : undefined;
    },
  }));

const isJson = ({ contentType }: Reply): boolean =>
  contentType !== 'text/plain' && contentType !== null;

/** Keeps nothing for some operations, so that a repeat runs again. */
function forgets(...names: readonly OperationName[]): Deviation['bend'] {
  return find((_record, _age, keyId) => !names.some((name) => keyId.includes(`\n${name}\n`)));
}

const runsAgain = {
  'IDEM-4a': 'what runs again may answer another status',
  'IDEM-4b': 'what runs again answers another body',
  'IDEM-4c': 'it runs again',
  'IDEM-8': 'another body is looked at',
  'IDEM-15': 'more than one of several at once runs',
};

export const replayDeviations: readonly Deviation[] = [
  {
    id: 'replay-answers-200',
    breaks: ['IDEM-4a'],
    story: 'A replayed create is answered 200, because nothing was created this time.',
    bend: replay((stored) => (stored.status === 201 ? { ...stored, status: 200 } : stored)),
    alsoSeenAs: {
      'IDEM-15': 'the repeats of a crowd are no replays',
      'IDEM-8': 'the first answer is not returned',
    },
  },
  {
    id: 'replay-answers-409',
    breaks: ['IDEM-4a'],
    story: 'A repeated key is refused as a duplicate.',
    bend: replay((stored) => (stored.status === 201 ? { ...stored, status: 409 } : stored)),
    alsoSeenAs: {
      'IDEM-15': 'the repeats of a crowd are no replays',
      'IDEM-8': 'the first answer is not returned',
    },
  },
  {
    id: 'replay-reprints-members-sorted',
    breaks: ['IDEM-4b'],
    story: 'Answers are kept in a JSON column, which sorts their members.',
    bend: replay((stored) => (isJson(stored) ? mapJson(stored, sorted) : stored)),
    alsoSeenAs: { 'IDEM-15': 'the repeats of a crowd are no replays' },
  },
  {
    id: 'replay-reprints-pretty',
    breaks: ['IDEM-4b'],
    story: 'The replay is printed by another serialiser, with white space.',
    bend: replay((stored) =>
      isJson(stored) && stored.body !== ''
        ? { ...stored, body: JSON.stringify(JSON.parse(stored.body), null, 1) }
        : stored,
    ),
    alsoSeenAs: { 'IDEM-15': 'the repeats of a crowd are no replays' },
  },
  {
    id: 'replay-shows-the-present',
    breaks: ['IDEM-4b'],
    story: 'The replay loads the record anew instead of the answer that was given.',
    bend: replay((stored, attempt) => presentAccount(stored, attempt)),
  },
  {
    id: 'replay-adds-a-marker',
    breaks: ['IDEM-4b'],
    story: 'A member tells that this is a replay.',
    bend: replay((stored) =>
      isJson(stored) && stored.body.startsWith('{')
        ? mapJson(stored, (body) => ({ ...body, replayed: true }))
        : stored,
    ),
    alsoSeenAs: {
      'IDEM-15': 'the repeats of a crowd are no replays',
      'ACC-18': 'accounts have a further member',
    },
  },
  {
    id: 'replay-adds-a-line-break',
    breaks: ['IDEM-4b'],
    story: 'The cache returns the text with a line break at its end.',
    bend: replay((stored) => ({ ...stored, body: `${stored.body}\n` })),
    alsoSeenAs: { 'IDEM-15': 'the repeats of a crowd are no replays' },
  },
  {
    id: 'replay-of-accounts-runs',
    breaks: ['IDEM-4a'],
    story: 'Creating an account relies on the reference alone, so a repeat converges with 200.',
    bend: forgets('createAccount'),
    alsoSeenAs: {
      ...runsAgain,
      'IDEM-11': 'a correction runs',
      'IDEM-13': 'the conflict is judged anew',
      'IDEM-4d': 'refusals of it are not kept',
      'IDEM-7a': 'nothing is kept',
      'IDEM-5': 'the first request_id is gone',
    },
  },
  {
    id: 'replay-of-updates-runs',
    breaks: ['IDEM-4c'],
    story: 'The tag is thought to be protection enough for updates.',
    bend: forgets('updateAccount'),
    alsoSeenAs: {
      ...runsAgain,
      'IDEM-4d': 'refusals of it are not kept',
      'IDEM-11': 'a correction runs',
    },
  },
  {
    id: 'replay-of-positions-runs',
    breaks: ['IDEM-4c', 'POS-2'],
    story: 'Orders are passed on to the trading server, which knows no keys.',
    bend: forgets('openPosition', 'closePosition'),
    alsoSeenAs: { ...runsAgain, 'IDEM-4d': 'refusals of it are not kept' },
  },
  {
    id: 'replay-of-moves-runs',
    breaks: ['IDEM-10'],
    story: 'Approving twice changes nothing, so no key is kept for it.',
    bend: forgets('approveTransaction', 'rejectTransaction', 'cancelTransaction'),
    alsoSeenAs: {
      ...runsAgain,
      'IDEM-4d': 'refusals of it are not kept',
      'IDEM-2c': 'no subject counts',
      'IDEM-11': 'a correction runs',
      'IDEM-5': 'a refusal is made anew',
    },
  },
  {
    id: 'replay-of-batches-runs',
    breaks: ['IDEM-9a'],
    story: 'Batches are safe to repeat by their references, so no key is kept.',
    bend: forgets('bulkCreateAccounts'),
    alsoSeenAs: {
      ...runsAgain,
      'IDEM-4d': 'refusals of it are not kept',
      'IDEM-2c': 'no subject counts',
    },
  },
  {
    id: 'replay-applies-the-change-again',
    breaks: ['IDEM-4c'],
    story: 'The answer is replayed, but the change has run once more before.',
    bend: stage('replay', (decide, attempt) => {
      const decision = decide(attempt);
      if (
        decision === null ||
        attempt.idempotency !== 'replayed' ||
        attempt.operation !== 'openPosition'
      ) {
        return decision;
      }
      const again = attempt.behaviour.operations.openPosition(attempt);
      return 'decideRow' in again ? decision : { ...decision, changes: again.changes };
    }),
  },
  {
    id: 'replay-emits-the-event-again',
    breaks: ['IDEM-4c'],
    story: 'The event is published by the middleware after every 2xx, replays included.',
    bend: stage('replay', (decide, attempt) => {
      const decision = decide(attempt);
      if (
        decision === null ||
        attempt.idempotency !== 'replayed' ||
        decision.reply.status !== 201
      ) {
        return decision;
      }
      const { events } = attempt.world;
      const last = events.records.findLast(({ body }) => body === decision.reply.body);
      if (last === undefined) return decision;
      const { seq: _seq, atMs: _atMs, ...happening } = last;
      return { ...decision, changes: [{ type: 'event-recorded', happening }] };
    }),
  },
  {
    id: 'refusals-not-recorded',
    breaks: ['IDEM-4d'],
    story: 'Only successes are kept, as in most other APIs.',
    bend: records((reply, conforming) => conforming && reply.status < 400),
    alsoSeenAs: {
      'IDEM-11': 'a corrected request runs under the old key',
      'IDEM-13': 'the conflict is not kept either',
      'IDEM-5': 'a refusal is made anew, with its own request_id',
      'TXS-3': 'a refused approval is judged anew',
    },
  },
  ...[403, 404, 409, 412, 413, 422, 501].map(
    (status): Deviation => ({
      id: `refusals-${status}-not-recorded`,
      breaks: status === 409 ? ['IDEM-4d', 'IDEM-13'] : ['IDEM-4d'],
      story: `Answers of ${status} are thought to be about the moment and are not kept.`,
      bend: records((reply, conforming) => conforming && reply.status !== status),
      alsoSeenAs: {
        'IDEM-11': 'a corrected request runs under the old key',
        'IDEM-5': 'a refusal is made anew, with its own request_id',
      },
    }),
  ),
  {
    id: 'refusals-replay-with-new-detail',
    breaks: ['IDEM-4d'],
    story: 'Only the code of a refusal is kept; its words are made anew.',
    bend: replay((stored) =>
      stored.contentType === 'application/problem+json'
        ? mapJson(stored, (body) => ({ ...body, detail: 'This request was refused before.' }))
        : stored,
    ),
    alsoSeenAs: {
      'IDEM-13': 'so it is with the conflict',
      'IDEM-11': 'and with a correction',
      'IDEM-4b': 'the body differs',
    },
  },
  {
    id: 'replay-with-own-request-id',
    breaks: ['IDEM-5'],
    story: 'The request_id of the present call is written into the replayed body.',
    bend: replay((stored, { requestId }) =>
      stored.contentType === 'application/problem+json'
        ? mapJson(stored, (body) => ({ ...body, request_id: requestId }))
        : stored,
    ),
    alsoSeenAs: {
      'IDEM-4d': 'a refusal does not replay as it was',
      'IDEM-4b': 'nor byte for byte',
      'IDEM-13': 'nor does the conflict',
      'IDEM-11': 'nor does the refusal that is corrected',
    },
  },
  {
    id: 'replay-with-old-header',
    breaks: ['IDEM-5'],
    story: 'All headers replay, X-Request-Id too.',
    bend: (behaviour) => ({
      ...behaviour,
      requestId: (world, n) => behaviour.requestId(world, n),
      keys: {
        ...behaviour.keys,
        replay: (stored, attempt) => ({
          ...behaviour.keys.replay(stored, attempt),
          headers: {
            'x-request-id': behaviour.requestId(attempt.world, attempt.firstAttempt ?? attempt.n),
          },
        }),
      },
    }),
    alsoSeenAs: { 'ERR-4': 'two calls carry one X-Request-Id' },
  },
  {
    id: 'limited-is-recorded',
    breaks: ['IDEM-6a'],
    story: 'The key is reserved before the rate is looked at, and the 429 is stored under it.',
    bend: (behaviour) => {
      const rate = behaviour.stages.find(({ name }) => name === 'rate')!;
      const rest = behaviour.stages.filter(({ name }) => name !== 'rate');
      const at = rest.findIndex(({ name }) => name === 'replay') + 1;
      return {
        ...behaviour,
        stages: [...rest.slice(0, at), rate, ...rest.slice(at)],
        keys: {
          ...behaviour.keys,
          records: (reply) => reply.status === 429 || behaviour.keys.records(reply),
        },
      };
    },
    alsoSeenAs: {
      'LIM-7': 'waiting does not help the one that was refused',
      'LIM-5': 'a refused call leaves a record',
      'LIM-11': 'replays are not counted',
    },
  },
  {
    id: 'record-12-hours',
    breaks: ['IDEM-7a'],
    story: 'The cache lives half a day.',
    bend: find((_record, ageMs) => ageMs < 12 * hour),
  },
  {
    id: 'record-23-hours-59',
    breaks: ['IDEM-7a'],
    story: 'A job cleans up early, a minute before the day is over.',
    bend: find((_record, ageMs) => ageMs < 24 * hour - 60_000),
  },
  {
    id: 'record-forever',
    breaks: ['IDEM-7b'],
    story: 'Nobody cleans the table.',
    bend: (behaviour) => {
      const kept = new Map<string, KeyRecord>();
      return {
        ...behaviour,
        keys: {
          ...behaviour.keys,
          find: (world, keyId, atMs) => {
            const name = `${world.name}\n${world.seed}\n${keyId}`;
            const record = behaviour.keys.find(world, keyId, atMs) ?? kept.get(name);
            if (record?.reply != null) kept.set(name, record);
            return record;
          },
        },
      };
    },
  },
  {
    id: 'record-renewed-by-use',
    breaks: ['IDEM-7b'],
    story: 'The day counts from the last use, not from the first answer.',
    bend: stage('replay', (decide, attempt) => {
      const decision = decide(attempt);
      if (decision === null || attempt.keyId === null || attempt.idempotency !== 'replayed')
        return decision;
      const record = attempt.behaviour.keys.find(attempt.world, attempt.keyId, attempt.atMs);
      if (record === undefined) return decision;
      const renewed = { ...record, atMs: attempt.atMs };
      return {
        ...decision,
        changes: [{ type: 'key-recorded', keyId: attempt.keyId, record: renewed }],
      };
    }),
  },
  {
    id: 'record-48-hours',
    breaks: ['IDEM-7b'],
    story: 'Two days, to be on the safe side.',
    bend: policy('keys', (keys) => ({
      find: (world, keyId, atMs) => {
        const record = world.keys.young.get(keyId) ?? world.keys.old.get(keyId);
        if (record === undefined || record.reply === null) return keys.find(world, keyId, atMs);
        return atMs - record.atMs < 48 * hour ? record : undefined;
      },
    })),
  },
  {
    id: 'in-flight-runs-too',
    breaks: ['IDEM-14a'],
    story: 'The key is stored with the answer, so while an attempt runs nobody knows of it.',
    bend: find((record) => record.reply !== null),
    alsoSeenAs: { 'IDEM-14b': 'nothing has to be given up', 'IDEM-15': 'two run at once' },
  },
  {
    id: 'in-flight-is-recorded',
    breaks: ['IDEM-14a'],
    story: 'The 409 that says "still running" is stored and is what everybody gets from then on.',
    bend: stage('replay', (decide, attempt) => {
      const decision = decide(attempt);
      if (decision === null || attempt.idempotency !== 'in_flight' || attempt.keyId === null)
        return decision;
      const record = { atMs: attempt.atMs, reply: decision.reply, attempt: attempt.n };
      const keyId = `${attempt.keyId}\nseen`;
      return { ...decision, changes: [{ type: 'key-recorded', keyId, record }] };
    }),
  },
  {
    id: 'in-flight-is-425',
    breaks: ['IDEM-14a'],
    story: 'The status for "too early" seems to fit better.',
    bend: (behaviour) => ({
      ...behaviour,
      refusedAs: (code) => ({
        ...behaviour.refusedAs(code),
        ...(code === 'idempotency_in_flight' ? { status: 425 } : {}),
      }),
    }),
    alsoSeenAs: {
      'IDEM-14b': 'it is not the 409',
      'ERR-3': 'another status than the table’s',
      'IDEM-15': 'neither a replay nor the 409',
    },
  },
  {
    id: 'in-flight-given-up-after-5s',
    breaks: ['IDEM-14b'],
    story: 'The lock expires after five seconds.',
    bend: policy('keys', () => ({ abandonAfterMs: 5000 })),
  },
  {
    id: 'in-flight-given-up-after-20s',
    breaks: ['IDEM-14b'],
    story: 'The lock expires after twenty seconds.',
    bend: policy('keys', () => ({ abandonAfterMs: 20_000 })),
  },
  {
    id: 'race-check-then-insert',
    breaks: ['IDEM-15'],
    story:
      'The key is looked up first and inserted last, so that calls at the same moment all run.',
    bend: all((behaviour) => {
      const seen = new Map<string, number>();
      return {
        ...behaviour,
        keys: {
          ...behaviour.keys,
          find: (world, keyId, atMs) => {
            const record = behaviour.keys.find(world, keyId, atMs);
            if (record === undefined) return undefined;
            const name = `${world.name}\n${keyId}`;
            const wall = performance.now();
            const first = seen.get(name) ?? wall;
            seen.set(name, first);
            // Those that come within the same moment do not see each other.
            return wall - first < 8 ? undefined : record;
          },
        },
      };
    }),
    alsoSeenAs: runsAgain,
  },
  {
    id: 'reference-only-under-same-key',
    breaks: ['IDEM-12'],
    story: 'Under another key the reference is refused as taken, instead of finding its record.',
    bend: operation(['createAccount', 'createTransaction'], (run, attempt) => {
      const result = run(attempt);
      if ('decideRow' in result || attempt.idempotency !== 'converged') return result;
      const reply = attempt.behaviour.refuse(attempt, {
        status: 409,
        title: 'Reference taken',
        code: 'invalid_state',
        detail: 'This reference is used already.',
        errors: [],
      });
      return { ...result, reply };
    }),
    alsoSeenAs: {
      'ACC-5': 'a known account is not answered',
      'TXN-2': 'nor a known transaction',
      'ACC-6': 'in whatever case',
      'ACC-7': 'whatever happened since',
    },
  },
];

function sorted(body: Json): Json {
  return Object.fromEntries(Object.entries(body).sort(([a], [b]) => a.localeCompare(b)));
}

function presentAccount(stored: Reply, { world, behaviour }: Attempt): Reply {
  if (stored.etag === undefined || stored.status >= 300) return stored;
  const account = world.accounts.get((JSON.parse(stored.body) as { id: string }).id);
  return account === undefined
    ? stored
    : { ...stored, body: behaviour.print.account(account), etag: behaviour.values.etag(account) };
}
