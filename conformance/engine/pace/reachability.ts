// Whether the target is still there: who has refused every connection for a while has ended, and
// what each scenario would still try has nobody to be tried on.

export interface ReachabilityLimits {
  /** So many refused connections in a row, with no answer between them, … */
  readonly refusals: number;
  /** … over so long. A service that is started anew is back before. */
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
