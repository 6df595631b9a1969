// The progress display of a judge: one line, redrawn on a terminal, repeated every 30 s in a log.
import { duration } from './verdict-words.ts';

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
  readonly #words: (elapsedMs: number) => string | undefined;
  readonly #timer: ReturnType<typeof setInterval>;
  readonly #startedAtMs = performance.now();
  #isDrawn = false;

  /** Draws from now on; `words` returns undefined while there is nothing to show. */
  constructor(io: ProgressIo, words: (elapsedMs: number) => string | undefined) {
    this.#io = io;
    this.#words = words;
    this.#timer = setInterval(() => this.draw(), io.isTerminal ? REDRAW_MS : LOG_EVERY_MS).unref();
  }

  draw(): void {
    const words = this.#words(performance.now() - this.#startedAtMs);
    if (words === undefined) return;
    this.#isDrawn = true;
    const { isTerminal, columns } = this.#io;
    this.#io.err(isTerminal ? `\r\x1b[K${words.slice(0, columns - 1)}` : `${words}\n`);
  }

  end(): void {
    clearInterval(this.#timer);
    if (this.#isDrawn && this.#io.isTerminal) this.#io.err('\r\x1b[K');
  }
}

/** If less than this is done, the elapsed time predicts nothing. */
const PREDICTIVE_SHARE = 0.05;

/** `4.2 s, about 10 s left`: at the pace so far, once that is predictive. */
export function timeWords(share: number, elapsedMs: number): string {
  if (share < PREDICTIVE_SHARE) return duration(elapsedMs);
  const leftMs = Math.max(0, 1 - share) * (elapsedMs / share);
  return `${duration(elapsedMs)}, ${about(leftMs)} left`;
}

/** From this share on, a few slow scenarios decide the time. */
const NEARLY_DONE = 0.9;
const FEW = 3;

/** The time of a run: what is left of it or, if a few scenarios decide that, what it waits for. */
export class TimeLine {
  #leastMs = Number.POSITIVE_INFINITY;

  words(share: number, elapsedMs: number, running: ReadonlySet<string>): string {
    const leftMs = elapsedMs / share - elapsedMs;
    const isGrowing = leftMs > this.#leastMs;
    if (share >= PREDICTIVE_SHARE) this.#leastMs = Math.min(leftMs, this.#leastMs);
    const isFew = running.size > 0 && running.size <= FEW;
    if (!isFew || (share < NEARLY_DONE && !isGrowing)) return timeWords(share, elapsedMs);
    return `${duration(elapsedMs)}, waiting for ${[...running].join(', ')}`;
  }
}

/** `about 4 min`, in coarse steps. */
export function about(ms: number): string {
  if (ms < 1_000) return 'under 1 s';
  if (ms < 90_000) return `about ${duration(Math.ceil(ms / 5_000) * 5_000)}`;
  return `about ${Math.round(ms / 60_000)} min`;
}
