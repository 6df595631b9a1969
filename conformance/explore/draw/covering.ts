// A covering array that grows row by row. Each row tests one level of one dimension for one
// operation: the level that was used least. Few of the other dimensions leave their plain level, so
// that they do not mask its effect; those that do add pairs of levels that no row had before.
import type { Random } from '../../../fixtures/random.ts';
import type { OperationName } from '../../spec/operations.ts';

export type Row = Readonly<Record<string, string>> & { readonly operation: OperationName };

export interface Dimension {
  readonly name: string;
  /** The plain level first. */
  readonly levels: readonly string[];
  /** Levels that stand for many variants: each is used as often as this many others. */
  readonly weights?: Readonly<Record<string, number>>;
}

export interface Space {
  readonly operations: readonly OperationName[];
  readonly dimensions: readonly Dimension[];
  /** Whether a level applies to an operation. */
  readonly allows: (operation: OperationName, dimension: string, level: string) => boolean;
}

interface Single {
  readonly operation: OperationName;
  readonly name: string;
  readonly level: string;
  readonly weight: number;
}

/** How many more dimensions of a row are not plain, each as likely as it is frequent here. */
const MORE: readonly number[] = [0, 1, 1, 2];

export class Covering {
  readonly #random: Random;
  readonly #dimensions: readonly Dimension[];
  readonly #singles: readonly Single[];
  /** How often each single level and each pair of levels was used. */
  readonly #uses = new Map<string, number>();

  constructor({ operations, dimensions, allows }: Space, random: Random) {
    this.#random = random;
    this.#dimensions = dimensions;
    this.#singles = operations.flatMap((operation) =>
      dimensions.flatMap(({ name, levels, weights = {} }) =>
        levels
          .slice(1)
          .filter((level) => allows(operation, name, level))
          .map((level) => ({ operation, name, level, weight: weights[level] ?? 1 })),
      ),
    );
  }

  /** Whether each level was used for each operation. */
  get isCovered(): boolean {
    return this.#singles.every((each) => this.#uses.has(keyOf(each)));
  }

  next(): Row {
    const focus = this.#least(this.#singles, []);
    const { operation } = focus;
    const chosen = [focus];
    const others = this.#dimensions.filter(({ name }) => name !== focus.name);
    const more = this.#random.pick(MORE);
    for (const { name } of this.#random.shuffled(others).slice(0, more)) {
      const own = this.#singles.filter(
        (each) => each.operation === operation && each.name === name,
      );
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
