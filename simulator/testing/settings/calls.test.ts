// Every setting of calls in general shows in what the API answers.
// time limit: 60 s
import { request } from 'node:http';
import { suite } from 'uvu';
import type { callSettings } from '../../../fixtures/settings/calls.ts';
import { checkSetting, type SettingCheck, showsOf, statusOf } from './show-setting.ts';

const tooLong = { max_body_bytes: 1024 };
const long = { first_name: 'x'.repeat(2000) };

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

const callShows: Readonly<Record<keyof typeof callSettings, SettingCheck>> = {
  error_entry: {
    look: async (client) => {
      const [entry] = (await client.person({ email: 'nobody' })).body.errors;
      return typeof entry === 'string' ? 'text' : Object.keys(entry);
    },
    seen: [
      ['field_message', ['field', 'message']],
      ['text', 'text'],
      ['pointer_detail', ['pointer', 'detail']],
    ],
  },
  unparsable_status: {
    look: (client) => statusOf(client.call('POST', 'accounts', { text: '{' })),
    seen: [
      [400, 400],
      [422, 422],
    ],
  },
  unreadable_status: {
    look: (client) => statusOf(client.post('accounts', [])),
    seen: [
      [422, 422],
      [400, 400],
    ],
  },
  content_type_status: {
    look: (client) => statusOf(client.person({}, { headers: { 'content-type': 'text/plain' } })),
    seen: [
      [415, 415],
      [400, 400],
      [422, 422],
    ],
  },
  max_body_bytes: {
    look: (client) => statusOf(client.person(long)),
    seen: [
      [1_048_576, 201],
      [1024, 413],
    ],
  },
  max_bulk_body_bytes: {
    look: (client) => {
      const row = { client_reference_id: 'one', email: 'one@example.com', brand_id: '10', ...long };
      return statusOf(client.post('accounts/bulk', { accounts: [row] }));
    },
    seen: [
      [16_777_216, 200],
      [1024, 413],
    ],
  },
  body_too_large_status: {
    among: tooLong,
    look: (client) => statusOf(client.person(long)),
    seen: [
      [413, 413],
      [400, 400],
    ],
  },
  check_order: {
    look: (client) => statusOf(client.post('accounts', [], { as: 'no-scopes' })),
    seen: [
      [['route', 'key', 'token', 'rate', 'readable', 'replay', 'scope'], 422],
      [['route', 'key', 'token', 'rate', 'scope', 'readable', 'replay'], 403],
    ],
  },
  unknown_method_status: {
    look: async (client) => {
      const { status, headers } = await client.call('DELETE', 'accounts');
      return [status, headers.get('allow')];
    },
    seen: [
      [405, [405, 'GET, POST']],
      [404, [404, null]],
    ],
  },
  deprecation_header: {
    look: async (client) => (await client.person()).headers.get('deprecation'),
    seen: [
      [null, null],
      ['@1767225600', '@1767225600'],
    ],
  },
  length_unit: {
    look: async (client) => [
      // 200 code points: as many UTF-16 units and twice as many bytes, or twice as many units.
      (await client.person({ client_reference_id: 'é'.repeat(200) })).status,
      (await client.person({ client_reference_id: '😀'.repeat(200) })).status,
    ],
    seen: [
      ['code_points', [201, 201]],
      ['utf16', [201, 422]],
      ['bytes', [422, 422]],
    ],
  },
  absent_optionals: {
    look: async (client) => (await client.person()).body.phone,
    seen: [
      ['null', null],
      ['empty', ''],
    ],
  },
  path_id_status: {
    look: async (client) => [
      await statusOf(client.call('GET', 'webhooks/abc')),
      await statusOf(client.call('GET', 'accounts/abc/status')),
      // CONV-1c: never of the nine writes.
      await statusOf(client.call('POST', 'transactions/abc/approve?account_id=1002')),
    ],
    seen: [
      [404, [404, 404, 422]],
      [422, [422, 422, 422]],
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
  amount_as_number: {
    look: (client) => statusOf(client.transaction({ amount: 5 })),
    seen: [
      ['refused', 422],
      ['accepted', 201],
    ],
  },
  unknown_fields: {
    look: (client) => statusOf(client.person({ shoe_size: 43 })),
    seen: [
      ['ignored', 201],
      ['refused', 422],
    ],
  },
  duplicate_members: {
    look: (client) => {
      const text = '{"client_reference_id":"a","email":"a@x.y","email":"b@x.y","brand_id":"10"}';
      return statusOf(client.call('POST', 'accounts', { text }));
    },
    seen: [
      ['last_wins', 201],
      ['refused', 422],
    ],
  },
  id_leading_zeros: {
    look: async (client) => {
      const { body } = await client.transaction();
      return statusOf(client.call('POST', `transactions/00${body.id}/approve?account_id=1002`));
    },
    seen: [
      ['same_id', 200],
      ['refused', 422],
    ],
  },
};

const settings = suite('settings: calls');
for (const [key, show] of showsOf(callShows)) settings(key, () => checkSetting(key, show));
settings.run();
