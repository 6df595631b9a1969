// Accounts, trading accounts and transactions over the control plane: all that is known, and
// settlement.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createTestPlane, type TestPlane } from '../testing/plane.ts';

const money = suite('control: money');

async function deposit({ ask, call }: TestPlane, amount = '25.50') {
  const trading = await ask('POST', 'accounts/1001/trading-accounts', { currency: 'EUR' });
  const made = await call('brand-a', 'POST', 'transactions', {
    body: {
      client_reference_id: `dep-${amount}`,
      account_id: '1001',
      trading_account_id: trading.body.id,
      currency: 'EUR',
      amount,
      transaction_type: 'Deposit',
    },
  });
  assert.is(made.status, 201);
  return { tradingId: trading.body.id as string, id: made.body.id as string };
}

money('shows of an account what the API does not', async () => {
  const { ask, call } = await createTestPlane();
  const made = await call('brand-a', 'POST', 'accounts', {
    body: { client_reference_id: 'Ref-1', email: 'Ada@Example.com' },
  });
  const { body } = await ask('GET', `accounts/${made.body.id}`);
  assert.equal(
    [body.email, body.owner, body.created_via, body.client_reference_id, body.first_deposit_id],
    ['Ada@Example.com', 'Northwind Trade desk', 'api', 'Ref-1', null],
  );
  assert.is((await ask('GET', 'accounts/99')).status, 404);
});

money('pages through accounts by id', async () => {
  const { ask } = await createTestPlane();
  const seen: string[] = [];
  let after: number | null = 0;
  while (after !== null) {
    const { body } = await ask('GET', `accounts?limit=4&after=${after}`);
    seen.push(...body.accounts.map(({ id }: { id: string }) => id));
    after = body.next_after;
  }
  assert.equal(seen, ['1001', '1002', '1003', '1004', '1005', '1006']);
  const brand = await ask('GET', 'accounts?brand_id=20');
  assert.ok(brand.body.accounts.length > 0);
  for (const each of brand.body.accounts) assert.is(each.firm_id, '2');
});

money('names a query parameter that is unknown, wrong or given twice', async () => {
  const { ask } = await createTestPlane();
  const cases = [
    ['accounts?limit=0', 'limit'],
    ['accounts?limit=ten', 'limit'],
    ['accounts?limit=1.5', 'limit'],
    ['accounts?limit=99999', 'limit'],
    ['accounts?after=-1', 'after'],
    ['accounts?brand_id=x', 'brand_id'],
    ['accounts?brand=10', 'brand'],
    ['accounts?limit=1&limit=2', 'limit'],
    ['transactions?status=done', 'status'],
    ['accounts?__proto__=1', '__proto__'],
  ] as const;
  for (const [path, field] of cases) {
    const { status, body } = await ask('GET', path);
    assert.equal([status, body.errors[0].field], [422, field], path);
  }
});

money('opens trading accounts, which the API cannot', async () => {
  const { ask } = await createTestPlane();
  const plain = await ask('POST', 'accounts/1001/trading-accounts');
  assert.equal(plain.body, {
    id: plain.body.id,
    account_id: '1001',
    currency: 'USD',
    provider_payouts: false,
    balance: '0.00',
  });
  const provider = await ask('POST', 'accounts/1001/trading-accounts', {
    currency: 'GBP',
    provider_payouts: true,
  });
  assert.equal([provider.body.currency, provider.body.provider_payouts], ['GBP', true]);
  assert.is.not(provider.body.id, plain.body.id);
  const ledger = await ask('GET', `trading-accounts/${provider.body.id}`);
  assert.equal(ledger.body.entries, []);
  const mine = await ask('GET', 'trading-accounts?account_id=1001');
  assert.ok(mine.body.trading_accounts.some(({ id }: { id: string }) => id === plain.body.id));
  assert.is((await ask('POST', 'accounts/99/trading-accounts', {})).status, 404);
  assert.is((await ask('GET', 'trading-accounts/99')).status, 404);
  const cases = [
    [{ currency: 5 }, 'currency'],
    [{ currency: '' }, 'currency'],
    [{ provider_payouts: 1 }, 'provider_payouts'],
    [{ balance: '5' }, 'balance'],
  ] as const;
  for (const [body, field] of cases) {
    const refused = await ask('POST', 'accounts/1001/trading-accounts', body);
    assert.equal([refused.status, refused.body.errors[0].field], [422, field]);
  }
});

money('settles an approved transaction and shows it as the API does', async () => {
  const testPlane = await createTestPlane();
  const { ask, call } = testPlane;
  const { id, tradingId } = await deposit(testPlane);
  const early = await ask('POST', `transactions/${id}/settle`, {});
  assert.equal([early.status, early.body.errors[0].field], [409, 'id']);
  const approved = await call('brand-a', 'POST', `transactions/${id}/approve?account_id=1001`);
  const settled = await ask('POST', `transactions/${id}/settle`);
  assert.equal(settled.body, { ...approved.body, status: 'settled' });
  const ledger = await ask('GET', `trading-accounts/${tradingId}`);
  assert.is(ledger.body.balance, '25.50');
  assert.equal(
    ledger.body.entries.map((entry: object) => ({ ...entry, at_ms: 0 })),
    [{ transaction_id: id, amount: '25.50', kind: 'movement', at_ms: 0 }],
  );
  assert.is((await ask('POST', `transactions/${id}/settle`)).status, 200);
  assert.is((await ask('GET', `trading-accounts/${tradingId}`)).body.entries.length, 1);
  assert.is((await ask('POST', 'transactions/1/settle')).status, 404);
});

money('keeps why a transaction was rejected, and who did it', async () => {
  const testPlane = await createTestPlane();
  const { ask, call } = testPlane;
  const { id } = await deposit(testPlane);
  const rejected = await call('brand-a', 'POST', `transactions/${id}/reject?account_id=1001`, {
    body: { reason: 'no papers' },
  });
  assert.is(rejected.status, 200);
  assert.not.ok('reason' in rejected.body);
  const { body } = await ask('GET', `transactions/${id}`);
  assert.is(body.reason, 'no papers');
  assert.type(body.operator, 'string');
  const listed = await ask('GET', 'transactions?status=rejected&account_id=1001');
  assert.ok(listed.body.transactions.some((each: { id: string }) => each.id === id));
});

money.run();
