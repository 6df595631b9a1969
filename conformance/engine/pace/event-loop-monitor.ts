// Watches for stalls of the event loop: during one nothing arrives at our own receiver,
// and what does not arrive then says nothing about the target.
import { setTimeout as sleep } from 'node:timers/promises';

const TICK_MS = 20;
/** What any program is late by now and then. */
const TOLERATED_MS = 30;
/** How long the event loop must run in time to be called calm. */
const CALM_MS = 150;
/** Longer gaps are remembered one by one. */
const NOTABLE_MS = 100;

interface Stall {
  readonly endMs: number;
  readonly ms: number;
}

/** What was lost within a span of time, in milliseconds. */
export interface EventLoopDelay {
  /** The longest stall. */
  readonly worstMs: number;
  /** All such times together. */
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

  /** Waits until the event loop runs in time again, at most for so long. */
  async waitUntilCalm(withinMs: number): Promise<void> {
    const endMs = performance.now() + withinMs;
    for (;;) {
      const from = this.mark();
      await sleep(CALM_MS);
      if (this.since(from).lostMs === 0 || performance.now() >= endMs) return;
    }
  }

  /** Asked between two ticks, too: a turn that was long in coming need not be the tick's. */
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
