// Measures stalls of the event loop: during a stall nothing reaches our receiver, which says
// nothing about the target.
import { setTimeout as sleep } from 'node:timers/promises';

const TICK_MS = 20;
/** A delay that is normal for any program. */
const TOLERATED_MS = 30;
/** How long the event loop must run on time to count as calm. */
const CALM_MS = 150;

export class EventLoopMonitor {
  #timer: ReturnType<typeof setInterval> | undefined;
  #lastMs = 0;
  readonly #stalls: { readonly endMs: number; readonly ms: number }[] = [];

  start(): void {
    this.#lastMs = performance.now();
    this.#timer = setInterval(() => this.#look(), TICK_MS);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** A moment to measure from. */
  now(): number {
    this.#look();
    return performance.now();
  }

  /** The longest stall since that moment, and the total, in milliseconds. */
  since(fromMs: number): { readonly worstMs: number; readonly lostMs: number } {
    this.#look();
    const own = this.#stalls.filter(({ endMs }) => endMs > fromMs).map(({ ms }) => ms);
    return { worstMs: Math.max(0, ...own), lostMs: own.reduce((sum, ms) => sum + ms, 0) };
  }

  /** Waits until the event loop runs on time again, at most `withinMs`. */
  async waitUntilCalm(withinMs: number): Promise<void> {
    const endMs = performance.now() + withinMs;
    for (;;) {
      const fromMs = this.now();
      await sleep(CALM_MS);
      if (this.since(fromMs).lostMs === 0 || performance.now() >= endMs) return;
    }
  }

  /** Also called between two ticks, so that a stall is noticed before the next tick. */
  #look(): void {
    if (this.#timer === undefined) return;
    const nowMs = performance.now();
    const lateMs = nowMs - this.#lastMs - TICK_MS;
    this.#lastMs = nowMs;
    if (lateMs > TOLERATED_MS) this.#stalls.push({ endMs: nowMs, ms: lateMs });
  }
}
