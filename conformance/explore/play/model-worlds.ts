// Worlds of the model, made for one play and given up after it.
import type { Target } from '../../providers/target.ts';
import type { Model } from '../model.ts';
import type { ModelArena } from './arena.ts';
import type { Ground } from './ground.ts';

export type ModelCommon = Pick<ModelArena, 'seqName'>;

/** What the model does not answer at once it keeps waiting. */
const MODEL_TIMEOUT_MS = 500;

export function groundOf({ sender }: Model, target: Target): Ground {
  return { target, sender, timeoutMs: MODEL_TIMEOUT_MS, isSteady: true };
}

/** Worlds of the model for as long as `play` takes. */
export async function withModel<T>(
  model: Model,
  common: ModelCommon,
  play: (arena: ModelArena) => Promise<T>,
): Promise<T> {
  const worlds: Target[] = [];
  const openModel = async () => {
    const world = await model.provider.own();
    worlds.push(world);
    return groundOf(model, world);
  };
  try {
    return await play({ ...common, openModel });
  } finally {
    await Promise.all(worlds.map((each) => each.close()));
  }
}
