// Judges one step that both sides have played: alike, different, or nothing to be said of it.
import { isRole } from '../../engine/capabilities.ts';
import {
  Blocked,
  Inconclusive,
  MissingCapability,
  Unreachable,
} from '../../engine/scenario-errors.ts';
import { memberAt } from '../../engine/send/answer.ts';
import type { LearnedOrders } from '../../scenarios/support/orders.ts';
import { compareAnswers, compareNamedRow, differenceOf } from '../compare/answers.ts';
import { compareChannel } from '../compare/channel.ts';
import type { Difference } from '../compare/difference.ts';
import { compareLedgers } from '../compare/ledgers.ts';
import type { Match } from '../compare/match.ts';
import { compareAttempt, compareReplay, firstOf } from '../compare/replays.ts';
import type { Comparing } from '../compare/values.ts';
import type { Case, Excuse } from '../open/case.ts';
import { excuseOf } from '../open/excuses.ts';
import { type CallStep, type ManyStep, refersTo, type Step } from '../sequence.ts';
import type { CallOutcome, ManyOutcome, Outcome } from './outcome.ts';
import type { Player } from './player.ts';
import { orderIn } from './position-form.ts';

export interface Sides {
  readonly target: Player;
  readonly model: Player;
}

/** What one step has shown; nothing when it is alike. */
export interface StepVerdict {
  readonly difference?: Difference;
  /** The call that differs, with all that may explain it. */
  readonly case?: Case;
  /** Why nothing can be said of it. */
  readonly why?: string;
  /** Another order of calls at once may have it otherwise. */
  readonly isOfOrder?: boolean;
  readonly excused?: readonly Excuse[];
  /** Only one of the two has done something, so that what follows cannot be compared. */
  readonly isParted?: boolean;
}

export const ALIKE: StepVerdict = {};

export function judgeStep(
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
  if (own.kind === 'heard' && other.kind === 'heard') {
    if (own.isLate) return { why: `step ${own.n}: the events channel has not told all of it yet` };
    const difference = compareChannel(own, other, sides, comparing);
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
): StepVerdict {
  for (const [at, answer] of own.answers.entries()) {
    const verdict = judgeCall({ ...call, n }, answer, other.answers[at]!, sides, comparing);
    if (verdict.why !== undefined || verdict.isParted) return verdict;
    // Of many, the whole is told as one step.
    if (verdict.difference !== undefined) {
      return { ...verdict, difference: { ...verdict.difference, n } };
    }
  }
  return ALIKE;
}

export function judgeCall(
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
  const trouble = isElsewhere(step, own) ? null : troubleOf(step, own, other, sides);
  if (trouble !== null) return { why: trouble };
  const first = firstOf(other, sides.model.outcomes);
  const caseOf = (difference: Difference): Case => {
    const hasPaused = sides.target.nowMs !== sides.target.startMs;
    const again = refusedBefore(own, sides);
    const tagOf = tagOwner(step, sides.target);
    const isTokenLive = saysTokenLives(step, sides.target);
    const settlesMeanwhile = comparing.isAtOnce === true && comparing.settlesAtOnce === true;
    const known = { first, again, tagOf, hasPaused, isTokenLive, settlesMeanwhile };
    return { difference, step, target: own, model: other, ...known };
  };
  const found = compareAnswers(step, own, other, comparing);
  const excuse = found === null ? undefined : excuseOf(caseOf(found));
  if (found !== null && excuse === undefined) return { difference: found, case: caseOf(found) };
  const played = { target: sides.target.outcomes, model: sides.model.outcomes };
  const { orders } = sides.target.ground;
  const more =
    compareReplay(step, own, other, played) ??
    compareAttempt(step, own, other, played.target) ??
    compareNamedRow(step, own, other) ??
    compareOrder(step, own, other, orders, comparing) ??
    compareClosing(step, own, other, orders, played.target);
  if (more !== null && excuseOf(caseOf(more)) === undefined) {
    return { difference: more, case: caseOf(more) };
  }
  if (excuse === undefined) return ALIKE;
  return { excused: [excuse], isParted: own.status < 400 !== other.status < 400 };
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
function refusedBefore(own: CallOutcome, { target, model }: Sides): Case['again'] {
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
  const [said, due] = [orderIn(orders, own.json), orderIn(undefined, other.json)];
  if (said === undefined || due === undefined || match.pair('order', said, due)) return null;
  const meant = match.targetOf('order', due) ?? 'another one';
  return differenceOf(step, own, other, { at: 'order', target: said, model: meant });
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

/** What the setup could not do, or the network did not let it do. */
export function isSetupFailure(error: unknown): error is Error {
  return [Blocked, Inconclusive, Unreachable, MissingCapability].some(
    (each) => error instanceof each,
  );
}

/** NS-2, NS-54: a read that is served elsewhere, or nowhere, answers as any unknown path. */
const isElsewhere = ({ operation }: CallStep, { status }: CallOutcome): boolean =>
  (status === 404 || status === 405) && /^list(Accounts|Transactions)$|Status$/.test(operation);

/** What something in front of the service, or its limit, may have answered in its place. */
function troubleOf(
  step: CallStep,
  own: CallOutcome,
  other: CallOutcome,
  { target }: Sides,
): string | null {
  if (own.status === other.status) return null;
  const type = own.headers.mediaType();
  const isGateway = own.status === 502 || own.status === 504 || own.status >= 520;
  const isPage = own.status >= 400 && type === 'text/html';
  const isBare = own.status === 429 && !/json/.test(type);
  if (isGateway || isPage || isBare) {
    return `call ${own.n}: ${own.status} ${type} from something in between`;
  }
  const isContention = memberAt(own.json, 'code') === 'write_contention' && other.status < 500;
  if (isContention && !isRole(step.as)) return `call ${own.n}: a contention in passing`;
  // Others may use up the allowance of a live target.
  if (own.status !== 429 || target.ground.target.offers.has('clock')) return null;
  return `call ${own.n}: 429, which the pace should have avoided`;
}

/** What belongs to a credential of one side stands for what belongs to that of the other. */
export function pairCredentials({ target, model }: Sides, match: Match): void {
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
