// Lets time pass at once: next due thing, its effects, their answers, and so on until the time that
// was named.
import type { SendAttempt } from '../../core/delivery/deliveries.ts';
import type { FiredTimer } from '../../core/fire-timer.ts';
import { nextDueMs } from '../../core/fire-timer.ts';
import type { World } from '../../core/world.ts';
import type { WorldHost } from './world-host.ts';

export type AdvanceOptions =
  | { readonly by_ms: number }
  | { readonly to_ms: number }
  | { readonly to_next: true };

/** One thing that happened on the way. */
export interface AdvanceStep {
  readonly atMs: number;
  readonly kind: FiredTimer['kind'] | 'delivery';
  readonly ref: string;
  readonly outcome: string;
}

export interface AdvanceReport {
  readonly fromMs: number;
  readonly toMs: number;
  readonly fired: readonly AdvanceStep[];
}

/** A time to which the clock cannot go; the message says why. */
export class ClockError extends Error {
  override readonly name = 'ClockError';
}

/** The last moment that dates of four-digit years can tell. */
const lastMs = Date.UTC(10_000, 0) - 1;
/** Attempts that were under way before are waited for until none has ended for so long. */
const graceMs = 1000;
/** Answers of attempts at one and the same time are waited for together, this many at once. */
const sentAtOnce = 50;

export class Advance {
  readonly #host: WorldHost;
  readonly #world: World;
  readonly #fired: AdvanceStep[] = [];

  constructor(host: WorldHost) {
    this.#host = host;
    this.#world = host.world;
  }

  async run(options: AdvanceOptions): Promise<AdvanceReport> {
    const { clock, inFlight, world } = this.#host;
    const fromMs = Math.max(clock.nowMs(), world.nowMs);
    // While an answer is waited for, the clock stands.
    clock.standAt(fromMs);
    try {
      // Refused at once, and not after a wait.
      if (!('to_next' in options)) this.#target(options, fromMs);
      await inFlight.waitUntilIdle(graceMs);
      const toMs = this.#target(options, fromMs);
      await this.#walk(fromMs, toMs);
      if (!this.#isOver()) clock.standAt(toMs);
      return { fromMs, toMs, fired: this.#fired };
    } finally {
      if (!this.#isOver()) clock.release();
    }
  }

  /**
   * Another world, with a clock of its own, was put in the place of the one that was begun with.
   */
  #isOver(): boolean {
    return this.#host.world !== this.#world;
  }

  #target(options: AdvanceOptions, fromMs: number): number {
    const toMs = this.#named(options, fromMs);
    if (toMs > lastMs) throw new ClockError('it would go beyond the year 9999');
    return toMs;
  }

  #named(options: AdvanceOptions, fromMs: number): number {
    if ('to_next' in options) return Math.max(this.#next() ?? fromMs, fromMs);
    const toMs = 'by_ms' in options ? fromMs + options.by_ms : options.to_ms;
    if (toMs >= fromMs) return toMs;
    throw new ClockError(`time never goes back, and it is ${fromMs} already`);
  }

  #next(): number | null {
    const due = nextDueMs(this.#host.world);
    const expiry = this.#host.inFlight.nextExpiryMs();
    return due === null || expiry === null ? (due ?? expiry) : Math.min(due, expiry);
  }

  async #walk(fromMs: number, toMs: number): Promise<void> {
    const { clock, inFlight, world } = this.#host;
    while (!this.#isOver()) {
      const next = this.#next();
      if (next === null || next > toMs) return;
      const atMs = Math.max(next, world.nowMs);
      // What was due before the advance began happens at its own time; the clock is beyond that.
      clock.standAt(Math.max(atMs, fromMs));
      const sends: SendAttempt[] = [];
      for (const id of inFlight.expire(atMs, sends)) {
        this.#fired.push({ atMs, kind: 'delivery', ref: id, outcome: 'timed out' });
      }
      this.#fire(atMs, sends);
      await this.#answer(sends);
    }
  }

  /** Everything due by then, in order. */
  #fire(atMs: number, sends: SendAttempt[]): void {
    const host = this.#host;
    for (
      let due = nextDueMs(host.world);
      due !== null && due <= atMs;
      due = nextDueMs(host.world)
    ) {
      const { fired, effects } = host.step({ kind: 'time', atMs });
      if (fired !== undefined) this.#fired.push(fired);
      host.carryOut(effects, sends);
    }
  }

  /**
   * Sends in parallel, takes the answers in the order of sending, so that the outcome is always the
   * same.
   */
  async #answer(sends: SendAttempt[]): Promise<void> {
    const { inFlight } = this.#host;
    let batch = sends;
    while (batch.length > 0) {
      const follow: SendAttempt[] = [];
      const underWay = batch.slice(0, sentAtOnce).map((send) => inFlight.sendAwaited(send));
      for (const [index, { deliveryId }] of batch.entries()) {
        const result = await underWay[index % sentAtOnce];
        // Cut off: the world it was for is closed or gone.
        if (result === null || result === undefined || this.#isOver()) return;
        inFlight.take(result, follow);
        this.#tell(deliveryId);
        const next = batch[index + sentAtOnce];
        if (next !== undefined) underWay[index % sentAtOnce] = inFlight.sendAwaited(next);
      }
      batch = follow;
    }
  }

  #tell(id: string): void {
    const { nowMs, deliveries } = this.#world;
    const delivery = deliveries.get(id);
    const last = delivery?.attempts[delivery.attempts.length - 1];
    const outcome = `${delivery?.status}: ${last?.status ?? last?.error ?? 'no answer'}`;
    this.#fired.push({ atMs: nowMs, kind: 'delivery', ref: id, outcome });
  }
}
