// One line that says how far something is: drawn anew on a terminal, now and then a line in a log,
// whether or not anything came to an end meanwhile.
import { count, duration } from '../verdict-words.ts';

export interface ProgressIo {
  /** Text on standard error. */
  err(text: string): void;
  readonly isTerminal: boolean;
  readonly columns: number;
}

const REDRAW_MS = 250;
const LOG_EVERY_MS = 30_000;

export class ProgressLine {
  readonly #io: ProgressIo;
  readonly #words: () => string;
  #timer: ReturnType<typeof setInterval> | undefined;
  #isDrawn = false;

  constructor(io: ProgressIo, words: () => string) {
    this.#io = io;
    this.#words = words;
  }

  start(): void {
    const everyMs = this.#io.isTerminal ? REDRAW_MS : LOG_EVERY_MS;
    this.#timer = setInterval(() => this.draw(), everyMs);
    this.#timer.unref();
  }

  draw(): void {
    this.#isDrawn = true;
    const words = this.#words();
    if (this.#io.isTerminal) this.#io.err(`\r\x1b[K${words.slice(0, this.#io.columns - 1)}`);
    else this.#io.err(`${words}\n`);
  }

  end(): void {
    clearInterval(this.#timer);
    if (this.#isDrawn && this.#io.isTerminal) this.#io.err('\r\x1b[K');
  }
}

/** With less than this done, what it took so far says nothing yet. */
const TELLING_SHARE = 0.05;

/**
 * How long the rest takes: by the plan to begin with, and the more is done the more by what it has
 * taken. Undefined while neither says anything.
 */
export function remainingMs(
  share: number,
  elapsedMs: number,
  plannedMs: number | undefined,
): number | undefined {
  const rest = Math.max(0, 1 - share);
  const seenMs = share > 0 ? elapsedMs / share : 0;
  if (plannedMs === undefined) return share < TELLING_SHARE ? undefined : rest * seenMs;
  // What takes longer than was planned is not over because the plan says so.
  const wholeMs = rest * Math.max(plannedMs, elapsedMs) + share * seenMs;
  return rest * wholeMs;
}

/** `about 4 min left`, in steps that nobody takes for exact. */
export function leftWords(ms: number | undefined): string {
  return ms === undefined ? '' : `, ${about(ms)} left`;
}

export function about(ms: number): string {
  if (ms < 1_000) return 'under 1 s';
  if (ms < 90_000) return `about ${duration(Math.ceil(ms / 5_000) * 5_000).replace('.0', '')}`;
  return `about ${Math.round(ms / 60_000)} min`;
}

/** How far a list of like things is. */
export class CountedProgress {
  readonly #line: ProgressLine;
  readonly #startedAtMs = performance.now();
  readonly #noun: string;
  #done = 0;
  #total: number | undefined;

  constructor(io: ProgressIo, noun: string) {
    this.#noun = noun;
    this.#line = new ProgressLine(io, () => this.#words());
  }

  start(): void {
    this.#line.start();
  }

  reached(done: number, total: number): void {
    this.#done = done;
    this.#total = total;
  }

  end(): void {
    this.#line.end();
  }

  #words(): string {
    const elapsedMs = performance.now() - this.#startedAtMs;
    if (this.#total === undefined) return `Waiting for the first answer, ${duration(elapsedMs)}`;
    const leftMs = remainingMs(this.#done / this.#total, elapsedMs, undefined);
    const of = `${this.#done} of ${count(this.#total, this.#noun)}`;
    return `${of}, ${duration(elapsedMs)}${leftWords(leftMs)}`;
  }
}
