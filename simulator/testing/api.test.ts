// Promises of the API that no scenario of the judge plays: transactions of every type, references out
// of reach, and refusals of long input.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { eachWith } from '../host/testing/each-with.ts';
import { openClient, type SandboxClient } from './sandbox-client.ts';

const api = suite<{ client: SandboxClient }>('the API');
eachWith(api, 'client', () => openClient());

const types = ['Deposit', 'Withdrawal', 'Credit', 'Debit'] as const;
const methods = [undefined, 'Deposit', 'Withdrawal', 'Bonus'] as const;
const amounts = ['25.00', '-25.00'];

/** Every type with every method and sign, each on a separate account. */
const variety = types.flatMap((transaction_type) =>
  methods.flatMap((method) => amounts.map((amount) => ({ transaction_type, method, amount }))),
);

// NS-43: `transaction_type` decides, whatever the sign and method: the first-time deposit, the payout
// by a provider, the money moved.
api('only the type decides on payout and direction of the money', async ({ client }) => {
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
});

// TXN-2, NS-20
api('a reference can be reused only out of reach, on another account', async ({ client }) => {
  const create = async (as: string, account_id: string, trading_account_id: string) => {
    const client_reference_id = as === 'firm' ? 'SAME' : 'same';
    const body = { client_reference_id, account_id, trading_account_id };
    const created = await client.transaction({ ...body, currency: 'USD' }, { as });
    return [created.status, created.body.id];
  };
  const [status, first] = await create('brand-a', '1002', '5002');
  assert.is(status, 201);
  assert.is((await create('brand-b', '1004', '5005'))[0], 201);
  const [ownStatus, own] = await create('delegated', '1001', '5001');
  assert.is(ownStatus, 201);
  // A caller that reaches both gets the oldest; a caller limited to one account gets its own.
  assert.equal(await create('firm', '1001', '5001'), [200, first]);
  assert.equal(await create('firm', '1004', '5005'), [200, first]);
  assert.equal(await create('delegated', '1001', '5001'), [200, own]);
});

const digits = '9'.repeat(300_000);
const person = { client_reference_id: 'long', email: 'long@example.com', brand_id: digits };

const long: readonly (readonly [string, string, unknown])[] = [
  ['POST', 'accounts', person],
  ['POST', 'accounts', { ...person, brand_id: 'x'.repeat(300_000) }],
  ['POST', 'accounts', { ...person, client_reference_id: digits }],
  ['POST', 'accounts/bulk', { accounts: [person] }],
  ['PATCH', 'accounts/1001', { status: { [digits]: digits } }],
  ['POST', 'transactions', { client_reference_id: 'long', account_id: digits, amount: digits }],
  ['POST', 'webhooks', { url: `https://${digits}.example`, event_categories: [digits] }],
  ['POST', 'oauth/token', { grant_type: digits, client_id: digits, client_secret: digits }],
  ['GET', `accounts?limit=${digits.slice(0, 9000)}`, undefined],
  ['GET', `accounts/${digits.slice(0, 9000)}`, undefined],
];

api('the length of a refusal depends on its reason, not on the input', async ({ client }) => {
  for (const [method, path, body] of long) {
    const headers = { 'if-match': '"1"' };
    const answer = await client.call(method, path, { body, headers });
    const text = JSON.stringify(answer.body);
    const what = `${method} ${path.slice(0, 40)}: ${answer.status} ${text.slice(0, 300)}`;
    assert.ok(answer.status >= 400 && answer.status < 500, what);
    const { length } = text.replace(path, '');
    assert.ok(length < 1000, `${length} characters, ${what}`);
  }
});

api.run();
