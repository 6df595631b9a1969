// Which name on the target stands for which on the model: one to one, found out as they are met.

/** What stands for what, by the kind of record it names. */
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

/** Both ways, by the space and the name. */
interface Pairs {
  readonly modelOf: Map<string, string>;
  readonly targetOf: Map<string, string>;
}

export class Match {
  readonly #pairs: Pairs = { modelOf: new Map(), targetOf: new Map() };
  /** Names of the target that the setup of each side has made by itself: they need not be alike. */
  readonly #setUp = new Set<string>();

  pairSetUp(space: string, target: string, model: string): void {
    this.pair(space, target, model);
    this.#setUp.add(`${space} ${target}`);
  }

  isSetUp(space: string, target: string): boolean {
    return this.#setUp.has(`${space} ${target}`);
  }

  /** Whether the two may stand for one another in this space, now and from now on. */
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
