// How every setting of delivery shows in what the API answers.
import type { SettingKey } from '../../../fixtures/settings.ts';
import type { SandboxClient, SettingCheck } from './show-setting.ts';

const hourMs = 3_600_000;

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

export const deliveryShows = {
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
} satisfies Partial<Record<SettingKey, SettingCheck>>;
