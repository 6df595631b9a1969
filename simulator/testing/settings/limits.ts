// How every setting of limits shows in what the API answers.
import type { SettingKey } from '../../../fixtures/settings.ts';
import type { SettingCheck } from './show-setting.ts';

export const limitShows = {
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
} satisfies Partial<Record<SettingKey, SettingCheck>>;
