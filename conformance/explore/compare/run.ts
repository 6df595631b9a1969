// Compares a recorded run of the target with the model: plays it again there, step by step, looks
// for an order of the calls that were sent at the same time, and goes on past a difference where the
// two have not parted.
import type { Excuse } from '../open/pair.ts';
import { untilArrived } from '../play/await-arrivals.ts';
import type { Ground } from '../play/ground.ts';
import { settlesUnseen } from '../play/ground.ts';
import { type OrderSearch, recordsIn, searchFor, symbolsOf } from '../play/orders.ts';
import { isSetupFailure, type Outcome } from '../play/outcome.ts';
import { Player } from '../play/player.ts';
import { callsOf, type Sequence, type Step } from '../sequence.ts';
import { compareDeliveries } from './deliveries.ts';
import type { Difference } from './difference.ts';
import { judgeCall, judgeStep, unsettledIn, type Verdict } from './judge.ts';
import { beginComparing, follow, type Known, pairCredentials, type Sides } from './sides.ts';
import type { Comparing } from './values.ts';

export interface Compared {
  readonly differences: readonly Difference[];
  readonly open: readonly Excuse[];
  /** Why nothing could be said from somewhere on. */
  readonly why?: string;
  readonly model: Player;
}

export interface Recorded {
  readonly sequence: Sequence;
  readonly target: Player;
}

export interface CompareOptions {
  readonly openModel: () => Promise<Ground>;
  readonly known: Known;
  /** Differences that are known already: no order of calls is looked for that avoids them. */
  readonly isKnown?: (difference: Difference) => boolean;
}

/** More worlds of the model than these are not tried: nothing is said then. */
const MOST_WORLDS = 150;

export async function compareRun(recorded: Recorded, options: CompareOptions): Promise<Compared> {
  const { steps } = recorded.sequence;
  const searches = new Map<number, OrderSearch>();
  for (const [at, step] of steps.entries()) {
    if (step.do !== 'burst') continue;
    searches.set(step.n, searchFor(step, steps.slice(0, at), recorded.target));
  }
  let best: Attempt | undefined;
  for (let worlds = 0; worlds < MOST_WORLDS; worlds += 1) {
    const attempt = await inHindsight(recorded, options, searches);
    if (attempt.failed === undefined) return attempt.result();
    if (best === undefined || attempt.reached > best.reached) best = attempt;
    if (!nextOrder(searches, attempt)) return best.result();
  }
  const { differences, ...rest } = best!.result();
  const why = `no order of calls at the same time was found in ${MOST_WORLDS} tries, nor that there is none`;
  return { ...rest, differences: differences.filter((each) => each !== best?.failed), why };
}

/** The next order to try; false when there is none left. */
function nextOrder(searches: ReadonlyMap<number, OrderSearch>, { burst, met }: Attempt): boolean {
  if (burst !== undefined) return searches.get(burst.n)!.refuse(burst.at);
  // What follows a burst tells the orders apart: another that answers alike may explain it.
  return [...met].reverse().some((n) => searches.get(n)!.another());
}

/** Transactions of the target that had settled before a call, by the label of the call. */
type Settled = ReadonlyMap<number, readonly string[]>;

/** NS-3: played again with what may have settled by itself, for as long as that explains more. */
async function inHindsight(
  recorded: Recorded,
  options: CompareOptions,
  searches: ReadonlyMap<number, OrderSearch>,
): Promise<Attempt> {
  let settled: Settled = new Map();
  let attempt = await attemptWith(recorded, options, searches, settled);
  for (;;) {
    const more = settledMeanwhile(attempt, settled);
    if (more === undefined) return attempt;
    const other = await attemptWith(recorded, options, searches, more);
    if (!other.explainsMoreThan(attempt)) return attempt;
    [attempt, settled] = [other, more];
  }
}

async function attemptWith(
  recorded: Recorded,
  options: CompareOptions,
  searches: ReadonlyMap<number, OrderSearch>,
  settled: Settled,
): Promise<Attempt> {
  const attempt = new Attempt(recorded, options, searches, settled);
  await attempt.play();
  return attempt;
}

