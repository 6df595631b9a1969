// Keeps the runner within the rates of its credentials and firms, and within --max-rate.
import { setTimeout as sleep } from 'node:timers/promises';

/** A rate that limits requests; several requests may share one by its key. */
export interface Rate {
  readonly key: string;
  readonly perSecond: number;
  /** The profile does not state it; the usual rate is assumed. */
  readonly isAssumed?: true;
}

interface Bucket {
  perSecond: number;
  level: number;
  filledAtMs: number;
}

interface PaceClock {
  now(): number;
  sleep(ms: number): Promise<void>;
}

const wall: PaceClock = { now: () => performance.now(), sleep };

/** Sustained use stays below the allowance by this factor, because the target's clock is not ours. */
export const CAUTION = 0.95;

export class Pacer {
  readonly #buckets = new Map<string, Bucket>();
  readonly #clock: PaceClock;
  readonly #ceiling: Ceiling | undefined;

  /** `maxPerSecond` limits all requests of the run, across credentials. */
  constructor(maxPerSecond?: number, clock: PaceClock = wall) {
    this.#clock = clock;
    this.#ceiling = maxPerSecond === undefined ? undefined : new Ceiling(maxPerSecond);
  }

  /** Waits until `count` simultaneous requests fit into each of the rates and under the ceiling. */
  async take(rates: readonly Rate[], count = 1): Promise<void> {
    const waitMs = Math.max(0, ...rates.map((rate) => this.#reserve(rate, count)));
    if (waitMs > 0) await this.#clock.sleep(waitMs);
    await this.#ceiling?.take(count, this.#clock);
  }

  /** LIM-7: after a refusal, sends nothing under these rates for the time that it requires. */
  backOff(rates: readonly Rate[], forMs: number): void {
    for (const rate of rates) {
      const bucket = this.#bucket(rate);
      bucket.level = Math.min(bucket.level, -(forMs / 1000) * bucket.perSecond);
    }
  }

  /** A refusal states the rate of a credential: its bucket never exceeds that rate. */
  learn(rates: readonly Rate[], perSecond: number): void {
    const [own] = rates;
    if (own === undefined) return;
    const bucket = this.#bucket(own);
    bucket.perSecond = Math.min(bucket.perSecond, perSecond);
    bucket.level = Math.min(bucket.level, Math.max(1, bucket.perSecond));
  }

  /** The most requests that may be sent simultaneously under these rates. */
  burst(rates: readonly Rate[]): number {
    const least = Math.min(...rates.map((rate) => this.#bucket(rate).perSecond), this.maxAtOnce);
    return Math.max(1, Math.floor(least));
  }

  /** The largest burst that --max-rate allows. */
  get maxAtOnce(): number {
    return this.#ceiling?.maxAtOnce ?? Number.POSITIVE_INFINITY;
  }

  #reserve(rate: Rate, count: number): number {
    const bucket = this.#bucket(rate);
    // A single request leaves one in reserve for jitter; a deliberate burst may use everything.
    const spare = count === 1 && bucket.perSecond >= 3 ? 1 : 0;
    const lacking = Math.min(count + spare, Math.max(1, bucket.perSecond)) - bucket.level;
    bucket.level -= count;
    return lacking > 0 ? (lacking / (bucket.perSecond * CAUTION)) * 1000 : 0;
  }

  #bucket({ key, perSecond }: Rate): Bucket {
    const nowMs = this.#clock.now();
    const full = { perSecond, level: Math.max(1, perSecond), filledAtMs: nowMs };
    const bucket = this.#buckets.get(key) ?? full;
    this.#buckets.set(key, bucket);
    const gained = ((nowMs - bucket.filledAtMs) / 1000) * bucket.perSecond * CAUTION;
    bucket.level = Math.min(Math.max(1, bucket.perSecond), bucket.level + gained);
    bucket.filledAtMs = nowMs;
    return bucket;
  }
}

/** Limits the requests in any period of one second, by the times at which they are actually sent. */
class Ceiling {
  readonly maxAtOnce: number;
  readonly #windowMs: number;
  /** When the latest requests were sent; as many as fit into one window. */
  #latest: number[] = [];
  /** Fulfilled when all earlier requests have been sent. */
  #turn: Promise<void> = Promise.resolve();

  constructor(perSecond: number) {
    this.maxAtOnce = Math.max(1, Math.floor(perSecond));
    this.#windowMs = (this.maxAtOnce / perSecond / CAUTION) * 1000;
  }

  /** Waits, first come first served, until `count` requests may be sent simultaneously. */
  async take(count: number, clock: PaceClock): Promise<void> {
    if (count > this.maxAtOnce) {
      throw new RangeError(`${count} requests at once are more than --max-rate allows`);
    }
    this.#turn = this.#turn.then(async () => {
      // The request `maxAtOnce` places before the last of these must be older than a window. If a
      // timer fires late, the next requests must not follow too soon.
      const beforeMs = this.#latest.at(count - 1 - this.maxAtOnce) ?? Number.NEGATIVE_INFINITY;
      for (;;) {
        const waitMs = beforeMs + this.#windowMs - clock.now();
        if (waitMs <= 0) break;
        await clock.sleep(waitMs);
      }
      const sent: number[] = Array(count).fill(clock.now());
      this.#latest = [...this.#latest, ...sent].slice(-this.maxAtOnce);
    });
    await this.#turn;
  }
}
