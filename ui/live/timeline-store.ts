// Keeps the rows of the timeline in order, however they come: in pages of history or one by one.
import { byTime, type TimelineRow } from './timeline-rows.ts';

/** More than the sandbox keeps of calls, with what came of them. */
const mostRows = 40_000;

export class TimelineStore {
  #byKey = new Map<string, TimelineRow>();
  #rows: readonly TimelineRow[] = [];
  #fresh: TimelineRow[] = [];

  add(row: TimelineRow): void {
    this.#fresh.push(row);
  }

  clear(): void {
    this.#byKey = new Map();
    this.#rows = [];
    this.#fresh = [];
  }

  /** The oldest first. The same array comes back as long as nothing was added. */
  rows(): readonly TimelineRow[] {
    if (this.#fresh.length === 0) return this.#rows;
    const fresh = this.#fresh;
    this.#fresh = [];
    const last = this.#rows[this.#rows.length - 1];
    const known = fresh.some(({ key }) => this.#byKey.has(key));
    for (const row of fresh) this.#byKey.set(row.key, row);
    fresh.sort(byTime);
    const first = fresh[0];
    const goesOn = last === undefined || (first !== undefined && byTime(last, first) <= 0);
    const distinct = new Set(fresh.map(({ key }) => key)).size === fresh.length;
    this.#rows =
      !known && goesOn && distinct
        ? [...this.#rows, ...fresh]
        : [...this.#byKey.values()].sort(byTime);
    this.#forgetOldest();
    return this.#rows;
  }

  #forgetOldest(): void {
    const beyond = this.#rows.length - mostRows;
    if (beyond <= 0) return;
    for (const { key } of this.#rows.slice(0, beyond)) this.#byKey.delete(key);
    this.#rows = this.#rows.slice(beyond);
  }
}
