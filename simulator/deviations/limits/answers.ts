// Wrong answers to limited calls (LIM-5 to LIM-8).

import type { Reply } from '../../core/call.ts';
import type { RequestContext } from '../../core/pipeline/request-context.ts';
import { everyReply, stage } from '../bend.ts';
import { underStatus } from '../common-bends.ts';
import type { Deviation } from '../deviation.ts';

/** Changes answers of 429. */
const limited = (change: (reply: Reply, context: RequestContext) => Reply): Deviation['bend'] =>
  everyReply((reply, context) => (reply.status === 429 ? change(reply, context) : reply));

const header = (name: string, value: (given: string) => string | null): Deviation['bend'] =>
  limited((reply) => {
    const { [name]: given = '', ...rest } = reply.headers ?? {};
    const next = value(given);
    return { ...reply, headers: next === null ? rest : { ...rest, [name]: next } };
  });

export const limitAnswerDeviations: readonly Deviation[] = [
  {
    id: 'limit-refused-still-runs',
    breaks: ['LIM-5'],
    story: 'The refusal is sent; the handler runs all the same.',
    bend: stage('rate', (decide, context) => {
      const given = decide(context);
      if (given === null || context.operation !== 'createAccount') return given;
      const readable = context.behaviour.stages.find(({ name }) => name === 'readable');
      if (readable?.decide(context) != null) return given;
      const ran = context.behaviour.operations.createAccount(context);
      return 'decideRow' in ran ? given : { ...given, changes: ran.changes };
    }),
  },
  {
    id: 'limit-refused-draws-too',
    breaks: ['LIM-7'],
    story: 'Every refusal is punished with a longer wait than Retry-After says.',
    bend: stage('rate', (decide, context) => {
      const given = decide(context);
      const [own] = context.behaviour.limits.demands(context);
      if (given === null || own === undefined) return given;
      const level = context.behaviour.limits.level(
        context.world.buckets.get(own.bucket),
        own.rate,
        context.atMs,
      );
      return {
        ...given,
        changes: [
          { type: 'bucket-drawn', name: own.bucket, units: level - 20_000, atMs: context.atMs },
        ],
      };
    }),
    alsoSeenAs: {
      'LIM-1': 'the rate is not sustained',
      'LIM-2': 'the rate is not sustained',
    },
  },
  {
    id: 'limit-refusals-are-counted',
    breaks: ['LIM-5'],
    story: 'The counter goes up before it is compared, whoever is refused.',
    bend: stage('rate', (decide, context) => {
      const given = decide(context);
      const [own] = context.behaviour.limits.demands(context);
      if (given === null || own === undefined) return given;
      const { limits } = context.behaviour;
      const kept = context.world.buckets.get(own.bucket);
      const units = limits.level(kept, own.rate, context.atMs) - 1000;
      const drawn = { type: 'bucket-drawn', name: own.bucket, units, atMs: context.atMs } as const;
      return { ...given, changes: [drawn] };
    }),
  },
  {
    id: 'limit-is-503',
    breaks: ['ERR-3'],
    story: 'Overload is 503.',
    bend: underStatus('rate_limited', 503),
  },
  {
    id: 'limit-without-retry-after',
    breaks: ['LIM-6'],
    story: 'Clients know how long to wait.',
    bend: header('retry-after', () => null),
  },
  {
    id: 'limit-reset-zero',
    breaks: ['LIM-6'],
    story: 'X-RateLimit-Reset is rounded down, Retry-After up.',
    bend: header('x-ratelimit-reset', () => '0'),
  },
  {
    id: 'limit-without-limit-header',
    breaks: ['LIM-6'],
    story: 'X-RateLimit-Limit was forgotten.',
    bend: header('x-ratelimit-limit', () => null),
  },
  {
    id: 'limit-without-remaining',
    breaks: ['LIM-6'],
    story: 'X-RateLimit-Remaining was forgotten.',
    bend: header('x-ratelimit-remaining', () => null),
  },
  {
    id: 'limit-headers-on-success',
    breaks: ['LIM-8'],
    story: 'Every answer tells the allowance, to be helpful.',
    bend: everyReply((reply, { allowance, allowanceLeft }) =>
      reply.status < 300 && allowance !== null
        ? {
            ...reply,
            headers: {
              ...reply.headers,
              'x-ratelimit-limit': String(allowance),
              'x-ratelimit-remaining': String(allowanceLeft),
            },
          }
        : reply,
    ),
  },
  {
    id: 'limit-headers-on-refusals',
    breaks: ['LIM-8'],
    story: 'Every error carries the rate headers.',
    bend: everyReply((reply, { allowance }) =>
      reply.status >= 400 && reply.status !== 429 && allowance !== null
        ? { ...reply, headers: { ...reply.headers, 'x-ratelimit-limit': String(allowance) } }
        : reply,
    ),
  },
  {
    id: 'limit-retry-after-on-503',
    breaks: ['LIM-8'],
    story: 'Refused states advise a wait.',
    bend: everyReply((reply) =>
      reply.status === 409
        ? { ...reply, headers: { ...reply.headers, 'x-ratelimit-reset': '1' } }
        : reply,
    ),
  },
];
