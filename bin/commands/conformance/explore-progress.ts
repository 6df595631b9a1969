// What a person sees while a target is explored: one line that changes on a terminal, now and then
// a line in a log. Where an answer takes long it says which one is waited for.
import type { Sender } from '../../../conformance/engine/send/sender.ts';
import type { Progress } from '../../../conformance/explore/options.ts';
import { count, duration } from '../../../conformance/reports/verdict-words.ts';
import type { JudgeIo } from './io.ts';

const REDRAW_MS = 100;
const LOG_EVERY_MS = 30_000;
/** What is answered sooner is not worth a word. */
const SLOW_MS = 3_000;
const LOOK_EVERY_MS = 1_000;

export class ExploreProgress {
  readonly #io: Pick<JudgeIo, 'err' | 'isTerminal' | 'columns'>;
  readonly #untilMs: number;
  /** When each request that is not answered yet was sent, and what it asks for. */
  readonly #sent = new Map<object, { readonly atMs: number; readonly what: string }>();
  readonly #looking: NodeJS.Timeout;
  #most = 0;
  #startedAtMs = performance.now();
  #lastMs = performance.now();
  #isDrawn = false;

  /** Nothing is begun after `untilMs`. */
  constructor(io: Pick<JudgeIo, 'err' | 'isTerminal' | 'columns'>, untilMs: number) {
    this.#io = io;
    this.#untilMs = untilMs;
    this.#looking = setInterval(() => this.#tellWaiting(), LOOK_EVERY_MS).unref();
  }

  /** The same sender, whose requests are watched. */
  watching(sender: Sender): Sender {
    return {
      ...sender,
      send: async (wire) => {
        const what = `${wire.method} ${new URL(wire.url).pathname}`;
        this.#sent.set(wire, { atMs: performance.now(), what });
        try {
          return await sender.send(wire);
        } finally {
          this.#sent.delete(wire);
        }
      },
      close: () => sender.close(),
    };
  }

  /** From now on sequences are compared, with at most so many requests. */
  compares(most: number): void {
    this.#most = most;
    this.#startedAtMs = performance.now();
  }

  show({ requests, sequences, differences }: Progress): void {
    const nowMs = performance.now();
    const perOneMs = (nowMs - this.#startedAtMs) / Math.max(1, requests);
    const ownMs = perOneMs * Math.max(0, this.#most - requests);
    const left = duration(Math.max(0, Math.min(ownMs, this.#untilMs - nowMs)));
    const found = differences === 0 ? '' : `, ${count(differences, 'difference')}`;
    const much = `${requests} of ${count(this.#most, 'request')}, ${count(sequences, 'sequence')}`;
    this.#say(`${much}${found}, about ${left} left`);
  }

  /** The one that has been waited for longest. */
  #tellWaiting(): void {
    const [oldest] = this.#sent.values();
    const waitedMs = performance.now() - (oldest?.atMs ?? Number.POSITIVE_INFINITY);
    if (waitedMs >= SLOW_MS) this.#say(`waiting ${duration(waitedMs)} for ${oldest!.what}`);
  }

  #say(line: string): void {
    const { isTerminal, columns } = this.#io;
    const nowMs = performance.now();
    if (nowMs - this.#lastMs < (isTerminal ? REDRAW_MS : LOG_EVERY_MS)) return;
    this.#lastMs = nowMs;
    this.#io.err(isTerminal ? `\r\x1b[K${line.slice(0, columns - 1)}` : `${line}\n`);
    this.#isDrawn = true;
  }

  end(): void {
    clearInterval(this.#looking);
    if (this.#isDrawn && this.#io.isTerminal) this.#io.err('\r\x1b[K');
    this.#isDrawn = false;
  }
}
