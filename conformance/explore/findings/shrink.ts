// Makes a sequence as short and as plain as it can be while it still shows the same difference.
import { OPERATIONS } from '../../engine/operations.ts';
import type { Duel } from '../play/arena.ts';
import { Spent } from '../play/ground.ts';
import {
  callsOf,
  countCalls,
  refersTo,
  type Sequence,
  type Step,
  type Value,
} from '../sequence.ts';
import { bridged, closure, labels, without } from './cut.ts';
import { create as plainCreate } from './plain-calls.ts';
import { simpler } from './simpler.ts';

type Shows = (sequence: Sequence) => Promise<Duel | null>;

/** So often the shortest sequence is played after shrinking. */
const SHOWN_AGAIN = 2;
/** The most plays that are spent on one difference. */
const MOST_PLAYS = 60;

export interface Shrunk {
  readonly sequence: Sequence;
  /** The play that showed it last; undefined where nothing shorter has shown it. */
  readonly shown: Duel | undefined;
}

/** Ends with the best so far when no requests are left. */
export async function shrink(
  sequence: Sequence,
  n: number,
  shows: Shows,
  isOfAll: boolean,
  left: () => number = () => Number.POSITIVE_INFINITY,
): Promise<Shrunk> {
  const shrinking = new Shrinking(sequence, n, shows, left);
  await shrinking.endPlainly();
  await shrinking.slice();
  await shrinking.drop();
  if (isOfAll) await shrinking.plain();
  await shrinking.simplify();
  await shrinking.drop();
  return { sequence: shrinking.best, shown: shrinking.shown };
}

class Shrinking {
  best: Sequence;
  shown: Duel | undefined;
  #isSpent = false;
  readonly #n: number;
  readonly #shows: Shows;
  /** The requests that are left. */
  readonly #left: () => number;
  #plays = 0;

  constructor(sequence: Sequence, n: number, shows: Shows, left: () => number) {
    this.best = sequence;
    this.#n = n;
    this.#shows = shows;
    this.#left = left;
  }

