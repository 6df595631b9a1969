// Wrong ways that show only when time has passed.
import type { Decision } from '../../core/call.ts';
import type { RequestContext } from '../../core/pipeline/request-context.ts';
import {
  type Bend,
  everyReply,
  type Json,
  mapJson,
  operation,
  policy,
  transitionOperations,
} from '../bend.ts';
import { refuseAs } from '../common-bends.ts';
import type { SubtleDeviation } from '../deviation.ts';
import { left as updateLeft } from '../updates/bends.ts';
import { againWhere, dayMs, hourMs, marked, ofKind, type Row } from './bends.ts';

/** Changes what answers of these operations show of a record that was made so long ago. */
const shownLater = (names: RegExp, afterMs: number, change: (body: Json) => Json): Bend =>
  everyReply((reply, { operation: name, atMs }) => {
    if (reply.status >= 300 || reply.body === '' || !names.test(name ?? '')) return reply;
    return mapJson(reply, (body) => {
      const madeAtMs = typeof body.created_at === 'number' ? body.created_at : atMs;
      return atMs - madeAtMs > afterMs ? change(body) : body;
    });
  });

/** How long ago the account or transaction was made that a create has found. */
function foundAgeMs({ reply }: Decision, { idempotency, world, atMs }: RequestContext): number {
  if (idempotency !== 'converged' || reply.status !== 200) return 0;
  const { id } = JSON.parse(reply.body) as { id: string };
  const found = world.accounts.get(id) ?? world.transactions.get(id);
  return atMs - (found?.createdAtMs ?? atMs);
}

const byAnotherReference = (behaviour: RequestContext['behaviour'], { n }: RequestContext) => {
  const { referenceKey } = behaviour.transactions;
  const own: typeof referenceKey = (...named) => `${referenceKey(...named)}\n${n}`;
  return {
    ...behaviour,
    values: { ...behaviour.values, referenceKey: (text: string) => `${text}\n${n}` },
    transactions: { ...behaviour.transactions, referenceKey: own },
  };
};

const limits: readonly Row[] = [
  [
    'pause-saves-up-ten-seconds',
    ['LIM-2'],
    'After a pause of ten seconds the allowance of ten is there.',
    policy('limits', ({ level }) => ({
      level: (bucket, rate, atMs) => {
        const pauseMs = bucket === undefined ? 0 : atMs - bucket.atMs;
        return pauseMs >= 10_000 ? rate * 10_000 : level(bucket, rate, atMs);
      },
    })),
  ],
  [
    'first-call-after-an-idle-hour-is-limited',
    ['LIM-7', 'LIM-2'],
    'A bucket that was put away comes back empty.',
    policy('limits', ({ level }) => ({
      level: (bucket, rate, atMs) =>
        bucket !== undefined && atMs - bucket.atMs > hourMs ? 0 : level(bucket, rate, atMs),
    })),
  ],
  [
    'token-budget-doubles-after-an-idle-hour',
    ['AUTH-3b'],
    'What was not used in the hour before is there on top.',
    operation('issueToken', (run, context) => {
      const { world, behaviour, atMs, body } = context;
      const times = world.tokenRequests.get(String(body.client_id)) ?? [];
      const idle = times.some((each, at) => each - (times[at - 1] ?? each) > hourMs);
      const last = times.at(-1) ?? atMs;
      if (!idle && atMs - last <= hourMs && !rested.has(key(context))) return run(context);
      rested.add(key(context));
      const lavish = { ...behaviour, limits: { ...behaviour.limits, tokenRequests: 20 } };
      return run(Object.assign(context, { behaviour: lavish }));
    }),
  ],
];

const rested = new Set<string>();
const key = ({ world, body }: RequestContext): string =>
  `${world.name}\n${world.seed}\n${String(body.client_id)}`;

const references: readonly Row[] = [
  [
    'reference-is-forgotten-after-30-days',
    ['ACC-7', 'ACC-5'],
    'References are kept in a log of thirty days.',
    againWhere(
      'createAccount',
      (given, context) => foundAgeMs(given, context) > 30 * dayMs,
      byAnotherReference,
    ),
  ],
  [
    'known-account-answers-201-a-day-later',
    ['ACC-5', 'IDEM-12'],
    'What the cache of a day does not know is answered as made.',
    operation('createAccount', (run, context) => {
      const given = run(context);
      if ('decideRow' in given || foundAgeMs(given, context) <= dayMs) return given;
      return { ...given, reply: { ...given.reply, status: 201 } };
    }),
  ],
  [
    'transaction-reference-is-free-after-a-month',
    ['TXN-2', 'IDEM-12'],
    'References of transactions are unique for a month.',
    againWhere(
      'createTransaction',
      (given, context) => foundAgeMs(given, context) > 30 * dayMs,
      byAnotherReference,
    ),
  ],
  [
    'email-is-free-after-two-days',
    ['ACC-8'],
    'Emails are looked up in the people of the last two days.',
    againWhere(
      'createAccount',
      ({ reply }, { world, body, atMs }) =>
        reply.status === 409 &&
        [...world.accounts.values()].some(
          ({ email, createdAtMs }) => email === body.email && atMs - createdAtMs > 2 * dayMs,
        ),
      (behaviour, { n }) => ({
        ...behaviour,
        values: { ...behaviour.values, emailKey: (email) => `${email}\n${n}` },
      }),
    ),
  ],
];

