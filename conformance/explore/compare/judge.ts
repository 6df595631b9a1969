// Judges one step that both sides have played: alike, different, open, or nothing can be said.
import { isRole } from '../../engine/capabilities.ts';
import { memberAt } from '../../engine/send/answer.ts';
import type { LearnedOrders } from '../observe.ts';
import type { Excuse, Pair } from '../open/pair.ts';
import { excuseFor } from '../open/projection.ts';
import { type CallOutcome, callsIn, type ManyOutcome, type Outcome } from '../play/outcome.ts';
import type { Player } from '../play/player.ts';
import { orderIn } from '../play/position-form.ts';
import { type CallStep, type ManyStep, refersTo, type Step } from '../sequence.ts';
import { compareAnswers, compareNamedRow, differenceOf } from './answers.ts';
import type { Difference } from './difference.ts';
import { compareLedgers } from './ledgers.ts';
import type { Match } from './match.ts';
import { compareAttempt, compareReplay, firstOf } from './replays.ts';
import type { Sides } from './sides.ts';
import type { Comparing } from './values.ts';

/** What one step has shown; nothing when it is alike. */
export interface Verdict {
  readonly difference?: Difference;
  /** Why nothing can be said of it. */
  readonly why?: string;
  /** Another order of calls at the same time may have it otherwise. */
  readonly isOfOrder?: boolean;
  readonly open?: Excuse;
  /** Only one of the two has done something: what depends on it cannot be compared. */
  readonly isParted?: boolean;
}

const ALIKE: Verdict = {};

export function judgeStep(
  step: Step,
  own: Outcome | undefined,
  other: Outcome | undefined,
  sides: Sides,
  comparing: Comparing,
): Verdict {
  if (own === undefined || other === undefined) return ALIKE;
  if (own.kind === 'ledger' && other.kind === 'ledger') {
    const difference = compareLedgers(own, other, unsettledIn(sides.model), comparing);
    return difference === null ? ALIKE : { difference };
  }
  if (own.kind === 'done' && other.kind === 'done') {
    if ((own.isRefused ?? false) !== (other.isRefused ?? false)) {
      // NS-3 leaves open when money settles, so that it is no difference by itself.
      return { why: `step ${own.n}: it could be done on one side only`, isOfOrder: true };
    }
    pairPlaces(step, own.json, other.json, comparing.match);
    return ALIKE;
  }
  if (step.do === 'many' && own.kind === 'many' && other.kind === 'many') {
    return judgeMany(step, own, other, sides, comparing);
  }
  // A burst is judged call by call, in an order that is to be found.
  const call = step.do === 'await' ? sides.model.waited.get(step.call) : step;
  return call?.do === 'call' ? judgeCall(call, own, other, sides, comparing) : ALIKE;
}

function judgeMany(
  { n, call }: ManyStep,
  own: ManyOutcome,
  other: ManyOutcome,
  sides: Sides,
  comparing: Comparing,
): Verdict {
  let served = 0;
  for (const [at, answer] of own.answers.entries()) {
    const step = { ...call, n };
    const verdict = judgeCall(step, answer, other.answers[at]!, sides, comparing, served);
    if (answer.kind === 'answer' && answer.status !== 429) served += 1;
    if (verdict.why !== undefined || verdict.isParted) return verdict;
    // Of many, the whole is one step.
    const { difference } = verdict;
    if (difference !== undefined) return { ...verdict, difference: { ...difference, n } };
  }
  return ALIKE;
}

export function judgeCall(
  step: CallStep,
  own: Outcome,
  other: Outcome,
  sides: Sides,
  comparing: Comparing,
  served = 0,
): Verdict {
  if (own.kind === 'lost') {
    return other.kind === 'lost' ? ALIKE : { difference: noAnswer(step, own.why, other) };
  }
  if (own.kind !== 'answer' || other.kind !== 'answer') {
    return { why: `call ${own.n}: the model gave no answer` };
  }
  const trouble = troubleOf(step, own, other, sides);
  if (trouble !== null) return { why: trouble };
  const pair = pairOf(step, own, other, sides, comparing, served);
  const found = compareAnswers(step, own, other, comparing);
  const open = found === null ? undefined : excuseFor(pair, found);
  const isParted = own.status < 400 !== other.status < 400;
  if (found !== null && open === undefined) {
    return { difference: { ...found, pair }, isParted };
  }
  if (open !== undefined && isParted) return { open, isParted };
  const more = compareMore(step, own, other, sides, comparing);
  if (more !== null && excuseFor(pair, more) === undefined)
    return { difference: { ...more, pair } };
  return open === undefined ? ALIKE : { open, isParted };
}

