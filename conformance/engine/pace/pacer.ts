// Keeps the runner within the rates of its credentials and firms, so that it is never limited by
// accident.

/** A rate that requests are held to; several requests may share one by its key. */
export interface Rate {
  readonly key: string;
  readonly perSecond: number;
  /** Nobody said so: it is what is usual. */
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
  readonly #maxPerSecond: number;

  /** At most `maxPerSecond` over all credentials, for who wants to be gentler than the plan. */
  constructor(maxPerSecond = Number.POSITIVE_INFINITY, clock: PaceClock = wall) {
    this.#maxPerSecond = maxPerSecond;
    this.#clock = clock;
  }

  /** Waits until `count` requests at once fit into every one of the rates. */
  async take(rates: readonly Rate[], count = 1): Promise<void> {
    let waitMs = 0;
    for (const rate of this.#all(rates)) waitMs = Math.max(waitMs, this.#reserve(rate, count));
    if (waitMs > 0) await this.#clock.sleep(waitMs);
  }

  /** LIM-7: after a refusal nothing more is sent under these rates for the time it asked for. */
  backOff(rates: readonly Rate[], forMs: number): void {
    for (const rate of rates) {
      const bucket = this.#bucket(rate);
      const debt = -(forMs / 1000) * bucket.perSecond;
      bucket.level = Math.min(bucket.level, debt);
    }
  }

  /** A refusal told the rate that a credential is really held to: its bucket is never larger. */
  learn(rates: readonly Rate[], perSecond: number): void {
    const [own] = rates;
    if (own === undefined) return;
    const bucket = this.#bucket(own);
    bucket.perSecond = Math.min(bucket.perSecond, perSecond);
    bucket.level = Math.min(bucket.level, Math.max(1, bucket.perSecond));
  }

  /** The most requests that may leave at once under these rates. */
  burst(rates: readonly Rate[]): number {
    const least = Math.min(...this.#all(rates).map((rate) => this.#bucket(rate).perSecond));
    return Math.max(1, Math.floor(least));
  }

  #all(rates: readonly Rate[]): readonly Rate[] {
    if (this.#maxPerSecond === Number.POSITIVE_INFINITY) return rates;
    return [...rates, { key: 'everything', perSecond: this.#maxPerSecond }];
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
