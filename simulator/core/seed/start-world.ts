// Creates a world from a starting world: firms and credentials, the history of its people, and
// subscriptions with their past deliveries.
import { eventWindowMs, type PlanName } from '../../../fixtures/constants.ts';
import { parseAgo } from '../../../fixtures/worlds/parse-ago.ts';
import type {
  AccountFixture,
  AttemptFixture,
  DeliveryFixture,
  SubscriptionFixture,
  WorldFixture,
} from '../../../fixtures/worlds/world-fixture.ts';
import type { Behaviour } from '../behaviour.ts';
import { evolve, moveClock, put } from '../change.ts';
import { createCredential } from '../commands/commands.ts';
import { disabled, newDelivery, newSubscription } from '../delivery/deliveries.ts';
import type { DeliveryAttempt, EventRecord, Subscription } from '../records.ts';
import { createWorld, type World, type WorldOptions } from '../world.ts';
import { History, StartingWorldError } from './history.ts';

export { StartingWorldError } from './history.ts';

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
  let longestMs = madeUp?.longestAgoMs ?? 0;
  for (const { ago } of [...accounts, ...subscriptions]) {
    longestMs = Math.max(longestMs, parseAgo(ago) ?? 0);
  }
  return longestMs;
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

/** A subscription with its past deliveries. */
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
  const attempts: readonly AttemptFixture[] = written?.attempts ?? [
    { status: 200, duration_ms: 20 },
  ];
  const body = policy.body(event, world, 1);
  let dueAtMs = event.occurred_at;
  return attempts.map(({ status, error = null, duration_ms }, index) => {
    const at_ms = dueAtMs;
    dueAtMs += duration_ms + (policy.gapsMs[index] ?? 0);
    const signature = policy.signature([secret], at_ms, body);
    return { n: index + 1, at_ms, status, error, duration_ms, signature };
  });
}
