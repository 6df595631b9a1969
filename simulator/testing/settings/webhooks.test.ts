// Every setting of webhooks, deliveries and the events channel shows in what is answered or sent.
// time limit: 60 s
import { suite } from 'uvu';
import type { webhookSettings } from '../../../fixtures/settings/webhooks.ts';
import { checkSetting, type SandboxClient, type SettingCheck, showsOf } from './show-setting.ts';

const hourMs = 3_600_000;
const subscription = { url: 'https://hooks.example.com/in', event_categories: ['account'] };

/** A subscription at a name that resolves. */
async function subscribe(client: SandboxClient, fields: object = {}, as = 'firm') {
  await client.control('PUT', 'dns/hooks.example.com', { addresses: ['93.184.216.34'] });
  return client.post('webhooks', { ...subscription, ...fields }, { as });
}

/** What the receiver got of one event. */
async function deliver(client: SandboxClient) {
  const { arrived } = await client.subscribe();
  await client.triggerEvent();
  const [first] = arrived;
  if (first === undefined) throw new Error('nothing arrived');
  return first;
}

/** Sequence numbers that arrive, counted from the first one on, while the first event fails. */
async function failFirst(client: SandboxClient, afterMs: number) {
  const failing = new Set<number>();
  const { arrived } = await client.subscribe((nth) => {
    const seq = arrived[nth - 1]?.body.seq;
    if (failing.size === 0) failing.add(seq);
    return failing.has(seq) ? 500 : 200;
  });
  await client.triggerEvent();
  await client.triggerEvent();
  await client.advance(afterMs);
  const [first = 0] = failing;
  return [...new Set(arrived.map(({ body }) => body.seq - first))];
}

const webhookShows: Readonly<Record<keyof typeof webhookSettings, SettingCheck>> = {
  webhook_list_shape: {
    look: async (client) => Array.isArray((await client.call('GET', 'webhooks')).body),
    seen: [
      ['object', false],
      ['array', true],
    ],
  },
  webhook_create_status: {
    look: async (client) => (await subscribe(client)).status,
    seen: [
      [201, 201],
      [200, 200],
    ],
  },
  rotate_secret_status: {
    look: async (client) => {
      const { body } = await subscribe(client);
      return (await client.call('POST', `webhooks/${body.id}/rotate-secret`)).status;
    },
    seen: [
      [200, 200],
      [201, 201],
    ],
  },
  webhook_disable_answer: {
    look: async (client) => {
      const made = await subscribe(client);
      const { status, body } = await client.call('POST', `webhooks/${made.body.id}/disable`);
      return [status, body === '' ? null : body.disabled];
    },
    seen: [
      ['subscription', [200, true]],
      ['empty', [204, null]],
    ],
  },
  unknown_categories: {
    look: async (client) => {
      const { body } = await subscribe(client, { event_categories: ['account', 'deal'] });
      return body.event_categories ?? body.code;
    },
    seen: [
      ['refused', 'validation_failed'],
      ['left_out', ['account']],
    ],
  },
  subscription_brand_id: {
    look: async (client) => (await subscribe(client, {}, 'brand-a')).body.brand_id,
    seen: [
      ['string', '10'],
      ['number', 10],
    ],
  },
  webhook_refusal_status: {
    look: async (client) => [
      (await subscribe(client, { url: 'https://127.0.0.1/' })).status,
      (await subscribe(client, { event_categories: ['weather'] })).status,
    ],
    seen: [
      [422, [422, 422]],
      [400, [400, 400]],
    ],
  },
  unresolvable_webhook_host: {
    look: async (client) => {
      await client.control('PUT', 'dns/nowhere.example.com', { addresses: [] });
      return (
        await client.post('webhooks', { ...subscription, url: 'https://nowhere.example.com/' })
      ).status;
    },
    seen: [
      ['refused', 422],
      ['accepted', 201],
    ],
  },
  firm_wide_sees_webhooks: {
    look: async (client) => {
      const { body } = await subscribe(client, {}, 'brand-a');
      return (await client.call('GET', `webhooks/${body.id}`)).status;
    },
    seen: [
      ['all', 200],
      ['own', 404],
    ],
  },
  rotation_overlap_s: {
    look: async (client) => {
      const { id, arrived } = await client.subscribe();
      await client.call('POST', `webhooks/${id}/rotate-secret`);
      await client.advance(120_000);
      await client.triggerEvent();
      const header = String(arrived[0]?.headers['x-webhook-signature']);
      return header.split(',').filter((part) => part.trim().startsWith('v1=')).length;
    },
    seen: [
      [86_400, 2],
      [60, 1],
    ],
  },
  envelope_seq_name: {
    look: async (client) => {
      const { body } = await deliver(client);
      return [typeof body.seq, typeof body.number];
    },
    seen: [
      ['seq', ['number', 'undefined']],
      ['number', ['undefined', 'number']],
    ],
  },
  signature_header: {
    look: async (client) => {
      const { headers } = await deliver(client);
      return ['x-webhook-signature', 'x-signed'].filter((name) => name in headers);
    },
    seen: [
      ['X-Webhook-Signature', ['x-webhook-signature']],
      ['X-Signed', ['x-signed']],
    ],
  },
  subscription_header: {
    look: async (client) => {
      const { headers } = await deliver(client);
      return ['x-webhook-subscription-id', 'x-subscribed'].filter((name) => name in headers);
    },
    seen: [
      ['X-Webhook-Subscription-Id', ['x-webhook-subscription-id']],
      ['X-Subscribed', ['x-subscribed']],
    ],
  },
  event_kinds: {
    look: async (client) => {
      const { events: before } = await client.control('GET', 'events');
      await client.person();
      const after = before.at(-1)?.seq ?? 0;
      const { events } = await client.control('GET', `events?after_seq=${after}`);
      return events.map(({ kind }: { kind: string }) => kind);
    },
    seen: [
      [{}, ['account.created']],
      [{ 'account.created': 'person.made' }, ['person.made']],
      [{ 'account.created': null }, []],
    ],
  },
  events_path: {
    look: async (client) => [
      (await client.call('GET', 'events')).status,
      (await client.call('GET', 'channel/events')).status,
    ],
    seen: [
      ['/api/v1/events', [426, 404]],
      ['/api/v1/channel/events', [404, 426]],
    ],
  },
  delivery_order: {
    look: (client) => failFirst(client, 0),
    seen: [
      ['in_sequence', [0]],
      ['independent', [0, 1]],
    ],
  },
  after_last_attempt: {
    look: (client) => failFirst(client, 24 * hourMs),
    seen: [
      ['stop', [0]],
      ['skip', [0, 1]],
    ],
  },
  retry_counted_from: {
    look: async (client) => {
      const { id } = await client.subscribe(() => null);
      await client.triggerEvent();
      const startedAtMs = client.sandbox.clock.nowMs();
      await client.advance(15_000);
      const { deliveries } = await client.control('GET', `deliveries?subscription_id=${id}`);
      return deliveries[0].next_due_ms - startedAtMs;
    },
    seen: [
      ['end', 45_000],
      ['start', 30_000],
    ],
  },
};

const settings = suite('settings: webhooks');
for (const [key, show] of showsOf(webhookShows)) settings(key, () => checkSetting(key, show));
settings.run();
