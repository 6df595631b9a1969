// What an exploration may spend: so many requests, and so much time.
import type { ExploreOptions } from './options.ts';
import { Spent } from './play/ground.ts';

/** Of many requests so many are the last: with them a difference is shown again that comes late. */
const LAST = 60;
const LAST_FROM = 1000;

export class Budget {
  readonly #given: Pick<ExploreOptions, 'requests' | 'kept' | 'untilMs'>;
  /** From the first difference on a part is kept for whoever looks at what was found. */
  #isPartKept = false;
  #last: number;
  #isOvertime = false;
  #requests = 0;

  constructor(given: Pick<ExploreOptions, 'requests' | 'kept' | 'untilMs'>) {
    this.#given = given;
    this.#last = given.requests >= LAST_FROM ? LAST : 0;
  }

  get requests(): number {
    return this.#requests;
  }

  get left(): number {
    const { requests, kept = 0 } = this.#given;
    return requests - this.#requests - (this.#isPartKept ? kept : this.#last);
  }

  get isOver(): boolean {
    return this.left <= 0 || this.#isLate;
  }

  get #isLate(): boolean {
    return performance.now() > this.#given.untilMs && !this.#isOvertime;
  }

  keepPart(): void {
    this.#isPartKept = true;
  }

  /** There is a difference to be shown again. */
  releaseLast(): void {
    this.#last = 0;
  }

  /** Throws Spent before more is sent than was asked for, or later. */
  spend(count: number): void {
    if (count > this.left) throw new Spent('all are sent');
    if (this.#isLate) throw new Spent('the time is over');
    this.#requests += count;
  }

  /** What was begun is ended, however late it is. */
  async inOvertime(end: () => Promise<void>): Promise<void> {
    this.#isOvertime = true;
    try {
      await end();
    } finally {
      this.#isOvertime = false;
    }
  }
}
