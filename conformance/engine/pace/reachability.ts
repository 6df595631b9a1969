// Whether the target still runs: if it has refused every connection for a while, or has not answered
// in several scenarios in a row, the rest of the run is skipped.

/** Refused connections in a row without an answer between them, … */
const REFUSALS = 16;
/** … and the time that they must span: a service that restarts is back sooner. */
const FOR_MS = 5_000;
/** After this many scenarios in a row without an answer the target counts as gone. */
const SILENT_SCENARIOS = 8;

export class Reachability {
  #refusedAtMs: number[] = [];
  #silent = 0;

  noteAnswer(): void {
    this.#refusedAtMs = [];
    this.#silent = 0;
  }

  noteRefusal(atMs: number): void {
    this.#refusedAtMs.push(atMs);
  }

  noteSilentScenario(): void {
    this.#silent += 1;
  }

  get isGone(): boolean {
    const [firstAtMs = 0] = this.#refusedAtMs;
    const isLong = this.#refusedAtMs.at(-1)! - firstAtMs >= FOR_MS;
    const isRefused = this.#refusedAtMs.length >= REFUSALS && isLong;
    return isRefused || this.#silent >= SILENT_SCENARIOS;
  }
}
