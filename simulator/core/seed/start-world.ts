// Makes a world out of a written starting point, by playing its history in the order in which it
// happened.

import { parseAgo } from '../../../fixtures/worlds/parse-ago.ts';
import type { AccountFixture, WorldFixture } from '../../../fixtures/worlds/world-fixture.ts';
import type { Behaviour } from '../behaviour.ts';
import { createCredential } from '../commands/credentials.ts';
import { eventWindowMs, evolve, moveClock } from '../evolve.ts';
import type { PlanName } from '../records.ts';
import { createWorld, type World, type WorldOptions } from '../world.ts';
import { IdSequence, longestAgoMs, seedPerson } from './person-history.ts';
import { Seeder } from './seeder.ts';
import { seedSubscriptions } from './subscriptions.ts';

export interface SeedOptions {
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

/** Something about a starting world that cannot be: the field and what to do. */
export class StartingWorldError extends TypeError {
  override readonly name = 'StartingWorldError';
  readonly field: string;
  constructor(field: string, message: string) {
    super(`${field}: ${message}`);
    this.field = field;
  }
}

/**
 * The fixture must have been checked against its schema; throws a StartingWorldError for the rest.
 */
export function seedWorld(
  fixture: WorldFixture,
  behaviour: Behaviour,
  options: SeedOptions,
): World {
  const slices = seedInSlices(fixture, behaviour, options);
  for (;;) {
    const slice = slices.next();
    if (slice.done) return slice.value;
  }
}

/** The same in slices of some milliseconds, so that who has other work can do it in between. */
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
  // crowd only those are told that can still be asked for.
  const sinceMs = madeUp === undefined ? Number.NEGATIVE_INFINITY : startMs - eventWindowMs;
  const seeder = new Seeder(world, behaviour, sinceMs);
  yield* seedPeople(seeder, fixture, options);
  seeder.writeEvents();
  moveClock(world, startMs);
  // Delegated credentials are for accounts, which had to be made first.
  seedCredentials(world, behaviour, fixture, options);
  seedSubscriptions(world, behaviour, fixture.subscriptions ?? [], startMs);
  evolve(world, [{ type: 'counted', counter: 'historyEvent', to: world.events.lastSeq }]);
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
      const wrong = seedPerson(seeder, person, index, ids, startMs);
      if (wrong !== null) throw new StartingWorldError(wrong.field, wrong.message);
      index += 1;
      if (index % 256 === 0) yield;
    }
  }
}

/** When the world must begin for all of it to have happened since. */
function longestAgo(
  { accounts = [], subscriptions = [] }: WorldFixture,
  madeUp?: GeneratedPeople,
): number {
  return Math.max(
    madeUp?.longestAgoMs ?? 0,
    ...subscriptions.map(({ ago }) => parseAgo(ago) ?? 0),
    accounts.reduce((most, account) => Math.max(most, longestAgoMs(account)), 0),
  );
}

function seedFirms(world: World, fixture: WorldFixture, { plan }: SeedOptions): void {
  for (const { id, name, plan: own, rate_per_second = null, brands } of fixture.firms) {
    const firm = { id, name, plan: own ?? plan, rate_per_second, permissions: {} };
    evolve(world, [{ type: 'firm-set', firm }]);
    for (const brand of brands) {
      evolve(world, [{ type: 'brand-set', brand: { ...brand, firm_id: id } }]);
    }
  }
}

function seedCredentials(
  world: World,
  behaviour: Behaviour,
  fixture: WorldFixture,
  { startMs, plan }: SeedOptions,
): void {
  const context = { world, behaviour, atMs: startMs };
  for (const [index, credential] of fixture.credentials.entries()) {
    const outcome = createCredential(context, { plan, ...credential });
    if ('refused' in outcome) {
      const { field, message } = outcome.refused;
      throw new StartingWorldError(`credentials[${index}].${field}`, message);
    }
  }
}
