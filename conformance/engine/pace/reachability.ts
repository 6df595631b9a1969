// Whether the target still runs: if it has refused every connection for a while, the rest of the run
// is not tried.

export interface ReachabilityLimits {
  /** Refused connections in a row without an answer between them, … */
  readonly refusals: number;
  /** … and the time that they must span: a service that restarts is back earlier. */
  readonly forMs: number;
}

const usual: ReachabilityLimits = { refusals: 16, forMs: 5_000 };

export class Reachability {
  readonly #limits: ReachabilityLimits;
  #refusals = 0;
  #firstAtMs = 0;
  #lastAtMs = 0;

  constructor(limits: ReachabilityLimits = usual) {
    this.#limits = limits;
  }

  noteAnswer(): void {
    this.#refusals = 0;
  }

  noteRefusal(atMs: number): void {
    if (this.#refusals === 0) this.#firstAtMs = atMs;
    this.#refusals += 1;
    this.#lastAtMs = atMs;
  }

  get isGone(): boolean {
    const { refusals, forMs } = this.#limits;
    return this.#refusals >= refusals && this.#lastAtMs - this.#firstAtMs >= forMs;
  }
}
