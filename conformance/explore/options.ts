// What an exploration is given, and what it may spend.
import type { Pacer } from '../engine/pace/pacer.ts';
import type { Sender } from '../engine/send/sender.ts';
import type { Provider } from '../providers/target.ts';
import type { ModelSettings, Models } from './model.ts';
import type { Forms } from './observe.ts';
import { Spent } from './play/ground.ts';
import type { Sequence } from './sequence.ts';

export interface ExploreOptions {
  readonly provider: Provider;
  readonly sender: Sender;
  readonly models: Models;
  /** How the model answers the open questions. */
  readonly settings: ModelSettings;
  /** Settings that the target was not asked about: it may show another answer to them. */
  readonly unasked?: ReadonlySet<string>;
  /** How the target takes orders and requests for tokens; undefined: as the model does. */
  readonly forms?: Forms | undefined;
  readonly seed: number;
  /** No more than so many are sent to the target. */
  readonly requests: number;
  readonly untilMs: number;
  readonly timeoutMs: number;
  readonly pacer?: Pacer;
  readonly signal: AbortSignal;
  /** The most calls at the same time; 1: none. */
  readonly crowd: number;
  /** Sequences in play at the same time. */
  readonly width: number;
  /** Played instead of drawn ones, once each. */
  readonly sequences?: readonly Sequence[];
  readonly onProgress?: (progress: Progress) => void;
}

export interface Progress {
  readonly requests: number;
  readonly sequences: number;
  readonly differences: number;
}

export class Budget {
  readonly #given: Pick<ExploreOptions, 'requests' | 'untilMs'>;
  #isOvertime = false;
  requests = 0;

  constructor(given: Pick<ExploreOptions, 'requests' | 'untilMs'>) {
    this.#given = given;
  }

  get left(): number {
    return this.#given.requests - this.requests;
  }

  get isOver(): boolean {
    return this.left <= 0 || this.#isLate;
  }

  get #isLate(): boolean {
    return performance.now() > this.#given.untilMs;
  }

  /** Throws Spent before more is sent than was asked for, or later. */
  spend(count: number): void {
    if (!this.#isOvertime) {
      if (count > this.left) throw new Spent('all requests are sent');
      if (this.#isLate) throw new Spent('the time is over');
    }
    this.requests += count;
  }

  /** What was begun is ended, whatever it takes. */
  async inOvertime(end: () => Promise<void>): Promise<void> {
    this.#isOvertime = true;
    try {
      await end();
    } finally {
      this.#isOvertime = false;
    }
  }
}
