// How every setting of idempotency shows in what the API answers.
import { request } from 'node:http';
import type { SettingKey } from '../../../fixtures/settings.ts';
import { type SettingCheck, statusOf } from './show-setting.ts';

const dayMs = 86_400_000;

/** A create with a header line for each key, which `fetch` cannot send. */
function postWithKeys(url: string, token: string, keys: readonly string[]): Promise<number> {
  const text = JSON.stringify({
    client_reference_id: 'two-keys',
    email: 'two-keys@example.com',
    brand_id: '10',
  });
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    'idempotency-key': [...keys],
  };
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', headers }, (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    });
    sent.on('error', reject);
    sent.end(text);
  });
}

export const idempotencyShows = {
  abandon_after_ms: {
    look: async (client) => {
      await client.sandbox.faults.add({ effect: { kind: 'hang' }, times: 1 });
      const one = { client_reference_id: 'one', email: 'one@example.com' };
      // Cut off at the end, when the sandbox is closed.
      void client.person(one, { key: 'same' }).catch(() => null);
      await client.inFlight('same');
      await client.advance(30_000);
      return statusOf(client.person(one, { key: 'same' }));
    },
    seen: [
      [30_000, 201],
      [60_000, 409],
    ],
  },
  transaction_subject_case_sensitive: {
    look: async (client) => {
      await client.transaction({ client_reference_id: 'one' }, { key: 'same' });
      await client.transaction({ client_reference_id: 'ONE' }, { key: 'same' });
      return client.idempotency();
    },
    seen: [
      [false, 'replayed'],
      [true, 'converged'],
    ],
  },
  key_age_from: {
    look: async (client) => {
      await client.sandbox.faults.add({ effect: { kind: 'delay', ms: 10_000 }, times: 1 });
      const one = { client_reference_id: 'one', email: 'one@example.com' };
      const slow = client.person(one, { key: 'same' });
      await client.inFlight('same');
      await client.advance(10_000);
      await slow;
      await client.advance(dayMs - 5000);
      await client.person(one, { key: 'same' });
      return client.idempotency();
    },
    seen: [
      ['answer', 'replayed'],
      ['request', 'converged'],
    ],
  },
  approve_body: {
    look: async (client) => {
      const { body } = await client.transaction();
      const path = `transactions/${body.id}/approve?account_id=1002`;
      return statusOf(client.post(path, { reason: 'none is asked for' }));
    },
    seen: [
      ['ignored', 200],
      ['refused', 422],
    ],
  },
  repeated_account_id: {
    look: async (client) => {
      const { body } = await client.transaction();
      const path = `transactions/${body.id}/approve?account_id=1002&account_id=1001`;
      return statusOf(client.call('POST', path));
    },
    seen: [
      ['first', 200],
      ['last', 404],
      ['refused', 422],
    ],
  },
  repeated_key: {
    look: async (client) => {
      const { base_url } = await client.sandbox.listen({ port: 0 });
      const { token } = client.sandbox.credential('firm');
      const url = `${base_url}/api/v1/accounts`;
      const status = await postWithKeys(url, String(token), ['one', 'two']);
      const { requests } = await client.control('GET', 'requests?limit=1');
      return [status, requests[0].key];
    },
    seen: [
      ['refused', [400, null]],
      ['first', [201, 'one']],
      ['joined', [201, 'one, two']],
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
} satisfies Partial<Record<SettingKey, SettingCheck>>;
