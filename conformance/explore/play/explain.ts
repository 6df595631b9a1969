// Looks for an order of the calls of each burst in which the model answers as the target has.
import { compareDeliveries, countDeliveries } from '../compare/deliveries.ts';
import type { Comparing } from '../compare/values.ts';
import type { Excuse } from '../open/case.ts';
import {
  type BurstStep,
  type CallStep,
  callsOf,
  type Sequence,
  type Step,
  type Value,
} from '../sequence.ts';
import { beginComparing, type Duel, follow, type ModelArena } from './arena.ts';
import { noteHeard } from './await-arrivals.ts';
import { NOTHING_SETTLED, type Settled, settleBefore, settledMeanwhile } from './hindsight.ts';
import {
  isSetupFailure,
  judgeCall,
  judgeStep,
  pairCredentials,
  type StepVerdict,
} from './judge-step.ts';
import { OrderSearch } from './orders.ts';
import type { CallOutcome, Outcome } from './outcome.ts';
import { Player } from './player.ts';

/** More worlds of the model than these are not tried: nothing is said then. */
const MOST_WORLDS = 150;

/** A whole play on the model, as far as it went. */
export interface Attempt {
  readonly verdict: StepVerdict | null;
  readonly excused: readonly Excuse[];
  readonly model: Player;
  readonly comparing: Comparing;
  /** Steps, and within the last of them calls, that were alike. */
  readonly reached: number;
  /** Only one of the two has done something: what follows is not compared. */
  readonly isParted?: boolean;
  /** Bursts that it has come to. */
  readonly met: readonly number[];
  /** The burst in which it ended, and after how many calls. */
  readonly burst?: { readonly n: number; readonly at: number };
}

export async function explain(
  sequence: Sequence,
  target: Player,
  arena: ModelArena,
): Promise<Duel> {
  const searches = searchesOf(sequence, target);
  let best: Attempt | undefined;
  for (let worlds = 0; worlds < MOST_WORLDS; worlds += 1) {
    const { attempt } = await inHindsight({ sequence, target, arena, searches });
    const { verdict, excused, model } = attempt;
    if (verdict === null) return { verdict: 'agrees', excused, target, model };
    if (verdict.why !== undefined && verdict.isOfOrder !== true) {
      return { verdict: 'inconclusive', why: verdict.why, excused, target, model };
    }
    if (best === undefined || attempt.reached > best.reached) best = attempt;
    if (!next(searches, attempt)) return impossible(best, target);
  }
  const why = `no order of calls at once was found in ${MOST_WORLDS} tries, nor that there is none`;
  return { verdict: 'inconclusive', why, excused: [], target, model: best!.model };
}

/** No order at all: the one that went furthest is shown. */
function impossible({ verdict, excused, model }: Attempt, target: Player): Duel {
  const { difference, why = 'nothing to compare', ...rest } = verdict!;
  if (difference === undefined) {
    return { verdict: 'inconclusive', why, excused, target, model };
  }
  return { ...rest, difference, verdict: 'differs', excused, target, model };
}

function searchesOf({ steps }: Sequence, target: Player): ReadonlyMap<number, OrderSearch> {
  return new Map(
    steps.flatMap((step, at) =>
      step.do === 'burst' ? [[step.n, searchOf(step, steps.slice(0, at), target)] as const] : [],
    ),
  );
}

/** Of calls that did something or were refused for good; what was put off did nothing. */
function searchOf({ calls }: BurstStep, before: readonly Step[], target: Player): OrderSearch {
  // A fault that waits for one of them strikes the model too: that one has to be played.
  const last = before.findLast((each) => each.do === 'fault' || callsOf([each]).length > 0);
  const isPut = (call: CallStep) => isPutOff(call, calls, target.outcomes.get(call.n));
  const ran = last?.do === 'fault' ? calls : calls.filter((call) => !isPut(call));
  return new OrderSearch(ran, target, before);
}

/** IDEM-14a, IDEM-15: in flight beside its like; or contention, which never runs. */
function isPutOff(
  call: CallStep,
  calls: readonly CallStep[],
  outcome: Outcome | undefined,
): boolean {
  if (outcome?.kind !== 'answer') return false;
  const { status, json } = outcome;
  const code = (json as { code?: unknown } | null | undefined)?.code;
  if (status === 503 && code === 'write_contention') return calls.length > 1;
  if (code !== 'idempotency_in_flight') return false;
  return calls.some((each) => each.n !== call.n && isAttemptOf(each, call));
}

/** IDEM-2a, IDEM-2b: one key of one credential, for one subject. */
const isAttemptOf = (one: CallStep, other: CallStep): boolean =>
  one.operation === other.operation &&
  one.as === other.as &&
  same(one.key, other.key) &&
  same(subjectOf(one), subjectOf(other));

/** What the table of subjects has for it (IDEM-2c). */
function subjectOf({ operation, id, query, body }: CallStep): unknown {
  const said = (body ?? {}) as { readonly [name: string]: Value };
  if (/^create/.test(operation)) return inOneCase(said.client_reference_id);
  if (operation === 'bulkCreateAccounts') return said.accounts;
  if (/Position$/.test(operation)) return said.trading_account_id;
  return operation === 'updateAccount' ? id : query?.account_id;
}

/** NS-35: whether a transaction's reference is one subject in any case is open. */
function inOneCase(reference: Value | undefined): Value | undefined {
  const { $case, of } = (reference ?? {}) as { readonly $case?: string; readonly of?: Value };
  if ($case !== undefined) return inOneCase(of);
  return typeof reference === 'string' ? reference.toLowerCase() : reference;
}

