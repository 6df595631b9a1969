// What a person sees while a target is explored: one line that changes on a terminal, now and then
// a line in a log.
import type { Progress } from '../../../conformance/explore/options.ts';
import { count, duration } from '../../../conformance/reports/verdict-words.ts';
import type { JudgeIo } from './io.ts';

const REDRAW_MS = 100;
const LOG_EVERY_MS = 30_000;

export class ExploreProgress {
  readonly #io: Pick<JudgeIo, 'err' | 'isTerminal' | 'columns'>;
  readonly #most: number;
  readonly #untilMs: number;
  readonly #startedAtMs = performance.now();
  #lastMs = performance.now();
  #isDrawn = false;

  /** `most` requests are sent at most, and none after `untilMs`. */
  constructor(
    io: Pick<JudgeIo, 'err' | 'isTerminal' | 'columns'>,
    most: number,
    untilMs = Number.POSITIVE_INFINITY,
  ) {
    this.#io = io;
    this.#most = most;
    this.#untilMs = untilMs;
  }

  show({ requests, sequences, differences }: Progress): void {
    const { isTerminal, columns } = this.#io;
    const nowMs = performance.now();
    if (nowMs - this.#lastMs < (isTerminal ? REDRAW_MS : LOG_EVERY_MS)) return;
    this.#lastMs = nowMs;
    const perOneMs = (nowMs - this.#startedAtMs) / Math.max(1, requests);
    const ownMs = perOneMs * Math.max(0, this.#most - requests);
    const left = duration(Math.max(0, Math.min(ownMs, this.#untilMs - nowMs)));
    const found = differences === 0 ? '' : `, ${count(differences, 'difference')}`;
    const much = `${requests} of ${count(this.#most, 'request')}, ${count(sequences, 'sequence')}`;
    const line = `${much}${found}, about ${left} left`;
    this.#io.err(isTerminal ? `\r\x1b[K${line.slice(0, columns - 1)}` : `${line}\n`);
    this.#isDrawn = true;
  }

  end(): void {
    if (this.#isDrawn && this.#io.isTerminal) this.#io.err('\r\x1b[K');
  }
}
