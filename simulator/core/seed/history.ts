// The history of the people of a starting world: their accounts, transactions and positions, person
// by person. Their events are then sorted by time.
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
import type { Behaviour } from '../behaviour.ts';
import { type Change, evolve, keepPast, put } from '../change.ts';
import type { CommandContext } from '../commands/commands.ts';
import { emit } from '../delivery/deliveries.ts';
import { newAccount } from '../operations/accounts.ts';
import { fillOrder, otherSide } from '../operations/positions.ts';
import { newTransaction, type Trigger, transitionChanges } from '../operations/transactions.ts';
import type { Account, EventRecord, Position } from '../records.ts';
import { personKeys, transactionKey } from '../references.ts';
import type { World } from '../world.ts';

/** An inconsistency in a starting world: the field and the remedy. */
export class StartingWorldError extends TypeError {
  override readonly name = 'StartingWorldError';
  readonly field: string;
  constructor(field: string, message: string) {
    super(`${field}: ${message}`);
    this.field = field;
  }
}

type Kind = 'accounts' | 'tradingAccounts' | 'transactions' | 'positions';

/** The ids of a transaction or position, and of its owners. */
interface Ids {
  readonly id: string;
  readonly tradingId: string;
  readonly accountId: string;
}

const triggers: Readonly<Record<TransactionStep['to'], Trigger>> = {
  approved: 'approve',
  settled: 'settle',
  rejected: 'reject',
  cancelled: 'cancel',
};