const records: readonly Row[] = [
  [
    'refusals-are-kept-for-an-hour',
    ['IDEM-7a', 'IDEM-4d'],
    'A refusal costs little, so it is kept an hour.',
    policy('keys', ({ find }) => ({
      find: (world, keyId, atMs) => {
        const found = find(world, keyId, atMs);
        const isRefusal = (found?.reply?.status ?? 0) >= 400;
        return isRefusal && atMs - found!.atMs > hourMs ? undefined : found;
      },
    })),
  ],
  [
    'keys-of-decisions-live-twelve-hours',
    ['IDEM-7a'],
    'Approvals, rejections and cancellations have a cache of their own.',
    policy('keys', ({ find }) => ({
      find: (world, keyId, atMs) => {
        const found = find(world, keyId, atMs);
        const isDecision = transitionOperations.some((name) => keyId.includes(`\n${name}\n`));
        return isDecision && found?.reply != null && atMs - found.atMs > 12 * hourMs
          ? undefined
          : found;
      },
    })),
  ],
  [
    'replay-slides-the-day',
    ['IDEM-7b'],
    'Finding a record in its last hours keeps it for another day.',
    policy('keys', ({ find }) => {
      const slid = new Map<string, number>();
      return {
        find: (world, keyId, atMs) => {
          const name = `${world.name}\n${world.seed}\n${keyId}`;
          const record = world.keys.young.get(keyId) ?? world.keys.old.get(keyId);
          const sinceMs = slid.get(name) ?? record?.atMs ?? atMs;
          if (record?.reply == null || atMs - sinceMs >= dayMs) return find(world, keyId, atMs);
          if (atMs - sinceMs > 12 * hourMs) slid.set(name, atMs);
          return record;
        },
      };
    }),
  ],
];

const states: readonly Row[] = [
  [
    'settled-reads-approved-a-week-on',
    ['TXS-1', 'TXS-13', 'TXN-2'],
    'The archive of a week ago knows no settlement.',
    shownLater(/Transaction$/, 7 * dayMs, (body) =>
      body.status === 'settled' ? { ...body, status: 'approved' } : body,
    ),
  ],
  [
    'cancelled-reads-settled-an-hour-on',
    ['TXS-13', 'TXS-9'],
    'A job that settles what is left over takes cancelled ones along.',
    shownLater(/Transaction$/, hourMs, (body) =>
      body.status === 'cancelled' ? { ...body, status: 'settled' } : body,
    ),
  ],
  [
    'first-deposit-again-after-a-quarter',
    ['TXS-2'],
    'Who has not paid in for ninety days is new again.',
    marked((transaction, { world, behaviour, atMs }) => {
      if (transaction.isFtd || !behaviour.transactions.isDeposit(transaction)) {
        return transaction.isFtd;
      }
      const { firstDepositId } = world.accounts.get(transaction.accountId)!;
      const first = world.transactions.get(firstDepositId ?? '');
      return first !== undefined && atMs - first.createdAtMs > 90 * dayMs;
    }),
  ],
  [
    'disabled-reads-enabled-a-week-on',
    ['HOOK-13', 'HOOK-5'],
    'A job of every week enables what it finds.',
    shownLater(/Webhook/, 7 * dayMs, (body) =>
      body.disabled === true ? { ...body, disabled: false, disabled_reason: null } : body,
    ),
  ],
  [
    'last-delivered-reads-0-a-week-on',
    ['EVT-10a'],
    'The number is looked up in the events that are still kept.',
    shownLater(/Webhook/, 7 * dayMs, (body) => ({ ...body, last_delivered_seq: 0 })),
  ],
  [
    'tag-goes-stale-after-an-hour',
    ['UPD-1', 'UPD-7'],
    'Tags are kept in a cache of an hour.',
    (behaviour) => {
      const updatedAtMs = new Map<string, number>();
      const name = ({ world, pathId }: RequestContext) => `${world.name}\n${world.seed}\n${pathId}`;
      const noting = updateLeft((after, _, context) => {
        updatedAtMs.set(name(context), context.atMs);
        return after;
      })(behaviour);
      return operation('updateAccount', (run, context) => {
        const beforeMs = updatedAtMs.get(name(context)) ?? context.atMs;
        if (context.atMs - beforeMs <= hourMs) return run(context);
        return refuseAs(context, 412, 'revision_conflict', 'The account has changed.');
      })(noting);
    },
  ],
  [
    'sixth-wait-is-five-hours',
    ['EVT-8a'],
    'The table of waits was typed by hand.',
    policy('delivery', ({ gapsMs }) => ({ gapsMs: gapsMs.with(5, 5 * hourMs) })),
  ],
];

export const timeDeviations: readonly SubtleDeviation[] = ofKind('time', [
  ...limits,
  ...references,
  ...records,
  ...states,
]);
