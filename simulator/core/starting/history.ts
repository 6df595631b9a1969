// The history of a starting world as single plays: accounts made, transactions moved, positions
// opened.
import { parseAgo } from '../../../fixtures/worlds/ago.ts';
import type {
  AccountFixture,
  PositionFixture,
  TradingAccountFixture,
  TransactionFixture,
  WorldFixture,
} from '../../../fixtures/worlds/fixture.ts';
import type { ActContext } from '../acts/act.ts';
import { emit } from '../emit.ts';
import { evolve } from '../evolve.ts';
import type { Account, Transaction } from '../records.ts';
import { playPosition } from './positions.ts';
import { playStep } from './steps.ts';

/**
 * One thing that happened, at its time before the start. Answers what is wrong with it, or null.
 */
export interface Play {
  readonly agoMs: number;
  /** Order among plays of one time. */
  readonly order: number;
  readonly field: string;
  readonly run: (context: ActContext) => string | null;
}

type Add = (ago: string, field: string, run: Play['run']) => void;

/** Ids are given out in the order of writing, before anything is played. */
export function planHistory(fixture: WorldFixture): readonly Play[] {
  const plays: Play[] = [];
  const add: Add = (ago, field, run) => {
    plays.push({ agoMs: parseAgo(ago) ?? 0, order: plays.length, field, run });
  };
  const ids = new Ids();
  for (const [index, account] of (fixture.accounts ?? []).entries()) {
    planAccount(account, `accounts[${index}]`, ids, add);
  }
  return plays;
}

/** Ids that a fixture leaves out follow the highest given so far. */
class Ids {
  readonly #last = { account: 1000, trading: 5000, transaction: 9000, position: 7000 };

  take(
    kind: 'account' | 'trading' | 'transaction' | 'position',
    given: string | undefined,
  ): string {
    const value = given === undefined ? this.#last[kind] + 1 : Number(given);
    this.#last[kind] = Math.max(this.#last[kind], value);
    return String(value);
  }
}

function planAccount(fixture: AccountFixture, field: string, ids: Ids, add: Add): void {
  const id = ids.take('account', fixture.id);
  add(fixture.ago, field, (context) => playAccount(context, fixture, id));
  for (const [index, trading] of (fixture.trading_accounts ?? []).entries()) {
    planTrading(trading, `${field}.trading_accounts[${index}]`, fixture.ago, id, ids, add);
  }
}

function planTrading(
  fixture: TradingAccountFixture,
  field: string,
  ago: string,
  accountId: string,
  ids: Ids,
  add: Add,
): void {
  const id = ids.take('trading', fixture.id);
  add(ago, field, ({ world }) => {
    const { currency, provider_payouts: providerPayouts = false } = fixture;
    const tradingAccount = {
      id,
      accountId,
      currency,
      providerPayouts,
      balance: '0.00',
      entries: [],
    };
    evolve(world, [{ type: 'trading-account-set', tradingAccount }]);
    return null;
  });
  for (const [index, transaction] of (fixture.transactions ?? []).entries()) {
    const name = `${field}.transactions[${index}]`;
    planTransaction(
      transaction,
      name,
      { accountId, tradingAccountId: id, currency: fixture.currency },
      ids,
      add,
    );
  }
  for (const [index, position] of (fixture.positions ?? []).entries()) {
    planPosition(position, `${field}.positions[${index}]`, id, ids, add);
  }
}

function planPosition(
  fixture: PositionFixture,
  field: string,
  tradingAccountId: string,
  ids: Ids,
  add: Add,
): void {
  const id = ids.take('position', fixture.id);
  add(fixture.ago, field, (context) =>
    playPosition(context, fixture, id, tradingAccountId, 'open'),
  );
  const { closed } = fixture;
  if (closed === undefined) return;
  add(closed.ago, `${field}.closed`, (context) =>
    playPosition(context, fixture, id, tradingAccountId, 'close'),
  );
}

interface Place {
  readonly accountId: string;
  readonly tradingAccountId: string;
  readonly currency: string;
}

function planTransaction(
  fixture: TransactionFixture,
  field: string,
  place: Place,
  ids: Ids,
  add: Add,
): void {
  const id = ids.take('transaction', fixture.id);
  add(fixture.ago, field, (context) => playTransaction(context, fixture, id, place));
  for (const [index, step] of (fixture.steps ?? []).entries()) {
    add(step.ago, `${field}.steps[${index}]`, (context) => playStep(context, id, step));
  }
}

function playAccount(context: ActContext, fixture: AccountFixture, id: string): string | null {
  const { world, behaviour, atMs } = context;
  const { values, accounts, print } = behaviour;
  const brand = world.brands.get(fixture.brand_id);
  if (brand === undefined) return `there is no brand ${fixture.brand_id}`;
  const phone = values.phone(fixture.phone ?? null, fixture.country ?? null);
  const unnamed = fixture.first_name === undefined && fixture.last_name === undefined;
  const name = unnamed ? accounts.nameAfterEmail(fixture.email) : null;
  const account: Account = {
    id,
    firmId: brand.firmId,
    brandId: brand.id,
    reference: fixture.client_reference_id,
    email: fixture.email,
    phone,
    firstName: name?.first ?? fixture.first_name ?? null,
    lastName: name?.last ?? fixture.last_name ?? null,
    country: fixture.country ?? null,
    language: fixture.language ?? null,
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
  evolve(world, [
    { type: 'account-created', account, keys },
    ...emit(context, 'account', 'account.created', account, print.account(account)),
  ]);
  return null;
}

function playTransaction(
  context: ActContext,
  fixture: TransactionFixture,
  id: string,
  place: Place,
): string | null {
  const { world, behaviour, atMs } = context;
  const { values, transactions, print } = behaviour;
  const account = world.accounts.get(place.accountId);
  if (account === undefined) return 'it is older than its account';
  if (!values.isDecimal(fixture.amount)) return `${fixture.amount} is not a decimal`;
  const transaction: Transaction = {
    id,
    firmId: account.firmId,
    brandId: account.brandId,
    ...place,
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
  evolve(world, [
    { type: 'transaction-created', transaction, referenceKey },
    ...emit(
      context,
      'transaction',
      'transaction.created',
      transaction,
      print.transaction(transaction),
    ),
  ]);
  return null;
}