export class History implements CommandContext {
  readonly world: World;
  atMs = 0;
  readonly #startMs: number;
  readonly #sinceMs: number;
  readonly #printing: Behaviour;
  readonly #silent: Behaviour;
  readonly #events: EventRecord[] = [];
  #forgotten = 0;
  /** The path of the fixture part that is being applied. */
  #place = '';
  /** Ids that a fixture omits continue after the highest id so far, in the order of the file. */
  readonly #lastIds = {
    accounts: 1000,
    tradingAccounts: 5000,
    transactions: 9000,
    positions: 7000,
  };

  /** Events before `sinceMs` are only counted, because they are too old to be read. */
  constructor(world: World, behaviour: Behaviour, startMs: number, sinceMs: number) {
    this.world = world;
    this.#startMs = startMs;
    this.#sinceMs = sinceMs;
    this.#printing = behaviour;
    const nothing = () => '';
    const silent = { account: nothing, order: nothing, position: nothing, transaction: nothing };
    this.#silent = { ...behaviour, serialize: { ...behaviour.serialize, ...silent } };
  }

  /** Serializes records only for events that are kept: in a large world most are not. */
  get behaviour(): Behaviour {
    return this.atMs < this.#sinceMs ? this.#silent : this.#printing;
  }

  /** Generates the history of one person. */
  addPerson(person: AccountFixture, field: string): void {
    const actions: { agoMs: number; place: string; run: () => void }[] = [];
    const add = (ago: Ago, place: string, run: () => void) =>
      actions.push({ agoMs: parseAgo(ago) ?? 0, place, run });
    const accountId = this.#takeId('accounts', person.id);
    add(person.ago, field, () => this.#addAccount(person, accountId));
    for (const [at, trading] of (person.trading_accounts ?? []).entries()) {
      const place = `${field}.trading_accounts[${at}]`;
      const tradingId = this.#takeId('tradingAccounts', trading.id);
      add(person.ago, place, () => this.#addTradingAccount(trading, tradingId, accountId));
      for (const [n, transaction] of (trading.transactions ?? []).entries()) {
        const own = `${place}.transactions[${n}]`;
        const id = this.#takeId('transactions', transaction.id);
        const ids = { id, tradingId, accountId };
        add(transaction.ago, own, () => this.#addTransaction(transaction, ids));
        for (const [index, step] of (transaction.steps ?? []).entries()) {
          add(step.ago, `${own}.steps[${index}]`, () => this.#moveTransaction(id, step));
        }
      }
      for (const [n, position] of (trading.positions ?? []).entries()) {
        const own = `${place}.positions[${n}]`;
        const ids = { id: this.#takeId('positions', position.id), tradingId, accountId };
        add(position.ago, own, () => this.#openPosition(position, ids));
        const { closed } = position;
        if (closed === undefined) continue;
        add(closed.ago, `${own}.closed`, () => this.#closePosition(position, closed.price, ids.id));
      }
    }
    // The sort is stable: events with the same time stay in the order of the file.
    actions.sort((one, other) => other.agoMs - one.agoMs);
    for (const { agoMs, place, run } of actions) {
      this.atMs = this.#startMs - agoMs;
      this.#place = place;
      run();
    }
  }

  /** Numbers the events and stores them in the world; events with the same time stay in order. */
  writeEvents(): void {
    const forgotten = this.#forgotten;
    const ordered = this.#events.sort((one, other) => one.occurred_at - other.occurred_at);
    const numbered = ordered.map((event, index) => ({ ...event, seq: forgotten + index + 1 }));
    keepPast(this.world, numbered, forgotten);
  }

  #takeId(kind: Kind, given: string | undefined): string {
    const value = given === undefined ? this.#lastIds[kind] + 1 : Number(given);
    this.#lastIds[kind] = Math.max(this.#lastIds[kind], value);
    return String(value);
  }

  #fail(message: string, member: string): never {
    throw new StartingWorldError(`${this.#place}${member}`, message);
  }

  #refuseSecond(kind: Kind, id: string): void {
    if (this.world[kind].has(id)) this.#fail(`${id} is used twice; give it another`, '.id');
  }

  #apply(changes: readonly Change[]): void {
    for (const change of changes) {
      if (change.type !== 'event') evolve(this.world, [change]);
      else if (this.atMs < this.#sinceMs) this.#forgotten += 1;
      else this.#events.push({ seq: 0, ...change.draft, occurred_at: this.atMs });
    }
  }

  #addAccount(fixture: AccountFixture, id: string): void {
    const { world, behaviour } = this;
    const { brand_id, client_reference_id, email, country, status } = fixture;
    const brand = world.brands.get(brand_id);
    if (brand === undefined) this.#fail(`there is no brand ${brand_id}`, '.brand_id');
    this.#refuseSecond('accounts', id);
    const record = newAccount(behaviour, {
      ...{ id, firm_id: brand.firm_id, brand_id, client_reference_id, email },
      phone: behaviour.values.phone(fixture.phone ?? null, country ?? null),
      ...mapProfile((field) => fixture[field] ?? null),
      created_at: this.atMs,
    });
    const account = status === undefined ? record : { ...record, status };
    const keys = personKeys(behaviour, account);
    if (world.people.get(keys.index)?.byReference.has(keys.reference)) {
      this.#fail(`${client_reference_id} is used twice`, '.client_reference_id');
    }
    if (world.people.get(keys.people)?.byEmail.has(keys.email)) {
      this.#fail(`${email} is used twice at its brand`, '.email');
    }
    const body = behaviour.serialize.account(account);
    this.#apply([put('accounts', account, keys), ...emit(this, 'account.created', account, body)]);
  }

  #addTradingAccount(fixture: TradingAccountFixture, id: string, account_id: string): void {
    const { currency, provider_payouts = false } = fixture;
    this.#refuseSecond('tradingAccounts', id);
    const record = { id, account_id, currency, provider_payouts, balance: '0.00', entries: [] };
    this.#apply([put('tradingAccounts', record)]);
  }

  #accountOf({ accountId }: Ids): Account {
    return this.world.accounts.get(accountId) ?? this.#fail('is older than its account', '.ago');
  }

  #addTransaction(fixture: TransactionFixture, { id, ...ids }: Ids): void {
    const { world, behaviour } = this;
    const account = this.#accountOf({ id, ...ids });
    this.#refuseSecond('transactions', id);
    const { amount, method = null, transaction_type, client_reference_id } = fixture;
    if (!behaviour.values.isDecimal(amount)) this.#fail(`${amount} is not a decimal`, '.amount');
    const transaction = newTransaction(account, {
      ...{ id, client_reference_id, amount, method, transaction_type },
      trading_account_id: ids.tradingId,
      currency: world.tradingAccounts.get(ids.tradingId)?.currency ?? '',
      created_at: this.atMs,
    });
    const key = transactionKey(behaviour, transaction);
    if (world.transactionByReference.has(key)) {
      this.#fail(`${client_reference_id} is used twice`, '.client_reference_id');
    }
    const body = behaviour.serialize.transaction(transaction);
    this.#apply([
      put('transactions', transaction, key),
      ...emit(this, 'transaction.created', transaction, body),
    ]);
  }

  /** No step schedules an automatic settlement (NS-3). */
  #moveTransaction(id: string, step: TransactionStep): void {
    const { to } = step;
    const transaction = this.world.transactions.get(id);
    if (transaction === undefined) this.#fail('is older than its transaction', '.ago');
    const trigger = triggers[to];
    const move = this.behaviour.transactions.transitions[transaction.status][trigger];
    if (move.kind !== 'move') {
      this.#fail(`a ${transaction.status} transaction does not become ${to}`, '.to');
    }
    const isExplained = to === 'rejected' || to === 'cancelled';
    if (isExplained && step.reason === undefined)
      this.#fail(`is missing: say why it was ${to}`, '.reason');
    const decided = {
      ...transaction,
      reason: step.reason ?? null,
      operator: step.operator ?? null,
    };
    const before = isExplained ? decided : transaction;
    const { changes } = transitionChanges(this, before, move, trigger);
    this.#apply(changes.filter((change) => change.type !== 'timer'));
  }

  #openPosition(fixture: PositionFixture, ids: Ids): void {
    const { instrument, side, volume, open_price } = fixture;
    const account = this.#accountOf(ids);
    this.#refuseSecond('positions', ids.id);
    const position: Position = {
      ...{ id: ids.id, trading_account_id: ids.tradingId, account_id: account.id },
      ...{ instrument, side, volume, open_price, opened_at: this.atMs, closed_at: null },
    };
    this.#apply(fillOrder(this, position, { side, volume, price: open_price }).changes);
  }

  #closePosition({ side, volume }: PositionFixture, price: string, id: string): void {
    const opened = this.world.positions.get(id);
    if (opened === undefined) this.#fail('is before the position was opened', '.ago');
    const closed: Position = { ...opened, volume: '0', closed_at: this.atMs };
    this.#apply(fillOrder(this, closed, { side: otherSide(side), volume, price }).changes);
  }
}
