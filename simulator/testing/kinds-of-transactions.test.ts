// NS-43: what is a deposit and what is a withdrawal is read from `transaction_type` on every path,
// whatever sign and method say: the first-time deposit, the payout by a provider, the money moved.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openClient } from './sandbox-client.ts';

const kinds = suite('kinds of transactions');

const types = ['Deposit', 'Withdrawal', 'Credit', 'Debit'] as const;
const methods = [undefined, 'Deposit', 'Withdrawal', 'Bonus'] as const;
const amounts = ['25.00', '-25.00'];

/** Every type with every method and sign, each on an account of its own. */
const variety = types.flatMap((transaction_type) =>
  methods.flatMap((method) => amounts.map((amount) => ({ transaction_type, method, amount }))),
);

kinds('type alone decides what is paid out and which way money goes', async () => {
  const client = await openClient();
  for (const each of variety) {
    const { transaction_type, method, amount } = each;
    const words = JSON.stringify(each);
    for (const provider_payouts of [false, true]) {
      const account_id = (await client.person()).body.id;
      const path = `accounts/${account_id}/trading-accounts`;
      const { id: trading_account_id } = await client.control('POST', path, { provider_payouts });
      const place = { account_id, trading_account_id };
      const made = await client.transaction({ ...place, ...each, method: method ?? null });
      assert.is(made.status, 201, words);
      // TXN-6: the method that was left out follows from the sign, and from nothing else.
      const derived = amount.startsWith('-') ? 'Withdrawal' : 'Deposit';
      assert.is(made.body.method, method ?? derived, words);

      const approve = `transactions/${made.body.id}/approve?account_id=${account_id}`;
      const approved = await client.call('POST', approve);
      const isPayout = provider_payouts && transaction_type === 'Withdrawal';
      assert.is(approved.status, isPayout ? 501 : 200, words);
      if (isPayout) continue;
      const isDeposit = transaction_type === 'Deposit' && made.body.method !== 'Bonus';
      assert.is(approved.body.is_ftd, isDeposit, words);

      await client.control('POST', `transactions/${made.body.id}/settle`);
      const { balance } = await client.control('GET', `trading-accounts/${trading_account_id}`);
      const isIncoming = transaction_type === 'Deposit' || transaction_type === 'Credit';
      assert.is(balance, isIncoming ? '25.00' : '-25.00', words);
    }
  }
  await client.close();
});

kinds.run();
