// NS-43: `transaction_type` decides on every path whether a transaction is a deposit or a
// withdrawal, whatever the sign and method: the first-time deposit, the payout by a provider, the
// money moved.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openClient } from './sandbox-client.ts';

const kinds = suite('transaction types');

const types = ['Deposit', 'Withdrawal', 'Credit', 'Debit'] as const;
const methods = [undefined, 'Deposit', 'Withdrawal', 'Bonus'] as const;
const amounts = ['25.00', '-25.00'];

/** Every type with every method and sign, each on a separate account. */
const variety = types.flatMap((transaction_type) =>
  methods.flatMap((method) => amounts.map((amount) => ({ transaction_type, method, amount }))),
);

kinds('only the type decides on the payout and the direction of the money', async () => {
  const client = await openClient();
  for (const each of variety) {
    const { transaction_type, method, amount } = each;
    const words = JSON.stringify(each);
    for (const provider_payouts of [false, true]) {
      const account_id = (await client.person()).body.id;
      const path = `accounts/${account_id}/trading-accounts`;
      const { id: trading_account_id } = await client.control('POST', path, { provider_payouts });
      const place = { account_id, trading_account_id };
      const created = await client.transaction({ ...place, ...each, method: method ?? null });
      assert.is(created.status, 201, words);
      // TXN-6: an omitted method follows from the sign, and from nothing else.
      const derived = amount.startsWith('-') ? 'Withdrawal' : 'Deposit';
      assert.is(created.body.method, method ?? derived, words);

      const approve = `transactions/${created.body.id}/approve?account_id=${account_id}`;
      const approved = await client.call('POST', approve);
      const isPayout = provider_payouts && transaction_type === 'Withdrawal';
      assert.is(approved.status, isPayout ? 501 : 200, words);
      if (isPayout) continue;
      const isDeposit = transaction_type === 'Deposit' && created.body.method !== 'Bonus';
      assert.is(approved.body.is_ftd, isDeposit, words);

      await client.control('POST', `transactions/${created.body.id}/settle`);
      const { balance } = await client.control('GET', `trading-accounts/${trading_account_id}`);
      const isIncoming = transaction_type === 'Deposit' || transaction_type === 'Credit';
      assert.is(balance, isIncoming ? '25.00' : '-25.00', words);
    }
  }
  await client.close();
});

kinds.run();
