// How every setting of bulk shows in what the API answers.
import type { SettingKey } from '../../../fixtures/settings.ts';
import { type SandboxClient, type SettingCheck, statusOf } from './show-setting.ts';

const bulk = (client: SandboxClient, row: object, as = 'firm') =>
  client.post('accounts/bulk', { accounts: [{ client_reference_id: 'one', ...row }] }, { as });

export const bulkShows = {
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
} satisfies Partial<Record<SettingKey, SettingCheck>>;
