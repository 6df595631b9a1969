// Every setting of webhooks, deliveries and the events channel shows in what is answered or sent.
// time limit: 60 s
import { suite } from 'uvu';
import type { webhookSettings } from '../fixtures/settings/webhooks.ts';
import { type Desk, type Show, showSetting, showsOf } from './settings-under-test.ts';

const hourMs = 3_600_000;
const subscription = { url: 'https://hooks.example.com/in', event_categories: ['account'] };

/** A subscription at a name that resolves. */
async function subscribe(desk: Desk, fields: object = {}, as = 'firm') {
  await desk.control('PUT', 'dns/hooks.example.com', { addresses: ['93.184.216.34'] });
  return desk.post('webhooks', { ...subscription, ...fields }, { as });
}

/** What the receiver got of one event. */
async function deliver(desk: Desk) {
  const { arrived } = await desk.subscribe();
  await desk.happen();
  const [first] = arrived;
  if (first === undefined) throw new Error('nothing arrived');
  return first;
}

/** Sequence numbers that arrive, counted from the first one on, while the first event fails. */
async function failFirst(desk: Desk, afterMs: number) {
  const failing = new Set<number>();
  const { arrived } = await desk.subscribe((nth) => {
    const seq = arrived[nth - 1]?.body.seq;
    if (failing.size === 0) failing.add(seq);
    return failing.has(seq) ? 500 : 200;
  });
  await desk.happen();
  await desk.happen();
  await desk.advance(afterMs);
  const [first = 0] = failing;
  return [...new Set(arrived.map(({ body }) => body.seq - first))];
}

const webhookShows: Readonly<Record<keyof typeof webhookSettings, Show>> = {
  webhook_list_shape: {
    look: async (desk) => Array.isArray((await desk.call('GET', 'webhooks')).body),
    seen: [
      ['object', false],
      ['array', true],
    ],
  },
  webhook_create_status: {
    look: async (desk) => (await subscribe(desk)).status,
    seen: [
      [201, 201],
      [200, 200],
    ],
  },
  rotate_secret_status: {
    look: async (desk) => {
      const { body } = await subscribe(desk);
      return (await desk.call('POST', `webhooks/${body.id}/rotate-secret`)).status;
    },
    seen: [
      [200, 200],
      [201, 201],
    ],
  },
  webhook_disable_answer: {
    look: async (desk) => {
      const made = await subscribe(desk);
      const { status, body } = await desk.call('POST', `webhooks/${made.body.id}/disable`);
      return [status, body === '' ? null : body.disabled];
    },
    seen: [
      ['subscription', [200, true]],
      ['empty', [204, null]],
    ],
  },
  subscription_brand_id: {
    look: async (desk) => (await subscribe(desk, {}, 'brand-a')).body.brand_id,
    seen: [
      ['string', '10'],
      ['number', 10],
    ],
  },
  webhook_refusal_status: {
    look: async (desk) => [
      (await subscribe(desk, { url: 'https://127.0.0.1/' })).status,
      (await subscribe(desk, { event_categories: ['weather'] })).status,
    ],
    seen: [
      [422, [422, 422]],
      [400, [400, 400]],
    ],
  },
  unresolvable_webhook_host: {
    look: async (desk) => {
      await desk.control('PUT', 'dns/nowhere.example.com', { addresses: [] });
      return (await desk.post('webhooks', { ...subscription, url: 'https://nowhere.example.com/' }))
        .status;
    },
    seen: [
      ['refused', 422],
      ['accepted', 201],
    ],
  },
  firm_wide_sees_webhooks: {
    look: async (desk) => {
      const { body } = await subscribe(desk, {}, 'brand-a');
      return (await desk.call('GET', `webhooks/${body.id}`)).status;
    },
    seen: [
      ['all', 200],
      ['own', 404],
    ],
  },
  rotation_overlap_s: {
    look: async (desk) => {
      const { id, arrived } = await desk.subscribe();
      await desk.call('POST', `webhooks/${id}/rotate-secret`);
      await desk.advance(120_000);
      await desk.happen();
      const header = String(arrived[0]?.headers['x-webhook-signature']);
      return header.split(',').filter((part) => part.trim().startsWith('v1=')).length;
    },
    seen: [
      [86_400, 2],
      [60, 1],
    ],
  },
  envelope_seq_name: {
    look: async (desk) => {
      const { body } = await deliver(desk);
      return [typeof body.seq, typeof body.number];
    },
    seen: [
      ['seq', ['number', 'undefined']],
      ['number', ['undefined', 'number']],
    ],
  },
  signature_header: {
    look: async (desk) => {
      const { headers } = await deliver(desk);
      return ['x-webhook-signature', 'x-signed'].filter((name) => name in headers);
    },
    seen: [
      ['X-Webhook-Signature', ['x-webhook-signature']],
      ['X-Signed', ['x-signed']],
    ],
  },
  subscription_header: {
    look: async (desk) => {
      const { headers } = await deliver(desk);
      return ['x-webhook-subscription-id', 'x-subscribed'].filter((name) => name in headers);
    },
    seen: [
      ['X-Webhook-Subscription-Id', ['x-webhook-subscription-id']],
      ['X-Subscribed', ['x-subscribed']],
    ],
  },
  event_kinds: {
    look: async (desk) => {
      const { events: before } = await desk.control('GET', 'events');
      await desk.person();
      const after = before.at(-1)?.seq ?? 0;
      const { events } = await desk.control('GET', `events?after_seq=${after}`);
      return events.map(({ kind }: { kind: string }) => kind);
    },
    seen: [
      [{}, ['account.created']],
      [{ 'account.created': 'person.made' }, ['person.made']],
      [{ 'account.created': null }, []],
    ],
  },
  events_path: {
    look: async (desk) => [
      (await desk.call('GET', 'events')).status,
      (await desk.call('GET', 'channel/events')).status,
    ],
    seen: [
      ['/api/v1/events', [426, 404]],
      ['/api/v1/channel/events', [404, 426]],
    ],
  },
  delivery_order: {
    look: (desk) => failFirst(desk, 0),
    seen: [
      ['in_sequence', [0]],
      ['independent', [0, 1]],
    ],
  },
  after_last_attempt: {
    look: (desk) => failFirst(desk, 24 * hourMs),
    seen: [
      ['stop', [0]],
      ['skip', [0, 1]],
    ],
  },
  retry_counted_from: {
    look: async (desk) => {
      const { id } = await desk.subscribe(() => null);
      await desk.happen();
      const startedAtMs = desk.sandbox.clock.nowMs();
      await desk.advance(15_000);
      const { deliveries } = await desk.control('GET', `deliveries?subscription_id=${id}`);
      return deliveries[0].next_due_ms - startedAtMs;
    },
    seen: [
      ['end', 45_000],
      ['start', 30_000],
    ],
  },
};

const settings = suite('settings: webhooks');
for (const [key, show] of showsOf(webhookShows)) settings(key, () => showSetting(key, show));
settings.run();
