// Deviations of rate limits (LIM).
import { planRates } from '../../fixtures/constants.ts';
import type { Demand, LimitPolicy } from '../core/behaviour.ts';
import type { Reply } from '../core/call.ts';
import { putsInto } from '../core/change.ts';
import type { RequestContext } from '../core/pipeline/request-context.ts';
import type { DeviationFamily } from './deviation.ts';
import {
  createsWhenRefusedBy,
  drawn,
  everyReply,
  type Override,
  policy,
  seenBy,
  stage,
  underStatus,
  withHeaders,
} from './overrides.ts';

type DemandingCall = Parameters<LimitPolicy['demands']>[0];

const limits = (change: (own: LimitPolicy) => Partial<LimitPolicy>): Override =>
  policy('limits', change);

/** The level of a bucket with another size and refill rate than the platform's. */
const bucketOf = (sizeInSeconds: number, refill = 1) =>
  limits(() => ({
    level: (bucket, rate, atMs) => {
      const full = Math.max(rate, 1) * 1000 * sizeInSeconds;
      const filled =
        (bucket?.units ?? full) + Math.max(0, atMs - (bucket?.atMs ?? atMs)) * rate * refill;
      return Math.min(full, filled);
    },
  }));

/** Takes another token from the bucket of a credential whose request is refused. */
const drawingWhenRefused = (cost: number): Override =>
  stage('rate', (given, context) => {
    const [own] = context.behaviour.limits.demands(context);
    if (given === null || own === undefined) return given;
    return { ...given, changes: [drawn(context, own, cost)] };
  });

/** Changes one header of a 429; null removes it. */
const header = (name: string, value: string | null): Override =>
  everyReply((reply) => {
    if (reply.status !== 429) return reply;
    const { [name]: _, ...rest } = reply.headers ?? {};
    return { ...reply, headers: value === null ? rest : { ...rest, [name]: value } };
  });

/** Sends the rate headers on other responses, too. */
const rateHeaders = (test: (reply: Reply) => boolean): Override =>
  everyReply((reply, { allowance, allowanceLeft }) => {
    if (!test(reply) || allowance === null) return reply;
    return withHeaders(reply, {
      'x-ratelimit-limit': String(allowance),
      'x-ratelimit-remaining': String(allowanceLeft),
    });
  });

const cost = (factor: (context: RequestContext) => number): Override =>
  limits((own) => ({ cost: (context) => factor(context) * own.cost(context) }));

/** Changes the buckets that one kind of credential draws from. */
const drawingOf = (
  kind: 'credential' | 'delegated',
  change: (own: Demand, context: DemandingCall) => Demand,
): Override =>
  limits((own) => ({
    demands: (context) =>
      own
        .demands(context)
        .map((demand) => (demand.bucket.startsWith(`${kind}:`) ? change(demand, context) : demand)),
  }));

