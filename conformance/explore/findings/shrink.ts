// Shrinks a sequence to the shortest and plainest one that still shows the same difference.
import { Spent } from '../play/ground.ts';
import { callsOf, countCalls, labels, mapMembers, type Sequence, type Step } from '../sequence.ts';
import { closure, needed, upTo, without, withoutRedirected } from './cut.ts';
import type { Shown } from './found.ts';
import { simpler } from './simpler.ts';

type Shows = (sequence: Sequence) => Promise<Shown | null>;
type Steps = readonly Step[];

/** How often the shortest sequence is played after shrinking. */
const SHOWN_AGAIN = 2;
/** The most plays that are spent on one difference. */
const MOST_PLAYS = 60;

/** The shortest play that shows it, or the best so far if no requests are left. */
export async function shrink(first: Shown, shows: Shows, left: () => number): Promise<Shown> {
  const shrinking = new Shrinking(first, shows, left);
  await shrinking.slice();
  await shrinking.drop();
  await shrinking.simplify();
  await shrinking.drop();
  return shrinking.best;
}

class Shrinking {
  best: Shown;
  #plays = 0;
  readonly #shows: Shows;
  readonly #left: () => number;

  constructor(first: Shown, shows: Shows, left: () => number) {
    this.best = first;
    this.#shows = shows;
    this.#left = left;
  }

  get #steps(): Steps {
    return this.best.recorded.sequence.steps;
  }

  async #try(steps: Steps): Promise<boolean> {
    const { n } = this.best.difference;
    const isWhole = steps.some((step) => labels(step).includes(n));
    // The current result must still be reproduced on fresh worlds within the budget.
    const cost = countCalls(steps) + SHOWN_AGAIN * countCalls(this.#steps);
    if (!isWhole || this.#plays >= MOST_PLAYS || this.#left() < cost) return false;
    this.#plays += 1;
    try {
      const shown = await this.#shows({ steps });
      if (shown === null) return false;
      const { recorded, difference } = shown;
      const sequence = upTo(recorded.sequence, difference.n);
      this.best = { ...shown, recorded: { ...recorded, sequence } };
      return true;
    } catch (error) {
      if (!(error instanceof Spent)) throw error;
      this.#plays = MOST_PLAYS;
      return false;
    }
  }

  /** Only the dependencies of the last step; or those and the steps that share a key or a record. */
  async slice(): Promise<void> {
    const { n } = this.best.difference;
    for (const part of [closure(this.#steps, [n]), needed({ steps: this.#steps }, n)]) {
      if (part.length < this.#steps.length && (await this.#try(part))) return;
    }
  }

  /** Drops steps, in halves first, with the steps that depend on them, or repairs those. */
  async drop(): Promise<void> {
    for (let size = Math.ceil(this.#steps.length / 2); size >= 1; size = Math.floor(size / 2)) {
      for (let end = this.#steps.length - 1; end > 0; end -= size) {
        const gone = this.#steps.slice(Math.max(0, end - size), end).map(({ n }) => n);
        const [rest, mended] = [without(this.#steps, gone), withoutRedirected(this.#steps, gone)];
        if (!(await this.#try(rest)) && mended.length > rest.length) await this.#try(mended);
        end = Math.min(end, this.#steps.length - 1 + size);
      }
    }
  }

  async simplify(): Promise<void> {
    // All calls of one credential, then single ones.
    for (const caller of new Set(callsOf(this.#steps).map(({ as }) => as))) {
      if (caller === 'firm' || caller === 'anonymous') continue;
      const asFirm = (name: string, value: unknown) =>
        name === 'as' && value === caller ? 'firm' : value;
      await this.#try(this.#steps.map((step) => mapMembers(step, asFirm) as Step));
    }
    for (let at = 0; at < this.#steps.length; at += 1) {
      const step = this.#steps[at]!;
      // If the calls need not be concurrent, they are shown in series.
      if (step.do === 'burst') await this.#try(this.#steps.toSpliced(at, 1, ...step.calls));
      for (let isPlainer = true; isPlainer; ) isPlainer = await this.#simplifyAt(at);
    }
  }

  async #simplifyAt(at: number): Promise<boolean> {
    const step = this.#steps[at];
    if (step === undefined) return false;
    for (const plainer of simpler(step, this.#steps.slice(0, at))) {
      if (await this.#try(this.#steps.with(at, plainer))) return true;
    }
    return false;
  }
}
