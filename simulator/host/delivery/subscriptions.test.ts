// HOOK-4, HOOK-5, EVT-1, EVT-7, EVT-11 to EVT-13: what a subscription receives, and when it stops.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { verifyWebhook } from '../signing/verify.ts';
import { eachWith } from '../testing/each-with.ts';
import { type Arrival, DeliveryTestHarness } from './testing/delivery-test-harness.ts';

const test = suite<{ harness: DeliveryTestHarness }>('subscriptions');
eachWith(test, 'harness', () => DeliveryTestHarness.begin());

const hour = 3600 * 1000;
const url = 'https://hooks.example.com/in';

function secretsThatSign(arrival: Arrival | undefined, secrets: readonly string[]): string[] {
  const header = arrival?.headers['X-Webhook-Signature'] ?? '';
  const body = Buffer.from(arrival?.body ?? '');
  return secrets.filter((secret) => verifyWebhook({ header, body, secret }).ok);
}

test('EVT-7: a secret rotated during a delivery signs the next one', async ({ harness }) => {
  const options = { url, event_categories: ['account'] };
  const created = await harness.call('POST', '/api/v1/webhooks', options);
  const { id, secret } = JSON.parse(created.body) as { id: number; secret: string };
  const secrets = [secret];
  harness.script = async (_, nth) => {
    if (nth !== 2) return 200;
    const reply = await harness.call('POST', `/api/v1/webhooks/${id}/rotate-secret`);
    secrets.push((JSON.parse(reply.body) as { secret: string }).secret);
    return 200;
  };
  await harness.deliver(4);
  assert.equal(harness.seqs, [1, 2, 3, 4]);
  const signers = harness.arrivals.map((arrival) => secretsThatSign(arrival, secrets));
  assert.equal(signers, [[secret], [secret], secrets, secrets]);
});

test('a subscription disabled during an attempt sends no more', async () => {
  for (const status of [200, 500]) {
    const harness = await DeliveryTestHarness.begin();
    let answer: (status: number) => void = () => undefined;
    harness.script = () => new Promise((resolve) => (answer = resolve));
    const id = await harness.subscribe();
    harness.emit(2);
    await harness.arrived(1);
    await harness.call('POST', `/api/v1/webhooks/${id}/disable`);
    answer(status);
    await harness.waitUntilIdle();
    await harness.advance(72 * hour);
    assert.is(harness.arrivals.length, 1);
    assert.is(harness.sole(id).status, status === 200 ? 'delivered' : 'stopped');
    assert.is(harness.subscription(id).last_delivered_seq, status === 200 ? 1 : 0);
    await harness.close();
  }
});

test('a subscription disabled during the look-up sends nothing', async ({ harness }) => {
  const id = await harness.subscribe();
  harness.emit();
  // The look-up resolves in a later turn than this call.
  await harness.call('POST', `/api/v1/webhooks/${id}/disable`);
  await harness.waitUntilIdle();
  assert.is(harness.arrivals.length, 0);
  assert.is(harness.sole(id).status, 'stopped');
  assert.is(harness.sole(id).in_flight, false);
});

test('EVT-11: a target that is refused on connect disables its subscription', async (place) => {
  const { harness } = place;
  const id = await harness.subscribe();
  harness.script = ({ request }) => {
    // What the deliverer found after it connected.
    const refusedTarget = request.refuseAddress('169.254.169.254') ?? '';
    return { status: null, error: refusedTarget, refusedTarget };
  };
  await harness.deliver();
  assert.match(harness.subscription(id).disabled_reason ?? '', 'cloud metadata');
});

test('NS-23: a name that does not resolve is a failed attempt', async ({ harness }) => {
  const id = await harness.subscribe();
  harness.names.set('hooks.example.com', []);
  await harness.deliver();
  assert.is(harness.subscription(id).disabled, false);
  assert.match(harness.sole(id).attempts[0]?.error ?? '', /^hooks.example.com does not resolve;/);
  harness.names.clear();
  await harness.advance(30_000);
  assert.is(harness.sole(id).status, 'delivered');
  // The same with an override by the operator.
  harness.execute('setName', { hostname: 'hooks.example.com', addresses: [] });
  await harness.deliver();
  assert.is(harness.subscription(id).disabled, false);
  assert.is(harness.arrivals.length, 1);
});

test('the name of a forward is checked, and its target is used', async ({ harness }) => {
  harness.names.set('nowhere.example.com', []);
  const from = 'https://nowhere.example.com';
  harness.execute('setForward', { from, to: 'http://127.0.0.1:9000' });
  const id = await harness.subscribe('https://nowhere.example.com/hooks/in?key=1');
  await harness.deliver();
  assert.is(harness.arrivals[0]?.url, 'http://127.0.0.1:9000/hooks/in?key=1');
  assert.is(harness.arrivals[0]?.request.addresses, null, 'a forward is not pinned');
  assert.is(harness.lookups, 0, 'no one looks a forwarded name up');
  // A forward with a path replaces the whole target.
  harness.execute('setForward', { from, to: 'http://127.0.0.1:9/x' });
  await harness.deliver();
  assert.is(harness.arrivals[1]?.url, 'http://127.0.0.1:9/x');
  // Unless DNS says that it is not public (EVT-11).
  harness.execute('setName', { hostname: 'nowhere.example.com', addresses: ['::1'] });
  await harness.deliver();
  assert.is(harness.arrivals.length, 2);
  assert.is(harness.subscription(id).disabled, true);
});

test('a name set by an operator needs no look-up', async ({ harness }) => {
  const addresses = ['8.8.8.8', '2606:4700::1'];
  harness.execute('setName', { hostname: 'hooks.example.com', addresses });
  await harness.subscribe('https://hooks.example.com./in');
  await harness.deliver();
  assert.is(harness.lookups, 0);
  const { request } = harness.arrivals[0] as Arrival;
  assert.equal(request.addresses, addresses);
  // Without the dot, which TLS does not want.
  assert.is(request.url, 'https://hooks.example.com/in');
});

test.run();
