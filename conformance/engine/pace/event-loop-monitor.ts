// Measures stalls of the event loop: during a stall nothing arrives at our own receiver, which says
// nothing about the target.
import { setTimeout as sleep } from 'node:timers/promises';

const TICK_MS = 20;
/** A delay that is normal for any program. */
const TOLERATED_MS = 30;
/** How long the event loop must run on time to be calm. */
const CALM_MS = 150;
/** Stalls from this length on are remembered one by one. */
const NOTABLE_MS = 100;

interface Stall {
  readonly endMs: number;
  readonly ms: number;
}

/** Stalls within a span of time, in milliseconds. */
export interface EventLoopDelay {
  /** The longest stall. */
  readonly worstMs: number;
  /** All stalls together. */
  readonly lostMs: number;
  readonly spanMs: number;
}

/** A point in time to measure from. */
export interface EventLoopMark {
  readonly atMs: number;
  readonly lostMs: number;
}

export class EventLoopMonitor {
  #timer: ReturnType<typeof setInterval> | undefined;
  #lastMs = 0;
  #lostMs = 0;
  readonly #gaps: Stall[] = [];

  start(): void {
    this.#lastMs = performance.now();
    this.#timer = setInterval(() => this.#look(), TICK_MS);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  mark(): EventLoopMark {
    this.#look();
    return { atMs: performance.now(), lostMs: this.#lostMs };
  }

  since({ atMs, lostMs }: EventLoopMark): EventLoopDelay {
    this.#look();
    const own = this.#gaps.filter((each) => each.endMs > atMs).map((each) => each.ms);
    const spanMs = performance.now() - atMs;
    return { worstMs: Math.max(0, ...own), lostMs: this.#lostMs - lostMs, spanMs };
  }

  /** Waits until the event loop runs on time again, at most `withinMs`. */
  async waitUntilCalm(withinMs: number): Promise<void> {
    const endMs = performance.now() + withinMs;
    for (;;) {
      const from = this.mark();
      await sleep(CALM_MS);
      if (this.since(from).lostMs === 0 || performance.now() >= endMs) return;
    }
  }

  /** Called between two ticks as well, so that a stall is noticed before the next tick. */
  #look(): void {
    if (this.#timer === undefined) return;
    const nowMs = performance.now();
    const lateMs = nowMs - this.#lastMs - TICK_MS;
    this.#lastMs = nowMs;
    if (lateMs <= TOLERATED_MS) return;
    this.#lostMs += lateMs;
    if (lateMs >= NOTABLE_MS) this.#gaps.push({ endMs: nowMs, ms: lateMs });
  }
}
