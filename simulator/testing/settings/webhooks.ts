// How every setting of webhooks shows in what the API answers.
import type { SettingKey } from '../../../fixtures/settings.ts';
import type { SandboxClient, SettingCheck } from './show-setting.ts';

const subscription = { url: 'https://hooks.example.com/in', event_categories: ['account'] };

/** A subscription at a name that resolves. */
async function subscribe(client: SandboxClient, fields: object = {}, as = 'firm') {
  await client.control('PUT', 'dns/hooks.example.com', { addresses: ['93.184.216.34'] });
  return client.post('webhooks', { ...subscription, ...fields }, { as });
}

export const webhookShows = {
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
  delegated_webhooks: {
    look: async (client) => {
      const { token } = await client.control('POST', 'credentials', {
        kind: 'delegated',
        account_id: '1001',
        scopes: ['webhooks:manage'],
      });
      const headers = { authorization: `Bearer ${token}` };
      const brandsOwn = await subscribe(client, {}, 'brand-a');
      const own = await client.post('webhooks', subscription, { headers });
      const ids = [own.body.id, brandsOwn.body.id];
      const statuses = [];
      for (const id of ids) {
        statuses.push((await client.call('GET', `webhooks/${id}`, { headers })).status);
      }
      for (const account_id of ['1001', '1002']) {
        await client.control('POST', 'events', { category: 'account', account_id });
      }
      const { deliveries } = await client.control('GET', `deliveries?subscription_id=${ids[0]}`);
      return [...statuses, deliveries.length];
    },
    seen: [
      ['account', [200, 404, 1]],
      ['brand', [200, 200, 2]],
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
} satisfies Partial<Record<SettingKey, SettingCheck>>;
