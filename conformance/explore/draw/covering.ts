// A covering array that grows row by row. A row leaves most dimensions at their plain level, so that
// nothing hides what the others do; of the rest it brings together as many pairs of levels as possible
// that no row had before.
import type { Random } from '../../../fixtures/random.ts';

export type Row = Readonly<Record<string, string>>;

export interface Dimension {
  readonly name: string;
  /** The plain one first. */
  readonly levels: readonly string[];
}

export interface Space {
  /** Of which each row has another level. */
  readonly always: readonly Dimension[];
  /** Of which a row has few that are not plain. */
  readonly dimensions: readonly Dimension[];
  /** Dimensions that have the most to do with one another. */
  readonly kin: readonly (readonly string[])[];
  /** Whether these levels can stand together; rows that are not complete yet are asked too. */
  readonly allows: (row: Row) => boolean;
}

const CANDIDATES = 3;
/** How many dimensions of a row are not plain, as often as they stand here. */
const ACTIVE: readonly number[] = [1, 2, 2, 2, 3, 3];

export class Covering {
  readonly #space: Space;
  readonly #random: Random;
  /** How often each level and each pair of levels stood in a row. */
  readonly #uses = new Map<string, number>();

  constructor(space: Space, random: Random) {
    this.#space = space;
    this.#random = random;
  }

  next(): Row {
    const candidates = Array.from({ length: CANDIDATES }, () => this.#candidate());
    const best = candidates.reduce((one, other) => (other.gain > one.gain ? other : one));
    for (const each of best.covers) this.#uses.set(each, (this.#uses.get(each) ?? 0) + 1);
    const plain = this.#space.dimensions.map(({ name, levels }) => [name, levels[0]!]);
    return { ...Object.fromEntries(plain), ...best.row };
  }

  /** Dimension by dimension the level that adds most. */
  #candidate() {
    const row: Record<string, string> = {};
    const covers: string[] = [];
    let sum = 0;
    for (const { name, levels } of [...this.#space.always, ...this.#active()]) {
      let best: { level: string; gain: number; pairs: readonly string[] } | undefined;
      for (const level of this.#random.shuffled(levels)) {
        const pairs = pairsOf(row, `${name}=${level}`);
        const gain = pairs.reduce((all, pair) => all + 1 / (1 + (this.#uses.get(pair) ?? 0)), 0);
        if (best !== undefined && gain <= best.gain) continue;
        if (this.#space.allows({ ...row, [name]: level })) best = { level, gain, pairs };
      }
      if (best === undefined) continue;
      row[name] = best.level;
      covers.push(...best.pairs);
      sum += best.gain;
    }
    return { row, covers, gain: sum / Math.max(1, covers.length) };
  }

  /** The dimensions that are not plain: any few, or those of one kin. */
  #active(): readonly Dimension[] {
    const { dimensions, kin } = this.#space;
    const isKin = this.#random.chance(0.4) && kin.length > 0;
    const names = isKin ? this.#random.pick(kin) : dimensions.map(({ name }) => name);
    const chosen = this.#random.shuffled(dimensions.filter(({ name }) => names.includes(name)));
    return chosen
      .slice(0, isKin ? chosen.length : this.#random.pick(ACTIVE))
      .map(({ name, levels }) => ({ name, levels: levels.slice(1) }));
  }
}

/** A level by itself, and with each that stands in the row. */
const pairsOf = (row: Row, own: string): readonly string[] => [
  own,
  ...Object.entries(row).map(([name, level]) => [`${name}=${level}`, own].sort().join(' ')),
];
