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
import type { Account, Position } from '../records.ts';
import { personKeys, transactionKey } from '../references.ts';
import type { Trigger } from '../tables/transitions.ts';
import { type Seeder, StartingWorldError } from './seeder.ts';

type Kind = 'accounts' | 'tradingAccounts' | 'transactions' | 'positions';

/** Ids that a fixture leaves out follow the highest given so far, in the order of writing. */
export class IdSequence {
  readonly #last = { accounts: 1000, tradingAccounts: 5000, transactions: 9000, positions: 7000 };

  take(kind: Kind, given: string | undefined): string {
    const value = given === undefined ? this.#last[kind] + 1 : Number(given);
    this.#last[kind] = Math.max(this.#last[kind], value);
    return String(value);
  }
}

/** Ends the seeding: what is wrong, and the member of the place where it is. */
type Fail = (message: string, member?: string) => never;

/** Lets one person's past happen. */
export function seedPerson(
  seeder: Seeder,
  person: AccountFixture,
  field: string,
  ids: IdSequence,
  startMs: number,
): void {
  const actions: { agoMs: number; place: string; run: (fail: Fail) => void }[] = [];
  const add = (ago: Ago, place: string, run: (fail: Fail) => void) =>
    actions.push({ agoMs: parseAgo(ago) ?? 0, place, run });
  const accountId = ids.take('accounts', person.id);
  add(person.ago, field, (fail) => seedAccount(seeder, person, accountId, fail));
  for (const [at, trading] of (person.trading_accounts ?? []).entries()) {
    const place = `${field}.trading_accounts[${at}]`;
    const tradingId = ids.take('tradingAccounts', trading.id);
    add(person.ago, place, (fail) => seedTrading(seeder, trading, tradingId, accountId, fail));
    for (const [n, transaction] of (trading.transactions ?? []).entries()) {
      const own = `${place}.transactions[${n}]`;
      const id = ids.take('transactions', transaction.id);
      add(transaction.ago, own, (fail) =>
        seedTransaction(seeder, transaction, { id, tradingId, accountId }, fail),
      );
      for (const [index, step] of (transaction.steps ?? []).entries()) {
        add(step.ago, `${own}.steps[${index}]`, (fail) => seedTransition(seeder, id, step, fail));
      }
    }
    for (const [n, position] of (trading.positions ?? []).entries()) {
      const own = `${place}.positions[${n}]`;
      const id = ids.take('positions', position.id);
      add(position.ago, own, (fail) =>
        openPosition(seeder, position, { id, tradingId, accountId }, fail),
      );
      const { closed } = position;
      if (closed === undefined) continue;
      add(closed.ago, `${own}.closed`, (fail) =>
        closePosition(seeder, position, closed.price, id, fail),
      );
    }
  }
  // Stable: what happened at one time happens in the order of writing.
  actions.sort((one, other) => other.agoMs - one.agoMs);
  for (const { agoMs, place, run } of actions) {
    seeder.atMs = startMs - agoMs;
    run((message, member = '') => {
      throw new StartingWorldError(`${place}${member}`, message);
    });
  }
}

function refuseSecond({ world }: Seeder, kind: Kind, id: string, fail: Fail): void {
  if (world[kind].has(id)) fail(`${id} is used twice; give it another`, '.id');
}

function seedAccount(seeder: Seeder, fixture: AccountFixture, id: string, fail: Fail): void {
  const { world, behaviour } = seeder;
  const { brand_id, client_reference_id, email, country, status } = fixture;
  const brand = world.brands.get(brand_id);
  if (brand === undefined) fail(`there is no brand ${brand_id}`, '.brand_id');
  refuseSecond(seeder, 'accounts', id, fail);
  const made = newAccount(behaviour, {
    id,
    firm_id: brand.firm_id,
    brand_id,
    client_reference_id,
    email,
    phone: behaviour.values.phone(fixture.phone ?? null, country ?? null),
    ...mapProfile((field) => fixture[field] ?? null),
    created_at: seeder.atMs,
  });
  const account = status === undefined ? made : { ...made, status };
  const keys = personKeys(behaviour, account);
  if (world.people.get(keys.index)?.byReference.has(keys.reference)) {
    fail(`${client_reference_id} is used twice`, '.client_reference_id');
  }
  if (world.people.get(keys.people)?.byEmail.has(keys.email)) {
    fail(`${email} is used twice at its brand`, '.email');
  }
  const body = behaviour.serialize.account(account);
  seeder.apply([put('accounts', account, keys), ...emit(seeder, 'account.created', account, body)]);
}

