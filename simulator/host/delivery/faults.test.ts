// Faults of deliveries: dropped, doubled, badly or stalely signed, delayed, and how often.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { DeliveryEffect } from '../../core/pipeline/find-fault.ts';
import { verifyWebhook } from '../signing/verify.ts';
import { type Arrival, DeliveryTestHarness, startMs } from './testing/delivery-test-harness.ts';

const faults = suite('faults');

const order = (
  stage: DeliveryTestHarness,
  effect: DeliveryEffect,
  { webhook = true, times }: { webhook?: boolean | string; times?: number } = {},
): void => {
  stage.act('makeFault', { match: { webhook }, effect, ...(times === undefined ? {} : { times }) });
};

function verdictOf(stage: DeliveryTestHarness, id: number, arrival: Arrival | undefined) {
  const header = arrival?.headers['X-Webhook-Signature'] ?? '';
  const { secret } = stage.subscription(id);
  return verifyWebhook({ header, body: arrival?.body ?? '', secret });
}

faults('drop: counts as delivered and is not sent, as often as it says', async () => {
  const stage = await DeliveryTestHarness.begin();
  const id = await stage.subscribe();
  order(stage, { kind: 'drop' }, { times: 2 });
  stage.emit(3);
  await stage.settle();
  assert.equal(stage.seqs, [3]);
  assert.equal(
    stage.deliveries(id).map(({ status }) => status),
    ['delivered', 'delivered', 'delivered'],
  );
  assert.match(stage.deliveries(id)[0]?.attempts[0]?.error ?? '', 'dropped by a fault');
  assert.is([...stage.host.world.faults.values()][0]?.hits, 2);
  await stage.close();
});

faults('duplicate: the same event and bytes twice (EVT-4)', async () => {
  const stage = await DeliveryTestHarness.begin();
  await stage.subscribe();
  order(stage, { kind: 'duplicate' }, { times: 1 });
  stage.emit(2);
  await stage.settle();
  assert.equal(stage.seqs, [1, 1, 2]);
  assert.is(stage.arrivals[0]?.body, stage.arrivals[1]?.body);
  await stage.close();
});

faults('bad_signature: what is sent does not verify, and the retry does', async () => {
  const stage = await DeliveryTestHarness.begin();
  const id = await stage.subscribe();
  stage.script = (arrival) => (verdictOf(stage, id, arrival).ok ? 200 : 400);
  order(stage, { kind: 'bad_signature' }, { times: 1 });
  stage.emit();
  await stage.advance(30_000);
  assert.equal(
    stage.sole(id).attempts.map(({ status }) => status),
    [400, 200],
  );
  await stage.close();
});

faults('stale_timestamp: signed well, of an hour ago', async () => {
  const stage = await DeliveryTestHarness.begin();
  const id = await stage.subscribe();
  order(stage, { kind: 'stale_timestamp' }, { times: 1 });
  stage.emit(2);
  await stage.settle();
  const [stale, fresh] = stage.arrivals;
  const verdict = verdictOf(stage, id, stale);
  assert.is(verdict.ok, false);
  assert.is(verdict.ok ? null : verdict.reason, 'too_old');
  assert.is(verdictOf(stage, id, fresh).ok, true);
  await stage.close();
});

faults(
  'delay: the attempt starts later on the sandbox’s clock, and holds back what follows',
  async () => {
    const stage = await DeliveryTestHarness.begin();
    const id = await stage.subscribe();
    order(stage, { kind: 'delay', ms: 5000 }, { times: 1 });
    stage.emit(2);
    await stage.settle();
    assert.is(stage.arrivals.length, 0);
    assert.is(stage.sole(id).nextDueMs, startMs + 5000);
    await stage.advance(4999);
    assert.is(stage.arrivals.length, 0);
    await stage.advance(1);
    assert.equal(stage.seqs, [1, 2]);
    assert.is(stage.deliveries(id)[0]?.attempts.length, 1, 'a delay is no attempt');
    await stage.close();
  },
);

faults('of one subscription only; a fault of calls is none of deliveries', async () => {
  const stage = await DeliveryTestHarness.begin();
  const one = await stage.subscribe('https://one.example.com/');
  const two = await stage.subscribe('https://two.example.com/');
  order(stage, { kind: 'drop' }, { webhook: String(one) });
  stage.act('makeFault', { match: {}, effect: { kind: 'status', status: 500 } });
  stage.emit();
  await stage.settle();
  assert.equal(
    stage.arrivals.map(({ url }) => url),
    ['https://two.example.com/'],
  );
  assert.is(stage.subscription(two).lastDeliveredSeq, 1);
  await stage.close();
});

faults('disabled during a delay: nothing is sent (EVT-13)', async () => {
  const stage = await DeliveryTestHarness.begin();
  const id = await stage.subscribe();
  stage.emit();
  await stage.settle();
  // Even one that had arrived and was to be sent once more.
  order(stage, { kind: 'delay', ms: 5000 });
  stage.act('retryDelivery', { id: stage.sole(id).id });
  await stage.call('POST', `/api/v1/webhooks/${id}/disable`);
  await stage.advance(60_000);
  assert.is(stage.arrivals.length, 1);
  await stage.close();
});

faults('one that had arrived is sent once more after a delay too', async () => {
  const stage = await DeliveryTestHarness.begin();
  const id = await stage.subscribe();
  stage.emit();
  await stage.settle();
  order(stage, { kind: 'delay', ms: 5000 });
  stage.act('retryDelivery', { id: stage.sole(id).id });
  await stage.advance(5000);
  assert.equal(stage.seqs, [1, 1]);
  await stage.close();
});

faults.run();
