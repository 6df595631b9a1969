// Wakes a world in real time when the next thing in it is due.
import type { Clock } from './clock.ts';

const longestTimerMs = 2 ** 31 - 1;

export interface AlarmOptions {
  readonly clock: Clock;
  /** When the next thing is due; null: nothing is. */
  readonly nextDueMs: () => number | null;
  readonly ring: () => void;
}

/** One timer at most, and none while nothing is due or the clock stands. */
export class Alarm {
  readonly #options: AlarmOptions;
  #timer: NodeJS.Timeout | null = null;
  #setForMs = Number.POSITIVE_INFINITY;

  constructor(options: AlarmOptions) {
    this.#options = options;
  }

  /** Asks again what is due; costs next to nothing where that has not changed. */
  set(): void {
    const { clock, nextDueMs, ring } = this.#options;
    const due = nextDueMs();
    if (due === null || due === this.#setForMs) return;
    this.stop();
    if (clock.mode !== 'real') return;
    this.#setForMs = due;
    const waitMs = Math.max(0, due - clock.nowMs()) / clock.speed;
    this.#timer = setTimeout(
      () => {
        this.stop();
        ring();
      },
      Math.min(waitMs, longestTimerMs),
    );
    this.#timer.unref();
  }

  /** The clock was moved: the same due time is another wait now. */
  setAnew(): void {
    this.#setForMs = Number.POSITIVE_INFINITY;
    this.set();
  }

  stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#setForMs = Number.POSITIVE_INFINITY;
  }
}
