// HOOK-4, HOOK-5, EVT-1, EVT-7, EVT-11 to EVT-13: what a subscription gets, and when it gets no
// more.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Deviation } from '../../deviations/deviation.ts';
import { verifyWebhook } from '../signing/verify.ts';
import { type Arrival, DeliveryTestHarness, startMs } from './testing/delivery-test-harness.ts';

const subscriptions = suite('subscriptions');

const hour = 3600 * 1000;
const url = 'https://hooks.example.com/in';

function secretsThatSign(arrival: Arrival | undefined, secrets: readonly string[]): string[] {
  const header = arrival?.headers['X-Webhook-Signature'] ?? '';
  const body = Buffer.from(arrival?.body ?? '');
  return secrets.filter((secret) => verifyWebhook({ header, body, secret }).ok);
}

subscriptions('EVT-2, EVT-3, EVT-5, EVT-6: envelope, two headers, a signature of now', async () => {
  const harness = await DeliveryTestHarness.begin();
  const reply = await harness.call('POST', '/api/v1/webhooks', {
    url,
    event_categories: ['account'],
  });
  const { id, secret } = JSON.parse(reply.body) as { id: number; secret: string };
  harness.emit();
  await harness.waitUntilIdle();
  const [arrival] = harness.arrivals;
  assert.is(arrival?.url, url);
  assert.is(arrival?.headers['X-Webhook-Subscription-Id'], String(id));
  assert.equal(secretsThatSign(arrival, [secret]), [secret]);
  const envelope = JSON.parse(arrival?.body ?? '') as Record<string, unknown>;
  assert.is(envelope.seq, 1);
  assert.match(String(envelope.id), /^evt_/);
  assert.is(envelope.category, 'account');
  // The clock of this world stands in another time; receivers check theirs (EVT-5b).
  const t = Number(/t=(\d+)/.exec(arrival?.headers['X-Webhook-Signature'] ?? '')?.[1]);
  assert.ok(Math.abs(t - Date.now()) < 60_000);
  assert.ok(Math.abs(startMs - Date.now()) > 60_000);
  await harness.close();
});

subscriptions(
  'EVT-1, EVT-12: chosen categories of its brand or firm, and nothing else',
  async () => {
    const harness = await DeliveryTestHarness.begin();
    const money = await harness.subscribe('https://a.example.com/', {
      categories: ['transaction'],
    });
    const brand = await harness.subscribe('https://b.example.com/', { as: 'brand-a' });
    const other = await harness.subscribe('https://c.example.com/', { as: 'other-firm' });
    harness.emit(1, 'account', '10'); // 1
    harness.emit(1, 'transaction', '11'); // 2
    harness.emit(1, 'order', '20'); // 3, of the other firm
    harness.emit(1, 'position'); // 4, of firm 1 and no brand
    await harness.waitUntilIdle();
    const seqs = (id: number) => harness.deliveries(id).map(({ seq }) => seq);
    assert.equal([seqs(money), seqs(brand), seqs(other)], [[2], [1], [3]]);
    assert.equal([...harness.seqs].sort(), [1, 2, 3]);
    await harness.close();
  },
);

subscriptions('a new subscription gets nothing that happened before', async () => {
  const harness = await DeliveryTestHarness.begin();
  harness.emit(3);
  await harness.subscribe();
  harness.emit();
  await harness.waitUntilIdle();
  assert.equal(harness.seqs, [4]);
  await harness.close();
});

subscriptions(
  'HOOK-4, EVT-7, NS-22: both secrets sign during a rotation, and one after',
  async () => {
    const harness = await DeliveryTestHarness.begin();
    const created = await harness.call('POST', '/api/v1/webhooks', {
      url,
      event_categories: ['account'],
    });
    const { id, secret: first } = JSON.parse(created.body) as { id: number; secret: string };
    const rotate = async () => {
      const reply = await harness.call('POST', `/api/v1/webhooks/${id}/rotate-secret`);
      return (JSON.parse(reply.body) as { secret: string }).secret;
    };
    const signersNow = async () => {
      harness.emit();
      await harness.waitUntilIdle();
      return secretsThatSign(harness.arrivals.at(-1), secrets);
    };
    const secrets = [first];
    assert.equal(await signersNow(), [first]);
    const second = await rotate();
    secrets.push(second);
    assert.is.not(second, first);
    assert.equal(await signersNow(), [first, second]);
    // The new one stands first in the header.
    const { headers, body } = harness.arrivals.at(-1) as Arrival;
    const header = headers['X-Webhook-Signature'] ?? '';
    assert.is(header.split('v1=').length, 3);
    const newest = header.replace(/,v1=[0-9a-f]+$/, '');
    assert.ok(verifyWebhook({ header: newest, body, secret: second }).ok);
    await harness.advance(24 * hour - 1);
    assert.equal(await signersNow(), [first, second]);
    await harness.advance(1);
    assert.equal(await signersNow(), [second]);
    // Rotated twice in a day: the one before the last signs no more.
    const third = await rotate();
    secrets.push(third, await rotate());
    assert.equal(await signersNow(), secrets.slice(2));
    await harness.close();
  },
);

