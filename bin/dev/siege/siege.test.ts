// The siege in short: what it finds in seconds, and that it finds what is there to be found.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { besiege } from './siege.ts';
import { findTrends, type Interval } from './verdict.ts';

const siege = suite('siege');

siege('a few seconds of everything at once break nothing', async () => {
  const report = await besiege({ seconds: 3, seed: 7 });
  assert.equal(report.broken, []);
  assert.is(report.intervals.length, 3);
  for (const status of ['200', '201', '422']) assert.ok(report.statuses.has(status), status);
  assert.ok(report.orders > 0);
});

siege('a sandbox that answers wrongly is found out', async () => {
  const { broken } = await besiege({
    seconds: 1,
    seed: 7,
    more: ['--deviate', 'problem-lacks-title'],
  });
  assert.match(broken.join('\n'), 'members {"type"');
});

const mebibyte = 1024 * 1024;
const interval = (
  n: number,
  grown: Partial<Interval['gauge']>,
  p50Ms = 3,
  yardstickMs = 1,
): Interval => {
  const gauge = {
    heapBytes: 20 * mebibyte,
    residentBytes: 0,
    files: 40,
    resources: { Timeout: 3 },
  };
  return { n, calls: 100, p50Ms, p99Ms: 9, yardstickMs, gauge: { ...gauge, ...grown } };
};
const numbers = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];

siege('what stays where it is has no trend, whatever the first interval held', () => {
  const flat = numbers.map((n) => interval(n, n === 1 ? { heapBytes: 9 * mebibyte } : {}));
  assert.equal(findTrends(flat), []);
  const waves = numbers.map((n) =>
    interval(n, { heapBytes: (20 + 9 * (n % 2)) * mebibyte }, n % 3),
  );
  assert.equal(findTrends(waves), []);
});

siege('a machine that gets busy is no trend: a bare server is held up alike', () => {
  assert.equal(findTrends(numbers.map((n) => interval(n, {}, 3 * n, n))), []);
  assert.is(findTrends(numbers.map((n) => interval(n, {}, 3 * n, 1 + n / 10))).length, 1);
});

const trends: readonly (readonly [string, (n: number) => Interval, RegExp])[] = [
  ['memory', (n) => interval(n, { heapBytes: (20 + 2 * n) * mebibyte }), /^memory grew from 24/],
  ['files', (n) => interval(n, { files: 40 + n }), /^open files grew from 42 to 48$/],
  ['timers', (n) => interval(n, { resources: { Timeout: 3 * n } }), /^Timeouts grew from 6 to 24$/],
  [
    'times',
    (n) => interval(n, {}, 3 * n),
    /^half of the answers took 6\.0 ms, and 24\.0 ms later$/,
  ],
];
for (const [what, at, words] of trends) {
  siege(`what grows is told: ${what}`, () => {
    const trends = findTrends(numbers.map(at));
    assert.is(trends.length, 1);
    assert.match(trends[0] ?? '', words);
  });
}

siege.run();
