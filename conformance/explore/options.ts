// The options of an exploration, and its budget.
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
  /** Settings that were not observed: the target may show another answer to them. */
  readonly unasked?: ReadonlySet<string>;
  /** The forms in which the target takes orders and token requests; undefined: the model's forms. */
  readonly forms?: Forms | undefined;
  readonly seed: number;
  /** The most requests to send to the target. */
  readonly requests: number;
  readonly untilMs: number;
  readonly timeoutMs: number;
  readonly pacer?: Pacer;
  readonly signal: AbortSignal;
  /** The most concurrent calls; 1: none. */
  readonly crowd: number;
  /** Sequences that are played concurrently. */
  readonly width: number;
  /** Played once each, instead of drawn sequences. */
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

  /** Throws Spent if the request budget or the time is used up. */
  spend(count: number): void {
    if (!this.#isOvertime) {
      if (count > this.left) throw new Spent('all requests are sent');
      if (this.#isLate) throw new Spent('the time is over');
    }
    this.requests += count;
  }

  /** Finishes work that has begun, outside the budget. */
  async inOvertime(end: () => Promise<void>): Promise<void> {
    this.#isOvertime = true;
    try {
      await end();
    } finally {
      this.#isOvertime = false;
    }
  }
}
