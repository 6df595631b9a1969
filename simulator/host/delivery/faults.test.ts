// Faults of deliveries: drop, duplicate, bad signature, stale timestamp, delay, and how often they
// apply.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { DeliveryEffect } from '../../core/pipeline/find-fault.ts';
import { verifyWebhook } from '../signing/verify.ts';
import { eachWith } from '../testing/each-with.ts';
import { type Arrival, DeliveryTestHarness, startMs } from './testing/delivery-test-harness.ts';

const faults = suite<{ harness: DeliveryTestHarness }>('delivery faults');
eachWith(faults, 'harness', () => DeliveryTestHarness.begin());

const order = (harness: DeliveryTestHarness, effect: DeliveryEffect, fault: object = {}) =>
  harness.execute('makeFault', { match: { webhook: true }, effect, ...fault });

function verdictOf(harness: DeliveryTestHarness, id: number, arrival: Arrival | undefined) {
  const header = arrival?.headers['X-Webhook-Signature'] ?? '';
  const { secret } = harness.subscription(id);
  return verifyWebhook({ header, body: arrival?.body ?? '', secret });
}

faults('drop: the delivery counts as delivered but is not sent', async ({ harness }) => {
  const id = await harness.subscribe();
  order(harness, { kind: 'drop' }, { times: 2 });
  await harness.deliver(3);
  assert.equal(harness.seqs, [3]);
  const statuses = harness.deliveries(id).map(({ status }) => status);
  assert.equal(statuses, ['delivered', 'delivered', 'delivered']);
  assert.match(harness.deliveries(id)[0]?.attempts[0]?.error ?? '', 'dropped by a fault');
  assert.is([...harness.host.world.faults.values()][0]?.hits, 2);
});

faults('duplicate: the same event and bytes are sent twice (EVT-4)', async ({ harness }) => {
  await harness.subscribe();
  order(harness, { kind: 'duplicate' }, { times: 1 });
  await harness.deliver(2);
  assert.equal(harness.seqs, [1, 1, 2]);
  assert.is(harness.arrivals[0]?.body, harness.arrivals[1]?.body);
});

faults('bad_signature: the delivery does not verify, and its retry does', async ({ harness }) => {
  const id = await harness.subscribe();
  harness.script = (arrival) => (verdictOf(harness, id, arrival).ok ? 200 : 400);
  order(harness, { kind: 'bad_signature' }, { times: 1 });
  harness.emit();
  await harness.advance(30_000);
  const attempts = harness.sole(id).attempts.map(({ status, fault }) => [status, fault]);
  assert.equal(attempts, [
    [400, 'bad_signature'],
    [200, undefined],
  ]);
});

faults('stale_timestamp: the signature is valid but one hour old', async ({ harness }) => {
  const id = await harness.subscribe();
  order(harness, { kind: 'stale_timestamp' }, { times: 1 });
  await harness.deliver(2);
  const [stale, fresh] = harness.arrivals;
  const verdict = verdictOf(harness, id, stale);
  assert.is(verdict.ok || verdict.reason, 'too_old');
  assert.is(verdictOf(harness, id, fresh).ok, true);
});

faults('delay: the attempt and those behind it start later', async ({ harness }) => {
  const id = await harness.subscribe();
  order(harness, { kind: 'delay', ms: 5000 }, { times: 1 });
  await harness.deliver(2);
  assert.is(harness.arrivals.length, 0);
  assert.is(harness.sole(id).next_due_ms, startMs + 5000);
  await harness.advance(4999);
  assert.is(harness.arrivals.length, 0);
  await harness.advance(1);
  assert.equal(harness.seqs, [1, 2]);
  assert.is(harness.deliveries(id)[0]?.attempts.length, 1, 'a delay is no attempt');
});

faults('a fault applies to one subscription, or to calls only', async ({ harness }) => {
  const one = await harness.subscribe('https://one.example.com/');
  const two = await harness.subscribe('https://two.example.com/');
  order(harness, { kind: 'drop' }, { match: { webhook: String(one) } });
  harness.execute('makeFault', { match: {}, effect: { kind: 'status', status: 500 } });
  await harness.deliver();
  const urls = harness.arrivals.map(({ url }) => url);
  assert.equal(urls, ['https://two.example.com/']);
  assert.is(harness.subscription(two).last_delivered_seq, 1);
});

faults('a subscription disabled during a delay sends nothing (EVT-13)', async ({ harness }) => {
  const id = await harness.subscribe();
  await harness.deliver();
  // This also applies to a delivered event that was to be sent again.
  order(harness, { kind: 'delay', ms: 5000 });
  harness.execute('retryDelivery', { id: harness.sole(id).id });
  await harness.call('POST', `/api/v1/webhooks/${id}/disable`);
  await harness.advance(60_000);
  assert.is(harness.arrivals.length, 1);
});

faults('a delivered event is sent again after a delay too', async ({ harness }) => {
  const id = await harness.subscribe();
  await harness.deliver();
  order(harness, { kind: 'delay', ms: 5000 });
  harness.execute('retryDelivery', { id: harness.sole(id).id });
  await harness.advance(5000);
  assert.equal(harness.seqs, [1, 1]);
});

faults.run();
