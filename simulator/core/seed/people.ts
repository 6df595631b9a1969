// The history of the people of a starting world: their accounts, transactions and positions, person by
// person.
import { mapProfile } from '../../../fixtures/schemas/account-profile.ts';
import { parseAgo } from '../../../fixtures/worlds/parse-ago.ts';
import type {
  AccountFixture,
  Ago,
  PositionFixture,
  TradingAccountFixture,
  TransactionFixture,
  TransactionStep,
} from '../../../fixtures/worlds/world-fixture.ts';
import { put } from '../change.ts';
import { emit } from '../delivery/deliveries.ts';
import { newAccount } from '../operations/accounts.ts';
import { fillOrder, otherSide } from '../operations/positions.ts';
import { newTransaction, transitionChanges } from '../operations/transactions.ts';
import type { Position, TradingAccount } from '../records.ts';
import { personKeys, transactionKey } from '../references.ts';
import type { Trigger } from '../tables/transitions.ts';
import type { Seeder } from './seeder.ts';

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

/** One thing that happened, at its time before the start. */
interface SeedAction {
  readonly agoMs: number;
  /** Where it is written; asked for only when something is wrong with it. */
  readonly field: () => string;
  readonly run: SeedStep;
}

/** Answers what is wrong with it, or null. */
type SeedStep = (seeder: Seeder) => string | null;

/** Lets one person's past happen; answers what is wrong with it and where, or null. */
export function seedPerson(
  seeder: Seeder,
  fixture: AccountFixture,
  index: number,
  ids: IdSequence,
  startMs: number,
): { readonly field: string; readonly message: string } | null {
  const actions = planAccount(fixture, `accounts[${index}]`, ids);
  // Stable: what happened at one time happens in the order of writing.
  actions.sort((one, other) => other.agoMs - one.agoMs);
  for (const { agoMs, field, run } of actions) {
    seeder.moveTo(startMs - agoMs);
    const message = run(seeder);
    if (message !== null) return { field: field(), message };
  }
  return null;
}

function planAccount(person: AccountFixture, field: string, ids: IdSequence): SeedAction[] {
  const actions: SeedAction[] = [];
  const add = (ago: Ago, where: () => string, run: SeedStep) =>
    actions.push({ agoMs: parseAgo(ago) ?? 0, field: where, run });
  const accountId = ids.take('account', person.id);
  add(person.ago, () => field, seedAccount(person, accountId));
  for (const [at, trading] of (person.trading_accounts ?? []).entries()) {
    const tradingId = ids.take('trading', trading.id);
    const whereTrading = () => `${field}.trading_accounts[${at}]`;
    add(person.ago, whereTrading, seedTradingAccount(trading, tradingId, accountId));
    for (const [n, transaction] of (trading.transactions ?? []).entries()) {
      const id = ids.take('transaction', transaction.id);
      const where = () => `${whereTrading()}.transactions[${n}]`;
      add(transaction.ago, where, seedTransaction(transaction, id, tradingId));
      for (const [index, step] of (transaction.steps ?? []).entries()) {
        add(step.ago, () => `${where()}.steps[${index}]`, seedTransition(id, step));
      }
    }
    for (const [n, position] of (trading.positions ?? []).entries()) {
      const id = ids.take('position', position.id);
      const where = () => `${whereTrading()}.positions[${n}]`;
      add(position.ago, where, openPosition(position, id, tradingId));
      const { closed } = position;
      if (closed === undefined) continue;
      add(closed.ago, () => `${where()}.closed`, closePosition(position, closed.price, id));
    }
  }
  return actions;
}