const same = (one: unknown, other: unknown): boolean =>
  JSON.stringify(one) === JSON.stringify(other);

/** The next order to try; false when there is none left. */
function next(searches: ReadonlyMap<number, OrderSearch>, { burst, met }: Attempt): boolean {
  if (burst !== undefined) return searches.get(burst.n)!.refuse(burst.at);
  // What follows a burst told the orders apart: another that answers alike may explain it.
  for (const n of [...met].reverse()) {
    if (searches.get(n)!.another()) return true;
  }
  return false;
}

export interface Played {
  readonly sequence: Sequence;
  readonly target: Player;
  readonly arena: ModelArena;
  readonly searches: ReadonlyMap<number, OrderSearch>;
  /** What has settled by itself, as far as that is known. */
  readonly settled?: Settled;
  /** More follows, so that deliveries are looked at by whoever waits for them. */
  readonly isBeginning?: boolean;
}

/** NS-3: played again with what may have settled meanwhile, for as long as that explains more. */
export async function inHindsight(
  played: Played,
): Promise<{ readonly attempt: Attempt; readonly settled: Settled }> {
  let settled = played.settled ?? NOTHING_SETTLED;
  let attempt = await playOnModel({ ...played, settled });
  while (attempt.verdict !== null) {
    const { verdict, model, comparing, reached } = attempt;
    const more = settledMeanwhile(verdict, { target: played.target, model }, comparing, settled);
    if (more === undefined) break;
    const other = await playOnModel({ ...played, settled: more });
    if (other.verdict !== null && other.reached <= reached) break;
    [attempt, settled] = [other, more];
  }
  return { attempt, settled };
}

async function playOnModel(played: Played): Promise<Attempt> {
  const { sequence, target, arena, searches, settled = NOTHING_SETTLED, isBeginning } = played;
  const model = new Player(await arena.openModel(), target.nonce);
  const sides = { target, model };
  const comparing = await beginComparing(arena, sides);
  const excused: Excuse[] = [];
  const met: number[] = [];
  let reached = 0;
  for (const step of sequence.steps) {
    if (step.do === 'burst') {
      met.push(step.n);
      const order = searches.get(step.n)!.order();
      for (const [at, call] of order.entries()) {
        await settleBefore(call.n, settled, model, comparing);
        const verdict = await playCall(call, sides, comparing);
        excused.push(...(verdict.excused ?? []));
        reached += 1;
        if (verdict.isParted) {
          return { verdict: null, excused, model, comparing, met, reached, isParted: true };
        }
        if (!isOver(verdict)) continue;
        return { verdict, excused, model, comparing, met, reached, burst: { n: step.n, at } };
      }
      noteHeard(model);
      continue;
    }
    await settleBefore(step.n, settled, model, comparing);
    const verdict = await playStep(step, sides, comparing, searches.size > 0).catch(unlessSetup);
    excused.push(...(verdict.excused ?? []));
    reached += 1;
    // The target has gone on where the model has not: nothing can be said of what followed there.
    if (verdict.isParted) {
      return { verdict: null, excused, model, comparing, met, reached, isParted: true };
    }
    if (isOver(verdict)) return { verdict, excused, model, comparing, met, reached };
  }
  if (isBeginning === true) return { verdict: null, excused, model, comparing, met, reached };
  const last = sequence.steps.at(-1)?.n ?? 0;
  // Calls at once may have been delivered in any order.
  const difference =
    searches.size > 0
      ? countDeliveries(last, sides, comparing, callsAfterBursts(sequence))
      : compareDeliveries(last, target, model, comparing);
  return {
    verdict: difference === null ? null : { difference },
    excused,
    model,
    comparing,
    met,
    reached,
  };
}

/** What the model cannot set up says nothing: shrinking has left out what it takes. */
function unlessSetup(error: unknown): StepVerdict {
  if (isSetupFailure(error)) return { why: error.message };
  throw error;
}

function callsAfterBursts({ steps }: Sequence): readonly CallStep[] {
  const last = steps.findLastIndex((step) => step.do === 'burst');
  return steps.slice(last + 1).filter((step) => step.do === 'call');
}

const isOver = ({ difference, why }: StepVerdict): boolean =>
  difference !== undefined || why !== undefined;

interface Recorded {
  readonly target: Player;
  readonly model: Player;
}

async function playCall(
  call: CallStep,
  sides: Recorded,
  comparing: Comparing,
): Promise<StepVerdict> {
  const own = sides.target.outcomes.get(call.n);
  const [other] = await sides.model.play(call);
  pairCredentials(sides, comparing.match);
  if (own === undefined || other === undefined) return {};
  // An order that does not fit must leave no names behind that others would be held to.
  return judgeCall(call, own, other as CallOutcome, sides, { ...comparing, isAtOnce: true });
}

async function playStep(
  step: Step,
  sides: Recorded,
  comparing: Comparing,
  hasBursts: boolean,
): Promise<StepVerdict> {
  const own = sides.target.outcomes.get(step.do === 'await' ? step.call : step.n);
  await follow(sides, own);
  const [other] = await sides.model.play(step);
  pairCredentials(sides, comparing.match);
  // In which order calls at once have made their events is open.
  if (step.do === 'listen' && hasBursts) return {};
  return judgeStep(step, own, other, sides, comparing);
}
