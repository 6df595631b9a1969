// Lets time pass at once: next due thing, its effects, their answers, and so on until the time that was named.
import type { Send } from '../core/deliveries.ts';
import type { Fired } from '../core/fire.ts';
import { nextDueMs } from '../core/fire.ts';
import type { WorldHost } from './world-host.ts';

export type AdvanceTerms =
  | { readonly by_ms: number }
  | { readonly to_ms: number }
  | { readonly to_next: true };

/** One thing that happened on the way. */
export interface Happened {
  readonly atMs: number;
  readonly kind: Fired['kind'] | 'delivery';
  readonly ref: string;
  readonly outcome: string;
}

export interface AdvanceReport {
  readonly fromMs: number;
  readonly toMs: number;
  readonly fired: readonly Happened[];
}

/** A time to which the clock cannot go; the message says why. */
export class ClockError extends Error {
  override readonly name = 'ClockError';
}

/** The last moment that dates of four-digit years can tell. */
const lastMs = Date.UTC(10_000, 0) - 1;
/** How long attempts that were under way before are waited for; then the sandbox's clock decides. */
const graceMs = 1000;
/** Answers of attempts at one and the same time are waited for together, this many at once. */
const sentAtOnce = 50;

export class Advance {
  readonly #host: WorldHost;
  readonly #fired: Happened[] = [];

  constructor(host: WorldHost) {
    this.#host = host;
  }

  async run(terms: AdvanceTerms): Promise<AdvanceReport> {
    const host = this.#host;
    const { clock } = host;
    const fromMs = Math.max(clock.nowMs(), host.world.nowMs);
    // While an answer is waited for, the clock stands.
    clock.standAt(fromMs);
    try {
      host.fireUntil(fromMs);
      await host.inFlight.settle(graceMs);
      const toMs = this.#target(terms, fromMs);
      if (toMs > lastMs) throw new ClockError('it would go beyond the year 9999');
      await this.#walk(toMs);
      clock.standAt(toMs);
      return { fromMs, toMs, fired: this.#fired };
    } finally {
      clock.release();
    }
  }

  #target(terms: AdvanceTerms, fromMs: number): number {
    if ('by_ms' in terms) return fromMs + terms.by_ms;
    if ('to_ms' in terms) {
      if (terms.to_ms >= fromMs) return terms.to_ms;
      throw new ClockError(`time never goes back, and it is ${fromMs} already`);
    }
    return this.#next() ?? fromMs;
  }

  #next(): number | null {
    const due = nextDueMs(this.#host.world);
    const expiry = this.#host.inFlight.nextExpiryMs();
    return due === null || expiry === null ? (due ?? expiry) : Math.min(due, expiry);
  }

  async #walk(toMs: number): Promise<void> {
    const host = this.#host;
    for (let next = this.#next(); next !== null && next <= toMs; next = this.#next()) {
      const atMs = Math.max(next, host.world.nowMs);
      host.clock.standAt(atMs);
      const sends: Send[] = [];
      for (const id of host.inFlight.expire(atMs, sends)) {
        this.#fired.push({ atMs, kind: 'delivery', ref: id, outcome: 'timed out' });
      }
      for (
        let due = nextDueMs(host.world);
        due !== null && due <= atMs;
        due = nextDueMs(host.world)
      ) {
        const { fired, effects } = host.step({ kind: 'time', atMs });
        if (fired !== undefined) this.#fired.push(fired);
        host.carryOut(effects, sends);
      }
      await this.#answer(sends);
    }
  }

  /** Sends in parallel, takes the answers in the order of sending, so that the outcome is always the same. */
  async #answer(sends: Send[]): Promise<void> {
    const { inFlight, world } = this.#host;
    let batch = sends;
    while (batch.length > 0) {
      const follow: Send[] = [];
      for (let at = 0; at < batch.length; at += sentAtOnce) {
        const part = batch.slice(at, at + sentAtOnce);
        const never = new AbortController().signal;
        const results = await Promise.all(part.map((send) => inFlight.send(send, never)));
        for (const [index, result] of results.entries()) {
          inFlight.take(result, follow);
          const id = part[index]?.deliveryId ?? '';
          const status = world.deliveries.get(id);
          const last = status?.attempts[status.attempts.length - 1];
          const outcome = `${status?.status}: ${last?.status ?? last?.error ?? 'no answer'}`;
          this.#fired.push({ atMs: world.nowMs, kind: 'delivery', ref: id, outcome });
        }
      }
      batch = follow;
    }
  }
}
