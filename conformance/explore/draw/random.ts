// Chance that comes the same each time for the same seed.

export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** From 0 up to 1 (mulberry32). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  }

  /** A whole number from 0 up to `count`, which is not reached. */
  below(count: number): number {
    return Math.floor(this.next() * count);
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(all: readonly T[]): T {
    if (all.length === 0) throw new Error('nothing to pick from');
    return all[this.below(all.length)]!;
  }

  /** One of them, each as likely as its weight says. */
  weighted<T>(all: readonly T[], weightOf: (each: T) => number): T {
    const weights = all.map(weightOf);
    let left = this.next() * weights.reduce((sum, each) => sum + each, 0);
    for (const [index, weight] of weights.entries()) {
      left -= weight;
      if (left < 0) return all[index]!;
    }
    return all[all.length - 1]!;
  }
}
