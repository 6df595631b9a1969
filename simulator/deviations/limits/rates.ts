// Wrong limits (LIM), and retryable answers that are kept (IDEM-6).

import type { LimitPolicy } from '../../core/behaviour.ts';
import type { RequestContext } from '../../core/pipeline/request-context.ts';
import type { Bucket } from '../../core/records.ts';
import { policy, stage } from '../bend.ts';
import type { Deviation } from '../deviation.ts';

const limits = (change: (own: LimitPolicy) => Partial<LimitPolicy>): Deviation['bend'] =>
  policy('limits', change);

const seconds = (rate: number) => Math.max(rate, 1) * 1000;

export const limitDeviations: readonly Deviation[] = [
  {
    id: 'limit-none',
    breaks: ['LIM-1', 'LIM-2'],
    story: 'The limits are only in the manual.',
    bend: limits((own) => ({ level: (_bucket, rate) => own.level(undefined, rate, 0) })),
  },
  {
    id: 'limit-burst-of-ten-seconds',
    breaks: ['LIM-2'],
    story: 'Unused allowance gathers for ten seconds.',
    bend: limits(() => ({ level: (bucket, rate, atMs) => windowed(bucket, rate, atMs, 10) })),
    alsoSeenAs: { 'LIM-1': 'ten seconds’ allowance is served at once' },
  },
  {
    id: 'limit-no-burst',
    breaks: ['LIM-2'],
    story: 'Calls must be spaced evenly; nothing gathers.',
    bend: limits(() => ({
      level: (bucket, rate, atMs) =>
        Math.min(
          1000,
          bucket === undefined
            ? 1000
            : Math.min(bucket.units, 0) +
                Math.max(0, atMs - bucket.atMs) * rate +
                Math.max(bucket.units, 0),
        ),
    })),
    alsoSeenAs: { 'IDEM-6a': 'refusals come early' },
  },
  {
    id: 'limit-refills-slowly',
    breaks: ['LIM-7'],
    story:
      'The bucket fills at a tenth of its rate, while Retry-After is worked out from all of it.',
    bend: limits((own) => ({
      level: (bucket, rate, atMs) =>
        bucket === undefined
          ? own.level(bucket, rate, atMs)
          : Math.min(seconds(rate), bucket.units + (Math.max(0, atMs - bucket.atMs) * rate) / 10),
    })),
    alsoSeenAs: { 'LIM-1': 'the rate is not sustained', 'LIM-2': 'the rate is not sustained' },
  },
  {
    id: 'limit-firm-is-the-credentials',
    breaks: ['LIM-3'],
    story: 'The firm has the rate of one credential.',
    bend: limits((own) => ({ firmRate: (world, firmId) => own.firmRate(world, firmId) / 4 })),
    alsoSeenAs: { 'LIM-5': 'one credential takes all that its firm has' },
  },
  {
    id: 'limit-either-has-room',
    breaks: ['LIM-3'],
    story: 'A call is served when one of the two has room.',
    bend: stage('rate', (decide, context) => {
      const given = decide(context);
      if (given === null) return null;
      const { limits } = context.behaviour;
      for (const { bucket, rate } of limits.demands(context)) {
        const level = limits.level(context.world.buckets.get(bucket), rate, context.atMs);
        if (level >= 1000) return draw(context, bucket, level);
      }
      return given;
    }),
    alsoSeenAs: {
      'LIM-1': 'a credential goes on while the firm has room',
      'LIM-2': 'a credential goes on while the firm has room',
    },
  },
];

function windowed(bucket: Bucket | undefined, rate: number, atMs: number, size: number): number {
  const full = seconds(rate) * size;
  return bucket === undefined
    ? full
    : Math.min(full, bucket.units + Math.max(0, atMs - bucket.atMs) * rate);
}

function draw(context: RequestContext, name: string, level: number): null {
  context.changes.push({ type: 'bucket-drawn', name, units: level - 1000, atMs: context.atMs });
  return null;
}
