// Worlds of the model, made for one play and given up after it.
import type { Target } from '../../providers/target.ts';
import { type Model, type ModelSettings, openCategories } from '../model.ts';
import type { ModelArena } from './arena.ts';
import type { Ground } from './ground.ts';
import { seeded } from './seeded-world.ts';
import type { Seeds } from './seeds.ts';

export interface ModelCommon extends Omit<ModelArena, 'openModel'> {
  /** What the target's profile names, where the target opens no trading account. */
  readonly seeds?: Seeds | undefined;
}

/** What is known of the target from the settings that the model has. */
export function commonFor(settings: ModelSettings, seeds: Seeds | undefined): ModelCommon {
  return {
    seqName: String(settings.envelope_seq_name ?? 'seq'),
    namesAlike: settings.account_named_after_email !== 'other',
    phonesAlike: settings.phone_form !== 'other',
    openCategories: openCategories(settings),
    settlesAtOnce: settings.settlement_delay_ms === 0,
    seeds,
  };
}

/** What the model does not answer at once it keeps waiting. */
const MODEL_TIMEOUT_MS = 500;

/** A new world of it. */
export async function openWorld(
  { provider, sender }: Model,
  seeds: Seeds | undefined,
): Promise<Ground> {
  const target = await provider.own();
  const ground = { target, sender, timeoutMs: MODEL_TIMEOUT_MS, isSteady: true };
  return seeds === undefined ? ground : seeded(ground, seeds);
}

/** Worlds of the model for as long as `play` takes. */
export async function withModel<T>(
  model: Model,
  { seeds, ...common }: ModelCommon,
  play: (arena: ModelArena) => Promise<T>,
): Promise<T> {
  const worlds: Target[] = [];
  const openModel = async () => {
    const world = await openWorld(model, seeds);
    worlds.push(world.target);
    return world;
  };
  try {
    return await play({ ...common, openModel });
  } finally {
    await Promise.all(worlds.map((each) => each.close()));
  }
}
