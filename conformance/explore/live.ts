// A target without a control plane: the trading accounts of its profile take the place of those that
// would be made for each sequence.
import type { Capability } from '../engine/capabilities.ts';
import { type Provider, SEED_KINDS } from '../providers/target.ts';
import type { ModelSettings } from './model.ts';
import { type Ground, Spent } from './play/ground.ts';
import { isSetupFailure } from './play/outcome.ts';
import { prepareSeeds, type Seeds } from './play/seeds.ts';

/** NS-3: by a clock that runs it is not known when money arrives; the model settles what shows. */
export function settingsFor({ offers }: Provider, settings: ModelSettings): ModelSettings {
  return offers.has('settle') ? settings : { ...settings, settlement_delay_ms: null };
}

/** Undefined if trading accounts can be opened, and if the profile names none that can be used. */
export async function takeSeeds(
  { offers }: Provider,
  ground: Ground,
  failed: (why: string) => void,
): Promise<Seeds | undefined> {
  if (offers.has('fresh_trading_account') || !SEED_KINDS.some((each) => offers.has(each))) {
    return undefined;
  }
  try {
    const seeds = await prepareSeeds(ground, (kind) =>
      failed(`seeds.${kind} is reached by none of the credentials, or by the main one alone`),
    );
    return seeds.places.size > 0 ? seeds : undefined;
  } catch (error) {
    if (error instanceof Spent) return undefined;
    if (!isSetupFailure(error)) throw error;
    failed(error.message);
    return undefined;
  }
}

/** What can be drawn: a seed that cannot be used is left out. */
export function offersWith(
  { offers }: Provider,
  seeds: Seeds | undefined,
): ReadonlySet<Capability> {
  if (offers.has('fresh_trading_account')) return offers;
  const isUseless = (each: Capability) =>
    SEED_KINDS.some((kind) => kind === each && seeds?.places.has(kind) !== true);
  return new Set([...offers].filter((each) => !isUseless(each)));
}