export const limitDeviations: DeviationFamily = {
  'limit-none': {
    breaks: ['LIM-1', 'LIM-2'],
    story: 'The limits are documented but not enforced.',
    override: limits((own) => ({ level: (_bucket, rate) => own.level(undefined, rate, 0) })),
  },
  'limit-shared-by-credentials': {
    breaks: ['LIM-1'],
    story: 'The credentials of a firm share one allowance.',
    override: drawingOf('credential', (own) => ({ ...own, bucket: 'credential:any' })),
  },
  'limit-burst-gathers': {
    breaks: ['LIM-2'],
    story: 'Unused allowance accumulates for ten seconds.',
    override: bucketOf(10),
    alsoSeenAs: { 'LIM-1': 'the allowance of ten seconds is served in a burst' },
  },
  'limit-no-burst': {
    breaks: ['LIM-2'],
    story: 'Requests have to be spaced evenly, because nothing accumulates.',
    override: limits(() => ({
      level: (bucket, rate, atMs) =>
        Math.min(
          1000,
          bucket === undefined ? 1000 : bucket.units + Math.max(0, atMs - bucket.atMs) * rate,
        ),
    })),
    alsoSeenAs: { 'IDEM-6a': 'requests are refused early' },
  },
  'limit-refills-slowly': {
    breaks: ['LIM-7'],
    story: 'The bucket fills at a tenth of the rate that Retry-After is based on.',
    override: bucketOf(1, 0.1),
    alsoSeenAs: seenBy('the rate is not sustained', 'LIM-1 LIM-2'),
  },
  'limit-firm-is-the-credentials': {
    breaks: ['LIM-3'],
    story: 'A firm has the rate of one credential.',
    override: limits((own) => ({ firmRate: (world, firmId) => own.firmRate(world, firmId) / 4 })),
    alsoSeenAs: { 'LIM-5': 'one credential uses up the rate of its firm' },
  },
  'limit-either-has-room': {
    breaks: ['LIM-3'],
    story: 'A request is served if either its credential or its firm has allowance left.',
    override: stage('rate', (given, context) => {
      if (given === null) return null;
      const changes = context.behaviour.limits.demands(context).map((each) => drawn(context, each));
      const room = putsInto(changes, 'buckets').find(({ record }) => record.units >= 0);
      if (room === undefined) return given;
      context.changes.push(room);
      return null;
    }),
    alsoSeenAs: seenBy('a credential goes on while its firm has allowance left', 'LIM-1 LIM-2'),
  },
  'limit-refused-still-runs': {
    breaks: ['LIM-5'],
    story: 'The refusal is sent, but the handler still runs.',
    override: createsWhenRefusedBy('rate'),
  },
  'limit-refused-draws-too': {
    breaks: ['LIM-7'],
    story: 'Every refusal makes the wait longer than Retry-After says.',
    override: drawingWhenRefused(20),
    alsoSeenAs: seenBy('the rate is not sustained', 'LIM-1 LIM-2'),
  },
  'limit-refusals-are-counted': {
    breaks: ['LIM-5'],
    story: 'Refused requests count against the rate.',
    override: drawingWhenRefused(1),
  },
  'limit-is-503': {
    breaks: ['ERR-3'],
    story: 'Overload is 503.',
    override: underStatus('rate_limited', 503),
  },
  'limit-without-retry-after': {
    breaks: ['LIM-6'],
    story: 'Clients are expected to know how long to wait.',
    override: header('retry-after', null),
  },
  'limit-reset-zero': {
    breaks: ['LIM-6'],
    story: 'X-RateLimit-Reset is rounded down, Retry-After up.',
    override: header('x-ratelimit-reset', '0'),
  },
  'limit-without-limit-header': {
    breaks: ['LIM-6'],
    story: 'X-RateLimit-Limit is missing.',
    override: header('x-ratelimit-limit', null),
  },
  'limit-without-remaining': {
    breaks: ['LIM-6'],
    story: 'X-RateLimit-Remaining is missing.',
    override: header('x-ratelimit-remaining', null),
  },
  'limit-headers-on-success': {
    breaks: ['LIM-8'],
    story: 'Every success shows the allowance.',
    override: rateHeaders(({ status }) => status < 300),
  },
  'limit-headers-on-refusals': {
    breaks: ['LIM-8'],
    story: 'Every error has the rate headers.',
    override: rateHeaders(({ status }) => status >= 400 && status !== 429),
  },
  'limit-reset-on-conflicts': {
    breaks: ['LIM-8'],
    story: 'A wrong state advises a wait.',
    override: everyReply((reply) =>
      reply.status === 409 ? withHeaders(reply, { 'x-ratelimit-reset': '1' }) : reply,
    ),
  },
  'limit-override-ignored': {
    breaks: ['LIM-4'],
    story: 'The limit of a credential is stored but not used.',
    override: limits((own) => ({
      rate: (credential) =>
        own.rate(
          Number(credential.rate_per_second) < 1000
            ? { ...credential, rate_per_second: null }
            : credential,
        ),
    })),
  },
  'limit-bulk-counts-rows': {
    breaks: ['LIM-9'],
    story: 'A batch counts once for each row.',
    override: cost(({ operation, call }) =>
      operation === 'bulkCreateAccounts'
        ? Math.max(1, Buffer.from(call.body).toString().split('client_reference_id').length - 1)
        : 1,
    ),
  },
  'limit-delegated-at-plan-rate': {
    breaks: ['LIM-10'],
    story: 'A delegated token has the rate of the plan.',
    override: drawingOf('delegated', (own) => ({ ...own, rate: planRates.pro })),
  },
  'limit-delegated-each-its-own': {
    breaks: ['LIM-10'],
    story: 'Every delegated token has its own allowance.',
    override: drawingOf('delegated', (own, { credential }) => ({
      ...own,
      bucket: `delegated:${credential?.client_id}`,
    })),
  },
  'limit-reads-unmetered': {
    breaks: ['LIM-11'],
    story: 'Reads are not counted.',
    override: cost(({ call }) => (call.method === 'GET' ? 0 : 1)),
  },
  'limit-writes-cost-two': {
    breaks: ['LIM-11'],
    story: 'A write counts twice.',
    override: cost(({ call }) => (call.method === 'GET' ? 1 : 2)),
    alsoSeenAs: { 'LIM-1': 'writes are served at half the rate' },
  },
};
