// Makes a world out of a written starting point, by playing its history in the order in which it
// happened.

import { parseAgo } from '../../fixtures/worlds/ago.ts';
import type { WorldFixture } from '../../fixtures/worlds/fixture.ts';
import { createCredential } from './acts/credentials.ts';
import type { Behaviour } from './behaviour.ts';
import { evolve, moveClock } from './evolve.ts';
import type { PlanName } from './records.ts';
import { type Play, planHistory } from './starting/history.ts';
import { playSubscriptions } from './starting/subscriptions.ts';
import { createWorld, type World, type WorldOptions } from './world.ts';

export interface StartTerms {
  readonly name: string;
  readonly seed: string;
  readonly startMs: number;
  /** Plan of firms and credentials that name none (LIM-1). */
  readonly plan: PlanName;
  readonly options: WorldOptions;
}

/** Something about a starting world that cannot be: the field and what to do. */
export class StartingWorldError extends Error {
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
  const plays = planHistory(fixture);
  const subscriptionsBegin = (fixture.subscriptions ?? []).map(({ ago }) => parseAgo(ago) ?? 0);
  const longestAgo = plays.reduce((most, play) => Math.max(most, play.agoMs), 0);
  const beginMs = terms.startMs - Math.max(longestAgo, ...subscriptionsBegin, 0);
  const world = createWorld({ ...terms, startedAtMs: beginMs });
  placeFirms(world, fixture, terms);
  playAll(world, behaviour, plays, terms.startMs);
  moveClock(world, terms.startMs);
  // Delegated credentials are for accounts, which had to be made first.
  placeCredentials(world, behaviour, fixture, terms);
  playSubscriptions(world, behaviour, fixture.subscriptions ?? [], terms.startMs);
  return world;
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

function playAll(
  world: World,
  behaviour: Behaviour,
  plays: readonly Play[],
  startMs: number,
): void {
  const ordered = [...plays].sort((a, b) => b.agoMs - a.agoMs || a.order - b.order);
  for (const play of ordered) {
    moveClock(world, startMs - play.agoMs);
    const wrong = play.run({ world, behaviour, atMs: world.nowMs });
    if (wrong !== null) throw new StartingWorldError(play.field, wrong);
  }
}
