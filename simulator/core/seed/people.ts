// The history of the people of a starting world: their accounts, transactions and positions, person by
// person.
import { mapProfile } from '../../../fixtures/schemas/account-profile.ts';
import { parseAgo } from '../../../fixtures/worlds/parse-ago.ts';
import type {
  AccountFixture,
  PositionFixture,
  TradingAccountFixture,
  TransactionFixture,
  TransactionStep,
} from '../../../fixtures/worlds/world-fixture.ts';
import { put } from '../change.ts';
import { emit } from '../delivery/deliveries.ts';
import { nameProfile } from '../operations/accounts.ts';
import { transitionChanges } from '../operations/transactions.ts';
import type { Account, Order, Position, Transaction } from '../records.ts';
import { personKeys, transactionKey } from '../references.ts';
import type { Transition, Trigger } from '../tables/transitions.ts';
import type { SeedContext, Seeder } from './seeder.ts';

interface AccountPlace {
  readonly accountId: string;
  readonly tradingAccountId: string;
  readonly currency: string;
}

function seedAccount(context: SeedContext, fixture: AccountFixture, id: string): string | null {
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
  const keys = personKeys(behaviour, account);
  if (world.people.get(keys.index)?.byReference.has(keys.reference)) {
    return `the reference ${account.client_reference_id} is used twice`;
  }
  context.apply([
    put('accounts', account, keys),
    ...emit(context, 'account.created', account, serialize.account(account)),
  ]);
  return null;
}

function seedTradingAccount(
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
  context.apply([put('tradingAccounts', tradingAccount)]);
  return null;
}

function seedTransaction(
  context: SeedContext,
  fixture: TransactionFixture,
  id: string,
  place: AccountPlace,
): string | null {
  const { world, behaviour, atMs } = context;
  const { values, serialize } = behaviour;
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
  const body = serialize.transaction(transaction);
  context.apply([
    put('transactions', transaction, transactionKey(behaviour, transaction)),
    ...emit(context, 'transaction.created', transaction, body),
  ]);
  return null;
}

/** One thing that happened, at its time before the start. */
interface SeedAction {
  readonly agoMs: number;
  /** Where it is written; asked for only when something is wrong with it. */
  readonly field: () => string;
  /** Answers what is wrong with it, or null. */
  readonly run: (context: SeedContext) => string | null;
}

/** What cannot be, and where it is written. */
interface SeedProblem {
  readonly field: string;
  readonly message: string;
}