function seedTrading(
  seeder: Seeder,
  { currency, provider_payouts = false }: TradingAccountFixture,
  id: string,
  account_id: string,
  fail: Fail,
): void {
  refuseSecond(seeder, 'tradingAccounts', id, fail);
  const made = { id, account_id, currency, provider_payouts, balance: '0.00', entries: [] };
  seeder.apply([put('tradingAccounts', made)]);
}

interface Ids {
  readonly id: string;
  readonly tradingId: string;
  readonly accountId: string;
}

function accountOf({ world }: Seeder, { accountId }: Ids, fail: Fail): Account {
  return world.accounts.get(accountId) ?? fail('is older than its account', '.ago');
}

function seedTransaction(seeder: Seeder, fixture: TransactionFixture, ids: Ids, fail: Fail): void {
  const { world, behaviour } = seeder;
  const account = accountOf(seeder, ids, fail);
  refuseSecond(seeder, 'transactions', ids.id, fail);
  const { amount, method, transaction_type, client_reference_id } = fixture;
  if (!behaviour.values.isDecimal(amount)) fail(`${amount} is not a decimal`, '.amount');
  const transaction = newTransaction(account, {
    id: ids.id,
    trading_account_id: ids.tradingId,
    client_reference_id,
    currency: world.tradingAccounts.get(ids.tradingId)?.currency ?? '',
    amount,
    method: method ?? null,
    transaction_type,
    created_at: seeder.atMs,
  });
  const key = transactionKey(behaviour, transaction);
  if (world.transactionByReference.has(key)) {
    fail(`${client_reference_id} is used twice`, '.client_reference_id');
  }
  const body = behaviour.serialize.transaction(transaction);
  seeder.apply([
    put('transactions', transaction, key),
    ...emit(seeder, 'transaction.created', transaction, body),
  ]);
}

const triggers: Readonly<Record<TransactionStep['to'], Trigger>> = {
  approved: 'approve',
  settled: 'settle',
  rejected: 'reject',
  cancelled: 'cancel',
};

/** Nothing of it settles by itself later (NS-3). */
function seedTransition(
  seeder: Seeder,
  id: string,
  { to, reason, operator }: TransactionStep,
  fail: Fail,
): void {
  const transaction = seeder.world.transactions.get(id);
  if (transaction === undefined) fail('is older than its transaction', '.ago');
  const move = seeder.behaviour.transactions.transitions[transaction.status][triggers[to]];
  if (move.kind !== 'move') {
    fail(`a ${transaction.status} transaction does not become ${to}`, '.to');
  }
  const isExplained = to === 'rejected' || to === 'cancelled';
  if (isExplained && reason === undefined) fail(`is missing: say why it was ${to}`, '.reason');
  const decided = { ...transaction, reason: reason ?? null, operator: operator ?? null };
  const before = isExplained ? decided : transaction;
  const { changes } = transitionChanges(seeder, before, move, triggers[to]);
  seeder.apply(changes.filter((change) => change.type !== 'timer'));
}

function openPosition(
  seeder: Seeder,
  { instrument, side, volume, open_price: price }: PositionFixture,
  ids: Ids,
  fail: Fail,
): void {
  const account = accountOf(seeder, ids, fail);
  refuseSecond(seeder, 'positions', ids.id, fail);
  const position: Position = {
    id: ids.id,
    trading_account_id: ids.tradingId,
    account_id: account.id,
    instrument,
    side,
    volume,
    open_price: price,
    opened_at: seeder.atMs,
    closed_at: null,
  };
  seeder.apply(fillOrder(seeder, position, { side, volume, price }).changes);
}

function closePosition(
  seeder: Seeder,
  { side, volume }: PositionFixture,
  price: string,
  id: string,
  fail: Fail,
): void {
  const opened = seeder.world.positions.get(id);
  if (opened === undefined) fail('is before the position was opened', '.ago');
  const closed: Position = { ...opened, volume: '0', closed_at: seeder.atMs };
  seeder.apply(fillOrder(seeder, closed, { side: otherSide(side), volume, price }).changes);
}
