// Runs the pacer against a strict bucket on a virtual clock: it is never refused, and wastes little
// of the rate.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Pacer, type Rate } from './pacer.ts';

/** A clock whose sleepers wake in order, as fast as they can. */
function virtualClock() {
  let nowMs = 0;
  const sleepers: { dueMs: number; wake: () => void }[] = [];
  const sleep = (ms: number) =>
    new Promise<void>((wake) => {
      sleepers.push({ dueMs: nowMs + ms, wake });
    });
  const settle = async () => {
    for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
  };
  /** Advances time until all work is done; everything that can run does so first. */
  const run = async (...work: Promise<unknown>[]) => {
    await settle();
    while (sleepers.length > 0) {
      sleepers.sort((a, b) => a.dueMs - b.dueMs);
      const next = sleepers.shift()!;
      nowMs = Math.max(nowMs, next.dueMs);
      next.wake();
      await settle();
    }
    await Promise.all(work);
  };
  return { now: () => nowMs, sleep, run };
}

/** The bucket of the specification: a second's allowance, refilled evenly. */
function strictBucket(perSecond: number, now: () => number) {
  let level = perSecond;
  let atMs = 0;
  const bucket = { refused: 0, take };
  function take() {
    level = Math.min(perSecond, level + ((now() - atMs) / 1000) * perSecond) - 1;
    atMs = now();
    if (level < -1e-9) bucket.refused += 1;
  }
  return bucket;
}

function maxInOneSecond(times: readonly number[]): number {
  const within = (from: number) => times.filter((each) => each >= from && each < from + 1000);
  return Math.max(...times.map((from) => within(from).length));
}

const own: Rate = { key: 'own', perSecond: 5 };
const firm: Rate = { key: 'firm', perSecond: 20 };

const pace = suite('pace');

const three = ['a', 'b', 'c'].map((key): Rate[] => [{ key, perSecond: 50 }, firm]);
const CROWDS: readonly (readonly [
  words: string,
  workers: readonly Rate[][],
  calls: number,
  count: number,
  perSecond: number,
])[] = [
  ['six workers under one credential', Array(6).fill([own, firm]), 40, 1, 5],
  ['credentials with room themselves under one firm', three, 60, 1, 20],
  ['bursts on purpose', [[own]], 5, 5, 5],
];
for (const [words, workers, calls, count, perSecond] of CROWDS) {
  pace(`${words} are never refused, and lose little time`, async () => {
    const clock = virtualClock();
    const pacer = new Pacer(undefined, clock);
    const bucket = strictBucket(perSecond, clock.now);
    const work = workers.map(async (rates) => {
      for (let n = 0; n < calls; n += 1) {
        await pacer.take(rates, count);
        for (let each = 0; each < count; each += 1) bucket.take();
      }
    });
    await clock.run(...work);
    assert.is(bucket.refused, 0);
    const perfectMs = ((workers.length * calls * count) / perSecond) * 1000;
    assert.ok(clock.now() < perfectMs * 1.1, `${clock.now()} ms instead of ${perfectMs} ms`);
  });
}

pace('after a refusal nothing is sent for the time that it requires', async () => {
  const clock = virtualClock();
  const pacer = new Pacer(undefined, clock);
  await pacer.take([own]);
  pacer.backOff([own], 3000);
  await clock.run(pacer.take([own]));
  assert.ok(clock.now() >= 3000, `${clock.now()} ms`);
});

pace('a rate stated by a refusal applies from then on, and is never raised', () => {
  const pacer = new Pacer(undefined, virtualClock());
  const wide: Rate = { key: 'wide', perSecond: 200 };
  assert.is(pacer.burst([wide, { key: 'firm', perSecond: 800 }]), 200);
  for (const stated of [5, 50]) {
    pacer.learn([wide], stated);
    assert.is(pacer.burst([wide]), 5);
  }
});

for (const most of [2, 3, 50, 0.5]) {
  pace(`--max-rate ${most} holds in every second, over all credentials and bursts`, async () => {
    const clock = virtualClock();
    const pacer = new Pacer(most, clock);
    const times: number[] = [];
    const work = ['a', 'b', ''].map(async (key) => {
      for (let n = 0; n < 10; n += 1) {
        const count = n % 3 === 0 ? pacer.maxAtOnce : 1;
        await pacer.take(key === '' ? [] : [{ key, perSecond: 200 }], count);
        for (let each = 0; each < count; each += 1) times.push(clock.now());
      }
    });
    await clock.run(...work);
    assert.ok(maxInOneSecond(times) <= Math.max(1, most));
    const seconds = (times.at(-1)! - times[0]!) / 1000;
    assert.ok(times.length / seconds > most * 0.45, `${times.length} in ${seconds} s`);
    assert.is(pacer.burst([]), Math.max(1, Math.floor(most)));
  });
}

pace('--max-rate holds although timers fire late', async () => {
  const clock = virtualClock();
  let count = 0;
  const sleep = (ms: number) => clock.sleep(ms + (++count % 3 === 0 ? 900 : 0));
  const pacer = new Pacer(3, { now: clock.now, sleep });
  const times: number[] = [];
  const work = Array.from({ length: 30 }, () => pacer.take([]).then(() => times.push(clock.now())));
  await clock.run(...work);
  assert.ok(maxInOneSecond(times) <= 3);
});

pace.run();
