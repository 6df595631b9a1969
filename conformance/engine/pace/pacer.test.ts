// Plays the pacer against a strict bucket on a clock of its own: it is never refused, and wastes
// little.
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
  const run = async () => {
    // Lets everybody who can go on do so before time passes.
    for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
    while (sleepers.length > 0) {
      sleepers.sort((a, b) => a.dueMs - b.dueMs);
      const next = sleepers.shift()!;
      nowMs = Math.max(nowMs, next.dueMs);
      next.wake();
      for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
    }
  };
  return { now: () => nowMs, sleep, run };
}

/** The bucket of the specification: a second's allowance, refilled evenly. */
function strictBucket(perSecond: number, now: () => number) {
  let level = perSecond;
  let atMs = 0;
  return () => {
    level = Math.min(perSecond, level + ((now() - atMs) / 1000) * perSecond);
    atMs = now();
    level -= 1;
    return level >= -1e-9;
  };
}

const own: Rate = { key: 'own', perSecond: 5 };
const firm: Rate = { key: 'firm', perSecond: 20 };

const pace = suite('pace');

pace('six workers under one credential are never refused, and lose little time', async () => {
  const clock = virtualClock();
  const pacer = new Pacer(undefined, clock);
  const served = strictBucket(5, clock.now);
  let refused = 0;
  const worker = async () => {
    for (let n = 0; n < 40; n += 1) {
      await pacer.take([own, firm]);
      if (!served()) refused += 1;
    }
  };
  const all = Promise.all(Array.from({ length: 6 }, worker));
  await clock.run();
  await all;
  assert.is(refused, 0);
  const perfectMs = (240 / 5) * 1000;
  assert.ok(clock.now() < perfectMs * 1.1, `${clock.now()} ms for ${perfectMs} ms of allowance`);
});

pace('a firm’s allowance holds back credentials that have room themselves', async () => {
  const clock = virtualClock();
  const pacer = new Pacer(undefined, clock);
  const served = strictBucket(20, clock.now);
  let refused = 0;
  const worker = async (name: string) => {
    for (let n = 0; n < 60; n += 1) {
      await pacer.take([{ key: name, perSecond: 50 }, firm]);
      if (!served()) refused += 1;
    }
  };
  const all = Promise.all(['a', 'b', 'c'].map(worker));
  await clock.run();
  await all;
  assert.is(refused, 0);
});

pace('a burst on purpose waits until all of it fits', async () => {
  const clock = virtualClock();
  const pacer = new Pacer(undefined, clock);
  const served = strictBucket(5, clock.now);
  let refused = 0;
  const bursts = (async () => {
    for (let n = 0; n < 5; n += 1) {
      await pacer.take([own], 5);
      for (let each = 0; each < 5; each += 1) if (!served()) refused += 1;
    }
  })();
  await clock.run();
  await bursts;
  assert.is(refused, 0);
});

pace('after a refusal nothing leaves for as long as it asked', async () => {
  const clock = virtualClock();
  const pacer = new Pacer(undefined, clock);
  await pacer.take([own]);
  pacer.backOff([own], 3000);
  const next = pacer.take([own]);
  await clock.run();
  await next;
  assert.ok(clock.now() >= 3000, `${clock.now()} ms`);
});

pace('a rate that a refusal tells of is kept to from then on', async () => {
  const clock = virtualClock();
  const pacer = new Pacer(undefined, clock);
  const wide: Rate = { key: 'wide', perSecond: 200 };
  assert.is(pacer.burst([wide, { key: 'firm', perSecond: 800 }]), 200);
  pacer.learn([wide], 5);
  assert.is(pacer.burst([wide]), 5);
  pacer.learn([wide], 50);
  assert.is(pacer.burst([wide]), 5, 'never faster than was told before');
});

pace('--max-rate holds in every second, over all credentials and bursts together', async () => {
  for (const most of [2, 3, 50, 0.5]) {
    const clock = virtualClock();
    const pacer = new Pacer(most, clock);
    const times: number[] = [];
    const worker = async (name: string) => {
      for (let n = 0; n < 10; n += 1) {
        const count = n % 3 === 0 ? pacer.mostAtOnce : 1;
        await pacer.take(name === '' ? [] : [{ key: name, perSecond: 200 }], count);
        for (let each = 0; each < count; each += 1) times.push(clock.now());
      }
    };
    const all = Promise.all(['a', 'b', ''].map(worker));
    await clock.run();
    await all;
    for (const from of times) {
      const within = times.filter((each) => each >= from && each < from + 1000).length;
      assert.ok(within <= Math.max(1, most), `${within} in one second at ${most}`);
    }
    const seconds = (times.at(-1)! - times[0]!) / 1000;
    assert.ok(times.length / seconds > most * 0.45, `${times.length} in ${seconds} s at ${most}`);
    assert.is(pacer.burst([]), Math.max(1, Math.floor(most)));
  }
});

pace('--max-rate holds although timers fire late', async () => {
  const clock = virtualClock();
  let count = 0;
  const sleep = (ms: number) => clock.sleep(ms + (++count % 3 === 0 ? 900 : 0));
  const pacer = new Pacer(3, { now: () => clock.now(), sleep });
  const times: number[] = [];
  const all = Promise.all(
    Array.from({ length: 30 }, () => pacer.take([]).then(() => times.push(clock.now()))),
  );
  await clock.run();
  await all;
  for (const from of times) {
    const within = times.filter((each) => each >= from && each < from + 1000).length;
    assert.ok(within <= 3, `${within} in one second`);
  }
});

pace('without rates nothing waits', async () => {
  const clock = virtualClock();
  const pacer = new Pacer(undefined, clock);
  for (let n = 0; n < 100; n += 1) await pacer.take([]);
  assert.is(clock.now(), 0);
});

pace.run();