subscriptions(
  'EVT-7: a secret rotated while a receiver answers signs the next, prepared or not',
  async () => {
    const harness = await DeliveryTestHarness.begin();
    const options = { url, event_categories: ['account'] };
    const created = await harness.call('POST', '/api/v1/webhooks', options);
    const { id, secret } = JSON.parse(created.body) as { id: number; secret: string };
    const secrets = [secret];
    harness.script = async (_, nth) => {
      // The event after this one is prepared now, under the secret there is.
      await nextTurn();
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
    await harness.close();
  },
);

subscriptions('HOOK-5, HOOK-13, EVT-13: disabled during a wait: nothing more, ever', async () => {
  const harness = await DeliveryTestHarness.begin();
  harness.script = () => 500;
  const id = await harness.subscribe();
  harness.emit(2);
  await harness.waitUntilIdle();
  const reply = await harness.call('POST', `/api/v1/webhooks/${id}/disable`);
  assert.is((JSON.parse(reply.body) as { disabled: boolean }).disabled, true);
  harness.emit();
  await harness.advance(72 * hour);
  assert.is(harness.arrivals.length, 1);
  assert.is(harness.sole(id).status, 'stopped');
  assert.throws(() => harness.execute('resumeSubscription', { id: String(id) }), /nothing resumes/);
  assert.throws(() => harness.execute('retryDelivery', { id: harness.sole(id).id }), /disabled/);
  await harness.close();
});

subscriptions(
  'disabled during an attempt: its answer still counts, and nothing follows',
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

subscriptions('disabled while the name is looked up: the attempt does not leave', async () => {
  const harness = await DeliveryTestHarness.begin();
  const id = await harness.subscribe();
  harness.emit();
  // The look-up answers in a later turn than this call does.
  await harness.call('POST', `/api/v1/webhooks/${id}/disable`);
  await harness.waitUntilIdle();
  assert.is(harness.arrivals.length, 0);
  assert.is(harness.sole(id).status, 'stopped');
  assert.is(harness.sole(id).in_flight, false);
  await harness.close();
});

subscriptions(
  'EVT-11: a target that is no longer public disables, and the reason says so',
  async () => {
    const harness = await DeliveryTestHarness.begin();
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
    await harness.close();
  },
);

subscriptions(
  'EVT-11: before each attempt, a retry too, and at the connection itself',
  async () => {
    const harness = await DeliveryTestHarness.begin();
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
      // What the deliverer found when it had connected.
      const refusedTarget = request.refuseAddress('169.254.169.254') ?? '';
      return { status: null, error: refusedTarget, refusedTarget };
    };
    harness.emit();
    await harness.waitUntilIdle();
    assert.match(harness.subscription(late).disabled_reason ?? '', 'cloud metadata');
    await harness.close();
  },
);

subscriptions(
  'NS-23: a name that does not resolve now is a failed attempt, not the end',
  async () => {
    const harness = await DeliveryTestHarness.begin();
    const id = await harness.subscribe();
    harness.names.set('hooks.example.com', []);
    harness.emit();
    await harness.waitUntilIdle();
    assert.is(harness.subscription(id).disabled, false);
    assert.is(harness.sole(id).attempts[0]?.error, 'hooks.example.com does not resolve');
    harness.names.clear();
    await harness.advance(30_000);
    assert.is(harness.sole(id).status, 'delivered');
    // The same by an operator's word.
    harness.execute('setName', { hostname: 'hooks.example.com', addresses: [] });
    harness.emit();
    await harness.waitUntilIdle();
    assert.is(harness.subscription(id).disabled, false);
    assert.is(harness.arrivals.length, 1);
    await harness.close();
  },
);

subscriptions(
  'names and forwards of an operator: judged by the name, sent to the forward',
  async () => {
    const harness = await DeliveryTestHarness.begin();
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
    assert.is(harness.looked, 0, 'nobody looks a forwarded name up');
    // With a path of its own the forward is the whole target.
    harness.execute('setForward', {
      from: 'https://nowhere.example.com',
      to: 'http://127.0.0.1:9/x',
    });
    harness.emit();
    await harness.waitUntilIdle();
    assert.is(harness.arrivals[1]?.url, 'http://127.0.0.1:9/x');
    // Unless dns says that it is not public (EVT-11).
    harness.execute('setName', { hostname: 'nowhere.example.com', addresses: ['::1'] });
    harness.emit();
    await harness.waitUntilIdle();
    assert.is(harness.arrivals.length, 2);
    assert.is(harness.subscription(id).disabled, true);
    await harness.close();
  },
);

subscriptions('a name set by an operator pins the connection without a look-up', async () => {
  const harness = await DeliveryTestHarness.begin();
  harness.execute('setName', {
    hostname: 'hooks.example.com',
    addresses: ['8.8.8.8', '2606:4700::1'],
  });
  await harness.subscribe('https://hooks.example.com./in');
  harness.emit();
  await harness.waitUntilIdle();
  assert.is(harness.looked, 0);
  const { request } = harness.arrivals[0] as Arrival;
  assert.equal(request.addresses, ['8.8.8.8', '2606:4700::1']);
  assert.is(
    request.url,
    'https://hooks.example.com/in',
    'without the dot, which TLS does not want',
  );
  await harness.close();
});

subscriptions('local webhooks only when they are allowed', async () => {
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

subscriptions('a deviation that does not check again sends to whatever it finds', async () => {
  const forgets: Deviation = {
    id: 'forgets',
    breaks: ['EVT-11'],
    story: 'The target is judged at creation only.',
    bend: (behaviour) => ({
      ...behaviour,
      delivery: { ...behaviour.delivery, rechecksTarget: false },
    }),
  };
  const harness = await DeliveryTestHarness.begin({ deviations: [forgets] });
  const id = await harness.subscribe();
  harness.names.set('hooks.example.com', ['127.0.0.1']);
  harness.emit();
  await harness.waitUntilIdle();
  assert.is(harness.arrivals.length, 1);
  assert.is(harness.arrivals[0]?.request.refuseAddress('127.0.0.1'), null);
  assert.is(harness.subscription(id).disabled, false);
  await harness.close();
});

subscriptions.run();
