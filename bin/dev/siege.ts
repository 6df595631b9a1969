// `npm run siege [-- --seconds N --seed N]`: everything at once on the built sandbox, for ten
// minutes unless told otherwise. Ends with 1 and what broke, or with a table of what held.
import { build } from './build/build.ts';
import { readArgs, wholeNumbers } from './read-args.ts';
import { besiege, type SiegeReport } from './siege/siege.ts';
import type { Interval } from './siege/verdict.ts';

const { values } = readArgs(import.meta.url, {
  options: {
    seconds: { type: 'string', default: '600' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
});
const { seconds, seed } = wholeNumbers(import.meta.url, values, { seed: 0 });

const columns = [
  'interval',
  'calls',
  'p50 ms',
  'p99 ms',
  'bare ms',
  'heap MiB',
  'rss MiB',
  'files',
  'held',
];
const rowOf = (cells: readonly string[]) => cells.map((cell) => cell.padStart(9)).join('');
const mebibytes = (bytes: number) => (bytes / 1024 / 1024).toFixed(1);

function rowOfInterval({ n, calls, p50Ms, p99Ms, yardstickMs, gauge }: Interval): string {
  const held = Object.values(gauge.resources).reduce((sum, many) => sum + many, 0);
  const times = [p50Ms, p99Ms, yardstickMs].map((ms) => ms.toFixed(1));
  const memory = [mebibytes(gauge.heapBytes), mebibytes(gauge.residentBytes)];
  return rowOf([`${n}`, `${calls}`, ...times, ...memory, `${gauge.files ?? '-'}`, `${held}`]);
}

function tell({ intervals, statuses, broken, ...counts }: SiegeReport): void {
  const answers = [...statuses].sort(([a], [b]) => a.localeCompare(b));
  console.log(`\nanswers: ${answers.map(([status, many]) => `${status} ${many}`).join(', ')}`);
  const { orders, deliveries, envelopes, streamBytes } = counts;
  const followed = `${envelopes} envelopes and ${mebibytes(streamBytes)} MiB followed`;
  console.log(`${orders} orders, ${deliveries} deliveries received, ${followed}`);
  const calls = intervals.reduce((sum, each) => sum + each.calls, 0);
  if (broken.length === 0) console.log(`seed ${seed}: ${calls} calls, and everything held`);
  else console.log(`seed ${seed}: ${broken.length} things broke:\n  ${broken.join('\n  ')}`);
}

if (!(await build({ onlyIfStale: true }))) process.exit(2);
console.log(`seed ${seed}, ${seconds} s\n${rowOf(columns)}`);
const report = await besiege({
  seconds,
  seed,
  onInterval: (interval) => console.log(rowOfInterval(interval)),
});
tell(report);
process.exitCode = report.broken.length === 0 ? 0 : 1;