function seedAccount(fixture: AccountFixture, id: string): SeedStep {
  return (seeder) => {
    const { world, behaviour, atMs } = seeder;
    const brand = world.brands.get(fixture.brand_id);
    if (brand === undefined) return `there is no brand ${fixture.brand_id}`;
    const { client_reference_id, email, country, status } = fixture;
    const made = newAccount(behaviour, {
      id,
      firm_id: brand.firm_id,
      brand_id: brand.id,
      client_reference_id,
      email,
      phone: behaviour.values.phone(fixture.phone ?? null, country ?? null),
      ...mapProfile((field) => fixture[field] ?? null),
      created_at: atMs,
    });
    const account = status === undefined ? made : { ...made, status };
    const keys = personKeys(behaviour, account);
    if (world.people.get(keys.index)?.byReference.has(keys.reference)) {
      return `the reference ${client_reference_id} is used twice`;
    }
    const body = behaviour.serialize.account(account);
    seeder.apply([
      put('accounts', account, keys),
      ...emit(seeder, 'account.created', account, body),
    ]);
    return null;
  };
}

function seedTradingAccount(
  { currency, provider_payouts = false }: TradingAccountFixture,
  id: string,
  account_id: string,
): SeedStep {
  const made = { id, account_id, currency, provider_payouts, balance: '0.00', entries: [] };
  return (seeder) => {
    seeder.apply([put('tradingAccounts', made)]);
    return null;
  };
}

const tooOld = 'it is older than its account';

function placeOf({ world }: Seeder, tradingId: string) {
  const trading = world.tradingAccounts.get(tradingId);
  const account = world.accounts.get(trading?.account_id ?? '');
  return { trading: trading as TradingAccount, account };
}

function seedTransaction(
  { amount, method, transaction_type, client_reference_id }: TransactionFixture,
  id: string,
  tradingId: string,
): SeedStep {
  return (seeder) => {
    const { behaviour, atMs } = seeder;
    const { account, trading } = placeOf(seeder, tradingId);
    if (account === undefined) return tooOld;
    if (!behaviour.values.isDecimal(amount)) return `${amount} is not a decimal`;
    const transaction = newTransaction(account, {
      id,
      trading_account_id: tradingId,
      client_reference_id,
      currency: trading.currency,
      amount,
      method: method ?? null,
      transaction_type,
      created_at: atMs,
    });
    const body = behaviour.serialize.transaction(transaction);
    seeder.apply([
      put('transactions', transaction, transactionKey(behaviour, transaction)),
      ...emit(seeder, 'transaction.created', transaction, body),
    ]);
    return null;
  };
}

const triggers: Readonly<Record<TransactionStep['to'], Trigger>> = {
  approved: 'approve',
  settled: 'settle',
  rejected: 'reject',
  cancelled: 'cancel',
};

/** Nothing of it settles by itself later (NS-3). */
function seedTransition(id: string, { to, reason, operator }: TransactionStep): SeedStep {
  return (seeder) => {
    const transaction = seeder.world.transactions.get(id);
    if (transaction === undefined) return 'it is older than its transaction';
    const move = seeder.behaviour.transactions.transitions[transaction.status][triggers[to]];
    if (move.kind !== 'move') return `a ${transaction.status} transaction does not become ${to}`;
    const decided = { ...transaction, reason: reason ?? null, operator: operator ?? null };
    const before = to === 'rejected' || to === 'cancelled' ? decided : transaction;
    const { changes } = transitionChanges(seeder, before, move, triggers[to]);
    seeder.apply(changes.filter((change) => change.type !== 'timer'));
    return null;
  };
}

function openPosition(
  { instrument, side, volume, open_price: price }: PositionFixture,
  id: string,
  tradingId: string,
): SeedStep {
  return (seeder) => {
    const { account } = placeOf(seeder, tradingId);
    if (account === undefined) return tooOld;
    const position: Position = {
      id,
      trading_account_id: tradingId,
      account_id: account.id,
      instrument,
      side,
      volume,
      open_price: price,
      opened_at: seeder.atMs,
      closed_at: null,
    };
    seeder.apply(fillOrder(seeder, position, { side, volume, price }).changes);
    return null;
  };
}

function closePosition({ side, volume }: PositionFixture, price: string, id: string): SeedStep {
  return (seeder) => {
    const opened = seeder.world.positions.get(id);
    if (opened === undefined) return 'it is closed before it is opened';
    const closed: Position = { ...opened, volume: '0', closed_at: seeder.atMs };
    seeder.apply(fillOrder(seeder, closed, { side: otherSide(side), volume, price }).changes);
    return null;
  };
}
