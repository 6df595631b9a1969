// Whether what was measured at rest, interval after interval, stays where it was.
import type { Gauge } from './besieged.ts';

/** One interval of a siege: what it did, and what the program held when all had been cleared. */
export interface Interval {
  readonly n: number;
  readonly calls: number;
  /** Middle and slow end of the answers' times. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** What a bare node:http took to answer meanwhile, in the middle. */
  readonly yardstickMs: number;
  readonly gauge: Gauge;
}

/** Fewer show no trend. */
const leastIntervals = 6;
const mebibyte = 1024 * 1024;

/** What is not flat; the first interval warms up and counts for nothing. */
export function findTrends(intervals: readonly Interval[]): string[] {
  const [, ...counted] = intervals;
  if (counted.length < leastIntervals - 1) return [];
  const third = Math.floor(counted.length / 3);
  const [early, late] = [counted.slice(0, third), counted.slice(-third)];
  return [...findGrowth(early, late), ...findSlowness(early, late)];
}

function findGrowth(early: readonly Interval[], late: readonly Interval[]): string[] {
  const trends: string[] = [];
  const least = (of: readonly Interval[], read: (gauge: Gauge) => number) =>
    Math.min(...of.map(({ gauge }) => read(gauge)));
  const grows = (what: string, read: (gauge: Gauge) => number, slack: number, unit: string) => {
    const [before, after] = [least(early, read), least(late, read)];
    if (after > before + slack) trends.push(`${what} grew from ${before} to ${after}${unit}`);
  };
  const inUse = ({ heapBytes }: Gauge) => Math.round(heapBytes / mebibyte);
  grows('memory', inUse, Math.max(4, 0.15 * least(early, inUse)), ' MiB');
  grows('open files', ({ files }) => files ?? 0, 2, '');
  const kinds = new Set(late.flatMap(({ gauge }) => Object.keys(gauge.resources)));
  for (const kind of kinds) grows(`${kind}s`, ({ resources }) => resources[kind] ?? 0, 2, '');
  return trends;
}

/**
 * A machine has better and worse minutes: only a middle that is far off is a trend, and only when
 * a bare server beside it was not held up alike.
 */
function findSlowness(early: readonly Interval[], late: readonly Interval[]): string[] {
  const best = (of: readonly Interval[], read: (interval: Interval) => number) =>
    Math.min(...of.map(read));
  const inWall = ({ p50Ms }: Interval) => p50Ms;
  const inAnswers = ({ p50Ms, yardstickMs }: Interval) => p50Ms / Math.max(0.1, yardstickMs);
  const [before, after] = [best(early, inWall), best(late, inWall)];
  const isSlower = after > 2 * before + 2 && best(late, inAnswers) > 2 * best(early, inAnswers);
  const words = (ms: number) => `${ms.toFixed(1)} ms`;
  return isSlower ? [`half of the answers took ${words(before)}, and ${words(after)} later`] : [];
}
