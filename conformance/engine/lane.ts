// Where a scenario runs, by what it needs.
import type { Capability } from './capabilities.ts';
import type { Scenario } from './types.ts';

/**
 * `shared`: concurrent with others, separated by fresh references. `own_world`: in a separate world
 * (or alone on the whole target). `limits`: exhausts a rate, last and with its own credentials.
 */
export type Lane = 'shared' | 'own_world' | 'limits';

/** With these, a scenario affects others or is affected by them. */
const OWN_WORLD: ReadonlySet<Capability> = new Set([
  ...(['clock', 'fault', 'dns', 'permissions', 'receiver', 'public_url'] as const),
]);

export function laneOf({ lane, needs = [] }: Pick<Scenario, 'lane' | 'needs'>): Lane {
  return lane ?? (needs.some((each) => OWN_WORLD.has(each)) ? 'own_world' : 'shared');
}
