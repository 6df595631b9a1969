// How every setting of errors shows in what the API answers.
import type { SettingKey } from '../../../fixtures/settings.ts';
import { type SettingCheck, statusOf } from './show-setting.ts';

const tooLong = { max_body_bytes: 1024 };

const long = { first_name: 'x'.repeat(2000) };

export const errorShows = {
  error_entry: {
    look: async (client) => {
      const [entry] = (await client.person({ email: 'anonymous' })).body.errors;
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
} satisfies Partial<Record<SettingKey, SettingCheck>>;
