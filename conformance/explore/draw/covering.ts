// A covering array that grows row by row. Each row tests one level of one dimension: the level whose
// turn it is, for the operation that it was used least for. Few of the other dimensions leave their
// plain level, so that they do not mask its effect; those that do add pairs of levels that no row had
// before.
import type { Random } from '../../../fixtures/random.ts';
import type { OperationName } from '../../spec/operations.ts';

export type Row = Readonly<Record<string, string>> & { readonly operation: OperationName };

export interface Dimension {
  readonly name: string;
  /** The plain level first. */
  readonly levels: readonly string[];
}

export interface Space {
  readonly operations: readonly OperationName[];
  readonly dimensions: readonly Dimension[];
  /** How often a level is used for an operation, beside others of 1; 0 if it does not apply to it. */
  readonly weigh: (operation: OperationName, dimension: string, level: string) => number;
}

interface Single {
  readonly operation: OperationName;
  readonly name: string;
  readonly level: string;
  readonly weight: number;
}

/** A level of a dimension, with the operations that it applies to. */
interface Turn {
  readonly singles: readonly Single[];
  /** The share of rows that it gets. */
  readonly share: number;
  /** The level with the lowest number is next. */
  due: number;
}

/** How many more dimensions of a row are not plain, each as likely as it is frequent here. */
const MORE: readonly number[] = [0, 1, 1, 2];

export class Covering {
  readonly #random: Random;
  readonly #dimensions: readonly Dimension[];
  readonly #turns: readonly Turn[];
  /** How often each single level and each pair of levels was used. */
  readonly #uses = new Map<string, number>();

  constructor({ operations, dimensions, weigh }: Space, random: Random) {
    this.#random = random;
    this.#dimensions = dimensions;
    const singlesOf = (name: string, level: string) =>
      operations
        .map((operation) => ({ operation, name, level, weight: weigh(operation, name, level) }))
        .filter(({ weight }) => weight > 0);
    this.#turns = dimensions
      .flatMap(({ name, levels }) => levels.slice(1).map((level) => singlesOf(name, level)))
      .filter((singles) => singles.length > 0)
      .map((singles) => {
        const all = singles.reduce((sum, { weight }) => sum + weight, 0);
        // A level of few operations is used more often for each of them.
        const share = all / Math.sqrt(singles.length);
        return { singles, share, due: random.next() / share };
      });
  }

  /** Whether each level was used for each operation. */
  get isCovered(): boolean {
    return this.#turns.every(({ singles }) => singles.every((each) => this.#uses.has(keyOf(each))));
  }

  next(): Row {
    const turn = this.#turns.reduce((first, each) => (each.due < first.due ? each : first));
    turn.due += 1 / turn.share;
    const focus = this.#least(turn.singles, []);
    const { operation } = focus;
    const chosen = [focus];
    const others = this.#dimensions.filter(({ name }) => name !== focus.name);
    const more = this.#random.pick(MORE);
    const singles = this.#turns.flatMap((each) => each.singles);
    for (const { name } of this.#random.shuffled(others).slice(0, more)) {
      const own = singles.filter((each) => each.operation === operation && each.name === name);
      if (own.length > 0) chosen.push(this.#least(own, chosen));
    }
    for (const [at, each] of chosen.entries()) {
      for (const key of keysOf(each, chosen.slice(0, at))) {
        this.#uses.set(key, (this.#uses.get(key) ?? 0) + 1);
      }
    }
    const plain = this.#dimensions.map(({ name, levels }) => [name, levels[0]!] as const);
    const levels = chosen.map(({ name, level }) => [name, level] as const);
    return { ...Object.fromEntries([...plain, ...levels]), operation };
  }

  /** The level that was combined least often with the chosen levels. */
  #least(singles: readonly Single[], beside: readonly Single[]): Single {
    const usesOf = (each: Single) =>
      keysOf(each, beside).reduce((sum, key) => sum + (this.#uses.get(key) ?? 0), 0) / each.weight;
    const all = this.#random.shuffled(singles).map((each) => ({ each, uses: usesOf(each) }));
    return all.reduce((least, other) => (other.uses < least.uses ? other : least)).each;
  }
}

/** A level with its operation, and its pairs with the other levels for any operation. */
const keysOf = (single: Single, others: readonly Single[]): readonly string[] => {
  const levelOf = ({ name, level }: Single) => `${name}=${level}`;
  return [keyOf(single), ...others.map((each) => [each, single].map(levelOf).sort().join(' '))];
};

const keyOf = ({ operation, name, level }: Single) => `${operation} ${name}=${level}`;
