// Creates a world from a starting world: firms and credentials, the history of its people, and
// subscriptions with their past deliveries.
import { eventWindowMs, type PlanName } from '../../../fixtures/constants.ts';
import { mapProfile } from '../../../fixtures/schemas/account-profile.ts';
import {
  type AccountFixture,
  type Ago,
  type AttemptFixture,
  type DeliveryFixture,
  type PositionFixture,
  parseAgo,
  type SubscriptionFixture,
  type TradingAccountFixture,
  type TransactionFixture,
  type TransactionStep,
  type WorldFixture,
} from '../../../fixtures/worlds/world-fixture.ts';
import type { Behaviour } from '../behaviour.ts';
import { type Change, evolve, keepPast, moveClock, put } from '../change.ts';
import { type CommandContext, createCredential } from '../commands/commands.ts';
import { disabled, emit, newDelivery, newSubscription } from '../delivery/deliveries.ts';
import { newAccount } from '../operations/accounts.ts';
import { fillOrder, otherSide } from '../operations/positions.ts';
import { newTransaction, type Trigger, transitionChanges } from '../operations/transactions.ts';
import type { Account, DeliveryAttempt, EventRecord, Position, Subscription } from '../records.ts';
import { personKeys, transactionKey } from '../references.ts';
import { createWorld, tables, type World, type WorldOptions } from '../world.ts';

/** An inconsistency in a starting world: the field and the remedy. */
export class StartingWorldError extends TypeError {
  override readonly name = 'StartingWorldError';
  readonly field: string;
  constructor(field: string, message: string) {
    super(`${field}: ${message}`);
    this.field = field;
  }
}

interface SeedOptions {
  readonly name: string;
  readonly seed: string;
  readonly startMs: number;
  /** Plan of firms and credentials that do not name one (LIM-1). */
  readonly plan: PlanName;
  readonly options: WorldOptions;
  /** Makes its ids differ from those of a world of the same name and seed. */
  readonly idNonce?: string;
  /** Additional, generated people. */
  readonly madeUp?: GeneratedPeople;
}

export interface GeneratedPeople {
  readonly accounts: Iterable<AccountFixture>;
  /** The age of the oldest generated record. */
  readonly longestAgoMs: number;
}

/**
 * The fixture must already be valid against its schema; other inconsistencies throw a
 * StartingWorldError. Runs in slices of a few milliseconds, so that other work can run in between.
 */
export function* seedInSlices(
  fixture: WorldFixture,
  behaviour: Behaviour,
  options: SeedOptions,
): Generator<void, World> {
  const { startMs, madeUp } = options;
  const agoMs = longestAgo(fixture, madeUp);
  if (agoMs > startMs) {
    // Times start in 1970: an earlier delivery cannot be signed (EVT-5a).
    const earliest = new Date(agoMs).toISOString();
    const message = `must be ${earliest} or later: what this world tells of its past goes back`;
    throw new StartingWorldError('clock', `${message} to 1970 then`);
  }
  const world = createWorld({ ...options, startedAtMs: startMs - agoMs });
  seedFirms(world, fixture, options);
  // EVT-10b: a hand-written world keeps the events of all its people until they expire like any
  // other event; a large generated world only keeps the events of the replay window.
  const sinceMs = madeUp === undefined ? Number.NEGATIVE_INFINITY : startMs - eventWindowMs;
  const history = new History(world, behaviour, startMs, sinceMs);
  let index = 0;
  for (const people of [fixture.accounts ?? [], madeUp?.accounts ?? []]) {
    for (const person of people) {
      history.addPerson(person, `accounts[${index}]`);
      index += 1;
      if (index % 256 === 0) yield;
    }
  }
  history.writeEvents();
  moveClock(world, startMs);
  // Delegated credentials name accounts, so the accounts are created first.
  seedCredentials(world, behaviour, fixture, options);
  for (const [at, each] of (fixture.subscriptions ?? []).entries()) {
    seedSubscription(world, behaviour, each, `subscriptions[${at}]`, startMs);
  }
  evolve(world, [{ type: 'counter', counter: 'historyEvent', to: world.events.lastSeq }]);
  return world;
}

