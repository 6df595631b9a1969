// Defects of idempotency.
import { bodyOf, headerOf, invalid, refuse, withBody } from '../replies.ts';
import { bookMovement, effectOf, transactionBody } from '../settlement.ts';
import {
  HOUR_MS,
  kept,
  keyed,
  lasting,
  meeting,
  type Row,
  replays,
  request,
  setRequestHeader,
  stored,
  unkept,
} from './wrap.ts';

const WRITES = [
  ...['createAccount', 'updateAccount', 'bulkCreateAccounts', 'openPosition', 'closePosition'],
  ...['createTransaction', 'approveTransaction', 'rejectTransaction', 'cancelTransaction'],
].join(' ');

const isDecision = (name: string): boolean => /^(approve|reject|cancel)/.test(name);

export const idempotencyDefects: readonly Row[] = [
  [
    'key-optional',
    'single',
    ['IDEM-1a', 'IDEM-1d'],
    'A write without a key is served.',
    request(WRITES, (context) => {
      if (headerOf(context.call, 'idempotency-key') !== undefined) return;
      setRequestHeader(context, 'idempotency-key', context.requestId);
    }),
  ],
  [
    'key-255',
    'single',
    ['IDEM-1b'],
    'A key of 255 characters is refused.',
    request(WRITES, (context) => {
      const key = headerOf(context.call, 'idempotency-key') ?? '';
      if (key.trim().length === 255) setRequestHeader(context, 'idempotency-key', '');
    }),
  ],
  [
    'key-cut',
    'single',
    ['IDEM-1b'],
    'A key of more than 255 characters is cut.',
    request(WRITES, (context) => {
      const key = headerOf(context.call, 'idempotency-key');
      if (key !== undefined) setRequestHeader(context, 'idempotency-key', key.slice(0, 255));
    }),
  ],
  [
    'key-128',
    'size',
    ['IDEM-1b', 'IDEM-4c', 'IDEM-2a'],
    'Keys are compared by their first 128 characters.',
    keyed((name) => ({ ...name, key: name.key.slice(0, 128) })),
  ],
  [
    'key-lower',
    'combination',
    ['IDEM-4c', 'IDEM-2a', 'IDEM-1b'],
    'Keys match in another case.',
    keyed((name) => ({ ...name, key: name.key.toLowerCase() })),
  ],
  [
    'one-subject',
    'single',
    ['IDEM-2a', 'IDEM-2c', 'POS-4', 'IDEM-9b', 'IDEM-12'],
    'A key holds for every subject.',
    keyed((name) => ({ ...name, subject: '' })),
  ],
  [
    'firm-shares-keys',
    'single',
    ['IDEM-2b'],
    'A key holds for every credential of the firm.',
    keyed((name, { credential }) => ({ ...name, owner: credential.firm_id })),
  ],
  [
    'key-by-token',
    'combination',
    ['IDEM-4c', 'IDEM-2b'],
    'A key runs again under a new token of the same credential.',
    keyed((name, { call }) => ({ ...name, owner: headerOf(call, 'authorization') ?? '' })),
  ],
  [
    'brand-in-subject',
    'single',
    ['IDEM-2c', 'IDEM-8'],
    'The subject of a create holds its brand as well.',
    keyed((name, { body }) =>
      name.operation === 'createAccount'
        ? { ...name, subject: `${name.subject} ${body.brand_id}` }
        : name,
    ),
  ],
  [
    'decision-by-transaction',
    'single',
    ['IDEM-10', 'IDEM-2c'],
    'The subject of a decision is the transaction.',
    keyed((name, { pathId }) => (isDecision(name.operation) ? { ...name, subject: pathId } : name)),
  ],
  [
    'decisions-share-keys',
    'single',
    ['IDEM-3'],
    'Approve, reject and cancel share their keys.',
    keyed((name) => (isDecision(name.operation) ? { ...name, operation: 'decision' } : name)),
  ],
  [
    'replay-200',
    'single',
    ['IDEM-4a'],
    'A replay of a 201 is a 200.',
    replays((reply) => (reply.status === 201 ? { ...reply, status: 200 } : undefined)),
  ],
  [
    'replay-reprinted',
    'single',
    ['IDEM-4b'],
    'A replay is printed with spaces.',
    replays((reply) =>
      reply.body.startsWith('{')
        ? { ...reply, body: JSON.stringify(bodyOf(reply), null, 1) }
        : undefined,
    ),
  ],
  [
    'replay-long-reprinted',
    'size',
    ['IDEM-4b'],
    'A replay of more than 8 KB is printed with spaces.',
    replays((reply) =>
      reply.body.length > 8192
        ? { ...reply, body: JSON.stringify(bodyOf(reply), null, 1) }
        : undefined,
    ),
  ],
  [
    'replay-current',
    'single',
    ['IDEM-4b', 'IDEM-10', 'IDEM-8'],
    'A replay of a transaction shows its present state.',
    replays((reply, { world }) => {
      const each = world.store.transaction(String(bodyOf(reply).id));
      return each !== undefined && reply.status < 300
        ? withBody(reply, transactionBody(each))
        : undefined;
    }),
  ],
  [
    'replay-emits',
    'single',
    ['IDEM-4c'],
    'A replay of a create announces the account once more.',
    replays((reply, { world, operation }) => {
      const each = world.store.account(String(bodyOf(reply).id));
      if (operation.name !== 'createAccount' || each === undefined) return undefined;
      const about = { firmId: each.firm_id, brandId: each.brand_id, accountId: each.id };
      world.emit('account', 'account.created', about, bodyOf(reply));
      return undefined;
    }),
  ],
  [
    'replay-credits',
    'single',
    ['IDEM-4c'],
    'A replay of an approval credits once more.',
    replays((reply, { world, operation }) => {
      const each = world.store.transaction(String(bodyOf(reply).id));
      const isApproval = operation.name === 'approveTransaction' && reply.status === 200;
      if (isApproval && each !== undefined) bookMovement(world, each, effectOf(each));
      return undefined;
    }),
  ],
  [
    'replay-opens',
    'single',
    ['IDEM-4c'],
    'A replay of an opened position opens one more.',
    replays((_, context) => {
      if (context.operation.name === 'openPosition') context.operation.run(context);
      return undefined;
    }),
  ],
  [
    'creates-unkept',
    'single',
    [
      ...(['IDEM-4a', 'IDEM-4b', 'IDEM-4d', 'IDEM-15', 'IDEM-8', 'IDEM-7a', 'IDEM-2c'] as const),
      ...(['IDEM-11', 'IDEM-13', 'IDEM-5'] as const),
    ],
    'Keys of account creates are not kept.',
    unkept((_, { operation }) => operation.name === 'createAccount'),
  ],
  [
    'refusals-unkept',
    'single',
    ['IDEM-4d', 'IDEM-11', 'IDEM-13', 'IDEM-4a', 'IDEM-4b', 'IDEM-5'],
    'Refusals are not kept.',
    unkept(({ status }) => status >= 400),
  ],
  [
    'forbidden-unkept',
    'combination',
    ['IDEM-4d', 'IDEM-11', 'IDEM-4a'],
    'A 403 alone is not kept.',
    unkept(({ status }) => status === 403),
  ],
  [
    'conflicts-unkept',
    'single',
    ['IDEM-13', 'IDEM-4d', 'IDEM-4b', 'IDEM-4a', 'IDEM-11'],
    'A 409 invalid_state is not kept.',
    unkept(({ status }) => status === 409),
  ],
  [
    'not-implemented-unkept',
    'single',
    ['IDEM-4d', 'IDEM-4b'],
    'A 501 is not kept.',
    unkept(({ status }) => status === 501),
  ],
  [
    'request-id-renewed',
    'single',
    ['IDEM-5', 'IDEM-4b', 'IDEM-4d', 'IDEM-11', 'IDEM-13'],
    'A replayed refusal has a new request_id in its body.',
    replays((reply, { requestId }) =>
      reply.status >= 400
        ? withBody(reply, { ...bodyOf(reply), request_id: requestId })
        : undefined,
    ),
  ],
  ['limited-kept', 'single', ['IDEM-6a', 'LIM-7'], 'A 429 is kept.', kept(429)],
  ['contention-kept', 'single', ['IDEM-6b'], 'A 503 is kept.', kept(503)],
  ['failure-kept', 'single', ['IDEM-6c'], 'A 500 is kept.', kept(500)],
  [
    'key-half-day',
    'single',
    ['IDEM-7a'],
    'Keys are kept for twelve hours.',
    lasting('key', 12 * HOUR_MS),
  ],
  ['key-for-ever', 'single', ['IDEM-7b'], 'Keys are kept for ever.', lasting('key', null)],
  [
    'key-renewed',
    'time',
    ['IDEM-7b'],
    'Each replay keeps the key for another day.',
    stored((store, { clock }) => ({
      key: (name, context) => {
        const record = store.key(name, context);
        const isKept = record?.reply && clock.now() - record.answeredMs < 24 * HOUR_MS;
        if (isKept)
          store.saveKey({ ...record, answeredMs: clock.now(), startedMs: clock.now() }, context);
        return record;
      },
    })),
  ],
  [
    'body-compared',
    'single',
    ['IDEM-8', 'IDEM-9a', 'POS-2'],
    'Another body under a key is answered 422.',
    stored((store, { memo }) => ({
      saveKey: (record, context) => {
        memo.set(`body ${record.requestId}`, context.call.body.toString());
        store.saveKey(record, context);
      },
      key: (name, context) => {
        const record = store.key(name, context);
        const isOther =
          record?.reply && memo.get(`body ${record.requestId}`) !== context.call.body.toString();
        return isOther ? { ...record, reply: invalid(context, 'this is another body') } : record;
      },
    })),
  ],
  [
    'batch-unordered',
    'single',
    ['IDEM-9b', 'IDEM-2c'],
    'The order of rows does not make a batch.',
    keyed((name) =>
      name.operation === 'bulkCreateAccounts'
        ? {
            ...name,
            subject: name.subject
              .split('],[')
              .map((row) => row.replace(/[[\]]/g, ''))
              .sort()
              .join(),
          }
        : name,
    ),
  ],
  [
    'batch-50',
    'size',
    ['IDEM-9b'],
    'The subject of a batch holds its first 50 rows.',
    keyed((name) =>
      name.operation === 'bulkCreateAccounts'
        ? { ...name, subject: name.subject.split('],[').slice(0, 50).join().replace(/\]/g, '') }
        : name,
    ),
  ],
  [
    'running-runs',
    'single',
    ['IDEM-14a', 'IDEM-15'],
    'A repeat runs while the first attempt does.',
    stored((store) => ({
      key: (name, context) => {
        const record = store.key(name, context);
        return record?.reply ? record : undefined;
      },
    })),
  ],
  [
    'running-423',
    'single',
    ['IDEM-14a', 'IDEM-14b', 'IDEM-15', 'ERR-3'],
    'A repeat while the first attempt runs is answered 423.',
    {
      reply: (context, reply) =>
        /idempotency_in_flight/.test(reply.body)
          ? refuse(context, 423, 'idempotency_in_flight', 'an attempt with this key still runs')
          : reply,
    },
  ],
  [
    'given-up-early',
    'single',
    ['IDEM-14b'],
    'An attempt is given up after ten seconds.',
    lasting('attempt', 10_000),
  ],
  [
    'keys-200',
    'size',
    ['IDEM-4a', 'IDEM-4b', 'IDEM-4c', 'IDEM-4d'],
    'Only the newest 200 keys are kept.',
    stored((store) => {
      const names: Parameters<typeof store.key>[0][] = [];
      return {
        saveKey: (record, context) => {
          store.saveKey(record, context);
          names.push(record.name);
          if (names.length > 400) store.forgetKey(names.shift()!, context);
        },
      };
    }),
  ],
  [
    'race-same-key',
    'race',
    ['IDEM-15', 'IDEM-14a', 'IDEM-4c'],
    'Identical requests that race all run.',
    meeting(
      stored((store) => ({
        key: (name, context) =>
          context.overlaps.some(({ key }) => key === name.key)
            ? undefined
            : store.key(name, context),
      })),
    ),
  ],
];
