// The models that recorded runs are compared with: one that answers the open questions like the
// target, and others that answer one question differently or break a rule.
import { newMark } from '../../engine/scenario/fresh-values.ts';
import type { Target } from '../../providers/target.ts';
import type { Model, ModelSettings, Models, Variant } from '../model.ts';
import type { Ground } from '../play/ground.ts';
import { isSetupFailure, type Outcome } from '../play/outcome.ts';
import { Player } from '../play/player.ts';
import { type Seeds, seeded } from '../play/seeds.ts';
import type { Step } from '../sequence.ts';
import type { Difference } from './difference.ts';
import { type Compared, compareRun, type Recorded } from './run.ts';

/** The model answers immediately unless a fault delays the call. */
const TIMEOUT_MS = 1_000;

export class Reference {
  readonly #models: Models;
  /** A difference that was found before: it has its own explanation. */
  readonly isKnown: (difference: Difference) => boolean;
  /** The last one answers like the target; sequences are drawn on the first. */
  readonly #open: Model[] = [];
  settings: ModelSettings;
  seeds: Seeds | undefined;

  constructor(
    models: Models,
    settings: ModelSettings,
    isKnown: (difference: Difference) => boolean,
  ) {
    this.#models = models;
    this.settings = settings;
    this.isKnown = isKnown;
  }

  async learn(answers: ModelSettings): Promise<void> {
    this.settings = { ...this.settings, ...answers };
    this.#open.push(await this.#models.open(this.settings));
  }

  async close(): Promise<void> {
    for (const model of this.#open) await model.close();
  }

  /** A new world, with the seeds of a live target. Learned settings do not change the draws. */
  async world({ provider, sender }: Model = this.#open[0]!): Promise<Ground> {
    const target = await provider.own();
    const ground = { target, sender, timeoutMs: TIMEOUT_MS, isSteady: true };
    return this.seeds === undefined ? ground : seeded(ground, this.seeds);
  }

  /** Compares with the current model, or with one that has other settings or a deviation. */
  async compare(
    recorded: Recorded,
    answers: ModelSettings = {},
    variant?: Variant,
  ): Promise<Compared> {
    const settings = { ...this.settings, ...answers };
    const isOther = variant !== undefined || Object.keys(answers).length > 0;
    const model = isOther ? await (variant ?? this.#models).open(settings) : this.#open.at(-1)!;
    try {
      return await this.#withWorlds(model, (openModel) =>
        compareRun(recorded, { settings, isKnown: this.isKnown, openModel }),
      );
    } finally {
      if (isOther) await model.close();
    }
  }

  /** Plays steps on a fresh world of the model alone; undefined if it cannot play one of them. */
  async play(steps: readonly Step[], variant?: Variant): Promise<readonly Outcome[] | undefined> {
    const model = (await variant?.open(this.settings)) ?? this.#open.at(-1)!;
    try {
      return await this.#withWorlds(model, async (open) => {
        const player = new Player(await open(), newMark());
        for (const step of steps) await player.play(step);
        return [...player.outcomes.values()];
      });
    } catch (error) {
      if (!isSetupFailure(error)) throw error;
      return undefined;
    } finally {
      if (variant !== undefined) await model.close();
    }
  }

  async #withWorlds<T>(model: Model, play: (open: () => Promise<Ground>) => Promise<T>) {
    const worlds: Target[] = [];
    try {
      return await play(async () => {
        const world = await this.world(model);
        worlds.push(world.target);
        return world;
      });
    } finally {
      await Promise.all(worlds.map((each) => each.close()));
    }
  }
}
