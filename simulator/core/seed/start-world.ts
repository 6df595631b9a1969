// Makes a world out of a written starting point: firms and credentials, the history of its people, and
// subscriptions with the deliveries they have had.
import { eventWindowMs, type PlanName } from '../../../fixtures/constants.ts';
import { parseAgo } from '../../../fixtures/worlds/parse-ago.ts';
import type {
  AccountFixture,
  DeliveryFixture,
  SubscriptionFixture,
  WorldFixture,
} from '../../../fixtures/worlds/world-fixture.ts';
import type { Behaviour } from '../behaviour.ts';
import { put } from '../change.ts';
import { createCredential } from '../commands/commands.ts';
import { disabled, newSubscription } from '../delivery/deliveries.ts';
import { evolve, moveClock } from '../evolve.ts';
import type { Delivery, DeliveryAttempt, EventRecord, Subscription } from '../records.ts';
import { createWorld, type World, type WorldOptions } from '../world.ts';
import { IdSequence, seedPerson } from './people.ts';
import { Seeder, StartingWorldError } from './seeder.ts';

export { StartingWorldError } from './seeder.ts';

interface SeedOptions {
  readonly name: string;
  readonly seed: string;
  readonly startMs: number;
  /** Plan of firms and credentials that name none (LIM-1). */
  readonly plan: PlanName;
  readonly options: WorldOptions;
  /** What makes its ids unlike those of a world of the same name and seed. */
  readonly idNonce?: string;
  /** People beside those that are written out. */
  readonly madeUp?: GeneratedPeople;
}

export interface GeneratedPeople {
  readonly accounts: Iterable<AccountFixture>;
  /** Nothing of them is older than this. */
  readonly longestAgoMs: number;
}

/**
 * The fixture must have been checked against its schema; throws a StartingWorldError for the rest.
 * In slices of some milliseconds, so that who has other work can do it in between.
 */
export function* seedInSlices(
  fixture: WorldFixture,
  behaviour: Behaviour,
  options: SeedOptions,
): Generator<void, World> {
  const { startMs, madeUp } = options;
  const agoMs = longestAgo(fixture, madeUp);
  if (agoMs > startMs) {
    // Times are counted from 1970 on, and a delivery of before cannot be signed (EVT-5a).
    const earliest = new Date(agoMs).toISOString();
    const message = `must be ${earliest} or later: what this world tells of its past goes back`;
    throw new StartingWorldError('clock', `${message} to 1970 then`);
  }
  const world = createWorld({ ...options, startedAtMs: startMs - agoMs });
  seedFirms(world, fixture, options);
  // EVT-10b: written people are few, and their events are forgotten as those of the API are; of a
  // large world only the events that can still be asked for are kept.
  const sinceMs = madeUp === undefined ? Number.NEGATIVE_INFINITY : startMs - eventWindowMs;
  const seeder = new Seeder(world, behaviour, sinceMs);
  yield* seedPeople(seeder, fixture, options);
  seeder.writeEvents();
  moveClock(world, startMs);
  // Delegated credentials are for accounts, which had to be made first.
  seedCredentials(world, behaviour, fixture, options);
  for (const [at, each] of (fixture.subscriptions ?? []).entries()) {
    refuseSubscription(world, behaviour, each, `subscriptions[${at}]`);
    seedSubscription(world, behaviour, each, startMs);
  }
  evolve(world, [{ type: 'counter', counter: 'historyEvent', to: world.events.lastSeq }]);
  return world;
}

function* seedPeople(
  seeder: Seeder,
  { accounts = [] }: WorldFixture,
  { startMs, madeUp }: SeedOptions,
): Generator<void> {
  const ids = new IdSequence();
  let index = 0;
  for (const people of [accounts, madeUp?.accounts ?? []]) {
    for (const person of people) {
      seedPerson(seeder, person, `accounts[${index}]`, ids, startMs);
      index += 1;
      if (index % 256 === 0) yield;
    }
  }
}

/** When the world must begin for all of it to have happened since. */
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

