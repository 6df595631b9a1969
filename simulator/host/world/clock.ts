// The one clock of a world: it runs with the wall or so many times as fast, or it stands still.

export type ClockMode = 'real' | 'frozen';

/** A clock as it is kept beside a world. */
export interface ClockState {
  readonly mode: ClockMode;
  readonly nowMs: number;
  /** 1 where it is left out. */
  readonly speed?: number | undefined;
}

export class Clock {
  #mode: ClockMode;
  #speed: number;
  /** Where it began to run as it does, by its own time and by the wall's. */
  #fromMs: number;
  #fromWallMs: number;
  #standsAtMs: number | null = null;
  readonly #wall: () => number;

  /** Null: the wall's time. */
  constructor(
    { mode, nowMs, speed = 1 }: Omit<ClockState, 'nowMs'> & { readonly nowMs: number | null },
    wall: () => number = Date.now,
  ) {
    this.#mode = mode;
    this.#speed = speed;
    this.#wall = neverBack(wall);
    this.#fromWallMs = this.#wall();
    this.#fromMs = nowMs ?? this.#fromWallMs;
    if (mode === 'frozen') this.#standsAtMs = this.#fromMs;
  }

  get mode(): ClockMode {
    return this.#mode;
  }

  /** How many times as fast as the wall's it runs when it runs. */
  get speed(): number {
    return this.#speed;
  }

  nowMs(): number {
    if (this.#standsAtMs !== null) return this.#standsAtMs;
    return this.#fromMs + Math.floor((this.#wall() - this.#fromWallMs) * this.#speed);
  }

  /**
   * Stands still at this time until it is told otherwise; an advance walks through time this way.
   */
  standAt(nowMs: number): void {
    this.#standsAtMs = nowMs;
  }

  /** Goes on from where it stands, in its own mode. */
  release(): void {
    if (this.#mode === 'frozen' || this.#standsAtMs === null) return;
    this.#fromMs = this.#standsAtMs;
    this.#fromWallMs = this.#wall();
    this.#standsAtMs = null;
  }

  set(mode: ClockMode, nowMs: number, speed = 1): void {
    this.#mode = mode;
    this.#speed = speed;
    this.#fromMs = nowMs;
    this.#fromWallMs = this.#wall();
    this.#standsAtMs = mode === 'frozen' ? nowMs : null;
  }
}

/** A wall clock that is set back is taken to go on from where it was: time never goes back here. */
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