/** Ids that a fixture leaves out follow the highest given so far, in the order of writing. */
export class IdSequence {
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

/** Lets one person's past happen; answers what is wrong with it, or null. */
export function seedPerson(
  seeder: Seeder,
  fixture: AccountFixture,
  index: number,
  ids: IdSequence,
  startMs: number,
): SeedProblem | null {
  const plays = planAccount(fixture, () => `accounts[${index}]`, ids);
  // Stable: what happened at one time happens in the order of writing.
  plays.sort((one, other) => other.agoMs - one.agoMs);
  for (const { agoMs, field, run } of plays) {
    seeder.atMs = startMs - agoMs;
    const message = run(seeder);
    if (message !== null) return { field: field(), message };
  }
  return null;
}

/** How long ago the first thing of this person was, in milliseconds. */
export function longestAgoMs(fixture: AccountFixture): number {
  const plays = planAccount(fixture, () => '', new IdSequence());
  return plays.reduce((most, { agoMs }) => Math.max(most, agoMs), 0);
}

function planAccount(fixture: AccountFixture, field: () => string, ids: IdSequence): SeedAction[] {
  const id = ids.take('account', fixture.id);
  const agoMs = parseAgo(fixture.ago) ?? 0;
  const plays: SeedAction[] = [
    { agoMs, field, run: (context) => seedAccount(context, fixture, id) },
  ];
  for (const [index, trading] of (fixture.trading_accounts ?? []).entries()) {
    planTrading(plays, trading, () => `${field()}.trading_accounts[${index}]`, agoMs, id, ids);
  }
  return plays;
}

function planTrading(
  plays: SeedAction[],
  fixture: TradingAccountFixture,
  field: () => string,
  agoMs: number,
  accountId: string,
  ids: IdSequence,
): void {
  const id = ids.take('trading', fixture.id);
  plays.push({
    agoMs,
    field,
    run: (context) => seedTradingAccount(context, fixture, id, accountId),
  });
  const place = { accountId, tradingAccountId: id, currency: fixture.currency };
  for (const [index, transaction] of (fixture.transactions ?? []).entries()) {
    planTransaction(plays, transaction, () => `${field()}.transactions[${index}]`, place, ids);
  }
  for (const [index, position] of (fixture.positions ?? []).entries()) {
    planPosition(plays, position, () => `${field()}.positions[${index}]`, id, ids);
  }
}

function planTransaction(
  plays: SeedAction[],
  fixture: TransactionFixture,
  field: () => string,
  place: AccountPlace,
  ids: IdSequence,
): void {
  const id = ids.take('transaction', fixture.id);
  const agoMs = parseAgo(fixture.ago) ?? 0;
  plays.push({ agoMs, field, run: (context) => seedTransaction(context, fixture, id, place) });
  for (const [index, step] of (fixture.steps ?? []).entries()) {
    plays.push({
      agoMs: parseAgo(step.ago) ?? 0,
      field: () => `${field()}.steps[${index}]`,
      run: (context) => seedStep(context, id, step),
    });
  }
}

function planPosition(
  plays: SeedAction[],
  fixture: PositionFixture,
  field: () => string,
  tradingAccountId: string,
  ids: IdSequence,
): void {
  const id = ids.take('position', fixture.id);
  plays.push({
    agoMs: parseAgo(fixture.ago) ?? 0,
    field,
    run: (context) => seedPosition(context, fixture, id, tradingAccountId, 'open'),
  });
  if (fixture.closed === undefined) return;
  plays.push({
    agoMs: parseAgo(fixture.closed.ago) ?? 0,
    field: () => `${field()}.closed`,
    run: (context) => seedPosition(context, fixture, id, tradingAccountId, 'close'),
  });
}

const triggers: Readonly<Record<TransactionStep['to'], Trigger>> = {
  approved: 'approve',
  settled: 'settle',
  rejected: 'reject',
  cancelled: 'cancel',
};

/** Answers why the step cannot be, or null. Nothing of it settles by itself later (NS-3). */
function seedStep(context: SeedContext, id: string, step: TransactionStep): string | null {
  const { world, behaviour } = context;
  const transaction = world.transactions.get(id);
  if (transaction === undefined) return 'it is older than its transaction';
  const trigger = triggers[step.to];
  const move: Transition = behaviour.transactions.transitions[transaction.status][trigger];
  if (move.kind !== 'move') return `a ${transaction.status} transaction does not become ${step.to}`;
  const { reason = null, operator = null } = step;
  const isSaid = step.to === 'rejected' || step.to === 'cancelled';
  const before = isSaid ? { ...transaction, reason, operator } : transaction;
  const { changes } = transitionChanges(context, before, move, trigger);
  context.apply(changes.filter((change) => change.type !== 'timer'));
  return null;
}

function seedPosition(
  context: SeedContext,
  fixture: PositionFixture,
  id: string,
  tradingAccountId: string,
  what: 'open' | 'close',
): string | null {
  const { world, behaviour, atMs } = context;
  const tradingAccount = world.tradingAccounts.get(tradingAccountId);
  const account = world.accounts.get(tradingAccount?.account_id ?? '');
  if (account === undefined) return 'it is older than its account';
  const opened = world.positions.get(id);
  if (what === 'close' && opened === undefined) return 'it is closed before it is opened';
  const closing = what === 'close';
  const position: Position = {
    id,
    trading_account_id: tradingAccountId,
    account_id: account.id,
    instrument: fixture.instrument,
    side: fixture.side,
    volume: closing ? '0' : fixture.volume,
    open_price: fixture.open_price,
    opened_at: opened?.opened_at ?? atMs,
    closed_at: closing ? atMs : null,
  };
  const order: Order = {
    id: String(world.counters.order + 1),
    trading_account_id: tradingAccountId,
    position_id: id,
    instrument: fixture.instrument,
    side: closing ? (fixture.side === 'buy' ? 'sell' : 'buy') : fixture.side,
    volume: fixture.volume,
    price: closing ? (fixture.closed?.price ?? fixture.open_price) : fixture.open_price,
    status: 'filled',
    created_at: atMs,
  };
  const place = { firm_id: account.firm_id, brand_id: account.brand_id, account_id: account.id };
  const kind = closing ? 'position.closed' : 'position.opened';
  context.apply([
    put('positions', position),
    put('orders', order),
    ...emit(context, 'order.filled', place, behaviour.serialize.order(order)),
    ...emit(context, kind, place, ''),
  ]);
  return null;
}
