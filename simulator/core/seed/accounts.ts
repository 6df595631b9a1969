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
    firmId: brand.firmId,
    brandId: brand.id,
    reference: fixture.client_reference_id,
    email: fixture.email,
    phone,
    ...nameProfile(accounts, profile, fixture.email),
    status: fixture.status ?? accounts.firstStatus,
    revision: accounts.firstRevision,
    createdAtMs: atMs,
    firstDepositId: null,
  };
  const keys = {
    index: accounts.referenceIndex(brand.firmId, brand.id),
    reference: values.referenceKey(account.reference),
    people: accounts.peopleIndex(brand.id),
    email: values.emailKey(account.email),
    phone: values.phoneKey(phone),
  };
  if (world.people.get(keys.index)?.byReference.has(keys.reference)) {
    return `the reference ${account.reference} is used twice`;
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
  const { currency, provider_payouts: providerPayouts = false } = fixture;
  const tradingAccount = {
    id,
    accountId,
    currency,
    providerPayouts,
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
    firmId: account.firmId,
    brandId: account.brandId,
    accountId: place.accountId,
    tradingAccountId: place.tradingAccountId,
    currency: place.currency,
    reference: fixture.client_reference_id,
    amount: fixture.amount,
    method: fixture.method ?? values.method(fixture.amount),
    transactionType: fixture.transaction_type,
    status: 'pending',
    isFtd: false,
    createdAtMs: atMs,
    reason: null,
    operator: null,
  };
  const referenceKey = transactions.referenceKey(account.firmId, account.id, transaction.reference);
  const body = serialize.transaction(transaction);
  context.apply([
    { type: 'transaction-created', transaction, referenceKey },
    ...emit(context, 'transaction.created', transaction, body),
  ]);
  return null;
}
