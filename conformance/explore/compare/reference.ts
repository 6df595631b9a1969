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

/** How the model behaves: its answers to open questions, and the deviations that were found. */
export interface Known {
  readonly settings: ModelSettings;
  readonly deviations: readonly Variant[];
}

export interface Seen extends Compared {
  /** The differences from the conforming model, whether a deviation that was found explains them. */
  readonly seen: readonly Difference[];
}

export class Reference {
  readonly #models: Models;
  /** A difference that was found before: it has its own explanation. */
  readonly isKnown: (difference: Difference) => boolean;
  /** The conforming models: the last one answers like the target; sequences are drawn on the first. */
  readonly #open: Model[] = [];
  #deviating: Model | undefined;
  known: Known;
  seeds: Seeds | undefined;

  constructor(
    models: Models,
    settings: ModelSettings,
    isKnown: (difference: Difference) => boolean,
  ) {
    this.#models = models;
    this.known = { settings, deviations: [] };
    this.isKnown = isKnown;
  }

  get settings(): ModelSettings {
    return this.known.settings;
  }

  async learn(answers: ModelSettings): Promise<void> {
    const settings = { ...this.settings, ...answers };
    this.#open.push(await this.#models.open(settings));
    await this.#know({ ...this.known, settings });
  }

  /** From now on the model deviates in this way too, so that other differences show behind it. */
  deviate(variant: Variant): Promise<void> {
    return this.#know({ ...this.known, deviations: [...this.known.deviations, variant] });
  }

  async #know(known: Known): Promise<void> {
    this.known = known;
    await this.#deviating?.close();
    const { settings, deviations } = known;
    const isDeviating = deviations.length > 0;
    this.#deviating = isDeviating ? await this.#models.open(settings, deviations) : undefined;
  }

  async close(): Promise<void> {
    for (const model of this.#open) await model.close();
    await this.#deviating?.close();
  }

  /** A new world, with the seeds of a live target. Learned settings do not change the draws. */
  async world({ provider, sender }: Model = this.#open[0]!): Promise<Ground> {
    const target = await provider.own();
    const ground = { target, sender, timeoutMs: TIMEOUT_MS, isSteady: true };
    return this.seeds === undefined ? ground : seeded(ground, this.seeds);
  }

  /**
   * Compares with the conforming model, and if they differ, with the one that has the deviations
   * that were found. A step that agrees with the conforming model is no difference.
   */
  async compare(recorded: Recorded): Promise<Seen> {
    const conforming = await this.compareConforming(recorded);
    const seen = conforming.differences;
    if (seen.length === 0 || this.#deviating === undefined) return { ...conforming, seen };
    const deviating = await this.compareWith(recorded);
    if (deviating.why !== undefined) return { ...conforming, seen };
    const differences = deviating.differences.filter((each) => !hasAgreed(conforming, each));
    return { ...deviating, differences, seen };
  }

  compareConforming(recorded: Recorded): Promise<Compared> {
    return this.#compareOn(this.#open.at(-1)!, recorded, this.settings);
  }

  /** Compares with a model that has these settings or this deviation besides those that are known. */
  async compareWith(
    recorded: Recorded,
    answers: ModelSettings = {},
    variant?: Variant,
  ): Promise<Compared> {
    const settings = { ...this.settings, ...answers };
    const isOther = variant !== undefined || Object.keys(answers).length > 0;
    const model = isOther ? await this.#openWith(variant, settings) : this.#current;
    try {
      return await this.#compareOn(model, recorded, settings);
    } finally {
      if (isOther) await model.close();
    }
  }

  get #current(): Model {
    return this.#deviating ?? this.#open.at(-1)!;
  }

  #openWith(variant: Variant | undefined, settings = this.settings): Promise<Model> {
    const { deviations } = this.known;
    return this.#models.open(settings, variant ? [...deviations, variant] : deviations);
  }

  #compareOn(model: Model, recorded: Recorded, settings: ModelSettings): Promise<Compared> {
    return this.#withWorlds(model, (openModel) =>
      compareRun(recorded, { settings, isKnown: this.isKnown, openModel }),
    );
  }

  /** Plays steps on a fresh world of the model alone; undefined if it cannot play one of them. */
  async play(steps: readonly Step[], variant?: Variant): Promise<readonly Outcome[] | undefined> {
    const model = variant === undefined ? this.#current : await this.#openWith(variant);
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

/** Whether the step of a difference agrees with the model, or only differs in what is open. */
export function hasAgreed(compared: Compared, { n, operation }: Difference): boolean {
  const { differences, partedAt = Number.POSITIVE_INFINITY } = compared;
  // A delivery is not compared beside a member that differs.
  if (operation === 'delivery' && differences.length > 0) return false;
  return n <= partedAt && differences.every((each) => each.n !== n);
}
