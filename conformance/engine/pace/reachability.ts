// Whether the target still runs: if it has refused every connection for a while, or has not answered
// in several scenarios in a row, the rest of the run is skipped.

/** Refused connections in a row without an answer between them, … */
const REFUSALS = 16;
/** … and the time that they must span: a service that restarts is back sooner. */
const FOR_MS = 5_000;
/** After this many scenarios in a row without an answer the target counts as gone. */
const SILENT_SCENARIOS = 8;

export class Reachability {
  #count = 0;
  #firstAtMs = 0;
  #lastAtMs = 0;
  #silent = 0;

  noteAnswer(): void {
    this.#count = 0;
    this.#silent = 0;
  }

  noteRefusal(atMs: number): void {
    if (this.#count === 0) this.#firstAtMs = atMs;
    this.#count += 1;
    this.#lastAtMs = atMs;
  }

  noteSilentScenario(): void {
    this.#silent += 1;
  }

  get isGone(): boolean {
    const isRefused = this.#count >= REFUSALS;
    const isLong = this.#lastAtMs - this.#firstAtMs >= FOR_MS;
    return (isRefused && isLong) || this.#silent >= SILENT_SCENARIOS;
  }
}
