// Defects of idempotency.
import { bodyOf, headerOf, invalid, withBody } from '../replies.ts';
import { transactionBody } from '../settlement.ts';
import {
  HOUR_MS,
  kept,
  keyed,
  lasting,
  meeting,
  type Rows,
  replays,
  stored,
  unkept,
} from './wrap.ts';

const isDecision = (name: string): boolean => /^(approve|reject|cancel)/.test(name);

export const idempotencyDefects: Rows = {
  'key-128': {
    kind: 'size',
    breaks: ['IDEM-1b', 'IDEM-4c', 'IDEM-2a'],
    sentence: 'Keys are compared by their first 128 characters.',
    ...keyed((name) => ({ ...name, key: name.key.slice(0, 128) })),
  },
  'key-lower': {
    kind: 'combination',
    breaks: ['IDEM-4c', 'IDEM-2a', 'IDEM-1b'],
    sentence: 'Keys match in another case.',
    ...keyed((name) => ({ ...name, key: name.key.toLowerCase() })),
  },
  'one-subject': {
    breaks: ['IDEM-2a', 'IDEM-2c', 'POS-4', 'IDEM-9b', 'IDEM-12'],
    sentence: 'A key holds for every subject.',
    ...keyed((name) => ({ ...name, subject: '' })),
  },
  'key-by-token': {
    kind: 'combination',
    breaks: ['IDEM-4c', 'IDEM-2b'],
    sentence: 'A key runs again under a new token of the same credential.',
    ...keyed((name, { call }) => ({ ...name, owner: headerOf(call, 'authorization') ?? '' })),
  },
  'decision-by-transaction': {
    breaks: ['IDEM-10', 'IDEM-2c'],
    sentence: 'The subject of a decision is the transaction.',
    ...keyed((name, { pathId }) =>
      isDecision(name.operation) ? { ...name, subject: pathId } : name,
    ),
  },
  'replay-200': {
    breaks: ['IDEM-4a'],
    sentence: 'A replay of a 201 is a 200.',
    ...replays((reply) => (reply.status === 201 ? { ...reply, status: 200 } : undefined)),
  },
  'replay-current': {
    breaks: ['IDEM-4b', 'IDEM-10', 'IDEM-8'],
    sentence: 'A replay of a transaction shows its present state.',
    ...replays((reply, { world }) => {
      const each = world.store.transaction(String(bodyOf(reply).id));
      return each !== undefined && reply.status < 300
        ? withBody(reply, transactionBody(each))
        : undefined;
    }),
  },
  'refusals-unkept': {
    breaks: ['IDEM-4d', 'IDEM-11', 'IDEM-13', 'IDEM-4a', 'IDEM-4b', 'IDEM-5'],
    sentence: 'Refusals are not kept.',
    ...unkept(({ status }) => status >= 400),
  },
  'limited-kept': {
    breaks: ['IDEM-6a', 'LIM-7'],
    sentence: 'A 429 is kept.',
    ...kept(429),
  },
  'contention-kept': {
    breaks: ['IDEM-6b'],
    sentence: 'A 503 is kept.',
    ...kept(503),
  },
  'failure-kept': {
    breaks: ['IDEM-6c'],
    sentence: 'A 500 is kept.',
    ...kept(500),
  },
  'key-half-day': {
    breaks: ['IDEM-7a'],
    sentence: 'Keys are kept for twelve hours.',
    ...lasting('key', 12 * HOUR_MS),
  },
  'key-renewed': {
    kind: 'time',
    breaks: ['IDEM-7b'],
    sentence: 'Each replay keeps the key for another day.',
    ...stored((store, { clock }) => ({
      key: (name, context) => {
        const record = store.key(name, context);
        const isKept = record?.reply && clock.now() - record.answeredMs < 24 * HOUR_MS;
        if (isKept)
          store.saveKey({ ...record, answeredMs: clock.now(), startedMs: clock.now() }, context);
        return record;
      },
    })),
  },
  'body-compared': {
    breaks: ['IDEM-8', 'IDEM-9a', 'POS-2'],
    sentence: 'Another body under a key is answered 422.',
    ...stored((store, { memo }) => ({
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
  },
  'batch-50': {
    kind: 'size',
    breaks: ['IDEM-9b'],
    sentence: 'The subject of a batch holds its first 50 rows.',
    ...keyed((name) =>
      name.operation === 'bulkCreateAccounts'
        ? { ...name, subject: name.subject.split('],[').slice(0, 50).join().replace(/\]/g, '') }
        : name,
    ),
  },
  'given-up-early': {
    breaks: ['IDEM-14b'],
    sentence: 'An attempt is given up after ten seconds.',
    ...lasting('attempt', 10_000),
  },
  'race-same-key': {
    kind: 'race',
    breaks: ['IDEM-15', 'IDEM-14a', 'IDEM-4c'],
    sentence: 'Identical requests that race all run.',
    ...meeting(
      stored((store) => ({
        key: (name, context) =>
          context.overlaps.some(({ key }) => key === name.key)
            ? undefined
            : store.key(name, context),
      })),
    ),
  },
};
