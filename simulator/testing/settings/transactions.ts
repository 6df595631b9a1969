// How every setting of transactions shows in what the API answers.
import type { SettingKey } from '../../../fixtures/settings.ts';
import { type SandboxClient, type SettingCheck, statusOf } from './show-setting.ts';

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

/** Whether the first Deposit of a new account gets the mark when it comes by way of that method. */
const isFirstDepositBy = (method: string) => async (client: SandboxClient) => {
  const person = await client.person();
  const account_id = person.body.id;
  const made = await client.control('POST', `accounts/${account_id}/trading-accounts`, {});
  const where = { account_id, trading_account_id: made.id };
  const { body } = await client.transaction({ ...where, method });
  const path = `transactions/${body.id}/approve?account_id=${account_id}`;
  return (await client.call('POST', path)).body.is_ftd;
};

export const transactionShows = {
  unknown_fields: {
    look: (client) => statusOf(client.person({ shoe_size: 43 })),
    seen: [
      ['ignored', 201],
      ['refused', 422],
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
  bonus_is_deposit: {
    look: isFirstDepositBy('Bonus'),
    seen: [
      [false, false],
      [true, true],
    ],
  },
  withdrawal_method_is_deposit: {
    look: isFirstDepositBy('Withdrawal'),
    seen: [
      [true, true],
      [false, false],
    ],
  },
} satisfies Partial<Record<SettingKey, SettingCheck>>;
