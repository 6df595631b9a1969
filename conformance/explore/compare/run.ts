// Compares a recorded run of the target with the model: plays it again there, step by step, searches
// for an order of the concurrent calls, and continues after a difference where the states still agree.

import { idText, memberAt } from '../../engine/send/json.ts';
import type { ModelSettings } from '../model.ts';
import type { Excuse } from '../open/projection.ts';
import { untilArrived } from '../play/await-arrivals.ts';
import type { Ground } from '../play/ground.ts';
import { OrderSearch } from '../play/orders.ts';
import { answersIn, isSetupFailure } from '../play/outcome.ts';
import { Player } from '../play/player.ts';
import {
  type BurstStep,
  type CallStep,
  callsOf,
  changedBy,
  recordsIn,
  type Sequence,
  type Step,
  symbolsOf,
} from '../sequence.ts';
import { compareDeliveries } from './deliveries.ts';
import type { Difference } from './difference.ts';
import { judgeCall, judgeStep, type Verdict } from './judge.ts';
import { beginComparing, type Comparing, follow, pairCredentials } from './sides.ts';

export interface Compared {
  readonly differences: readonly Difference[];
  readonly open: readonly Excuse[];
  /** Why the comparison was inconclusive from some step on. */
  readonly why?: string;
  readonly model: Player;
  /** The first step after which states differ between the sides. */
  readonly partedAt?: number | undefined;
}

export interface Recorded {
  readonly sequence: Sequence;
  readonly target: Player;
}

export interface CompareOptions {
  readonly openModel: () => Promise<Ground>;
  readonly settings: ModelSettings;
  /** Known differences: no order of calls is searched to avoid them. */
  readonly isKnown: (difference: Difference) => boolean;
}

const MOST_WORLDS = 150;

type Searches = ReadonlyMap<number, OrderSearch>;

export async function compareRun(recorded: Recorded, options: CompareOptions): Promise<Compared> {
  const { target, sequence } = recorded;
  const searches = new Map<number, OrderSearch>();
  for (const [at, step] of sequence.steps.entries()) {
    if (step.do !== 'burst') continue;
    searches.set(step.n, new OrderSearch(step, sequence.steps.slice(0, at), target));
  }
  let best: Attempt | undefined;
  for (let worlds = 0; worlds < MOST_WORLDS; worlds += 1) {
    const attempt = new Attempt(recorded, options, searches);
    await attempt.play();
    if (attempt.failed === undefined) return attempt.result();
    if (best === undefined || attempt.reached > best.reached) best = attempt;
    if (!nextOrder(searches, attempt)) return best.result();
  }
  const why = `no order of the concurrent calls was found in ${MOST_WORLDS} tries, nor that there is none`;
  const differences = best!.differences.filter((each) => each !== best!.failed);
  return { ...best!.result(), differences, why };
}

/**
 * The next orders to try; false if none are left. Later steps tell the orders of a burst apart too:
 * another order with the same answers may explain them.
 */
function nextOrder(searches: Searches, { burst, bursts }: Attempt): boolean {
  for (const n of [...bursts].reverse()) {
    const search = searches.get(n)!;
    if (search.next(burst?.n === n ? burst.at : undefined)) return true;
    search.reset();
  }
  return false;
}

/** One play of the whole run on a new world of the model. */
class Attempt {
  readonly differences: Difference[] = [];
  readonly #open: Excuse[] = [];
  /** The bursts that were reached, and the place in the one that has failed. */
  readonly bursts: number[] = [];
  burst: { readonly n: number; readonly at: number } | undefined;
  reached = 0;
  /** A difference that another order may avoid: it ends the attempt. */
  failed: Difference | 'order' | undefined;
  comparing!: Comparing;
  #why: string | undefined;
  #partedAt: number | undefined;
  /** Names of records and keys whose state differs between the sides. */
  readonly #parted = new Set<string>();
  readonly #recorded: Recorded;
  readonly #options: CompareOptions;
  readonly #searches: Searches;

  constructor(recorded: Recorded, options: CompareOptions, searches: Searches) {
    this.#recorded = recorded;
    this.#options = options;
    this.#searches = searches;
  }