/** How far back the world must begin so that its whole history fits. */
function longestAgo({ accounts = [], subscriptions = [] }: WorldFixture, madeUp?: GeneratedPeople) {
  const agos = [...accounts, ...subscriptions].map(({ ago }) => parseAgo(ago) ?? 0);
  return agos.reduce((longest, agoMs) => Math.max(longest, agoMs), madeUp?.longestAgoMs ?? 0);
}

function seedFirms(world: World, { firms, generate }: WorldFixture, { plan }: SeedOptions): void {
  for (const [at, { id, name, plan: own, rate_per_second = null, brands }] of firms.entries()) {
    refuseSecond(world.firms.has(id), `firms[${at}].id`, id);
    const firm = { id, name, plan: own ?? plan, rate_per_second, permissions: {} };
    evolve(world, [put('firms', firm)]);
    for (const [n, brand] of brands.entries()) {
      refuseSecond(world.brands.has(brand.id), `firms[${at}].brands[${n}].id`, brand.id);
      evolve(world, [put('brands', { ...brand, firm_id: id })]);
    }
  }
  for (const [at, id] of (generate?.brand_ids ?? []).entries()) {
    if (world.brands.has(id)) continue;
    throw new StartingWorldError(`generate.brand_ids[${at}]`, `there is no brand ${id}`);
  }
}

function refuseSecond(isKnown: boolean, field: string, name: string): void {
  if (isKnown) throw new StartingWorldError(field, `${name} is used twice; give it another`);
}

function seedCredentials(
  world: World,
  behaviour: Behaviour,
  fixture: WorldFixture,
  { startMs, plan }: SeedOptions,
): void {
  const context = { world, behaviour, atMs: startMs };
  const names = new Set<string>();
  for (const [index, credential] of fixture.credentials.entries()) {
    refuseSecond(names.has(credential.name), `credentials[${index}].name`, credential.name);
    names.add(credential.name);
    const outcome = createCredential(context, { plan, ...credential });
    if ('refused' in outcome) {
      const { field, message } = outcome.refused;
      throw new StartingWorldError(`credentials[${index}].${field}`, message);
    }
  }
}

function seedSubscription(
  world: World,
  behaviour: Behaviour,
  fixture: SubscriptionFixture,
  place: string,
  startMs: number,
): void {
  const { firm_id, brand_id = null, url, event_categories, deliveries = [] } = fixture;
  const fail = (member: string, message: string): never => {
    throw new StartingWorldError(`${place}.${member}`, message);
  };
  if (!world.firms.has(firm_id)) fail('firm_id', `there is no firm ${firm_id}`);
  if (brand_id !== null && world.brands.get(brand_id)?.firm_id !== firm_id) {
    fail('brand_id', `firm ${firm_id} has no brand ${brand_id}`);
  }
  const created_at = startMs - (parseAgo(fixture.ago) ?? 0);
  const isDisabled = fixture.disabled_ago !== undefined;
  const endMs = startMs - (parseAgo(fixture.disabled_ago ?? 0) ?? 0);
  if (endMs < created_at) fail('disabled_ago', 'is before the subscription began');
  refuseDeliveries(world, behaviour, fixture, fail);
  const given = { firm_id, brand_id, url, event_categories, created_at };
  const record = newSubscription(world, behaviour, given);
  evolve(world, record.changes);
  let subscription = isDisabled
    ? disabled(record.subscription, 'Disabled by request.')
    : record.subscription;
  for (const event of world.events.records) {
    if (event.occurred_at < created_at || event.occurred_at > endMs) continue;
    if (!behaviour.delivery.wants(subscription, event)) continue;
    const pending = newDelivery(world, subscription, event);
    const attempts = attemptsOf(world, behaviour, subscription, event, deliveries);
    const status = attempts.at(-1)?.status ?? null;
    const hasArrived = status !== null && behaviour.delivery.succeeded(status);
    // Stored as pending first, so that it is counted among the finished ones when it ends.
    evolve(world, [
      put('deliveries', pending),
      put('deliveries', { ...pending, attempts, status: hasArrived ? 'delivered' : 'exhausted' }),
    ]);
    subscription = hasArrived
      ? { ...subscription, last_delivered_seq: event.seq }
      : { ...subscription, stopped: true, cursor_seq: event.seq };
    if (!hasArrived) break;
  }
  evolve(world, [put('subscriptions', subscription)]);
}

