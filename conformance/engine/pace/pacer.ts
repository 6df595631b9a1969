// Keeps the runner within the rates of its credentials and firms, and within --max-rate.

/** A rate that requests are held to; several requests may share one by its key. */
export interface Rate {
  readonly key: string;
  readonly perSecond: number;
  /** No profile states it: it is the usual rate. */
  readonly isAssumed?: true;
}

interface Bucket {
  perSecond: number;
  level: number;
  filledAtMs: number;
}

export interface PaceClock {
  now(): number;
  sleep(ms: number): Promise<void>;
}

const wall: PaceClock = {
  now: () => performance.now(),
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
};

/** Sustained use stays this far under the allowance, because the target's clock is not ours. */
const CAUTION = 0.95;

export class Pacer {
  readonly #buckets = new Map<string, Bucket>();
  readonly #clock: PaceClock;
  readonly #ceiling: Ceiling | undefined;

  /** `maxPerSecond` holds over all credentials, for every request of the run. */
  constructor(maxPerSecond?: number, clock: PaceClock = wall) {
    this.#clock = clock;
    this.#ceiling = maxPerSecond === undefined ? undefined : new Ceiling(maxPerSecond);
  }

  /** Waits until `count` requests at once fit into every one of the rates, and under the ceiling. */
  async take(rates: readonly Rate[], count = 1): Promise<void> {
    const waitMs = Math.max(0, ...rates.map((rate) => this.#reserve(rate, count)));
    if (waitMs > 0) await this.#clock.sleep(waitMs);
    const ceilingMs = this.#ceiling?.reserve(this.#clock.now(), count) ?? 0;
    if (ceilingMs > 0) await this.#clock.sleep(ceilingMs);
  }

  /** LIM-7: after a refusal nothing more is sent under these rates for the time it asks for. */
  backOff(rates: readonly Rate[], forMs: number): void {
    for (const rate of rates) {
      const bucket = this.#bucket(rate);
      const debt = -(forMs / 1000) * bucket.perSecond;
      bucket.level = Math.min(bucket.level, debt);
    }
  }

  /** A refusal states the rate that a credential is held to: its bucket is never larger. */
  learn(rates: readonly Rate[], perSecond: number): void {
    const [own] = rates;
    if (own === undefined) return;
    const bucket = this.#bucket(own);
    bucket.perSecond = Math.min(bucket.perSecond, perSecond);
    bucket.level = Math.min(bucket.level, Math.max(1, bucket.perSecond));
  }

  /** The most requests that may leave at once under these rates. */
  burst(rates: readonly Rate[]): number {
    const least = Math.min(...rates.map((rate) => this.#bucket(rate).perSecond), this.mostAtOnce);
    return Math.max(1, Math.floor(least));
  }

  /** The most requests that --max-rate lets leave at once. */
  get mostAtOnce(): number {
    return this.#ceiling?.mostAtOnce ?? Number.POSITIVE_INFINITY;
  }

  #reserve(rate: Rate, count: number): number {
    const bucket = this.#bucket(rate);
    // A single request leaves one in reserve for jitter; a burst on purpose may use everything.
    const spare = count === 1 && bucket.perSecond >= 3 ? 1 : 0;
    const lacking = Math.min(count + spare, Math.max(1, bucket.perSecond)) - bucket.level;
    bucket.level -= count;
    return lacking > 0 ? (lacking / (bucket.perSecond * CAUTION)) * 1000 : 0;
  }

  #bucket(rate: Rate): Bucket {
    const nowMs = this.#clock.now();
    let bucket = this.#buckets.get(rate.key);
    if (bucket === undefined) {
      const { perSecond } = rate;
      bucket = { perSecond, level: Math.max(1, perSecond), filledAtMs: nowMs };
      this.#buckets.set(rate.key, bucket);
    }
    const gained = ((nowMs - bucket.filledAtMs) / 1000) * bucket.perSecond * CAUTION;
    bucket.level = Math.min(Math.max(1, bucket.perSecond), bucket.level + gained);
    bucket.filledAtMs = nowMs;
    return bucket;
  }
}

/** At most so many requests in any second, whichever second is looked at. */
class Ceiling {
  readonly mostAtOnce: number;
  readonly #windowMs: number;
  /** When the latest requests leave, in order; as many as fit into one window. */
  #latest: number[] = [];

  constructor(perSecond: number) {
    this.mostAtOnce = Math.max(1, Math.floor(perSecond));
    this.#windowMs = (this.mostAtOnce / perSecond / CAUTION) * 1000;
  }

  /** How long to wait before `count` requests may leave at once. */
  reserve(nowMs: number, count: number): number {
    if (count > this.mostAtOnce) {
      throw new RangeError(`${count} requests at once are more than --max-rate allows`);
    }
    // The request that left `mostAtOnce` places before the last of these is over a window ago.
    const before = this.#latest.at(count - 1 - this.mostAtOnce);
    const isFull = this.#latest.length + count > this.mostAtOnce && before !== undefined;
    const atMs = Math.max(nowMs, isFull ? before + this.#windowMs : 0, this.#latest.at(-1) ?? 0);
    for (let at = 0; at < count; at += 1) this.#latest.push(atMs);
    this.#latest = this.#latest.slice(-this.mostAtOnce);
    return atMs - nowMs;
  }
}
