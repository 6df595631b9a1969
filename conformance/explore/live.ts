// What becomes of a target that no operator moves: what its profile names takes the place of what
// would be made for each sequence.
import type { Capability } from '../engine/capabilities.ts';
import { type Provider, SEED_KINDS } from '../providers/target.ts';
import type { ModelSettings } from './model.ts';
import { type Ground, Spent } from './play/ground.ts';
import { isSetupFailure } from './play/judge-step.ts';
import { prepareSeeds, type Seeds, type SeedWatch } from './play/seeds.ts';

/** NS-3: nobody knows when money arrives by a clock that runs; the model is told what shows. */
export function settingsFor({ offers }: Provider, settings: ModelSettings): ModelSettings {
  return offers.has('settle') ? settings : { ...settings, settlement_delay_ms: null };
}

interface Watch extends Pick<SeedWatch, 'played'> {
  readonly failed: (why: string) => void;
}

/** Undefined where trading accounts can be opened, and where the profile names none of any use. */
export async function takeSeeds(
  { offers }: Provider,
  ground: Ground,
  { failed, played }: Watch,
): Promise<Seeds | undefined> {
  if (offers.has('fresh_trading_account') || !SEED_KINDS.some((each) => offers.has(each))) {
    return undefined;
  }
  try {
    const seeds = await prepareSeeds(ground, {
      played,
      unreached: (kind) =>
        failed(`seeds.${kind} is reached by none of the credentials, or by the main one alone`),
    });
    return seeds.places.size > 0 ? seeds : undefined;
  } catch (error) {
    if (error instanceof Spent) return undefined;
    if (!isSetupFailure(error)) throw error;
    failed(error.message);
    return undefined;
  }
}

/** What ideas may draw on: a seed that is of no use is none. */
export function offersWith(
  { offers }: Provider,
  seeds: Seeds | undefined,
): ReadonlySet<Capability> {
  if (offers.has('fresh_trading_account')) return offers;
  const isUseless = (each: Capability) =>
    SEED_KINDS.some((kind) => kind === each && seeds?.places.has(kind) !== true);
  return new Set([...offers].filter((each) => !isUseless(each)));
}
