// Time that passes at once: in order, with its answers, the same way every time.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { DeliveryTestHarness, startMs } from '../delivery/testing/delivery-test-harness.ts';
import { ClockError } from './advance.ts';

const advance = suite('advance');

const day = 24 * 3600 * 1000;

advance('nothing due: the clock moves and nothing is told', async () => {
  const stage = await DeliveryTestHarness.begin();
  const report = await stage.advance(day);
  assert.equal(report, { fromMs: startMs, toMs: startMs + day, fired: [] });
  assert.is(stage.host.clock.nowMs(), startMs + day);
  await stage.close();
});

advance('never backwards, and not beyond what a date can tell', async () => {
  const stage = await DeliveryTestHarness.begin();
  const refused = async (terms: Parameters<typeof stage.host.advance>[0]) => {
    const error = await stage.host.advance(terms).then(
      () => null,
      (thrown: unknown) => thrown,
    );
    assert.instance(error, ClockError);
  };
  await refused({ to_ms: startMs - 1 });
  await refused({ by_ms: -1 });
  await refused({ by_ms: 1e15 });
  assert.is(stage.host.clock.nowMs(), startMs);
  await stage.advance(1);
  assert.is(stage.host.clock.nowMs(), startMs + 1);
  await stage.close();
});

advance('to the next thing, one at a time', async () => {
  const stage = await DeliveryTestHarness.begin();
  stage.script = () => 500;
  await stage.subscribe();
  stage.emit();
  await stage.settle();
  for (const expected of [30_000, 120_000, 600_000, 1_800_000]) {
    const { fromMs, toMs, fired } = await stage.host.advance({ to_next: true });
    assert.is(toMs - fromMs, expected);
    assert.equal(fired.map(({ kind, outcome }) => [kind, outcome]).slice(1), [
      ['delivery', 'pending: 500'],
    ]);
  }
  await stage.close();
});

advance('to the next when there is none: stays', async () => {
  const stage = await DeliveryTestHarness.begin();
  const { fromMs, toMs } = await stage.host.advance({ to_next: true });
  assert.is(toMs, fromMs);
  await stage.close();
});

advance('two at once queue', async () => {
  const stage = await DeliveryTestHarness.begin();
  const both = await Promise.all([stage.advance(1000), stage.advance(500)]);
  assert.equal(
    both.map(({ fromMs, toMs }) => [fromMs - startMs, toMs - startMs]),
    [
      [0, 1000],
      [1000, 1500],
    ],
  );
  await stage.close();
});

advance('the clock stands while an answer is waited for', async () => {
  const stage = await DeliveryTestHarness.begin({ clock: 'real' });
  const seen: number[] = [];
  stage.script = async (_arrival, nth) => {
    if (nth === 1) return 500;
    seen.push(stage.host.clock.nowMs());
    await new Promise((resolve) => setTimeout(resolve, 40));
    seen.push(stage.host.clock.nowMs());
    return 500;
  };
  const id = await stage.subscribe();
  stage.emit();
  await stage.settle();
  const due = stage.sole(id).nextDueMs ?? 0;
  await stage.host.advance({ to_ms: due });
  assert.equal(seen, [due, due]);
  // And goes on afterwards.
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.ok(stage.host.clock.nowMs() >= due + 10);
  await stage.close();
});

advance('after an advance a clock that runs wakes up in time', async () => {
  const stage = await DeliveryTestHarness.begin({ clock: 'real' });
  stage.script = (_arrival, nth) => (nth === 1 ? 500 : 200);
  await stage.subscribe();
  stage.emit();
  await stage.settle();
  await stage.advance(29_900);
  assert.is(stage.arrivals.length, 1);
  await stage.arrived(2);
  await stage.close();
});

advance('the same inputs give the same report and the same world', async () => {
  const run = async () => {
    const stage = await DeliveryTestHarness.begin();
    // Answers come in an order of their own: by how long each receiver thinks.
    stage.script = async ({ url, seq }) => {
      const slow = url.includes('slow');
      for (let turn = 0; turn < (slow ? 5 : 1); turn += 1) await new Promise(setImmediate);
      return (seq + url.length) % 3 === 0 ? 200 : 500;
    };
    for (const name of ['slow', 'quick', 'medium', 'slower']) {
      await stage.subscribe(`https://${name}.example.com/`);
    }
    stage.emit(5);
    await stage.settle();
    const report = await stage.advance(3 * day);
    const deliveries = [...stage.host.world.deliveries.values()].map((delivery) => ({
      ...delivery,
      attempts: delivery.attempts.map(({ n, atMs, status }) => [n, atMs, status]),
    }));
    await stage.close();
    return { report, deliveries };
  };
  const first = await run();
  assert.ok(first.report.fired.length > 50);
  assert.equal(await run(), first);
});

advance('waits for attempts under way before it moves the clock', async () => {
  const stage = await DeliveryTestHarness.begin();
  stage.script = async () => {
    await new Promise((resolve) => setTimeout(resolve, 50));
    return 200;
  };
  const id = await stage.subscribe();
  stage.emit(4);
  await stage.advance(day);
  assert.is(stage.subscription(id).lastDeliveredSeq, 4);
  assert.ok(stage.arrivals.every(({ atMs }) => atMs === startMs));
  await stage.close();
});

advance('a world that is replaced in the middle ends it, and is not touched by it', async () => {
  const stage = await DeliveryTestHarness.begin();
  await stage.subscribe();
  let answer: () => void = () => undefined;
  stage.script = (_arrival, nth) =>
    nth === 1 ? 500 : new Promise((resolve) => (answer = () => resolve(200)));
  stage.emit();
  await stage.settle();
  const advancing = stage.advance(day);
  await stage.arrived(2);
  await stage.sandbox.reset('default');
  answer();
  await advancing;
  assert.is(stage.host.world.nowMs, startMs);
  assert.is(stage.host.clock.nowMs(), startMs);
  assert.is(stage.host.world.deliveries.size, 0);
  await stage.advance(1000);
  assert.is(stage.host.clock.nowMs(), startMs + 1000);
  await stage.close();
});

advance('settlements and retries happen in the order of their times', async () => {
  const stage = await DeliveryTestHarness.begin();
  stage.script = () => 500;
  await stage.subscribe('https://a.example.com/');
  stage.emit();
  await stage.settle();
  await stage.advance(10_000);
  await stage.subscribe('https://b.example.com/');
  stage.emit();
  const { fired } = await stage.advance(day);
  const times = fired.map(({ atMs }) => atMs);
  assert.equal(
    times,
    [...times].sort((a, b) => a - b),
  );
  assert.is(times.filter((atMs) => atMs === startMs + 40_000).length, 2);
  await stage.close();
});

advance('a clock that runs fast fires what is due and ends what takes too long', async () => {
  const stage = await DeliveryTestHarness.begin({ clock: 'real' });
  const id = await stage.subscribe();
  stage.script = () => new Promise(() => undefined);
  await stage.host.setClock('real', null, 1000);
  stage.emit();
  // EVT-9b, EVT-8a: 15 s and the 30 s after them are a few hundredths of a second by the wall.
  await stage.arrived(2);
  const [attempt] = stage.sole(id).attempts;
  assert.match(attempt?.error ?? '', /no answer within 15 s of the sandbox's clock/);
  await stage.close();
});

advance.run();
