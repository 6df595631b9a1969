// Accounts, trading accounts and transactions of a starting world as they come about.
import { mapProfile } from '../../../fixtures/schemas/account-profile.ts';
import type {
  AccountFixture,
  TradingAccountFixture,
  TransactionFixture,
} from '../../../fixtures/worlds/world-fixture.ts';
import { emit } from '../delivery/emit-event.ts';
import { nameProfile } from '../operations/create-account.ts';
import type { Account, Transaction } from '../records.ts';
import type { SeedContext } from './seeder.ts';

export interface AccountPlace {
  readonly accountId: string;
  readonly tradingAccountId: string;
  readonly currency: string;
}

export function seedAccount(
  context: SeedContext,
  fixture: AccountFixture,
  id: string,
): string | null {
  const { world, behaviour, atMs } = context;
  const { values, accounts, serialize } = behaviour;
  const brand = world.brands.get(fixture.brand_id);
  if (brand === undefined) return `there is no brand ${fixture.brand_id}`;
  const phone = values.phone(fixture.phone ?? null, fixture.country ?? null);
  const profile = mapProfile((field) => fixture[field] ?? null);
  const account: Account = {
    id,
    firm_id: brand.firm_id,
    brand_id: brand.id,
    client_reference_id: fixture.client_reference_id,
    email: fixture.email,
    phone,
    ...nameProfile(accounts, profile, fixture.email),
    status: fixture.status ?? accounts.firstStatus,
    revision: accounts.firstRevision,
    created_at: atMs,
    first_deposit_id: null,
  };
  const keys = {
    index: accounts.referenceIndex(brand.firm_id, brand.id),
    reference: values.referenceKey(account.client_reference_id),
    people: accounts.peopleIndex(brand.id),
    email: values.emailKey(account.email),
    phone: values.phoneKey(phone),
  };
  if (world.people.get(keys.index)?.byReference.has(keys.reference)) {
    return `the reference ${account.client_reference_id} is used twice`;
  }
  context.apply([
    { type: 'account-created', account, keys },
    ...emit(context, 'account.created', account, serialize.account(account)),
  ]);
  return null;
}

export function seedTradingAccount(
  context: SeedContext,
  fixture: TradingAccountFixture,
  id: string,
  accountId: string,
): null {
  const { currency, provider_payouts = false } = fixture;
  const tradingAccount = {
    id,
    account_id: accountId,
    currency,
    provider_payouts,
    balance: '0.00',
    entries: [],
  };
  context.apply([{ type: 'trading-account-set', tradingAccount }]);
  return null;
}

export function seedTransaction(
  context: SeedContext,
  fixture: TransactionFixture,
  id: string,
  place: AccountPlace,
): string | null {
  const { world, behaviour, atMs } = context;
  const { values, transactions, serialize } = behaviour;
  const account = world.accounts.get(place.accountId);
  if (account === undefined) return 'it is older than its account';
  if (!values.isDecimal(fixture.amount)) return `${fixture.amount} is not a decimal`;
  const transaction: Transaction = {
    id,
    firm_id: account.firm_id,
    brand_id: account.brand_id,
    account_id: place.accountId,
    trading_account_id: place.tradingAccountId,
    currency: place.currency,
    client_reference_id: fixture.client_reference_id,
    amount: fixture.amount,
    method: fixture.method ?? values.method(fixture.amount),
    transaction_type: fixture.transaction_type,
    status: 'pending',
    is_ftd: false,
    created_at: atMs,
    reason: null,
    operator: null,
  };
  const referenceKey = transactions.referenceKey(
    account.firm_id,
    account.id,
    transaction.client_reference_id,
  );
  const body = serialize.transaction(transaction);
  context.apply([
    { type: 'transaction-created', transaction, referenceKey },
    ...emit(context, 'transaction.created', transaction, body),
  ]);
  return null;
}