/** What cannot be about a subscription and its deliveries. */
function refuseSubscription(
  world: World,
  { settings, delivery: policy }: Behaviour,
  fixture: SubscriptionFixture,
  field: string,
): void {
  const { firm_id: firmId, brand_id: brandId, ago, disabled_ago: disabledAgo = 0 } = fixture;
  const refuse = (member: string, message: string) => {
    throw new StartingWorldError(`${field}.${member}`, message);
  };
  if (!world.firms.has(firmId)) refuse('firm_id', `there is no firm ${firmId}`);
  if (brandId !== undefined && world.brands.get(brandId)?.firm_id !== firmId) {
    refuse('brand_id', `firm ${firmId} has no brand ${brandId}`);
  }
  if ((parseAgo(disabledAgo) ?? 0) > (parseAgo(ago) ?? 0)) {
    refuse('disabled_ago', 'is before the subscription began');
  }
  const { deliveries = [] } = fixture;
  if (deliveries.length === 0) return;
  const happened = new Set(
    world.events.records.map(({ kind, body }) => `${kind} ${JSON.parse(body).id}`),
  );
  const names = settings.event_kinds as Readonly<Record<string, string | null>>;
  for (const [n, { kind, record_id: id, attempts }] of deliveries.entries()) {
    const named = names[kind] === undefined ? kind : names[kind];
    if (named !== null && !happened.has(`${named} ${id}`)) {
      refuse(`deliveries[${n}].record_id`, `there is no ${kind} of a record ${id} in this world`);
    }
    if (!fixture.event_categories.some((each) => kind.startsWith(`${each}.`))) {
      refuse(`deliveries[${n}].kind`, 'is of no category of this subscription');
    }
    const taken = attempts.findIndex(({ status }) => status !== null && policy.succeeded(status));
    if (taken >= 0 && taken < attempts.length - 1) {
      refuse(`deliveries[${n}].attempts[${taken + 1}]`, 'comes after one that was taken');
    }
    // EVT-8b: a story that ends in failure has used up its attempts.
    if (taken < 0 && attempts.length <= policy.gapsMs.length) {
      refuse(`deliveries[${n}].attempts`, 'must end with one that was taken, or be eight');
    }
  }
}

function seedSubscription(
  world: World,
  behaviour: Behaviour,
  fixture: SubscriptionFixture,
  startMs: number,
): void {
  const createdAtMs = startMs - (parseAgo(fixture.ago) ?? 0);
  const isDisabled = fixture.disabled_ago !== undefined;
  const endMs = startMs - (isDisabled ? (parseAgo(fixture.disabled_ago) ?? 0) : 0);
  const made = newSubscription(world, behaviour, {
    firm_id: fixture.firm_id,
    brand_id: fixture.brand_id ?? null,
    url: fixture.url,
    event_categories: fixture.event_categories,
    created_at: createdAtMs,
  });
  evolve(world, made.changes);
  let subscription = isDisabled
    ? disabled(made.subscription, 'Disabled by request.')
    : made.subscription;
  for (const event of world.events.records) {
    if (event.occurred_at < createdAtMs || event.occurred_at > endMs) continue;
    if (!behaviour.delivery.wants(subscription, event)) continue;
    const delivery = historyOf(world, behaviour, subscription, event, fixture.deliveries ?? []);
    // Pending first, so that it is counted among the finished ones when it ends.
    evolve(world, [put('deliveries', { ...delivery, status: 'pending' })]);
    evolve(world, [put('deliveries', delivery)]);
    const hasArrived = delivery.status === 'delivered';
    subscription = hasArrived
      ? { ...subscription, last_delivered_seq: event.seq }
      : { ...subscription, stopped: true, cursor_seq: event.seq };
    if (!hasArrived) break;
  }
  evolve(world, [put('subscriptions', subscription)]);
}

function historyOf(
  world: World,
  behaviour: Behaviour,
  subscription: Subscription,
  event: EventRecord,
  fixtures: readonly DeliveryFixture[],
): Delivery {
  const { delivery: policy } = behaviour;
  const fixture = fixtures.find(
    ({ kind, record_id: id }) => kind === event.kind && JSON.parse(event.body).id === id,
  );
  const tries = fixture?.attempts ?? [{ status: 200, duration_ms: 20 }];
  const body = policy.body(event, world, 1);
  const attempts: DeliveryAttempt[] = [];
  let atMs = event.occurred_at;
  for (const [index, { status, error, duration_ms: durationMs }] of tries.entries()) {
    const signature = policy.signature([subscription.secret], atMs, body);
    attempts.push({
      n: index + 1,
      at_ms: atMs,
      status,
      error: error ?? null,
      duration_ms: durationMs,
      signature,
    });
    atMs += durationMs + (policy.gapsMs[index] ?? 0);
  }
  const last = attempts[attempts.length - 1];
  const delivered = last?.status != null && policy.succeeded(last.status);
  return {
    id: String(world.counters.delivery + 1),
    subscription_id: subscription.id,
    seq: event.seq,
    status: delivered ? 'delivered' : 'exhausted',
    attempts,
    in_flight: false,
    next_due_ms: null,
    round_start: 0,
  };
}
