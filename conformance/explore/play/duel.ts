// Plays one sequence on the target and on the model, and stops at the first difference.

import {
  Blocked,
  Inconclusive,
  MissingCapability,
  Unreachable,
} from '../../engine/scenario-errors.ts';
import { memberAt } from '../../engine/send/answer.ts';
import { compareAnswers } from '../compare/answers.ts';
import { compareDeliveries } from '../compare/deliveries.ts';
import type { Difference } from '../compare/difference.ts';
import { compareLedgers } from '../compare/ledgers.ts';
import { Match } from '../compare/match.ts';
import { compareReplay, firstOf } from '../compare/replays.ts';
import type { Comparing } from '../compare/values.ts';
import { type Case, type Excuse, excuseOf } from '../open/excuses.ts';
import type { CallStep, Sequence, Step } from '../sequence.ts';
import type { Ground } from './ground.ts';
import type { CallOutcome, Outcome } from './outcome.ts';
import { Player } from './player.ts';

export interface Arena {
  readonly target: Ground;
  readonly model: Ground;
  readonly masked: ReadonlySet<string>;
  readonly seqName: string;
}

export interface Duel {
  readonly verdict: 'agrees' | 'differs' | 'inconclusive';
  readonly difference?: Difference;
  /** The call that differs, with all that may explain it. */
  readonly case?: Case;
  /** Why nothing can be said of it. */
  readonly why?: string;
  /** Differences that open questions explain. */
  readonly excused: readonly Excuse[];
  readonly target: Player;
  readonly model: Player;
}

export async function duel(sequence: Sequence, arena: Arena, nonce: string): Promise<Duel> {
  const target = new Player(arena.target, nonce);
  const model = new Player(arena.model, nonce);
  const sides = { target, model };
  const comparing = await beginComparing(arena, sides);
  const excused: Excuse[] = [];
  for (const step of sequence.steps) {
    const verdict = await playBoth(step, sides, comparing);
    excused.push(...(verdict.excused ?? []));
    if (verdict.difference !== undefined || verdict.why !== undefined) {
      const kind = verdict.why === undefined ? 'differs' : 'inconclusive';
      return { ...verdict, verdict: kind, excused, ...sides };
    }
    if (verdict.isParted) return { verdict: 'agrees', excused, ...sides };
  }
  return { verdict: 'agrees', excused, ...sides };
}

/** What one step has shown; nothing when it is alike. */
interface StepVerdict {
  readonly difference?: Difference;
  readonly case?: Case;
  readonly why?: string;
  readonly excused?: readonly Excuse[];
  /** Only one of the two has done something, so that what follows cannot be compared. */
  readonly isParted?: boolean;
}

const ALIKE: StepVerdict = {};

async function beginComparing(arena: Arena, sides: Sides): Promise<Comparing> {
  const { target, model, masked, seqName } = arena;
  const [own, other] = await Promise.all([nowOf(target), nowOf(model)]);
  sides.target.nowMs = own;
  const steady = target.target.offers.has('clock') && target.target.disposable;
  return {
    match: new Match(),
    offsetMs: own - other,
    toleranceMs: steady ? 5 : 60_000,
    seqName,
    masked,
  };
}

async function nowOf({ target }: Ground): Promise<number> {
  return target.offers.has('clock') ? target.operator.nowMs() : Date.now();
}

interface Sides {
  readonly target: Player;
  readonly model: Player;
}

async function playBoth(step: Step, sides: Sides, comparing: Comparing): Promise<StepVerdict> {
  let own: Outcome | undefined;
  let other: Outcome | undefined;
  try {
    [own] = await sides.target.play(step);
    [other] = await sides.model.play(step);
  } catch (error) {
    if (isHindrance(error)) return { why: `step ${step.n}: ${error.message}` };
    throw error;
  }
  pairCredentials(sides, comparing.match);
  const verdict = judgeStep(step, own, other, sides, comparing);
  if (verdict !== ALIKE || sides.target.hooks.size === 0) return verdict;
  const difference = compareDeliveries(step.n, sides.target, sides.model, comparing);
  return difference === null ? ALIKE : { difference };
}

