// EVT-8, EVT-9, EVT-10, NS-28, NS-42: when attempts are made, and how their responses are handled.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { eachWith } from '../testing/each-with.ts';
import { DeliveryTestHarness, startMs } from './testing/delivery-test-harness.ts';

const test = suite<{ harness: DeliveryTestHarness }>('retry schedule');
eachWith(test, 'harness', () => DeliveryTestHarness.begin());

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

test('EVT-9b: an attempt ends after fifteen seconds of the clock', async ({ harness }) => {
  // The receiver never answers the first attempt; the waiting caller gets the timeout.
  let cut = 0;
  const late = (resolve: (status: number) => void) => {
    cut += 1;
    resolve(200);
  };
  harness.script = ({ request }, nth) =>
    nth > 1 ? 200 : new Promise((resolve) => request.cancelToken.onCancel(() => late(resolve)));
  const id = await harness.subscribe();
  harness.emit();
  await harness.advance(14_999);
  assert.is(harness.sole(id).in_flight, true);
  await harness.advance(1);
  assert.is(cut, 1);
  const { attempts, next_due_ms } = harness.sole(id);
  assert.is(attempts.length, 1);
  assert.match(attempts[0]?.error ?? '', 'within 15 s');
  assert.match(attempts[0]?.signature ?? '', /^t=\d+,v1=/);
  // NS-42: the wait counts from the end of the failed attempt.
  assert.is(next_due_ms, startMs + 15_000 + 30_000);
  await harness.advance(30_000);
  assert.is(harness.sole(id).status, 'delivered');
});

test('resuming late continues with the events still retained', async ({ harness }) => {
  harness.script = () => 500;
  const id = await harness.subscribe();
  harness.emit();
  await harness.advance(9 * day);
  // EVT-10b: enough events that those older than seven days are dropped.
  harness.script = () => 200;
  harness.emit(2);
  assert.ok(harness.host.world.events.first > 1);
  harness.execute('resumeSubscription', { id: String(id) });
  await harness.waitUntilIdle();
  assert.equal(harness.seqs.slice(8), [2, 3]);
});

test('the deliveries to a receiver that hangs are limited', async () => {
  const settings = { delivery_order: 'independent' } as const;
  const harness = await DeliveryTestHarness.begin({ settings });
  const answers: (() => void)[] = [];
  harness.script = () => new Promise((resolve) => answers.push(() => resolve(200)));
  const id = await harness.subscribe();
  harness.emit(1000);
  assert.is(harness.deliveries(id).length, 64);
  while (harness.arrivals.length < 1000 || answers.length > 0) {
    for (const answer of answers.splice(0)) answer();
    await new Promise(setImmediate);
  }
  assert.is(new Set(harness.seqs).size, 1000);
  await harness.close();
});

test('retry now: a waiting delivery is sent, and the schedule goes on', async ({ harness }) => {
  harness.script = () => 500;
  const id = await harness.subscribe();
  await harness.deliver();
  harness.execute('retryDelivery', { id: harness.sole(id).id });
  await harness.waitUntilIdle();
  assert.is(harness.arrivals.length, 2);
  assert.is(harness.sole(id).next_due_ms, startMs + 2 * minute);
  await harness.advance(30 * day);
  assert.is(harness.arrivals.length, 8);
});

test('retry now: a suspended delivery resumes, a delivered one repeats', async ({ harness }) => {
  harness.script = () => 500;
  const id = await harness.subscribe();
  harness.emit(2);
  await harness.advance(2 * day);
  harness.script = () => 200;
  const first = harness.deliveries(id)[0]?.id ?? '';
  harness.execute('retryDelivery', { id: first });
  await harness.waitUntilIdle();
  assert.equal(harness.seqs.slice(8), [1, 2]);
  harness.execute('retryDelivery', { id: first });
  await harness.waitUntilIdle();
  assert.equal(harness.seqs.slice(10), [1]);
  assert.is(harness.subscription(id).last_delivered_seq, 2);
});

test('a receiver that is down costs one delivery for all events', async ({ harness }) => {
  harness.script = () => 500;
  const id = await harness.subscribe();
  await harness.deliver(1000);
  assert.is(harness.deliveries(id).length, 1);
  assert.is(harness.host.world.timers.length, 1);
});

test('suspended deliveries are kept, however many others complete', async ({ harness }) => {
  harness.script = ({ url }) => (url.includes('down') ? 500 : 200);
  const down = await harness.subscribe('https://down.example.com/');
  harness.emit();
  await harness.advance(day);
  await harness.subscribe('https://up.example.com/');
  await harness.deliver(6000);
  // Some thousands of finished deliveries are kept for inspection.
  const { size } = harness.host.world.deliveries;
  assert.ok(size < 5000, `${size} kept`);
  harness.script = () => 200;
  harness.execute('resumeSubscription', { id: String(down) });
  await harness.waitUntilIdle();
  const seqs = harness.arrivals.filter(({ url }) => url.includes('down')).map(({ seq }) => seq);
  assert.is(seqs[8], 1);
  assert.is(harness.subscription(down).last_delivered_seq, 6001);
});

test.run();
