// Every setting of accounts shows in what the API answers.
// time limit: 60 s
import { suite } from 'uvu';
import type { accountSettings } from '../../../fixtures/settings/accounts.ts';
import {
  checkSetting,
  type RequestOptions,
  type SandboxClient,
  type SettingCheck,
  showsOf,
  statusOf,
} from './show-setting.ts';

/** Updates a new person under the tag that it has, or another. */
async function update(client: SandboxClient, body: object, headers?: RequestOptions['headers']) {
  const made = await client.person();
  const tag = made.headers.get('etag') ?? '';
  return client.call('PATCH', `accounts/${made.body.id}`, {
    body,
    headers: headers ?? { 'if-match': tag },
  });
}

const bulk = (client: SandboxClient, row: object, as = 'firm') =>
  client.post('accounts/bulk', { accounts: [{ client_reference_id: 'one', ...row }] }, { as });

const accountShows: Readonly<Record<keyof typeof accountSettings, SettingCheck>> = {
  account_statuses: {
    look: (client) => statusOf(update(client, { status: 'Odd' })),
    seen: [
      [null, 200],
      [['New', 'Active'], 422],
    ],
  },
  account_status_endpoint: {
    look: async (client) => {
      const made = await client.person();
      const { status, body } = await client.call('GET', `accounts/${made.body.id}/status`);
      return [status, body.revision ?? null];
    },
    seen: [
      ['served', [200, 1]],
      ['none', [404, null]],
    ],
  },
  update_null: {
    look: async (client) => {
      const { status, body } = await update(client, { country: 'NO', first_name: null });
      return [status, body.first_name ?? null];
    },
    seen: [
      ['not_sent', [200, 'person-1@example.com']],
      ['cleared', [200, null]],
      ['refused', [422, null]],
    ],
  },
  known_reference: {
    look: async (client) => {
      const one = { client_reference_id: 'one' };
      await client.person(one);
      await client.transaction(one);
      const wrong = [
        client.person({ ...one, email: 'none' }),
        client.transaction({ ...one, amount: 'x' }),
      ];
      return Promise.all(wrong.map(statusOf));
    },
    seen: [
      ['first', [200, 200]],
      ['last', [422, 422]],
    ],
  },
  phone_letters: {
    look: async (client) => (await client.person({ phone: '+1 800 FLOWERS' })).body.phone,
    seen: [
      ['left_out', '1800'],
      ['keypad', '+18003569377'],
    ],
  },
  batch_refusal_status: {
    look: (client) =>
      statusOf(bulk(client, { client_reference_id: undefined, email: 'a@x.y', brand_id: '10' })),
    seen: [
      [422, 422],
      [400, 400],
    ],
  },
  batch_brand_refusal_status: {
    look: (client) => statusOf(bulk(client, { email: 'a@x.y', brand_id: '11' }, 'brand-a')),
    seen: [
      [403, 403],
      [422, 422],
    ],
  },
  bulk_row_problems: {
    look: (client) => statusOf(bulk(client, { brand_id: '10' })),
    seen: [
      ['row', 200],
      ['batch', 422],
    ],
  },
  missing_if_match: {
    look: (client) => statusOf(update(client, { status: 'Active' }, {})),
    seen: [
      [422, 422],
      [428, 428],
      [400, 400],
      [412, 412],
    ],
  },
  tag_before_no_change: {
    look: (client) => statusOf(update(client, {}, { 'if-match': '"99"' })),
    seen: [
      [true, 412],
      [false, 422],
    ],
  },
  if_match_star: {
    look: (client) => statusOf(update(client, { status: 'Active' }, { 'if-match': '*' })),
    seen: [
      ['malformed', 422],
      ['any', 200],
    ],
  },
  account_reference_scope: {
    look: async (client) => {
      const one = { client_reference_id: 'one', email: 'one@example.com' };
      const first = await client.person({ ...one, brand_id: '10' });
      const second = await client.person({ ...one, brand_id: '11' });
      return first.body.id === second.body.id;
    },
    seen: [
      ['brand', false],
      ['firm', true],
    ],
  },
  email_case_sensitive: {
    look: async (client) => {
      await client.person({ email: 'one@example.com' });
      return statusOf(client.person({ email: 'ONE@example.com' }));
    },
    seen: [
      [false, 409],
      [true, 201],
    ],
  },
  phone_form: {
    look: async (client) => (await client.person({ phone: '+44 20 7946 0958' })).body.phone,
    seen: [
      ['e164', '+442079460958'],
      ['digits', '442079460958'],
    ],
  },
  account_named_after_email: {
    look: async (client) => (await client.person({ email: 'ada@example.com' })).body.first_name,
    seen: [
      ['whole', 'ada@example.com'],
      ['local_part', 'ada'],
    ],
  },
  first_revision: {
    look: async (client) => (await client.person()).body.revision,
    seen: [
      [1, 1],
      [7, 7],
    ],
  },
  revision_step: {
    look: async (client) => (await update(client, { status: 'Active' })).body.revision,
    seen: [
      [1, 2],
      [10, 11],
    ],
  },
};

const settings = suite('settings: accounts');
for (const [key, show] of showsOf(accountShows)) settings(key, () => checkSetting(key, show));
settings.run();