  /** What is found must still be shown again from fresh, as short as it is by now. */
  #isAffordable(steps: readonly Step[]): boolean {
    return this.#left() >= countCalls(steps) + SHOWN_AGAIN * countCalls(this.best.steps);
  }

  async #try(steps: readonly Step[]): Promise<boolean> {
    if (this.#plays >= MOST_PLAYS || this.#isSpent || isStuck(steps)) return false;
    if (!this.#isAffordable(steps)) return false;
    this.#plays += 1;
    try {
      const shown = await this.#shows({ steps });
      if (shown === null) return false;
      this.best = { steps };
      this.shown = shown;
      return true;
    } catch (error) {
      if (!(error instanceof Spent)) throw error;
      this.#isSpent = true;
      return false;
    }
  }

  /** What every operation has in common shows in creates too, unless it is about this one. */
  async plain(): Promise<void> {
    for (let at = this.best.steps.length - 1; at >= 0; at -= 1) await this.#plainAt(at);
  }

  async #plainAt(at: number): Promise<void> {
    const { steps } = this.best;
    const last = steps[at]!;
    if (last.do !== 'call' || last.pending) return;
    if (steps.some((each) => refersTo(each).includes(last.n))) return;
    const { n, as, key, headers } = last;
    const { key: own, ...create } = plainCreate(n, as, {});
    const sent = OPERATIONS[last.operation].keyed ? key : own;
    const same = {
      ...(sent === undefined ? {} : { key: sent }),
      ...(headers === undefined ? {} : { headers }),
    };
    await this.#try(steps.with(at, { ...create, ...same }));
  }

  /** What it shows at is no matter where nothing was called: deliveries are counted at any step. */
  async endPlainly(): Promise<void> {
    const last = this.best.steps.at(-1)!;
    if (last.do !== 'ledger') return;
    const { n } = last;
    await this.#try(this.best.steps.with(-1, { do: 'advance', n, byMs: 1 }));
  }

  /** At a stroke: only what the last step refers to, and what those steps refer to. */
  async slice(): Promise<void> {
    const { steps } = this.best;
    const needed = closure(steps, [this.#n]);
    if (needed.length < steps.length && (await this.#try(needed))) return;
    // What was done under the same key or to the same record may have left something behind.
    const last = steps[steps.length - 1]!;
    const kin = steps.filter((step) => isKin(step, last)).map(({ n }) => n);
    const family = closure(steps, [...kin, this.#n]);
    if (family.length < steps.length) await this.#try(family);
  }

  /** Step by step, in halves first, with everything that refers to what is dropped. */
  async drop(): Promise<void> {
    for (let size = Math.ceil(this.best.steps.length / 2); size >= 1; size = Math.floor(size / 2)) {
      for (let end = this.best.steps.length - 1; end > 0; end -= size) {
        const { steps } = this.best;
        const gone = steps.slice(Math.max(0, end - size), end).map(({ n }) => n);
        await this.#without(gone);
        end = Math.min(end, this.best.steps.length - 1 + size);
      }
    }
  }

  /** With all that refers to these steps; or with that mended, so that it can stay. */
  async #without(gone: readonly number[]): Promise<void> {
    const { steps } = this.best;
    const rest = without(steps, gone);
    if (rest.length === steps.length) return;
    if (holds(rest, this.#n) && (await this.#try(rest))) return;
    const mended = bridged(steps, gone);
    if (mended.length > rest.length && holds(mended, this.#n)) await this.#try(mended);
  }

  /** What does not need to be at once is told one after the other. */
  async #oneByOne(at: number): Promise<void> {
    const { steps } = this.best;
    const step = steps[at]!;
    if (step.do === 'burst') await this.#try(steps.toSpliced(at, 1, ...step.calls));
  }

  /** BULK-3: a row that differs by itself too is told as a create. */
  async #alone(at: number): Promise<boolean> {
    const { steps } = this.best;
    const step = steps[at]!;
    if (step.do !== 'call' || step.operation !== 'bulkCreateAccounts') return false;
    if (at < steps.length - 1) return false;
    const { accounts } = (step.body ?? {}) as { readonly accounts?: unknown };
    const [row, ...more] = Array.isArray(accounts) ? (accounts as readonly Value[]) : [];
    if (row === null || typeof row !== 'object' || '$rows' in row || more.length > 0) return false;
    return this.#try(steps.with(at, { ...step, operation: 'createAccount', body: row }));
  }

  async simplify(): Promise<void> {
    for (let at = 0; at < this.best.steps.length; at += 1) {
      await this.#oneByOne(at);
      let changed = true;
      while (changed) {
        changed = false;
        for (const plainer of simpler(this.best.steps[at]!, this.best.steps.slice(0, at))) {
          const steps = this.best.steps.with(at, plainer);
          if (!(await this.#try(steps))) continue;
          changed = true;
          break;
        }
      }
      // As a create of its own it may be made plainer again.
      if (await this.#alone(at)) at -= 1;
    }
  }
}

/** What is delayed by a clock that stands is never answered, unless time is moved on for it. */
function isStuck(steps: readonly Step[]): boolean {
  return steps.some((step, at) => {
    if (step.do !== 'fault' || step.effect.kind !== 'delay') return false;
    const after = steps.slice(at + 1);
    const next = callsOf(after)[0];
    if (next === undefined) return false;
    if (next.pending !== true) return true;
    const awaited = after.findIndex((each) => each.do === 'await' && each.call === next.n);
    const passedMs = after
      .slice(0, Math.max(0, awaited))
      .reduce((sum, each) => sum + (each.do === 'advance' ? each.byMs : 0), 0);
    return awaited >= 0 && passedMs < Number(step.effect.ms);
  });
}

function holds(steps: readonly Step[], n: number): boolean {
  return steps.some((step) => step.n === n || callsOf([step]).some((each) => each.n === n));
}

/** Whether a step shares a key, a record or a text with the last one. */
function isKin(step: Step, last: Step): boolean {
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
export function needed(sequence: Sequence, n: number): Sequence {
  const { steps } = upTo(sequence, n);
  const last = steps[steps.length - 1]!;
  const kin = steps.filter((step) => isKin(step, last) || isForAll(step)).map((step) => step.n);
  return { steps: closure(steps, [...kin, n]) };
}

/** What the firm or a credential may do holds of every call that comes after (AUTH-4, AUTH-8). */
const isForAll = ({ do: what }: Step): boolean => what === 'permit' || what === 'rescope';

/** Nothing after the step that shows it is needed. */
export function upTo({ steps }: Sequence, n: number): Sequence {
  const at = steps.findIndex((step) => labels(step).includes(n));
  return { steps: steps.slice(0, at + 1) };
}
