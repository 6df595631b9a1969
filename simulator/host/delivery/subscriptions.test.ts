// HOOK-4, HOOK-5, EVT-1, EVT-7, EVT-11 to EVT-13: what a subscription receives, and when it stops.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { verifyWebhook } from '../signing/verify.ts';
import { eachWith } from '../testing/each-with.ts';
import { type Arrival, DeliveryTestHarness } from './testing/delivery-test-harness.ts';

const subscriptions = suite<{ harness: DeliveryTestHarness }>('subscriptions');
eachWith(subscriptions, 'harness', () => DeliveryTestHarness.begin());

const hour = 3600 * 1000;
const url = 'https://hooks.example.com/in';

function secretsThatSign(arrival: Arrival | undefined, secrets: readonly string[]): string[] {
  const header = arrival?.headers['X-Webhook-Signature'] ?? '';
  const body = Buffer.from(arrival?.body ?? '');
  return secrets.filter((secret) => verifyWebhook({ header, body, secret }).ok);
}

subscriptions(
  'EVT-7: a secret rotated while a receiver responds signs the next delivery',
  async ({ harness }) => {
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
    harness.emit(4);
    await harness.waitUntilIdle();
    assert.equal(harness.seqs, [1, 2, 3, 4]);
    const signers = harness.arrivals.map((arrival) => secretsThatSign(arrival, secrets));
    assert.equal(signers, [[secret], [secret], secrets, secrets]);
  },
);

subscriptions(
  'if a subscription is disabled during an attempt, its response counts and no more follow',
  async () => {
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
  },
);

subscriptions(
  'if a subscription is disabled during the look-up, the attempt is not sent',
  async ({ harness }) => {
    const id = await harness.subscribe();
    harness.emit();
    // The look-up resolves in a later turn than this call.
    await harness.call('POST', `/api/v1/webhooks/${id}/disable`);
    await harness.waitUntilIdle();
    assert.is(harness.arrivals.length, 0);
    assert.is(harness.sole(id).status, 'stopped');
    assert.is(harness.sole(id).in_flight, false);
  },
);

subscriptions(
  'EVT-11: a target that is no longer public disables, with the reason',
  async ({ harness }) => {
    const id = await harness.subscribe();
    harness.emit();
    await harness.waitUntilIdle();
    harness.names.set('hooks.example.com', ['93.184.216.34', '10.1.2.3']);
    harness.emit();
    await harness.waitUntilIdle();
    assert.is(harness.arrivals.length, 1);
    const { disabled, disabled_reason: disabledReason } = harness.subscription(id);
    assert.is(disabled, true);
    assert.is(
      disabledReason,
      'The target is no longer a valid public address: it resolves to an address that is not public: 10.1.2.3 is in 10.0.0.0/8 (private).',
    );
    harness.names.clear();
    harness.emit();
    await harness.advance(72 * hour);
    assert.is(harness.arrivals.length, 1, 'HOOK-13: nothing resumes it');
  },
);

subscriptions(
  'EVT-11: the target is checked before each attempt, retries included, and on connect',
  async ({ harness }) => {
    harness.script = () => 500;
    const id = await harness.subscribe();
    harness.emit();
    await harness.waitUntilIdle();
    harness.execute('setName', { hostname: 'hooks.example.com', addresses: ['127.0.0.1'] });
    await harness.advance(30_000);
    assert.is(harness.arrivals.length, 1);
    assert.match(harness.subscription(id).disabled_reason ?? '', '127.0.0.1');

    const late = await harness.subscribe('https://late.example.com/');
    harness.script = ({ request }) => {
      // What the deliverer found after it connected.
      const refusedTarget = request.refuseAddress('169.254.169.254') ?? '';
      return { status: null, error: refusedTarget, refusedTarget };
    };
    harness.emit();
    await harness.waitUntilIdle();
    assert.match(harness.subscription(late).disabled_reason ?? '', 'cloud metadata');
  },
);

subscriptions(
  'NS-23: a name that does not resolve is a failed attempt, and is retried',
  async ({ harness }) => {
    const id = await harness.subscribe();
    harness.names.set('hooks.example.com', []);
    harness.emit();
    await harness.waitUntilIdle();
    assert.is(harness.subscription(id).disabled, false);
    assert.is(harness.sole(id).attempts[0]?.error, 'hooks.example.com does not resolve');
    harness.names.clear();
    await harness.advance(30_000);
    assert.is(harness.sole(id).status, 'delivered');
    // The same with an override by the operator.
    harness.execute('setName', { hostname: 'hooks.example.com', addresses: [] });
    harness.emit();
    await harness.waitUntilIdle();
    assert.is(harness.subscription(id).disabled, false);
    assert.is(harness.arrivals.length, 1);
  },
);

subscriptions(
  'operator names and forwards: the name is checked, the forward is used',
  async ({ harness }) => {
    harness.names.set('nowhere.example.com', []);
    harness.execute('setForward', {
      from: 'https://nowhere.example.com',
      to: 'http://127.0.0.1:9000',
    });
    const id = await harness.subscribe('https://nowhere.example.com/hooks/in?key=1');
    harness.emit();
    await harness.waitUntilIdle();
    assert.is(harness.arrivals[0]?.url, 'http://127.0.0.1:9000/hooks/in?key=1');
    assert.is(harness.arrivals[0]?.request.addresses, null, 'a forward is not pinned');
    assert.is(harness.lookups, 0, 'no one looks a forwarded name up');
    // A forward with a path replaces the whole target.
    harness.execute('setForward', {
      from: 'https://nowhere.example.com',
      to: 'http://127.0.0.1:9/x',
    });
    harness.emit();
    await harness.waitUntilIdle();
    assert.is(harness.arrivals[1]?.url, 'http://127.0.0.1:9/x');
    // Unless DNS says that it is not public (EVT-11).
    harness.execute('setName', { hostname: 'nowhere.example.com', addresses: ['::1'] });
    harness.emit();
    await harness.waitUntilIdle();
    assert.is(harness.arrivals.length, 2);
    assert.is(harness.subscription(id).disabled, true);
  },
);

subscriptions(
  'a name set by an operator pins the connection without a look-up',
  async ({ harness }) => {
    harness.execute('setName', {
      hostname: 'hooks.example.com',
      addresses: ['8.8.8.8', '2606:4700::1'],
    });
    await harness.subscribe('https://hooks.example.com./in');
    harness.emit();
    await harness.waitUntilIdle();
    assert.is(harness.lookups, 0);
    const { request } = harness.arrivals[0] as Arrival;
    assert.equal(request.addresses, ['8.8.8.8', '2606:4700::1']);
    assert.is(
      request.url,
      'https://hooks.example.com/in',
      'without the dot, which TLS does not want',
    );
  },
);

subscriptions('local webhooks are refused unless they are allowed', async () => {
  const local = 'http://127.0.0.1:9000/in';
  const strict = await DeliveryTestHarness.begin();
  const refused = await strict.call('POST', '/api/v1/webhooks', {
    url: local,
    event_categories: ['account'],
  });
  assert.is(refused.status, 422);
  await strict.close();
  const harness = await DeliveryTestHarness.begin({ allowLocalWebhooks: true });
  const id = await harness.subscribe(local);
  harness.emit();
  await harness.waitUntilIdle();
  assert.is(harness.arrivals[0]?.url, local);
  assert.equal(harness.arrivals[0]?.request.addresses, ['127.0.0.1']);
  assert.is(harness.arrivals[0]?.request.refuseAddress('127.0.0.1'), null);
  assert.is(harness.subscription(id).disabled, false);
  await harness.close();
});

subscriptions.run();