/** What a call has to do with the calls before it. */
function compareMore(
  step: CallStep,
  own: CallOutcome,
  other: CallOutcome,
  { target, model }: Sides,
  comparing: Comparing,
): Difference | null {
  const { orders } = target.ground;
  return (
    compareReplay(step, own, other, { target: target.outcomes, model: model.outcomes }) ??
    compareAttempt(step, own, other, target.outcomes) ??
    compareNamedRow(step, own, other) ??
    compareOrder(step, own, other, orders, comparing) ??
    compareClosing(step, own, other, orders, target.outcomes)
  );
}

function noAnswer({ n, operation }: CallStep, why: string, model: Outcome): Difference {
  const answer = model.kind === 'answer' ? String(model.status) : 'an answer';
  return {
    ...{ n, operation, at: 'no_answer', model: answer, target: why },
    ...{ modelAnswer: answer, targetAnswer: `no answer: ${why}` },
    basis: model.kind === 'answer' ? model.basis : undefined,
  };
}

function pairOf(
  step: CallStep,
  own: CallOutcome,
  other: CallOutcome,
  { target, model }: Sides,
  comparing: Comparing,
  served: number,
): Pair {
  const perSecond = target.credentials.get(step.as)?.rates[0]?.perSecond;
  const isMetered = target.ground.isSteady && perSecond !== undefined && perSecond < AMPLE;
  return {
    ...{ step, target: own, model: other },
    first: firstOf(other, model.outcomes),
    again: refusedBefore(own, { target, model }),
    tagOf: tagOwner(step, target),
    hasPaused: target.nowMs !== target.startMs,
    isTokenLive: saysTokenLives(step, target),
    settlesMeanwhile: comparing.isAtOnce === true && comparing.settlesAtOnce === true,
    isTokenFormKnown: target.ground.tokenForm !== undefined,
    isDelegated: model.credentials.get(step.as)?.accountId !== undefined,
    metered: isMetered ? { served: served + servedBefore(step, target), perSecond } : undefined,
  };
}

/** Rates beyond this are met by no sequence. */
const AMPLE = 1_000;

/** Calls of the credential that were served since time passed last. */
function servedBefore({ as, n }: CallStep, { outcomes, beganAtMs }: Player): number {
  const now = beganAtMs.get(n);
  return callsIn(outcomes).filter((each) => {
    if (each.kind !== 'answer' || each.n >= n || each.sent.as !== as) return false;
    return each.status !== 429 && beganAtMs.get(each.n) === now;
  }).length;
}

const keyOf = ({ sent }: CallOutcome): string | undefined =>
  sent.headers.find(([name]) => name === 'idempotency-key')?.[1];

function tagOwner({ ifMatch }: CallStep, { outcomes }: Player): string | undefined {
  const from = (ifMatch as { readonly $header?: number } | undefined)?.$header;
  const outcome = from === undefined ? undefined : outcomes.get(from);
  const id = outcome?.kind === 'answer' ? memberAt(outcome.json, 'id') : undefined;
  return typeof id === 'string' ? id : undefined;
}

/** By what was said of its lifetime when it was given (RFC 6749, 5.1), and by the clock since. */
function saysTokenLives({ n, headers }: CallStep, { outcomes, beganAtMs }: Player): boolean {
  const [from] = refersTo(headers?.authorization);
  const given = from === undefined ? undefined : outcomes.get(from);
  const [givenAtMs, usedAtMs] = [from, n].map((each) => beganAtMs.get(each ?? -1));
  if (given?.kind !== 'answer' || givenAtMs === undefined || usedAtMs === undefined) return false;
  const [seconds, endsAtMs] = ['expires_in', 'expires_at'].map((name) =>
    memberAt(given.json, name),
  );
  if (typeof seconds === 'number') return usedAtMs - givenAtMs < seconds * 1_000;
  return typeof endsAtMs === 'number' && usedAtMs < endsAtMs;
}

/**
 * The refusal that the target has given again, with what the model gave: by the `request_id` of a
 * problem, or word for word under the key.
 */