/** What would be settled before the first call that differs; undefined where nothing may be. */
function settledMeanwhile({ differences, sides, comparing }: Attempt, known: Settled) {
  const { target, model } = sides;
  const first = differences.find(({ pair }) => pair !== undefined);
  const bySelf = !target.ground.target.offers.has('settle') || settlesUnseen(target);
  if (first?.pair === undefined || !bySelf) return undefined;
  const { sent, body } = first.pair.target;
  const shown = new Set(`${sent.target} ${Buffer.from(body).toString()}`.match(/\d+/g));
  const before = known.get(first.n) ?? [];
  const more = [...unsettledIn(model)].flatMap((id) => {
    const named = comparing.match.targetOf('transaction', id);
    return named !== undefined && shown.has(named) && !before.includes(named) ? [named] : [];
  });
  return more.length === 0 ? undefined : new Map(known).set(first.n, [...before, ...more]);
}

/** One play of the whole run on a new world of the model. */
class Attempt {
  readonly differences: Difference[] = [];
  readonly #open: Excuse[] = [];
  readonly met: number[] = [];
  /** Steps and calls that could be compared. */
  reached = 0;
  /** What no other order may have: it ends the attempt. */
  failed: Difference | 'order' | undefined;
  burst: { readonly n: number; readonly at: number } | undefined;
  sides!: Sides;
  comparing!: Comparing;
  #why: string | undefined;
  /** Names of records and keys about which the two sides have parted. */
  readonly #parted = new Set<string>();
  readonly #recorded: Recorded;
  readonly #options: CompareOptions;
  readonly #searches: ReadonlyMap<number, OrderSearch>;
  readonly #settled: Settled;

  constructor(
    recorded: Recorded,
    options: CompareOptions,
    searches: ReadonlyMap<number, OrderSearch>,
    settled: Settled,
  ) {
    this.#recorded = recorded;
    this.#options = options;
    this.#searches = searches;
    this.#settled = settled;
  }

  result(): Compared {
    const { differences, sides } = this;
    const why = this.#why;
    return {
      differences,
      open: this.#open,
      model: sides.model,
      ...(why === undefined ? {} : { why }),
    };
  }

  explainsMoreThan({ reached, differences }: Attempt): boolean {
    if (this.reached !== reached) return this.reached > reached;
    return this.differences.length < differences.length;
  }

