// Makes a sequence as short and as plain as it can be while it still shows the same difference.
import { Spent } from '../play/ground.ts';
import { countCalls, refersTo, type Sequence, type Step } from '../sequence.ts';
import { bridged, closure, isStuck, labels, without } from './cut.ts';
import type { Shown } from './found.ts';
import { simpler } from './simpler.ts';

type Shows = (sequence: Sequence) => Promise<Shown | null>;

/** So often the shortest sequence is played after shrinking. */
const SHOWN_AGAIN = 2;
/** The most plays that are spent on one difference. */
const MOST_PLAYS = 60;

/** The shortest play that shows it. Ends with the best so far when no requests are left. */
export async function shrink(
  first: Shown,
  shows: Shows,
  left: () => number = () => Number.POSITIVE_INFINITY,
): Promise<Shown> {
  const shrinking = new Shrinking(first, shows, left);
  await shrinking.slice();
  await shrinking.drop();
  await shrinking.simplify();
  await shrinking.drop();
  return shrinking.best;
}

class Shrinking {
  best: Shown;
  #isSpent = false;
  #plays = 0;
  readonly #shows: Shows;
  readonly #left: () => number;

  constructor(first: Shown, shows: Shows, left: () => number) {
    this.best = first;
    this.#shows = shows;
    this.#left = left;
  }

  get #steps(): readonly Step[] {
    return this.best.recorded.sequence.steps;
  }

  get #n(): number {
    return this.best.difference.n;
  }

  async #try(steps: readonly Step[]): Promise<boolean> {
    if (this.#plays >= MOST_PLAYS || this.#isSpent || isStuck(steps)) return false;
    // What is found must still be shown again from fresh, as short as it is by now.
    const cost = countCalls(steps) + SHOWN_AGAIN * countCalls(this.#steps);
    if (this.#left() < cost) return false;
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
      this.#isSpent = true;
      return false;
    }
  }

  /** Only what the last step refers to; or that and what shares a key or a record with it. */
  async slice(): Promise<void> {
    const steps = this.#steps;
    const needed = closure(steps, [this.#n]);
    if (needed.length < steps.length && (await this.#try(needed))) return;
    const last = steps[steps.length - 1]!;
    const kin = steps.filter((step) => isKin(step, last)).map(({ n }) => n);
    const family = closure(steps, [...kin, this.#n]);
    if (family.length < steps.length) await this.#try(family);
  }

  /** Step by step, in halves first, with everything that refers to what is dropped. */
  async drop(): Promise<void> {
    for (let size = Math.ceil(this.#steps.length / 2); size >= 1; size = Math.floor(size / 2)) {
      for (let end = this.#steps.length - 1; end > 0; end -= size) {
        const gone = this.#steps.slice(Math.max(0, end - size), end).map(({ n }) => n);
        await this.#without(gone);
        end = Math.min(end, this.#steps.length - 1 + size);
      }
    }
  }

  /** With all that refers to these steps; or with that mended, so that it can stay. */
  async #without(gone: readonly number[]): Promise<void> {
    const steps = this.#steps;
    const rest = without(steps, gone);
    if (rest.length === steps.length) return;
    if (holds(rest, this.#n) && (await this.#try(rest))) return;
    const mended = bridged(steps, gone);
    if (mended.length > rest.length && holds(mended, this.#n)) await this.#try(mended);
  }

  async simplify(): Promise<void> {
    for (let at = 0; at < this.#steps.length; at += 1) {
      const step = this.#steps[at]!;
      // What does not need to be at the same time is shown one after the other.
      if (step.do === 'burst') await this.#try(this.#steps.toSpliced(at, 1, ...step.calls));
      for (let changed = true; changed; ) {
        changed = false;
        const before = this.#steps.slice(0, at);
        const current = this.#steps[at];
        if (current === undefined) break;
        for (const plainer of simpler(current, before)) {
          if (!(await this.#try(this.#steps.with(at, plainer)))) continue;
          changed = true;
          break;
        }
      }
    }
  }
}

const holds = (steps: readonly Step[], n: number): boolean =>
  steps.some((step) => labels(step).includes(n));

/** Whether a step shares a key, a record or a text with the last one, or concerns all callers. */
function isKin(step: Step, last: Step): boolean {
  if (step.do === 'permit' || step.do === 'rescope') return true;
  const own = new Set(texts(step));
  return texts(last).some((each) => own.has(each));
}

/** The symbols in a step, as texts to be compared. */
function texts(value: unknown): readonly string[] {
  if (value === null || typeof value !== 'object') return [];
  const inner = Object.values(value).flatMap(texts);
  const isSymbol = ['$fresh', '$of', '$header', '$phone'].some((name) => name in value);
  return isSymbol ? [JSON.stringify(value), ...inner] : inner;
}

/** What the step cannot be without, and what has to do with the same records and keys. */
export function needed(sequence: Sequence, n: number): readonly Step[] {
  const { steps } = upTo(sequence, n);
  const last = steps[steps.length - 1]!;
  const kin = steps.filter((step) => isKin(step, last)).map((step) => step.n);
  return closure(steps, [...kin, n]);
}

/** Nothing after the step that shows it is needed, except that a pending call is awaited. */
export function upTo({ steps }: Sequence, n: number): Sequence {
  const at = steps.findIndex((step) => labels(step).includes(n));
  const last = steps[at];
  const isWaiting = last?.do === 'call' && last.pending === true;
  const awaited = steps.findIndex((step) => step.do === 'await' && refersTo(step).includes(n));
  return { steps: at < 0 ? steps : steps.slice(0, (isWaiting && awaited > at ? awaited : at) + 1) };
}
