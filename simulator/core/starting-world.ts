// Makes a world out of a written starting point, by playing its history in the order in which it
// happened.

import { parseAgo } from '../../fixtures/worlds/ago.ts';
import type { AccountFixture, WorldFixture } from '../../fixtures/worlds/fixture.ts';
import { createCredential } from './acts/credentials.ts';
import type { Behaviour } from './behaviour.ts';
import { eventWindowMs, evolve, moveClock } from './evolve.ts';
import type { PlanName } from './records.ts';
import { Chronicle } from './starting/chronicle.ts';
import { Ids, longestAgoMs, playPerson } from './starting/history.ts';
import { playSubscriptions } from './starting/subscriptions.ts';
import { createWorld, type World, type WorldOptions } from './world.ts';

export interface StartTerms {
  readonly name: string;
  readonly seed: string;
  readonly startMs: number;
  /** Plan of firms and credentials that name none (LIM-1). */
  readonly plan: PlanName;
  readonly options: WorldOptions;
  /** People beside those that are written out. */
  readonly madeUp?: MadeUp;
}

export interface MadeUp {
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
export function startWorld(fixture: WorldFixture, behaviour: Behaviour, terms: StartTerms): World {
  const slices = startInSlices(fixture, behaviour, terms);
  for (;;) {
    const slice = slices.next();
    if (slice.done) return slice.value;
  }
}

/** The same in slices of some milliseconds, so that who has other work can do it in between. */
export function* startInSlices(
  fixture: WorldFixture,
  behaviour: Behaviour,
  terms: StartTerms,
): Generator<void, World> {
  const { startMs, madeUp } = terms;
  const agoMs = longestAgo(fixture, madeUp);
  if (agoMs > startMs) {
    // Times are counted from 1970 on, and a delivery of before cannot be signed (EVT-5a).
    const earliest = new Date(agoMs).toISOString();
    const message = `must be ${earliest} or later: what this world tells of its past goes back`;
    throw new StartingWorldError('clock', `${message} to 1970 then`);
  }
  const world = createWorld({ ...terms, startedAtMs: startMs - agoMs });
  placeFirms(world, fixture, terms);
  // EVT-10b: written people are few, and their events are forgotten as those of the API are; of a
  // crowd only those are told that can still be asked for.
  const sinceMs = madeUp === undefined ? Number.NEGATIVE_INFINITY : startMs - eventWindowMs;
  const chronicle = new Chronicle(world, behaviour, sinceMs);
  yield* playEverybody(chronicle, fixture, terms);
  chronicle.write();
  moveClock(world, startMs);
  // Delegated credentials are for accounts, which had to be made first.
  placeCredentials(world, behaviour, fixture, terms);
  playSubscriptions(world, behaviour, fixture.subscriptions ?? [], startMs);
  return world;
}

function* playEverybody(
  chronicle: Chronicle,
  { accounts = [] }: WorldFixture,
  { startMs, madeUp }: StartTerms,
): Generator<void> {
  const ids = new Ids();
  let index = 0;
  for (const people of [accounts, madeUp?.accounts ?? []]) {
    for (const person of people) {
      const wrong = playPerson(chronicle, person, index, ids, startMs);
      if (wrong !== null) throw new StartingWorldError(wrong.field, wrong.message);
      index += 1;
      if (index % 256 === 0) yield;
    }
  }
}

/** When the world must begin for all of it to have happened since. */
function longestAgo({ accounts = [], subscriptions = [] }: WorldFixture, madeUp?: MadeUp): number {
  return Math.max(
    madeUp?.longestAgoMs ?? 0,
    ...subscriptions.map(({ ago }) => parseAgo(ago) ?? 0),
    accounts.reduce((most, account) => Math.max(most, longestAgoMs(account)), 0),
  );
}

function placeFirms(world: World, fixture: WorldFixture, { plan }: StartTerms): void {
  for (const { id, name, plan: own, rate_per_second: rate, brands } of fixture.firms) {
    const firm = { id, name, plan: own ?? plan, ratePerSecond: rate ?? null, permissions: {} };
    evolve(world, [{ type: 'firm-set', firm }]);
    for (const brand of brands) {
      evolve(world, [{ type: 'brand-set', brand: { ...brand, firmId: id } }]);
    }
  }
}

function placeCredentials(
  world: World,
  behaviour: Behaviour,
  fixture: WorldFixture,
  { startMs, plan }: StartTerms,
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
