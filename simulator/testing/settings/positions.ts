// How every setting of positions shows in what the API answers.
import type { SettingKey } from '../../../fixtures/settings.ts';
import { type SettingCheck, statusOf } from './show-setting.ts';

const position = {
  account_id: '1002',
  trading_account_id: '5002',
  instrument: 'EURUSD',
  side: 'buy',
  volume: '1.00',
};

export const positionShows = {
  open_position_status: {
    look: (client) => statusOf(client.post('positions/open', position)),
    seen: [
      [201, 201],
      [200, 200],
    ],
  },
  close_position_status: {
    look: async (client) => {
      const { body } = await client.post('positions/open', position);
      const { account_id, trading_account_id } = position;
      const position_id = body.position_id ?? body.id;
      return statusOf(
        client.post('positions/close', { account_id, trading_account_id, position_id }),
      );
    },
    seen: [
      [201, 201],
      [200, 200],
    ],
  },
} satisfies Partial<Record<SettingKey, SettingCheck>>;
