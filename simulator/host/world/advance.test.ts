// Advancing the clock runs due work in order, with its responses, deterministically; a clock never
// goes back.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { DeliveryTestHarness, startMs } from '../delivery/testing/delivery-test-harness.ts';
import { eachWith } from '../testing/each-with.ts';
import { Clock } from './clock.ts';

const advance = suite<{ harness: DeliveryTestHarness }>('time');
eachWith(advance, 'harness', () => DeliveryTestHarness.begin());

const day = 24 * 3600 * 1000;

advance('an advance to the next due time, one at a time', async ({ harness }) => {
  harness.script = () => 500;
  await harness.subscribe();
  await harness.deliver();
  for (const expected of [30_000, 120_000, 600_000, 1_800_000]) {
    const { fromMs, toMs, fired } = await harness.host.advance({ to_next: true });
    assert.is(toMs - fromMs, expected);
    const deliveries = fired.slice(1).map(({ kind, outcome }) => `${kind} ${outcome}`);
    assert.equal(deliveries, ['delivery pending: 500']);
  }
});

advance('two concurrent advances are queued', async ({ harness }) => {
  const both = await Promise.all([harness.advance(1000), harness.advance(500)]);
  const times = both.flatMap(({ fromMs, toMs }) => [fromMs - startMs, toMs - startMs]);
  assert.equal(times, [0, 1000, 1000, 1500]);
});

advance('the clock is frozen while a response is pending', async () => {
  const harness = await DeliveryTestHarness.begin({ clock: 'real' });
  const seen: number[] = [];
  harness.script = async (_arrival, nth) => {
    if (nth === 1) return 500;
    seen.push(harness.host.clock.nowMs());
    await new Promise((resolve) => setTimeout(resolve, 40));
    seen.push(harness.host.clock.nowMs());
    return 500;
  };
  const id = await harness.subscribe();
  await harness.deliver();
  const due = harness.sole(id).next_due_ms ?? 0;
  await harness.host.advance({ to_ms: due });
  assert.equal(seen, [due, due]);
  // The clock continues afterwards.
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.ok(harness.host.clock.nowMs() >= due + 10);
  await harness.close();
});

advance('after an advance a running clock wakes up on time', async () => {
  const harness = await DeliveryTestHarness.begin({ clock: 'real' });
  harness.script = (_arrival, nth) => (nth === 1 ? 500 : 200);
  await harness.subscribe();
  await harness.deliver();
  await harness.advance(29_900);
  assert.is(harness.arrivals.length, 1);
  await harness.arrived(2);
  await harness.close();
});

advance('the same inputs give the same report and the same world', async () => {
  const run = async () => {
    const harness = await DeliveryTestHarness.begin();
    // Responses arrive in their own order, by the delay of each receiver.
    harness.script = async ({ url, seq }) => {
      const slow = url.includes('slow');
      for (let turn = 0; turn < (slow ? 5 : 1); turn += 1) await new Promise(setImmediate);
      return (seq + url.length) % 3 === 0 ? 200 : 500;
    };
    for (const name of ['slow', 'quick', 'medium', 'slower']) {
      await harness.subscribe(`https://${name}.example.com/`);
    }
    await harness.deliver(5);
    const report = await harness.advance(3 * day);
    const deliveries = [...harness.host.world.deliveries.values()].map((delivery) => ({
      ...delivery,
      attempts: delivery.attempts.map(({ n, at_ms: atMs, status }) => [n, atMs, status]),
    }));
    await harness.close();
    return { report, deliveries };
  };
  const first = await run();
  assert.ok(first.report.fired.length > 50);
  assert.equal(await run(), first);
});

advance('replacing the world ends an advance in the old world', async ({ harness }) => {
  await harness.subscribe();
  let answer: () => void = () => undefined;
  harness.script = (_arrival, nth) =>
    nth === 1 ? 500 : new Promise((resolve) => (answer = () => resolve(200)));
  await harness.deliver();
  const advancing = harness.advance(day);
  await harness.arrived(2);
  await harness.sandbox.reset('default');
  answer();
  await advancing;
  assert.is(harness.host.world.nowMs, startMs);
  assert.is(harness.host.clock.nowMs(), startMs);
  assert.is(harness.host.world.deliveries.size, 0);
  await harness.advance(1000);
  assert.is(harness.host.clock.nowMs(), startMs + 1000);
});

advance('settlements and retries happen in order of time', async ({ harness }) => {
  harness.script = () => 500;
  await harness.subscribe('https://a.example.com/');
  await harness.deliver();
  await harness.advance(10_000);
  await harness.subscribe('https://b.example.com/');
  harness.emit();
  const { fired } = await harness.advance(day);
  const times = fired.map(({ atMs }) => atMs);
  const sorted = times.toSorted((a, b) => a - b);
  assert.equal(times, sorted);
  assert.is(times.filter((atMs) => atMs === startMs + 40_000).length, 2);
});

advance('a fast clock fires due work and aborts attempts after their timeout', async () => {
  const harness = await DeliveryTestHarness.begin({ clock: 'real' });
  const id = await harness.subscribe();
  harness.script = () => new Promise(() => undefined);
  await harness.host.setClock('real', null, 1000);
  harness.emit();
  // EVT-9b, EVT-8a: 15 s and the following 30 s are a few hundredths of a second of wall time.
  await harness.arrived(2);
  const [attempt] = harness.sole(id).attempts;
  assert.match(attempt?.error ?? '', /no response within 15 s of the sandbox's clock/);
  await harness.close();
});

advance('a wall clock that is set back never moves it back, and it continues at its rate', () => {
  let wallMs = 1_000_000;
  const clock = new Clock({ mode: 'real', nowMs: null }, () => wallMs);
  wallMs += 500;
  assert.is(clock.nowMs(), 1_000_500);
  wallMs -= 3_600_000;
  assert.is(clock.nowMs(), 1_000_500);
  wallMs += 250;
  assert.is(clock.nowMs(), 1_000_750);
  clock.set({ mode: 'real', nowMs: 2_000_000, speed: 2 });
  wallMs -= 10_000;
  assert.is(clock.nowMs(), 2_000_000);
  wallMs += 100;
  assert.is(clock.nowMs(), 2_000_200);
});

advance.run();
