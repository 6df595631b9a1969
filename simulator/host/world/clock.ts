// The clock of a world: it runs at the wall rate or a multiple of it, or it is frozen.

export const clockModes = ['real', 'frozen'] as const;
export type ClockMode = (typeof clockModes)[number];

/** How a clock begins. */
export interface ClockOptions {
  readonly mode: ClockMode;
  /** null: wall-clock time. */
  readonly nowMs: number | null;
  /** 1 by default. */
  readonly speed?: number | undefined;
}

/** A clock as stored with a world. */
export interface ClockState extends ClockOptions {
  readonly nowMs: number;
}

const isoTime = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d))?$/;

/**
 * `real`, `frozen`, or an ISO time with its zone at which it is frozen; null for anything else.
 */
export function parseClock(text: string): ClockOptions | null {
  if (text === 'real' || text === 'frozen') return { mode: text, nowMs: null };
  const nowMs = isoTime.test(text) ? Date.parse(text) : Number.NaN;
  return nowMs >= 0 ? { mode: 'frozen', nowMs } : null;
}

export class Clock {
  mode: ClockMode = 'real';
  /** How many times as fast as wall-clock time it runs when it is not frozen. */
  speed = 1;
  /** When the current mode started, in its own time and in real time. */
  #fromMs = 0;
  #fromWallMs = 0;
  #standsAtMs: number | null = null;
  readonly #wall: () => number;

  constructor({ mode, nowMs, speed }: ClockOptions, wall: () => number = Date.now) {
    this.#wall = neverBack(wall);
    this.set({ mode, nowMs: nowMs ?? this.#wall(), speed });
  }

  nowMs(): number {
    if (this.#standsAtMs !== null) return this.#standsAtMs;
    return this.#fromMs + Math.floor((this.#wall() - this.#fromWallMs) * this.speed);
  }

  /** Freezes the clock at this time; an advance moves through time this way. */
  standAt(nowMs: number): void {
    this.#standsAtMs = nowMs;
  }

  /** Continues from its current time, in its own mode. */
  release(): void {
    if (this.mode === 'frozen' || this.#standsAtMs === null) return;
    this.#fromMs = this.#standsAtMs;
    this.#fromWallMs = this.#wall();
    this.#standsAtMs = null;
  }

  set({ mode, nowMs, speed = 1 }: ClockState): void {
    this.mode = mode;
    this.speed = speed;
    this.#fromMs = nowMs;
    this.#fromWallMs = this.#wall();
    this.#standsAtMs = mode === 'frozen' ? nowMs : null;
  }
}

/** If the system clock is set back, this clock continues from its last time: it never goes back. */
function neverBack(wall: () => number): () => number {
  let lastMs = wall();
  let setBackMs = 0;
  return () => {
    const nowMs = wall();
    if (nowMs < lastMs) setBackMs += lastMs - nowMs;
    lastMs = nowMs;
    return nowMs + setBackMs;
  };
}
