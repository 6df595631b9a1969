// Worlds of the model, made for one play and given up after it.
import type { Target } from '../../providers/target.ts';
import type { Model } from '../model.ts';
import type { Ground } from './ground.ts';
import { type Seeds, seeded } from './seeds.ts';

/** What the model does not answer at once it keeps waiting. */
const TIMEOUT_MS = 1_000;

/** A new world of it, with what the profile of a live target names. */
export async function openWorld(
  { provider, sender }: Model,
  seeds: Seeds | undefined,
): Promise<Ground> {
  const target = await provider.own();
  const ground = { target, sender, timeoutMs: TIMEOUT_MS, isSteady: true };
  return seeds === undefined ? ground : seeded(ground, seeds);
}

/** Worlds of the model for as long as `play` takes. */
export async function withWorlds<T>(
  model: Model,
  seeds: Seeds | undefined,
  play: (open: () => Promise<Ground>) => Promise<T>,
): Promise<T> {
  const worlds: Target[] = [];
  try {
    return await play(async () => {
      const world = await openWorld(model, seeds);
      worlds.push(world.target);
      return world;
    });
  } finally {
    await Promise.all(worlds.map((each) => each.close()));
  }
}
