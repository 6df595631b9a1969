// Every setting of transactions, positions and reads shows in what the API answers.
// time limit: 60 s
import { suite } from 'uvu';
import type { tradingSettings } from '../fixtures/settings/trading.ts';
import { type Desk, type Show, showSetting, showsOf, statusOf } from './settings-under-test.ts';

const position = {
  account_id: '1002',
  trading_account_id: '5002',
  instrument: 'EURUSD',
  side: 'buy',
  volume: '1.00',
};

type Verb = 'approve' | 'reject' | 'cancel';

/** A new transaction, or another of account 1002, taken through these verbs; the last answer. */
async function move(desk: Desk, id: string | null, ...verbs: readonly Verb[]) {
  const moved = id ?? (await desk.transaction()).body.id;
  let last: unknown = null;
  for (const verb of verbs) {
    const asked = verb === 'approve' ? {} : { body: { reason: 'Asked for.', operator: 'ops' } };
    const path = `transactions/${moved}/${verb}?account_id=1002`;
    const { status, body } = await desk.call('POST', path, asked);
    last = [status, body.status === status ? body.code : body.status];
  }
  return last;
}

const settledId = '9006';

/** Statuses of approving a withdrawal that a provider pays out, and one that it does not. */
async function payOut(desk: Desk) {
  const statuses: number[] = [];
  for (const provider_payouts of [true, false]) {
    const made = await desk.control('POST', 'accounts/1002/trading-accounts', {
      currency: 'USD',
      provider_payouts,
    });
    const { body } = await desk.transaction({
      trading_account_id: made.id,
      amount: '-5.00',
      method: 'Withdrawal',
      transaction_type: 'Withdrawal',
    });
    const path = `transactions/${body.id}/approve?account_id=1002`;
    statuses.push((await desk.call('POST', path)).status);
  }
  return statuses;
}

const tradingShows: Readonly<Record<keyof typeof tradingSettings, Show>> = {
  open_position_status: {
    look: (desk) => statusOf(desk.post('positions/open', position)),
    seen: [
      [201, 201],
      [200, 200],
    ],
  },
  close_position_status: {
    look: async (desk) => {
      const { body } = await desk.post('positions/open', position);
      const { account_id, trading_account_id } = position;
      const position_id = body.position_id ?? body.id;
      return statusOf(
        desk.post('positions/close', { account_id, trading_account_id, position_id }),
      );
    },
    seen: [
      [201, 201],
      [200, 200],
    ],
  },
  read_page_size: {
    look: async (desk) => {
      const { body } = await desk.call('GET', 'transactions');
      return (body.transactions ?? body.data ?? body).length;
    },
    seen: [
      [100, 11],
      [1, 1],
    ],
  },
  read_scope: {
    look: (desk) => statusOf(desk.call('GET', 'accounts')),
    seen: [
      [null, 200],
      ['accounts:read', 403],
    ],
  },
  settlement_delay_ms: {
    look: async (desk) => {
      const { body } = await desk.transaction();
      await move(desk, body.id, 'approve');
      await desk.advance(2000);
      const { transactions } = await desk.control('GET', 'transactions');
      return transactions.find(({ id }: { id: string }) => id === body.id).status;
    },
    seen: [
      [2000, 'settled'],
      [null, 'approved'],
    ],
  },
  reject_from_approved: {
    look: (desk) => move(desk, null, 'approve', 'reject'),
    seen: [
      ['refused', [409, 'invalid_state']],
      ['rejected', [200, 'rejected']],
    ],
  },
  reject_from_settled: {
    look: (desk) => move(desk, settledId, 'reject'),
    seen: [
      ['refused', [409, 'invalid_state']],
      ['rejected', [200, 'rejected']],
    ],
  },
  cancel_from_approved: {
    look: (desk) => move(desk, null, 'approve', 'cancel'),
    seen: [
      ['refused', [409, 'invalid_state']],
      ['cancelled', [200, 'cancelled']],
    ],
  },
  approve_from_settled: {
    look: (desk) => move(desk, settledId, 'approve'),
    seen: [
      ['unchanged', [200, 'settled']],
      ['refused', [409, 'invalid_state']],
    ],
  },
  transaction_reference_scope: {
    look: async (desk) => {
      const one = { client_reference_id: 'one' };
      const first = await desk.transaction(one);
      const made = await desk.control('POST', 'accounts/1003/trading-accounts', {});
      const elsewhere = { account_id: '1003', trading_account_id: made.id };
      const second = await desk.transaction({ ...one, ...elsewhere });
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
    look: (desk) => statusOf(desk.transaction({ amount: '-5.00' })),
    seen: [
      ['any', 201],
      ['matches_method', 422],
    ],
  },
  zero_amount: {
    look: (desk) => statusOf(desk.transaction({ amount: '0.00' })),
    seen: [
      ['refused', 422],
      ['accepted', 201],
    ],
  },
  amount_exponent: {
    look: (desk) => statusOf(desk.transaction({ amount: '1e3' })),
    seen: [
      ['refused', 422],
      ['accepted', 201],
    ],
  },
  bonus_is_deposit: {
    look: async (desk) => {
      const person = await desk.person();
      const account_id = person.body.id;
      const made = await desk.control('POST', `accounts/${account_id}/trading-accounts`, {});
      const where = { account_id, trading_account_id: made.id };
      const { body } = await desk.transaction({ ...where, method: 'Bonus' });
      const path = `transactions/${body.id}/approve?account_id=${account_id}`;
      return (await desk.call('POST', path)).body.is_ftd;
    },
    seen: [
      [false, false],
      [true, true],
    ],
  },
};

const settings = suite('settings: trading');
for (const [key, show] of showsOf(tradingShows)) settings(key, () => showSetting(key, show));
settings.run();
