// How every setting of access shows in what the API answers.
import type { SettingKey } from '../../../fixtures/settings.ts';
import { type SandboxClient, type SettingCheck, statusOf } from './show-setting.ts';

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

export const accessShows = {
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
  delegated_account_create: {
    look: async (client) => {
      const narrow = { kind: 'delegated', firm_id: '1', account_id: '1002' };
      const scopes = ['accounts:write'];
      await client.control('POST', 'credentials', { name: 'trader', ...narrow, scopes });
      return statusOf(client.person({}, { as: 'trader' }));
    },
    seen: [
      ['served', 201],
      ['refused', 403],
    ],
  },
  read_only_before_scope: {
    look: async (client) => (await client.person({}, { as: 'delegated-read-only' })).body.code,
    seen: [
      [true, 'read_only_credential'],
      [false, 'forbidden'],
    ],
  },
} satisfies Partial<Record<SettingKey, SettingCheck>>;
