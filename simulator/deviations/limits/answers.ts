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
    id: 'limit-under-its-own-code',
    breaks: ['ERR-3'],
    story: 'The code is the name of the HTTP status.',
    bend: limited((reply) => ({
      ...reply,
      body: reply.body.replaceAll('rate_limited', 'too_many_requests'),
    })),
    alsoSeenAs: { 'LIM-2': 'what comes after the burst is no rate_limited' },
  },
  {
    id: 'limit-answer-in-plain-text',
    breaks: ['LIM-6'],
    story: 'The proxy answers, not the service.',
    bend: limited((reply) => ({
      ...reply,
      contentType: 'text/plain',
      body: 'Too many requests\n',
    })),
    alsoSeenAs: { 'ERR-1a': 'it is no problem' },
  },
  {
    id: 'limit-without-retry-after',
    breaks: ['LIM-6'],
    story: 'Clients know how long to wait.',
    bend: header('retry-after', () => null),
  },
  {
    id: 'limit-retry-after-zero',
    breaks: ['LIM-6', 'LIM-7'],
    story: 'Parts of a second are rounded down.',
    bend: header('retry-after', () => '0'),
  },
  {
    id: 'limit-reset-zero',
    breaks: ['LIM-6'],
    story: 'X-RateLimit-Reset is rounded down, Retry-After up.',
    bend: header('x-ratelimit-reset', () => '0'),
  },
  {
    id: 'limit-reset-in-parts',
    breaks: ['LIM-6'],
    story: 'X-RateLimit-Reset tells parts of a second.',
    bend: header('x-ratelimit-reset', () => '0.2'),
  },
  {
    id: 'limit-of-tokens-without-limit-header',
    breaks: ['LIM-6'],
    story: 'The token endpoint counts for itself, and tells only how long to wait.',
    bend: everyReply((reply, { operation }) => {
      if (reply.status !== 429 || operation !== 'issueToken') return reply;
      const { 'x-ratelimit-limit': _, ...headers } = reply.headers ?? {};
      return { ...reply, headers };
    }),
  },
  {
    id: 'limit-of-tokens-in-plain-text',
    breaks: ['LIM-6'],
    story: 'The token endpoint is another program, whose library counts and answers in plain text.',
    bend: everyReply((reply, { operation }) =>
      reply.status === 429 && operation === 'issueToken'
        ? { ...reply, contentType: 'text/plain', body: 'Too many requests\n' }
        : reply,
    ),
  },
  {
    id: 'limit-retry-after-in-ms',
    breaks: ['LIM-6'],
    story: 'Retry-After is in milliseconds.',
    bend: header('retry-after', (given) => String(Number(given) * 1000)),
  },
  {
    id: 'limit-retry-after-a-date',
    breaks: ['LIM-6'],
    story: 'Retry-After is a date, which HTTP allows too.',
    bend: header('retry-after', () => new Date(0).toUTCString()),
  },
  {
    id: 'limit-without-limit-header',
    breaks: ['LIM-6'],
    story: 'X-RateLimit-Limit was forgotten.',
    bend: header('x-ratelimit-limit', () => null),
  },
  {
    id: 'limit-header-per-minute',
    breaks: ['LIM-6'],
    story: 'X-RateLimit-Limit tells the requests a minute.',
    bend: header('x-ratelimit-limit', (given) => String(Number(given) * 60)),
  },
  {
    id: 'limit-without-remaining',
    breaks: ['LIM-6'],
    story: 'X-RateLimit-Remaining was forgotten.',
    bend: header('x-ratelimit-remaining', () => null),
  },
  {
    id: 'limit-remaining-one',
    breaks: ['LIM-6'],
    story: 'The remaining allowance is read before drawing.',
    bend: header('x-ratelimit-remaining', () => '1'),
  },
  {
    id: 'limit-without-reset',
    breaks: ['LIM-6'],
    story: 'X-RateLimit-Reset was forgotten.',
    bend: header('x-ratelimit-reset', () => null),
  },
  {
    id: 'limit-reset-is-a-time',
    breaks: ['LIM-6'],
    story: 'X-RateLimit-Reset is a Unix time, as others have it.',
    bend: header('x-ratelimit-reset', () => '1795200000'),
  },
  {
    id: 'limit-errors-not-empty',
    breaks: ['LIM-6'],
    story: 'The 429 lists itself among its errors.',
    bend: limited((reply) =>
      reply.body.startsWith('{')
        ? {
            ...reply,
            body: reply.body.replace(
              '"errors":[]',
              '"errors":[{"field":"rate","message":"limited"}]',
            ),
          }
        : reply,
    ),
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