function judgeStep(
  step: Step,
  own: Outcome | undefined,
  other: Outcome | undefined,
  sides: Sides,
  comparing: Comparing,
): StepVerdict {
  if (own === undefined || other === undefined) return ALIKE;
  if (own.kind === 'ledger' && other.kind === 'ledger') {
    const unsettled = unsettledIn(sides.model);
    const difference = compareLedgers(own, other, unsettled, comparing);
    return difference === null ? ALIKE : { difference };
  }
  if (own.kind === 'done' && other.kind === 'done') {
    pairPlaces(own.json, other.json, comparing.match);
    return ALIKE;
  }
  const call = step.do === 'await' ? sides.model.waited.get(step.call) : step;
  return call?.do === 'call' ? judgeCall(call, own, other, sides, comparing) : ALIKE;
}

function judgeCall(
  step: CallStep,
  own: Outcome,
  other: Outcome,
  sides: Sides,
  comparing: Comparing,
): StepVerdict {
  if (own.kind === 'lost' && other.kind === 'lost') return ALIKE;
  if (own.kind === 'lost') return { why: `call ${own.n}: no answer (${own.why})` };
  if (own.kind !== 'answer' || other.kind !== 'answer') {
    return { why: `call ${own.n}: the model gave no answer` };
  }
  const trouble = troubleOf(own, other);
  if (trouble !== null) return { why: trouble };
  const first = firstOf(other, sides.model.outcomes);
  const caseOf = (difference: Difference): Case => {
    return { difference, step, target: own, model: other, first };
  };
  const found = compareAnswers(step, own, other, comparing);
  const excuse = found === null ? undefined : excuseOf(caseOf(found));
  if (found !== null && excuse === undefined) return { difference: found, case: caseOf(found) };
  const played = { target: sides.target.outcomes, model: sides.model.outcomes };
  const again = compareReplay(step, own, other, played);
  if (again !== null && excuseOf(caseOf(again)) === undefined) {
    return { difference: again, case: caseOf(again) };
  }
  if (excuse === undefined) return ALIKE;
  return { excused: [excuse], isParted: own.status < 400 !== other.status < 400 };
}

/** NS-3: money that is on its way may be booked already, or only when it has arrived. */
function unsettledIn(model: Player): ReadonlySet<string> {
  const approved = new Set<string>();
  for (const outcome of model.outcomes.values()) {
    if (outcome.kind !== 'answer') continue;
    const [id, status] = ['id', 'status'].map((name) => memberAt(outcome.json, name));
    if (typeof id !== 'string') continue;
    if (status === 'approved') approved.add(id);
    else if (typeof status === 'string') approved.delete(id);
  }
  for (const id of model.settled) approved.delete(id);
  return approved;
}

/** What the setup could not do, or the network did not let it do. */
export function isHindrance(error: unknown): error is Error {
  return [Blocked, Inconclusive, Unreachable, MissingCapability].some(
    (each) => error instanceof each,
  );
}

/** What something in front of the service, or its limit, may have answered in its place. */
function troubleOf(own: CallOutcome, other: CallOutcome): string | null {
  if (own.status === other.status) return null;
  if (own.status === 502 || own.status === 504 || own.status >= 520) {
    return `call ${own.n}: ${own.status} from something in between`;
  }
  return null;
}

/** What belongs to a credential of one side stands for what belongs to that of the other. */
function pairCredentials({ target, model }: Sides, match: Match): void {
  for (const [name, own] of target.credentials) {
    const other = model.credentials.get(name);
    if (other === undefined) continue;
    const pairs = [
      ['brand', own.brandId, other.brandId],
      ['firm', own.firmId, other.firmId],
      ['account', own.accountId, other.accountId],
      ['trading account', own.tradingAccountId, other.tradingAccountId],
    ] as const;
    for (const [space, left, right] of pairs) {
      if (left !== undefined && right !== undefined) match.pairSetUp(space, left, right);
    }
  }
}

function pairPlaces(own: unknown, other: unknown, match: Match): void {
  const [left, right] = [own, other] as { [name: string]: unknown }[];
  for (const [name, space] of [
    ['account_id', 'account'],
    ['trading_account_id', 'trading account'],
    ['url', 'url'],
  ] as const) {
    const [mine, others] = [left?.[name], right?.[name]];
    if (typeof mine === 'string' && typeof others === 'string') match.pair(space, mine, others);
  }
}
