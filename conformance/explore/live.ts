// A target that no operator moves: what its profile names takes the place of what would be made for
// each sequence, and what the run leaves there is swept and listed.
import type { Capability } from '../engine/capabilities.ts';
import { newMark } from '../engine/scenario/fresh-values.ts';
import { memberAt } from '../engine/send/answer.ts';
import { type Provider, SEED_KINDS } from '../providers/target.ts';
import { listIn } from './compare/values.ts';
import type { Inventory } from './findings/inventory.ts';
import type { ModelSettings } from './model.ts';
import { type Ground, Spent } from './play/ground.ts';
import { isSetupFailure, nameText } from './play/outcome.ts';
import { Player } from './play/player.ts';
import { prepareSeeds, type Seeds, type SeedWatch } from './play/seeds.ts';

/** NS-3: when money arrives by a clock that runs is not known; the model is given what shows. */
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

/** What can be drawn: a seed that is of no use is none. */
export function offersWith(
  { offers }: Provider,
  seeds: Seeds | undefined,
): ReadonlySet<Capability> {
  if (offers.has('fresh_trading_account')) return offers;
  const isUseless = (each: Capability) =>
    SEED_KINDS.some((kind) => kind === each && seeds?.places.has(kind) !== true);
  return new Set([...offers].filter((each) => !isUseless(each)));
}

/** The ids of the subscriptions that are there, with whether each is enabled. */
export async function subscriptionsAt(ground: Ground): Promise<ReadonlyMap<string, boolean>> {
  const player = new Player(ground, newMark());
  const as = ground.target.mainRole;
  try {
    const [listed] = await player.play({ do: 'call', n: 1, operation: 'listWebhooks', as });
    const rows = listed?.kind === 'answer' ? listIn(listed.json) : undefined;
    if (!Array.isArray(rows)) return new Map();
    return new Map(
      rows.map((row) => [nameText(memberAt(row, 'id')), memberAt(row, 'disabled') !== true]),
    );
  } catch (error) {
    if (error instanceof Spent || isSetupFailure(error)) return new Map();
    throw error;
  }
}

/**
 * Disables the subscriptions that were not there before, also those whose creation was never
 * answered, and counts them.
 */
export async function sweep(
  ground: Ground,
  before: ReadonlyMap<string, boolean>,
  inventory: Inventory,
): Promise<Inventory> {
  const player = new Player(ground, newMark());
  const as = ground.target.mainRole;
  const isNew = ([id]: readonly [string, boolean]) => !before.has(id);
  const made = [...(await subscriptionsAt(ground))].filter(isNew);
  for (const [at, [id, isEnabled]] of made.entries()) {
    if (!isEnabled) continue;
    const call = { operation: 'disableWebhook', as, id } as const;
    await player.play({ do: 'call', n: at + 1, ...call }).catch((error: unknown) => {
      if (!(error instanceof Spent) && !isSetupFailure(error)) throw error;
    });
  }
  const left = [...(await subscriptionsAt(ground))].filter((each) => isNew(each) && each[1]);
  return {
    ...inventory,
    subscriptions: Math.max(inventory.subscriptions, made.length),
    enabled: made.length === 0 ? inventory.enabled : left.map(([id]) => id),
  };
}
