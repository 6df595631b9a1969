// A covering array that grows row by row: each next row brings together as many pairs of levels as
// possible that no row had before, and triples of the dimensions that are named for them.
import type { Random } from '../../../fixtures/random.ts';

export type Row = Readonly<Record<string, string>>;

export interface Dimension {
  readonly name: string;
  readonly levels: readonly string[];
}

export interface Space {
  readonly dimensions: readonly Dimension[];
  /** Dimensions of which every triple of levels is wanted, not only every pair. */
  readonly triples: readonly (readonly string[])[];
  /** Whether these levels can stand together; rows that are not complete yet are asked too. */
  readonly allows: (row: Row) => boolean;
}

const CANDIDATES = 3;

export class Covering {
  readonly #space: Space;
  readonly #random: Random;
  /** How often each level stood in a row, and which combinations have been covered. */
  readonly #uses = new Map<string, number>();
  readonly #covered = new Set<string>();

  constructor(space: Space, random: Random) {
    this.#space = space;
    this.#random = random;
  }

  next(): Row {
    let best = this.#candidate();
    for (let more = 1; more < CANDIDATES; more += 1) {
      const other = this.#candidate();
      if (other.gain > best.gain) best = other;
    }
    const row: Record<string, string> = {};
    for (const [name, level] of Object.entries(best.row)) {
      for (const each of this.#combinations(row, name, level)) this.#covered.add(each);
      this.#uses.set(`${name}=${level}`, (this.#uses.get(`${name}=${level}`) ?? 0) + 1);
      row[name] = level;
    }
    return row;
  }

  /** Level by level, the operation first and the rest in an order of chance, what adds most. */
  #candidate(): { readonly row: Row; readonly gain: number } {
    const row: Record<string, string> = {};
    let gain = 0;
    const [first, ...others] = this.#space.dimensions;
    for (const { name, levels } of [first!, ...this.#random.shuffled(others)]) {
      let best: { level: string; gain: number } | undefined;
      for (const level of this.#random.shuffled(levels)) {
        const own = this.#gain(row, name, level);
        if (best !== undefined && own <= best.gain) continue;
        if (this.#space.allows({ ...row, [name]: level })) best = { level, gain: own };
      }
      if (best === undefined) continue;
      row[name] = best.level;
      gain += best.gain;
    }
    return { row, gain };
  }

  /** What a level adds to a row; of levels that add nothing new the one that was used least. */
  #gain(row: Row, name: string, level: string): number {
    const uses = this.#uses.get(`${name}=${level}`) ?? 0;
    let gain = uses === 0 ? 2 : 1 / (1 + uses);
    for (const each of this.#combinations(row, name, level)) {
      if (!this.#covered.has(each)) gain += 1;
    }
    return gain;
  }

  /** The pairs and triples that a level makes with those that stand in the row. */
  #combinations(row: Row, name: string, level: string): readonly string[] {
    const own = `${name}=${level}`;
    const keys: string[] = [];
    for (const other of Object.keys(row)) {
      const pair = `${other}=${row[other]}`;
      keys.push(other < name ? `${pair} ${own}` : `${own} ${pair}`);
    }
    for (const triple of this.#space.triples) {
      if (!triple.includes(name)) continue;
      if (!triple.every((each) => each === name || each in row)) continue;
      keys.push(triple.map((each) => (each === name ? own : `${each}=${row[each]}`)).join(' '));
    }
    return keys;
  }
}
