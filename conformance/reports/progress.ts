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

/** If no more scenarios than these are left, they decide the time. */
const FEW = 3;

/**
 * `4.2 s, about 10 s left`: at the pace so far, once that is predictive. If only these few `last`
 * scenarios are left, it says what the run waits for.
 */
export function timeWords(share: number, elapsedMs: number, last: readonly string[] = []): string {
  const elapsed = duration(elapsedMs);
  if (share < PREDICTIVE_SHARE) return elapsed;
  if (last.length > 0 && last.length <= FEW) return `${elapsed}, waiting for ${last.join(', ')}`;
  const leftMs = Math.max(0, 1 - share) * (elapsedMs / share);
  return `${elapsed}, ${about(leftMs)} left`;
}

/** `about 4 min`, in coarse steps. */
export function about(ms: number): string {
  if (ms < 1_000) return 'under 1 s';
  if (ms < 90_000) return `about ${duration(Math.ceil(ms / 5_000) * 5_000)}`;
  return `about ${Math.round(ms / 60_000)} min`;
}