  result(): Compared {
    return {
      ...{ differences: this.differences, open: this.#open, model: this.comparing.model },
      ...{ partedAt: this.#partedAt, ...(this.#why !== undefined && { why: this.#why }) },
    };
  }

  async play(): Promise<void> {
    const { target, sequence } = this.#recorded;
    const model = new Player(await this.#options.openModel(), target.nonce);
    const isParted = (id?: string) =>
      this.#parted.size > 0 && (id === undefined || this.#isOfPartedAnswer(id));
    this.comparing = await beginComparing(this.#options.settings, { target, model }, isParted);
    for (const step of sequence.steps) {
      const isOver = step.do === 'burst' ? await this.#burst(step) : await this.#step(step);
      if (isOver) return;
    }
    await this.#deliveries(sequence);
  }

  async #burst(step: BurstStep): Promise<boolean> {
    this.bursts.push(step.n);
    const comparing = { ...this.comparing, isAtOnce: true };
    for (const [at, call] of this.#searches.get(step.n)!.order().entries()) {
      await this.comparing.model.play(call);
      pairCredentials(this.comparing);
      this.burst = { n: step.n, at };
      if (this.#take(call, this.#judge(call, comparing))) return true;
    }
    this.burst = undefined;
    return false;
  }

  async #step(step: Step): Promise<boolean> {
    const { target, model } = this.comparing;
    try {
      await follow(this.comparing, target.outcomes.get(step.n));
      await model.play(step);
    } catch (error) {
      if (!isSetupFailure(error)) throw error;
      // A failed setup on the model proves nothing: shrinking has removed its preconditions.
      return this.#take(step, { why: error.message });
    }
    pairCredentials(this.comparing);
    // NS-17: whether a fault applies to a call that is refused.
    if (target.met.has(step.n) !== model.met.has(step.n)) {
      return this.#take(step, { open: 'NS-17', isParted: true });
    }
    const calls = callsOf([step]);
    const parts = calls.length > 0 ? calls : [step];
    return parts.some((part) => this.#take(part, this.#judge(part, this.comparing)));
  }

  #judge(step: Step, comparing: Comparing): Verdict {
    // An effect on one side only may have moved money.
    if (this.#isOfParted(step) || (step.do === 'ledger' && this.#parted.size > 0)) return {};
    const { target, model } = comparing;
    const [own, other] = [target.outcomes.get(step.n), model.outcomes.get(step.n)];
    if (own === undefined && other !== undefined) {
      return { why: `step ${step.n}: the target has not come to it` };
    }
    if (step.do !== 'call') return judgeStep(step, own, other, comparing);
    return own === undefined || other === undefined ? {} : judgeCall(step, own, other, comparing);
  }

  /** Whether a step depends on state that differs between the sides; then its own state does too. */
  #isOfParted(step: Step): boolean {
    if (this.#parted.size === 0) return false;
    const symbols = [...symbolsOf(step), `answer ${step.n}`];
    if (!symbols.some((each) => this.#parted.has(each))) return false;
    for (const each of symbols) this.#parted.add(each);
    return true;
  }

  /** Whether the target has shown a record in an answer about which the sides have parted. */
  #isOfPartedAnswer(id: string): boolean {
    return answersIn(this.#recorded.target.outcomes).some(({ n, json }) => {
      const rows = memberAt(json, 'rows');
      const records = [json, ...(Array.isArray(rows) ? rows : [])];
      return (
        this.#parted.has(`answer ${n}`) &&
        records.some((each) => idText(memberAt(each, 'id')) === id)
      );
    });
  }

  /** Records the verdict on a step; true if it ends the attempt. */
  #take(step: Step | CallStep, verdict: Verdict): boolean {
    const { difference, why, open, isParted, isOfOrder } = verdict;
    if (open !== undefined) this.#open.push(open);
    const hasBursts = this.bursts.length > 0;
    if (why !== undefined) {
      if (isOfOrder === true && hasBursts) this.failed = 'order';
      this.#why = why;
      return true;
    }
    if (difference === undefined) this.reached += 1;
    else if (this.#differs(difference)) return true;
    // Without an answer the effect is unknown: steps that depend on it are not compared.
    if (isParted === true || difference?.at === 'no_answer') this.#part(step);
    return false;
  }

  /** True if another order of concurrent calls may avoid the difference. */
  #differs(difference: Difference): boolean {
    this.differences.push(difference);
    const isFixed = difference.at === 'no_answer' || this.#options.isKnown(difference);
    if (this.bursts.length === 0 || isFixed) return false;
    this.failed = difference;
    return true;
  }

  #part(step: Step): void {
    this.#partedAt ??= step.n;
    for (const each of [...changedBy(step), `answer ${step.n}`]) this.#parted.add(each);
    // A record has other names too, such as the reference under which it was created.
    for (const [name, others] of recordsIn(this.#recorded.sequence.steps)) {
      if (this.#parted.has(name)) for (const each of others) this.#parted.add(each);
    }
  }

  async #deliveries({ steps }: Sequence): Promise<void> {
    const { target, model } = this.comparing;
    if (target.hooks.size === 0 || this.#parted.size > 0) return;
    await model.settle();
    if (!(await untilArrived(this.comparing))) {
      this.#why = 'a delivery is not there yet';
      return;
    }
    const found = compareDeliveries(steps.at(-1)?.n ?? 0, this.comparing);
    // An event shows the record as the answer did: the member that differs there is known.
    const member = /^envelope\.data(\..+)$/.exec(found?.at ?? '')?.[1];
    const isShown = member !== undefined && this.differences.some(({ at }) => at.endsWith(member));
    if (found !== null && !isShown) this.#differs(found);
  }
}

export const hasBursts = ({ steps }: Sequence): boolean =>
  steps.some((step) => step.do === 'burst');