  async play(): Promise<void> {
    const { target, sequence } = this.#recorded;
    const model = new Player(await this.#options.openModel(), target.nonce);
    this.sides = { target, model };
    const isParted = () => this.#parted.size > 0;
    this.comparing = await beginComparing(this.#options.known, this.sides, isParted);
    for (const step of sequence.steps) {
      const isOver = step.do === 'burst' ? await this.#burst(step) : await this.#step(step);
      if (isOver) return;
    }
    await this.#deliveries(sequence);
  }

  async #burst(step: Extract<Step, { do: 'burst' }>): Promise<boolean> {
    this.met.push(step.n);
    for (const [at, call] of this.#searches.get(step.n)!.order().entries()) {
      await this.#settleBefore(call.n);
      const own = this.sides.target.outcomes.get(call.n);
      const [other] = await this.sides.model.play(call);
      pairCredentials(this.sides, this.comparing.match);
      const atOnce = { ...this.comparing, isAtOnce: true };
      const verdict =
        own === undefined || other === undefined || this.#isOfParted(call)
          ? {}
          : judgeCall(call, own, other, this.sides, atOnce);
      this.burst = { n: step.n, at };
      if (this.#take(call, verdict)) return true;
    }
    this.burst = undefined;
    return false;
  }

  async #step(step: Step): Promise<boolean> {
    const { target, model } = this.sides;
    await this.#settleBefore(step.n);
    let verdict: Verdict;
    try {
      const own = target.outcomes.get(step.do === 'await' ? step.call : step.n);
      await follow(this.sides, own);
      const [other] = await model.play(step);
      pairCredentials(this.sides, this.comparing.match);
      verdict = this.#judge(step, own, other);
    } catch (error) {
      if (!isSetupFailure(error)) throw error;
      // What the model cannot set up says nothing: shrinking has left out what it takes.
      verdict = { why: error.message };
    }
    if (this.#take(step, verdict)) return true;
    return this.#deliveriesAt(step);
  }

  #judge(step: Step, own: Outcome | undefined, other: Outcome | undefined): Verdict {
    if (this.#isOfParted(step)) return {};
    if (own === undefined && other !== undefined && step.do !== 'await') {
      return { why: `step ${step.n}: the target has not come to it` };
    }
    return judgeStep(step, own, other, this.sides, this.comparing);
  }

  /** Whether a step has to do with something about which the sides have parted; then it has too. */
  #isOfParted(step: Step): boolean {
    const symbols = [...symbolsOf(step), `answer ${step.n}`];
    if (!symbols.some((each) => this.#parted.has(each))) return false;
    for (const each of symbols) this.#parted.add(each);
    return true;
  }

  /** Takes in what a step has shown; true where the attempt ends with it. */
  #take(step: Step, verdict: Verdict): boolean {
    const { difference, why, open, isParted, isOfOrder } = verdict;
    if (open !== undefined) this.#open.push(open);
    const hasBursts = this.met.length > 0;
    if (why !== undefined) {
      if (isOfOrder === true && hasBursts) this.failed = 'order';
      this.#why = why;
      return true;
    }
    if (difference !== undefined) {
      this.differences.push(difference);
      const isKnown = this.#options.isKnown?.(difference) === true;
      if (hasBursts && !isKnown && difference.at !== 'no_answer') {
        this.failed = difference;
        return true;
      }
    } else this.reached += 1;
    // No answer says nothing of what was done: what depends on it is not compared.
    if (isParted === true || difference?.at === 'no_answer') this.#part(step);
    return false;
  }

  #part(step: Step): void {
    for (const each of [...symbolsOf(step), `answer ${step.n}`]) this.#parted.add(each);
    // A record is known by other names too, such as the reference that it was made under.
    for (const [name, others] of recordsIn(this.#recorded.sequence.steps)) {
      if (this.#parted.has(name)) for (const each of others) this.#parted.add(each);
    }
  }

  async #settleBefore(n: number): Promise<void> {
    const { model } = this.sides;
    for (const named of this.#settled.get(n) ?? []) {
      const id = this.comparing.match.modelOf('transaction', named);
      if (id === undefined) continue;
      try {
        await model.ground.target.operator.settle(id);
        model.settled.push(id);
      } catch (error) {
        // It was decided otherwise by then.
        if (!isSetupFailure(error)) throw error;
      }
    }
  }

  /** What has reached the endpoints by now, where both have been told as often. */
  #deliveriesAt(step: Step): boolean {
    const { target } = this.sides;
    if (target.hooks.size === 0 || this.#parted.size > 0 || this.met.length > 0) return false;
    const heard = target.heardAt.get(step.n);
    const found = compareDeliveries(step.n, this.sides, this.comparing, heard);
    if (found === null) return false;
    this.#differDelivered(found);
    return false;
  }

  /** One wrong delivery makes those that follow wrong: of them nothing more is said. */
  #differDelivered(found: Difference): void {
    this.differences.push(found);
    this.#parted.add('deliveries');
  }

  async #deliveries({ steps }: Sequence): Promise<void> {
    const { target } = this.sides;
    if (target.hooks.size === 0 || this.#parted.size > 0) return;
    if (!(await untilArrived(this.sides, this.comparing.seqName))) {
      this.#why = 'a delivery is not there yet';
      return;
    }
    const found = compareDeliveries(steps.at(-1)?.n ?? 0, this.sides, this.comparing);
    if (found === null) return;
    this.differences.push(found);
    if (this.met.length > 0 && this.#options.isKnown?.(found) !== true) this.failed = found;
  }
}

export const hasBursts = ({ steps }: Sequence): boolean =>
  steps.some((step) => step.do === 'burst') && callsOf(steps).length > 0;