function refusedBefore(own: CallOutcome, { target, model }: Sides): Pair['again'] {
  if (own.status < 400) return undefined;
  const key = keyOf(own);
  const isAgain = (before: CallOutcome) => {
    const [id, other] = [own, before].map(({ json }) => memberAt(json, 'request_id'));
    if (id !== undefined) return id === other;
    return key !== undefined && key === keyOf(before) && Buffer.from(own.body).equals(before.body);
  };
  for (const [n, before] of target.outcomes) {
    const other = model.outcomes.get(n);
    if (before.kind !== 'answer' || before === own || other?.kind !== 'answer') continue;
    if (isAgain(before)) return { target: before, model: other };
  }
  return undefined;
}

/** NS-1, POS-4: in whatever form, an opening answers with an order of its own or the one meant. */
function compareOrder(
  step: CallStep,
  own: CallOutcome,
  other: CallOutcome,
  orders: LearnedOrders | undefined,
  { match }: Comparing,
): Difference | null {
  if (step.operation !== 'openPosition' || other.status >= 300 || own.status >= 300) return null;
  const [came, due] = [orderIn(orders, own.json), orderIn(undefined, other.json)];
  if (came === undefined || due === undefined || match.pair('order', came, due)) return null;
  const meant = match.targetOf('order', due) ?? 'another one';
  return differenceOf(step, own, other, { at: 'order', target: came, model: meant });
}

/** POS-3: a closing that is no repeat does not answer what an opening was answered, to the byte. */
function compareClosing(
  step: CallStep,
  own: CallOutcome,
  other: CallOutcome,
  orders: LearnedOrders | undefined,
  outcomes: ReadonlyMap<number, Outcome>,
): Difference | null {
  const isServed = other.status < 300 && own.status < 300;
  if (step.operation !== 'closePosition' || !isServed) return null;
  if (other.basis?.idempotency === 'replayed' || orderIn(orders, own.json) === undefined)
    return null;
  const opened = [...outcomes.values()].find(
    (each) =>
      each.kind === 'answer' &&
      each.sent.target.endsWith('/positions/open') &&
      Buffer.from(each.body).equals(own.body),
  );
  if (opened === undefined) return null;
  const target = `the answer to call ${opened.n}`;
  return differenceOf(step, own, other, { at: 'order', target, model: 'one of its own' });
}

/** NS-3: money that is on its way may be booked already, or only when it has arrived. */
export function unsettledIn(model: Player): ReadonlySet<string> {
  const approved = new Set<string>();
  for (const outcome of model.outcomes.values()) {
    if (outcome.kind !== 'answer') continue;
    const [id, status] = ['id', 'status'].map((name) => memberAt(outcome.json, name));
    if (typeof id !== 'string') continue;
    if (status === 'approved') approved.add(id);
    // NS-4: one that was cancelled before it settled may have been booked and taken back.
    else if (status === 'settled') approved.delete(id);
  }
  for (const id of model.settled) approved.delete(id);
  return approved;
}

/** What the limit of the service may have answered, or a lock that has not been released yet. */
function troubleOf(
  step: CallStep,
  own: CallOutcome,
  other: CallOutcome,
  { target }: Sides,
): string | null {
  if (own.status === other.status) return null;
  if (own.status === 429 && !/json/.test(own.headers.mediaType())) {
    return `call ${own.n}: 429 from something in front of the service`;
  }
  const isContention = memberAt(own.json, 'code') === 'write_contention' && other.status < 500;
  if (isContention && !isRole(step.as)) return `call ${own.n}: a contention in passing`;
  // Others may use up the allowance of a live target.
  if (own.status !== 429 || target.ground.target.offers.has('clock')) return null;
  return `call ${own.n}: 429, which the pace should have avoided`;
}

/** What a profile names was there before, so that it need not read alike. */
function pairPlaces({ do: verb }: Step, own: unknown, other: unknown, match: Match): void {
  const [left, right] = [own, other] as { [name: string]: unknown }[];
  for (const [name, space] of [
    ['account_id', 'account'],
    ['trading_account_id', 'trading account'],
    ['url', 'url'],
  ] as const) {
    const [mine, others] = [left?.[name], right?.[name]];
    if (typeof mine !== 'string' || typeof others !== 'string') continue;
    if (verb === 'place') match.pairSetUp(space, mine, others);
    else match.pair(space, mine, others);
  }
}
