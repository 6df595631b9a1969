// Defects of idempotency.
import { bodyOf, withBody } from '../context.ts';
import { keyName } from '../keys.ts';
import { transactionBody } from '../transactions.ts';
import { HOUR_MS } from '../values.ts';
import { kept, keyed, lasting, leaving, overlapping, type Rows, replays, stored } from '../wrap.ts';

export const idempotencyDefects: Rows = {
  'key-128 (IDEM-1b IDEM-4c IDEM-2a): keys are compared by their first 128 characters': keyed(
    ({ key }) => ({ key: key.slice(0, 128) }),
  ),
  'key-lower (IDEM-4c IDEM-2a IDEM-1b): keys match in another case': keyed(({ key }) => ({
    key: key.toLowerCase(),
  })),
  'one-subject (IDEM-2a IDEM-2c POS-4 IDEM-9b IDEM-12): a key holds for every subject': keyed(
    () => ({ subject: '' }),
  ),
  'key-by-token (IDEM-4c IDEM-2b): a key runs again under a new token of its credential': keyed(
    (_, context) => ({ owner: context.headers('authorization')[0] ?? '' }),
  ),
  'decision-by-transaction (IDEM-10 IDEM-2c): the subject of a decision is the transaction': keyed(
    ({ operation }, { pathId }) =>
      /^(approve|reject|cancel)/.test(operation) ? { subject: pathId } : {},
  ),
  'replay-200 (IDEM-4a): a replay of a 201 is a 200': replays((reply) =>
    reply.status === 201 ? { ...reply, status: 200 } : undefined,
  ),
  'replay-current (IDEM-4b IDEM-10 IDEM-8): a replay of a transaction shows its present state':
    replays((reply, { store }) => {
      const each = store.transaction(String(bodyOf(reply).id));
      if (each === undefined || reply.status >= 300) return undefined;
      return withBody(reply, transactionBody(each));
    }),
  'refusals-unkept (IDEM-4d IDEM-11 IDEM-13 IDEM-4a IDEM-4b IDEM-5): refusals are not kept': stored(
    ({ saveKey, forgetKey }) => ({
      saveKey: (record, context) =>
        (record.reply?.status ?? 0) < 400
          ? saveKey(record, context)
          : forgetKey(record.name, context),
    }),
  ),
  'limited-kept (IDEM-6a LIM-7): a 429 is kept': kept(429),
  'contention-kept (IDEM-6b): a 503 is kept': kept(503),
  'failure-kept (IDEM-6c): a 500 is kept': kept(500),
  'key-forgotten-early (IDEM-7a): keys are kept for twelve hours': lasting('key', 12 * HOUR_MS),
  'key-renewed (IDEM-7b): each replay keeps the key for its full time again': replays(
    (_, context) => {
      const { store, nowMs } = context;
      const record = store.key(keyName(context), context)!;
      store.saveKey({ ...record, answeredMs: nowMs, startedMs: nowMs }, context);
    },
  ),
  'body-compared (IDEM-8 IDEM-9a POS-2): another body under a key is answered 422': leaving(
    (_, context) => {
      const { memo } = context.world;
      const body = context.call.body.toString();
      memo.set(`body ${context.requestId}`, body);
      const first = context.isReplay && context.store.key(keyName(context), context);
      if (!first || memo.get(`body ${first.requestId}`) === body) return undefined;
      return context.refusal(422, 'validation_failed', 'this is another body');
    },
  ),
  'batch-50 (IDEM-9b): the subject of a batch holds its first 50 rows': keyed(
    ({ operation, subject }) =>
      operation === 'bulkCreateAccounts'
        ? { subject: subject.split('],[').slice(0, 50).join().replace(/\]/g, '') }
        : {},
  ),
  'given-up-early (IDEM-14b): an attempt is given up after ten seconds': lasting('attempt', 10_000),
  'race-same-key (IDEM-15 IDEM-14a IDEM-4c): identical requests that race all run': overlapping(
    stored(({ key }) => ({
      key: (name, context) =>
        context.overlaps.some((each) => each.key === name.key) ? undefined : key(name, context),
    })),
  ),
};
