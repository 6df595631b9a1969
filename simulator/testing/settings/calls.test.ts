// Every setting of calls in general shows in what the API answers.
// time limit: 60 s
import { suite } from 'uvu';
import type { callSettings } from '../../../fixtures/settings/calls.ts';
import { checkSetting, type SettingCheck, showsOf, statusOf } from './show-setting.ts';

const tooLong = { max_body_bytes: 1024 };
const long = { first_name: 'x'.repeat(2000) };

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
    look: (client) => statusOf(client.call('POST', 'transactions/abc/approve?account_id=1002')),
    seen: [
      [422, 422],
      [404, 404],
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
