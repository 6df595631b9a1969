// How every setting of conventions shows in what the API answers.
import type { SettingKey } from '../../../fixtures/settings.ts';
import { type SettingCheck, statusOf } from './show-setting.ts';

export const conventionShows = {
  check_order: {
    look: (client) => statusOf(client.post('accounts', [], { as: 'no-scopes' })),
    seen: [
      [['route', 'key', 'token', 'rate', 'readable', 'replay', 'scope'], 422],
      [['route', 'key', 'token', 'rate', 'scope', 'readable', 'replay'], 403],
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
      ['left_out', undefined],
    ],
  },
  amount_as_number: {
    look: (client) => statusOf(client.transaction({ amount: 5 })),
    seen: [
      ['refused', 422],
      ['accepted', 201],
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
  read_page_size: {
    look: async (client) => {
      const { body } = await client.call('GET', 'transactions');
      return (body.transactions ?? body.data ?? body).length;
    },
    seen: [
      [100, 11],
      [1, 1],
    ],
  },
  read_scope: {
    look: (client) => statusOf(client.call('GET', 'accounts')),
    seen: [
      [null, 200],
      ['accounts:read', 403],
    ],
  },
  amount_exponent: {
    look: (client) => statusOf(client.transaction({ amount: '1e3' })),
    seen: [
      ['refused', 422],
      ['accepted', 201],
    ],
  },
} satisfies Partial<Record<SettingKey, SettingCheck>>;
