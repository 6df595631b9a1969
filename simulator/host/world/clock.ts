// The one clock of a world: the wall's time moved by an offset, or a time that stands still.

export type ClockMode = 'real' | 'frozen';

export class Clock {
  #mode: ClockMode;
  #offsetMs = 0;
  #standsAtMs: number | null = null;
  readonly #wall: () => number;

  constructor(mode: ClockMode, nowMs: number | null, wall: () => number = Date.now) {
    this.#mode = mode;
    this.#wall = wall;
    const startMs = nowMs ?? wall();
    this.#offsetMs = startMs - wall();
    if (mode === 'frozen') this.#standsAtMs = startMs;
  }

  get mode(): ClockMode {
    return this.#mode;
  }

  nowMs(): number {
    return this.#standsAtMs ?? this.#wall() + this.#offsetMs;
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
    this.#offsetMs = this.#standsAtMs - this.#wall();
    this.#standsAtMs = null;
  }

  set(mode: ClockMode, nowMs: number): void {
    this.#mode = mode;
    this.#offsetMs = nowMs - this.#wall();
    this.#standsAtMs = mode === 'frozen' ? nowMs : null;
  }
}
