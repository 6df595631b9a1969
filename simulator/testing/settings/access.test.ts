// Every setting of access, keys and limits shows in what the API answers.
// time limit: 60 s
import { suite } from 'uvu';
import type { accessSettings } from '../../../fixtures/settings/access.ts';
import {
  checkSetting,
  type SandboxClient,
  type SettingCheck,
  showsOf,
  statusOf,
} from './show-setting.ts';

const dayMs = 86_400_000;

/** Asks for a token with the secret of a credential, or with another. */
async function askToken(client: SandboxClient, secret?: string) {
  const { client_id, client_secret } = client.sandbox.credential('firm');
  const form = {
    grant_type: 'client_credentials',
    client_id,
    client_secret: secret ?? client_secret,
  };
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  return client.call('POST', 'oauth/token', {
    as: null,
    text: new URLSearchParams(form).toString(),
    headers,
  });
}

const accessShows: Readonly<Record<keyof typeof accessSettings, SettingCheck>> = {
  token_lifetime_s: {
    look: async (client) => (await askToken(client)).body.expires_in,
    seen: [
      [3600, 3600],
      [60, 60],
    ],
  },
  token_errors: {
    look: async (client) => {
      const { status, body } = await askToken(client, 'wrong');
      return [status, body.error ?? null, body.code ?? null];
    },
    seen: [
      ['oauth', [401, 'invalid_client', null]],
      ['problem', [401, null, 'invalid_client']],
    ],
  },
  unauthorized_status: {
    look: (client) => statusOf(client.person({}, { as: null })),
    seen: [
      [401, 401],
      [403, 403],
    ],
  },
  unauthorized_code: {
    look: async (client) => (await client.person({}, { as: null })).body.code,
    seen: [
      ['unauthorized', 'unauthorized'],
      ['no_token', 'no_token'],
    ],
  },
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
  delegated_allowance: {
    plan: 'sandbox',
    look: async (client) => {
      const { client_id } = client.sandbox.credential('firm');
      for (let calls = 0; calls < 5; calls += 1)
        await client.call('GET', 'accounts', { as: 'delegated' });
      const { buckets } = await client.control('GET', 'buckets');
      return buckets.find(({ name }: { name: string }) => name === `credential:${client_id}`).level;
    },
    seen: [
      ['apart', 5],
      ['within_the_minters', 0],
    ],
  },
  read_only_before_scope: {
    look: async (client) => (await client.person({}, { as: 'delegated-read-only' })).body.code,
    seen: [
      [true, 'read_only_credential'],
      [false, 'forbidden'],
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
  firm_rate_from: {
    plan: 'sandbox',
    look: async (client) => {
      const { client_id } = client.sandbox.credential('firm');
      await client.control('PATCH', `credentials/${client_id}`, { rate_per_second: 100 });
      const { buckets } = await client.control('GET', 'buckets');
      return buckets.find(({ name }: { name: string }) => name === 'firm:1').rate_per_second;
    },
    seen: [
      ['firm_plan', 20],
      ['highest_credential', 400],
    ],
  },
};

const settings = suite('settings: access');
for (const [key, show] of showsOf(accessShows)) settings(key, () => checkSetting(key, show));
settings.run();
