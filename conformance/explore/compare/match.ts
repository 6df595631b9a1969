// Which name on the target stands for which on the model: one to one, found out as they are met.

interface Pairs {
  readonly modelOf: Map<string, string>;
  readonly targetOf: Map<string, string>;
}

export class Match {
  readonly #spaces = new Map<string, Pairs>();
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
    let pairs = this.#spaces.get(space);
    if (pairs === undefined) {
      pairs = { modelOf: new Map(), targetOf: new Map() };
      this.#spaces.set(space, pairs);
    }
    const knownModel = pairs.modelOf.get(target);
    const knownTarget = pairs.targetOf.get(model);
    if (knownModel === undefined && knownTarget === undefined) {
      pairs.modelOf.set(target, model);
      pairs.targetOf.set(model, target);
      return true;
    }
    return knownModel === model && knownTarget === target;
  }

  modelOf(space: string, target: string): string | undefined {
    return this.#spaces.get(space)?.modelOf.get(target);
  }

  targetOf(space: string, model: string): string | undefined {
    return this.#spaces.get(space)?.targetOf.get(model);
  }

  /** Another that goes on from here by itself. */
  copy(): Match {
    const made = new Match();
    for (const each of this.#setUp) made.#setUp.add(each);
    for (const [space, { modelOf, targetOf }] of this.#spaces) {
      made.#spaces.set(space, { modelOf: new Map(modelOf), targetOf: new Map(targetOf) });
    }
    return made;
  }
}