/** Refuses past deliveries that are impossible for this subscription. */
function refuseDeliveries(
  world: World,
  { settings, delivery: policy }: Behaviour,
  { event_categories: categories, deliveries = [] }: SubscriptionFixture,
  fail: (member: string, message: string) => never,
): void {
  if (deliveries.length === 0) return;
  const happened = new Set(world.events.records.map((event) => `${event.kind} ${idIn(event)}`));
  const names = settings.event_kinds as Readonly<Record<string, string | null>>;
  for (const [n, { kind, record_id: id, attempts }] of deliveries.entries()) {
    const own = `deliveries[${n}]`;
    const named = names[kind] === undefined ? kind : names[kind];
    if (named !== null && !happened.has(`${named} ${id}`)) {
      fail(`${own}.record_id`, `there is no ${kind} of a record ${id} in this world`);
    }
    if (!categories.some((category) => kind.startsWith(`${category}.`))) {
      fail(`${own}.kind`, 'is of no category of this subscription');
    }
    const taken = attempts.findIndex(({ status }) => status !== null && policy.succeeded(status));
    if (taken >= 0 && taken < attempts.length - 1) {
      fail(`${own}.attempts[${taken + 1}]`, 'comes after one that was taken');
    }
    // EVT-8b: a delivery that ends in failure has used up all attempts.
    if (taken < 0 && attempts.length <= policy.gapsMs.length) {
      fail(`${own}.attempts`, 'must end with one that was taken, or be eight');
    }
  }
}

const idIn = ({ body }: EventRecord): string => JSON.parse(body).id;

const atOnce: AttemptFixture = { status: 200, duration_ms: 20 };

/** How an event was delivered: as the fixture says, or at the first attempt. */
function attemptsOf(
  world: World,
  { delivery: policy }: Behaviour,
  { secret }: Subscription,
  event: EventRecord,
  deliveries: readonly DeliveryFixture[],
): readonly DeliveryAttempt[] {
  const written = deliveries.find(
    ({ kind, record_id: id }) => kind === event.kind && idIn(event) === id,
  );
  const attempts: readonly AttemptFixture[] = written?.attempts ?? [atOnce];
  const body = policy.body(event, world, 1);
  let dueAtMs = event.occurred_at;
  return attempts.map(({ status, error = null, duration_ms }, index) => {
    const at_ms = dueAtMs;
    dueAtMs += duration_ms + (policy.gapsMs[index] ?? 0);
    const signature = policy.signature([secret], at_ms, body);
    return { n: index + 1, at_ms, status, error, duration_ms, signature };
  });
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

/** The accounts, transactions and positions of people, person by person; their events are then sorted. */
class History implements CommandContext {
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

  /** An id that a fixture omits continues after the highest id so far, in the order of the file. */
  #takeId(kind: Kind, given: string | undefined): string {
    const { counter } = tables[kind];
    const to = given === undefined ? this.world.counters[counter] + 1 : Number(given);
    evolve(this.world, [{ type: 'counter', counter, to }]);
    return String(to);
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

  #addTransaction(fixture: TransactionFixture, ids: Ids): void {
    const { world, behaviour } = this;
    const { id } = ids;
    const account = this.#accountOf(ids);
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
    const { reason = null, operator = null } = isExplained ? step : transaction;
    if (isExplained && reason === null) {
      this.#fail(`is missing: say why it was ${to}`, '.reason');
    }
    const before = { ...transaction, reason, operator };
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
