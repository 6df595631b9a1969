// What a person sees while a target is explored: how far it is, or which response is waited for.
import type { Sender } from '../../../conformance/engine/send/sender.ts';
import type { Progress } from '../../../conformance/explore/options.ts';
import { ProgressLine } from '../../../conformance/reports/progress.ts';
import { count, duration } from '../../../conformance/reports/verdict-words.ts';
import type { CommandIo } from '../io.ts';

/** A response that takes longer is named. */
const SLOW_MS = 3_000;

export class ExploreProgress {
  readonly #line: ProgressLine;
  readonly #untilMs: number;
  /** When each request that is not answered yet was sent, and what it asks for. */
  readonly #sent = new Map<object, { readonly atMs: number; readonly what: string }>();
  #most = 0;
  #startedAtMs = performance.now();
  #seen: Progress | undefined;

  /** Nothing is begun after `untilMs`. */
  constructor(io: Pick<CommandIo, 'err' | 'isTerminal' | 'columns'>, untilMs: number) {
    this.#untilMs = untilMs;
    this.#line = new ProgressLine(io, () => this.#waiting() ?? this.#words());
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

  show(seen: Progress): void {
    this.#seen = seen;
  }

  end(): void {
    this.#line.end();
  }

  #waiting(): string | undefined {
    const [oldest] = this.#sent.values();
    const waitedMs = performance.now() - (oldest?.atMs ?? Number.POSITIVE_INFINITY);
    return waitedMs < SLOW_MS ? undefined : `waiting ${duration(waitedMs)} for ${oldest!.what}`;
  }

  #words(): string | undefined {
    if (this.#seen === undefined) return undefined;
    const { requests, sequences, differences } = this.#seen;
    const nowMs = performance.now();
    const perOneMs = (nowMs - this.#startedAtMs) / Math.max(1, requests);
    const ownMs = perOneMs * Math.max(0, this.#most - requests);
    const left = duration(Math.max(0, Math.min(ownMs, this.#untilMs - nowMs)));
    const found = differences === 0 ? '' : `, ${count(differences, 'difference')}`;
    const much = `${requests} of ${count(this.#most, 'request')}, ${count(sequences, 'sequence')}`;
    return `${much}${found}, about ${left} left`;
  }
}
