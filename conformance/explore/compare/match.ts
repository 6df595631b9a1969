// Pairs names on the target with names on the model: one to one, learned as they appear.

/** A namespace of paired names, by the kind of record that they identify. */
export type Space =
  | 'account'
  | 'transaction'
  | 'trading account'
  | 'position'
  | 'order'
  | 'subscription'
  | 'brand'
  | 'firm'
  | 'url';

/** Pairs in both directions, by namespace and name. */
interface Pairs {
  readonly modelOf: Map<string, string>;
  readonly targetOf: Map<string, string>;
}

export class Match {
  readonly #pairs: Pairs = { modelOf: new Map(), targetOf: new Map() };
  /** Names on the target that the setup has created: they need not be alike on both sides. */
  readonly #setUp = new Set<string>();

  pairSetUp(space: string, target: string, model: string): void {
    this.pair(space, target, model);
    this.#setUp.add(`${space} ${target}`);
  }

  isSetUp(space: string, target: string): boolean {
    return this.#setUp.has(`${space} ${target}`);
  }

  /** Whether the two names are paired in this namespace, or can be paired from now on. */
  pair(space: string, target: string, model: string): boolean {
    const [knownModel, knownTarget] = [this.modelOf(space, target), this.targetOf(space, model)];
    if (knownModel === undefined && knownTarget === undefined) {
      this.#pairs.modelOf.set(`${space} ${target}`, model);
      this.#pairs.targetOf.set(`${space} ${model}`, target);
      return true;
    }
    return knownModel === model && knownTarget === target;
  }

  modelOf(space: string, target: string): string | undefined {
    return this.#pairs.modelOf.get(`${space} ${target}`);
  }

  targetOf(space: string, model: string): string | undefined {
    return this.#pairs.targetOf.get(`${space} ${model}`);
  }
}
