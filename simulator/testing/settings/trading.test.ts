// Every setting of transactions, positions and reads shows in what the API answers.
// time limit: 60 s
import { suite } from 'uvu';
import type { tradingSettings } from '../../../fixtures/settings/trading.ts';
import {
  checkSetting,
  type SandboxClient,
  type SettingCheck,
  showsOf,
  statusOf,
} from './show-setting.ts';

const position = {
  account_id: '1002',
  trading_account_id: '5002',
  instrument: 'EURUSD',
  side: 'buy',
  volume: '1.00',
};

type Verb = 'approve' | 'reject' | 'cancel';

/** A new transaction, or another of account 1002, taken through these verbs; the last answer. */
async function move(client: SandboxClient, id: string | null, ...verbs: readonly Verb[]) {
  const moved = id ?? (await client.transaction()).body.id;
  let last: unknown = null;
  for (const verb of verbs) {
    const asked = verb === 'approve' ? {} : { body: { reason: 'Asked for.', operator: 'ops' } };
    const path = `transactions/${moved}/${verb}?account_id=1002`;
    const { status, body } = await client.call('POST', path, asked);
    last = [status, body.status === status ? body.code : body.status];
  }
  return last;
}

const settledId = '9006';

/** Statuses of approving a withdrawal that a provider pays out, and one that it does not. */
async function payOut(client: SandboxClient) {
  const statuses: number[] = [];
  for (const provider_payouts of [true, false]) {
    const made = await client.control('POST', 'accounts/1002/trading-accounts', {
      currency: 'USD',
      provider_payouts,
    });
    const { body } = await client.transaction({
      trading_account_id: made.id,
      amount: '-5.00',
      method: 'Withdrawal',
      transaction_type: 'Withdrawal',
    });
    const path = `transactions/${body.id}/approve?account_id=1002`;
    statuses.push((await client.call('POST', path)).status);
  }
  return statuses;
}

const tradingShows: Readonly<Record<keyof typeof tradingSettings, SettingCheck>> = {
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
  settlement_delay_ms: {
    look: async (client) => {
      const { body } = await client.transaction();
      await move(client, body.id, 'approve');
      await client.advance(2000);
      const { transactions } = await client.control('GET', 'transactions');
      return transactions.find(({ id }: { id: string }) => id === body.id).status;
    },
    seen: [
      [2000, 'settled'],
      [null, 'approved'],
    ],
  },
  reject_from_approved: {
    look: (client) => move(client, null, 'approve', 'reject'),
    seen: [
      ['refused', [409, 'invalid_state']],
      ['rejected', [200, 'rejected']],
    ],
  },
  reject_from_settled: {
    look: (client) => move(client, settledId, 'reject'),
    seen: [
      ['refused', [409, 'invalid_state']],
      ['rejected', [200, 'rejected']],
    ],
  },
  cancel_from_approved: {
    look: (client) => move(client, null, 'approve', 'cancel'),
    seen: [
      ['refused', [409, 'invalid_state']],
      ['cancelled', [200, 'cancelled']],
    ],
  },
  approve_from_settled: {
    look: (client) => move(client, settledId, 'approve'),
    seen: [
      ['unchanged', [200, 'settled']],
      ['refused', [409, 'invalid_state']],
    ],
  },
  transaction_reference_scope: {
    look: async (client) => {
      const one = { client_reference_id: 'one' };
      const first = await client.transaction(one);
      const made = await client.control('POST', 'accounts/1003/trading-accounts', {});
      const elsewhere = { account_id: '1003', trading_account_id: made.id };
      const second = await client.transaction({ ...one, ...elsewhere });
      return [first.status, second.status];
    },
    seen: [
      ['firm', [201, 200]],
      ['account', [201, 201]],
    ],
  },
  provider_withdrawals: {
    look: payOut,
    seen: [
      ['trading_account', [501, 200]],
      ['every', [501, 501]],
      ['none', [200, 200]],
    ],
  },
  amount_sign: {
    look: (client) => statusOf(client.transaction({ amount: '-5.00' })),
    seen: [
      ['any', 201],
      ['matches_method', 422],
    ],
  },
  zero_amount: {
    look: (client) => statusOf(client.transaction({ amount: '0.00' })),
    seen: [
      ['refused', 422],
      ['accepted', 201],
    ],
  },
  other_currency: {
    look: (client) => statusOf(client.transaction({ currency: 'CHF' })),
    seen: [
      ['accepted', 201],
      ['refused', 422],
    ],
  },
  amount_exponent: {
    look: (client) => statusOf(client.transaction({ amount: '1e3' })),
    seen: [
      ['refused', 422],
      ['accepted', 201],
    ],
  },
  bonus_is_deposit: {
    look: async (client) => {
      const person = await client.person();
      const account_id = person.body.id;
      const made = await client.control('POST', `accounts/${account_id}/trading-accounts`, {});
      const where = { account_id, trading_account_id: made.id };
      const { body } = await client.transaction({ ...where, method: 'Bonus' });
      const path = `transactions/${body.id}/approve?account_id=${account_id}`;
      return (await client.call('POST', path)).body.is_ftd;
    },
    seen: [
      [false, false],
      [true, true],
    ],
  },
};

const settings = suite('settings: trading');
for (const [key, show] of showsOf(tradingShows)) settings(key, () => checkSetting(key, show));
settings.run();
