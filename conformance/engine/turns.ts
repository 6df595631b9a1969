// Watches whether this program gets its turns: while it has none nothing arrives at its receiver,
// and what does not arrive then says nothing about the target.
import { setTimeout as sleep } from 'node:timers/promises';

const TICK_MS = 20;
/** What any program is late by now and then. */
const TOLERATED_MS = 30;
/** For turns to be called regular again. */
const CALM_MS = 150;
/** Longer gaps are remembered one by one. */
const NOTABLE_MS = 100;

interface Gap {
  readonly endMs: number;
  readonly ms: number;
}

/** What was lost within a span of time, in milliseconds. */
export interface Loss {
  /** The longest time without a turn. */
  readonly worstMs: number;
  /** All such times together. */
  readonly lostMs: number;
  readonly spanMs: number;
}

/** A point in time to measure from. */
export interface Mark {
  readonly atMs: number;
  readonly lostMs: number;
}

export class Turns {
  #timer: ReturnType<typeof setInterval> | undefined;
  #lastMs = 0;
  #lostMs = 0;
  readonly #gaps: Gap[] = [];

  start(): void {
    this.#lastMs = performance.now();
    this.#timer = setInterval(() => this.#look(), TICK_MS);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  mark(): Mark {
    this.#look();
    return { atMs: performance.now(), lostMs: this.#lostMs };
  }

  since({ atMs, lostMs }: Mark): Loss {
    this.#look();
    const own = this.#gaps.filter((each) => each.endMs > atMs).map((each) => each.ms);
    const spanMs = performance.now() - atMs;
    return { worstMs: Math.max(0, ...own), lostMs: this.#lostMs - lostMs, spanMs };
  }

  /** Waits until turns come regularly again, at most for so long. */
  async calm(withinMs: number): Promise<void> {
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
