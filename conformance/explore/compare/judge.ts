// Judges one step that both sides have played: alike, different, open, or inconclusive.
import { idText, memberAt } from '../../engine/send/json.ts';
import { OPS } from '../draw/operations.ts';
import type { LearnedOrders } from '../observe.ts';
import type { Excuse, Pair } from '../open/projection.ts';
import { excuseFor } from '../open/projection.ts';
import { settlesUnseen } from '../play/ground.ts';
import {
  answersIn,
  type CallOutcome,
  jsonSent,
  type ManyOutcome,
  type Outcome,
} from '../play/outcome.ts';
import type { Player } from '../play/player.ts';
import { orderIn } from '../play/position-form.ts';
import { type CallStep, type ManyStep, refersTo, type Step } from '../sequence.ts';
import { compareAnswers, differenceOf } from './answers.ts';
import type { Difference } from './difference.ts';
import { compareLedgers } from './ledgers.ts';
import { asForeignReplay, compareAttempt, compareReplay, firstOf, keyOf } from './replays.ts';
import type { Comparing, Sides } from './values.ts';

/** The result of one step; empty if both sides agree. */
export interface Verdict {
  readonly difference?: Difference;
  /** Why the step is inconclusive. */
  readonly why?: string;
  /** Another order of the concurrent calls may explain it. */
  readonly isOfOrder?: boolean;
  readonly open?: Excuse;
  /** Only one side had an effect: steps that depend on it cannot be compared. */
  readonly isParted?: boolean;
}

const ALIKE: Verdict = {};
const PASSING = 'a failure that a repeat may have mended';

/** Judges a step that is neither a single call nor several. */
export function judgeStep(
  step: Step,
  own: Outcome | undefined,
  other: Outcome | undefined,
  comparing: Comparing,
): Verdict {
  if (own?.kind === 'ledger' && other?.kind === 'ledger') {
    const difference = compareLedgers(own, other, unsettledIn(comparing.model), comparing);
    return difference === null ? ALIKE : { difference };
  }
  if (own?.kind === 'done' && other?.kind === 'done') {
    if ((own.isRefused ?? false) !== (other.isRefused ?? false)) {
      // NS-3 leaves the time of settlement open, so this alone is no difference.
      return { why: `step ${own.n}: it could be done on one side only`, isOfOrder: true };
    }
    pairPlaces(step, own.json, other.json, comparing);
  }
  return step.do === 'many' && own?.kind === 'many' && other?.kind === 'many'
    ? judgeMany(step, own, other, comparing)
    : ALIKE;
}

function judgeMany(
  { n, call }: ManyStep,
  own: ManyOutcome,
  other: ManyOutcome,
  comparing: Comparing,
): Verdict {
  const served: CallOutcome[] = [];
  let open = ALIKE;
  for (const [at, answer] of own.answers.entries()) {
    // Among many calls one is easily lost by chance, and another one the next time.
    if (answer.kind === 'lost') return { why: `step ${n}: call ${at + 1} was lost` };
    const step = { ...call, n };
    const due = other.answers[at]!;
    const model = due.kind === 'answer' ? due.status : 0;
    const verdict = judgeCall(step, answer, due, comparing, served);
    if (answer.status !== 429) served.push(answer);
    const { difference, why, isParted } = verdict;
    // Many repeated calls count as one step.
    if (difference !== undefined) return { ...verdict, difference: { ...difference, n } };
    if (why !== undefined) return verdict;
    if (!isParted) continue;
    // LIM-2: if the limit is reached a little earlier or later, the other calls still show a difference.
    if (answer.status !== 429 && model !== 429) return verdict;
    open = verdict;
  }
  return open;
}

/** Members of a row that tell which record it has made, if any. */
const OF_A_ROW = /^body\.rows\.\d+\.(status|id|client_reference_id)$/;

/** The first difference that is not open in one row of a batch, and those that are. */
function compareRows(
  step: CallStep,
  own: CallOutcome,
  other: CallOutcome,
  comparing: Comparing,
  pair: Pair,
): { readonly found: Difference | null; readonly openRows: ReadonlyMap<string, Difference> } {
  const openRows = new Map<string, Difference>();
  for (;;) {
    const found = compareAnswers(step, own, other, { ...comparing, ignored: openRows });
    const [, row] = /^(body\.rows\.\d+)\./.exec(found?.at ?? '') ?? [];
    // If a row is open, so are the counts.
    const isCount = openRows.size > 0 && /^body\.(total|created|failed)$/.test(found?.at ?? '');
    if (found === null || isCount) return { found: null, openRows };
    if (row === undefined || excuseFor(pair, found) === undefined) return { found, openRows };
    openRows.set(row, found);
  }
}

export function judgeCall(
  step: CallStep,
  own: Outcome,
  other: Outcome,
  comparing: Comparing,
  served: readonly CallOutcome[] = [],
): Verdict {
  if (own.kind === 'lost') {
    return other.kind === 'lost' ? ALIKE : { difference: noAnswer(step, own.why, other) };
  }
  if (own.kind !== 'answer' || other.kind !== 'answer') {
    return { why: `call ${own.n}: the model gave no answer` };
  }
  // Whether the call had an effect is unknown, so steps that depend on it are not compared.
  if (comparing.target.passing.has(own.n)) return { open: PASSING, isParted: true };
  const trouble = troubleOf(own, other, comparing);
  if (trouble !== null) return { why: trouble };
  const pair = pairOf(step, own, other, comparing, served);
  const { found, openRows } = compareRows(step, own, other, comparing, pair);
  // If a record has another state, or exists on one side only, later answers differ too.
  const isParted =
    own.status < 400 !== other.status < 400 ||
    isOtherRecord(step, own, other, comparing) ||
    [found, ...openRows.values()].some((each) => OF_A_ROW.test(each?.at ?? '')) ||
    (/Transaction|Webhook/.test(step.operation) &&
      /^body\.(status|disabled)$/.test(found?.at ?? ''));
  const [openRow] = openRows.values();
  const free = found ?? openRow;
  const open = free === undefined ? undefined : excuseFor(pair, free);
  if (found !== null && open === undefined) {
    const played = { target: comparing.target.outcomes, model: comparing.model.outcomes };
    const difference = { ...asForeignReplay(found, own, other, played), pair };
    return { difference, isParted: isParted || difference.at.startsWith('attempt') };
  }
  if (open !== undefined && isParted) return { open, isParted };
  const more = compareMore(step, own, other, comparing);
  if (more !== null && excuseFor(pair, more) === undefined) {
    return { difference: { ...more, pair } };
  }
  return open === undefined ? ALIKE : { open, isParted };
}

/** Whether one side has created a record and the other has returned an existing one. */
function isOtherRecord(
  { operation }: CallStep,
  own: CallOutcome,
  other: CallOutcome,
  { match }: Comparing,
): boolean {
  const { makes } = OPS[operation];
  const [id, due] = [own, other].map(({ json }) => memberAt(json, 'id'));
  if (makes === undefined || typeof id !== 'string' || typeof due !== 'string') return false;
  return (match.modelOf(makes, id) ?? due) !== due || (match.targetOf(makes, due) ?? id) !== id;
}

/** Compares a call with the calls before it. */
function compareMore(
  step: CallStep,
  own: CallOutcome,
  other: CallOutcome,
  comparing: Comparing,
): Difference | null {
  const { target, model } = comparing;
  const { orders } = target.ground;
  return (
    compareReplay(step, own, other, { target: target.outcomes, model: model.outcomes }) ??
    compareAttempt(step, own, other, target.outcomes) ??
    compareOrder(step, own, other, orders, comparing) ??
    compareClosing(step, own, other, orders, target)
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
  comparing: Comparing,
  served: readonly CallOutcome[],
): Pair {
  const { target, model } = comparing;
  const perSecond = target.ground.isSteady ? target.rates.get(step.as) : undefined;
  const hooks = hooksBefore(step, target);
  const urlIn = (call: CallOutcome) => memberAt(jsonSent(call), 'url');
  return {
    ...{ step, target: own, model: other },
    first: firstOf(other, model.outcomes),
    again: refusedBefore(own, comparing),
    tagOf: tagOwner(step, target),
    hasPaused: target.nowMs !== target.startMs,
    isTokenLive: saysTokenLives(step, target),
    ...settlingOf(other, comparing),
    hooks: served.length + hooks.length,
    isSubscribed: served.length > 0 || hooks.some((each) => urlIn(each) === urlIn(own)),
    isRescoped: target.isRescoped,
    isTokenFormKnown: target.ground.tokenForm !== undefined,
    isDelegated: model.credentials.get(step.as)?.accountId !== undefined,
    isDecidedOn: decidedAccounts(step, target).has(accountOf(own)),
    ...(perSecond && {
      metered: { ...meteredIn([...servedBefore(step, target), ...served]), perSecond },
    }),
  };
}

function hooksBefore({ n }: CallStep, { outcomes }: Player): readonly CallOutcome[] {
  const before = [...outcomes].slice(0, [...outcomes.keys()].indexOf(n));
  return answersIn(new Map(before)).filter(
    ({ sent, status }) =>
      sent.method === 'POST' && sent.target.endsWith('/webhooks') && status < 300,
  );
}

/** Calls of the credential that were served since the clock was last advanced. */
function servedBefore(
  { as, n }: CallStep,
  { outcomes, beganAtMs }: Player,
): readonly CallOutcome[] {
  const nowMs = beganAtMs.get(n);
  const before = [...outcomes].slice(0, [...outcomes.keys()].indexOf(n));
  const latest = before.filter(([label]) => beganAtMs.get(label) === nowMs);
  return answersIn(new Map(latest)).filter(({ sent, status }) => sent.as === as && status !== 429);
}

/** NS-17, NS-59: repeats, and calls that are refused for their form, need not be metered. */
function meteredIn(served: readonly CallOutcome[]) {
  const ran = served.filter(({ status }) => ![400, 401, 413, 415, 422].includes(status));
  const least = new Set(ran.map((each) => keyOf(each) ?? each)).size;
  return { served: served.length, least };
}

/** The account that an answer shows, or that its path names. */
const accountOf = ({ sent, json }: CallOutcome): string | undefined =>
  /\/accounts\/(\d+)/.exec(sent.target)?.[1] ?? idText(memberAt(json, 'id'));

/** The accounts whose transactions were approved, rejected or cancelled before the step. */
function decidedAccounts({ n }: CallStep, { outcomes }: Player): ReadonlySet<string | undefined> {
  const before = [...outcomes].slice(0, [...outcomes.keys()].indexOf(n));
  const decided = answersIn(new Map(before)).filter(
    ({ sent, status }) => /\/transactions\/\d/.test(sent.target) && status < 300,
  );
  return new Set(decided.map(({ json }) => idText(memberAt(json, 'account_id'))));
}

function tagOwner({ ifMatch }: CallStep, player: Player): string | undefined {
  const [from] = refersTo(ifMatch);
  return from === undefined ? undefined : idText(memberAt(player.answer(from), 'id'));
}

/** By the `expires_in` of its response (RFC 6749, 5.1), and the time on the clock since. */
function saysTokenLives({ n, headers }: CallStep, player: Player): boolean {
  const [from = -1] = refersTo(headers?.authorization);
  const [givenAtMs, usedAtMs] = [from, n].map((each) => player.beganAtMs.get(each));
  if (givenAtMs === undefined || usedAtMs === undefined) return false;
  const given = player.answer(from);
  const [seconds, endsAtMs] = ['expires_in', 'expires_at'].map((name) => memberAt(given, name));
  if (typeof seconds === 'number') return usedAtMs - givenAtMs < seconds * 1_000;
  return typeof endsAtMs === 'number' && usedAtMs < endsAtMs;
}

/**
 * The earlier refusal that the target has repeated, with the model's: found by the `request_id` of a
 * problem, or by the same bytes under the key.
 */
function refusedBefore(own: CallOutcome, { target, model }: Sides): Pair['again'] {
  if (own.status < 400) return undefined;
  const [id, key] = [memberAt(own.json, 'request_id'), keyOf(own)];
  for (const [n, before] of target.outcomes) {
    const other = model.outcomes.get(n);
    if (before.kind !== 'answer' || before === own || other?.kind !== 'answer') continue;
    const isAgain =
      id !== undefined
        ? id === memberAt(before.json, 'request_id')
        : key !== undefined && key === keyOf(before) && Buffer.from(own.body).equals(before.body);
    if (isAgain) return { target: before, model: other };
  }
  return undefined;
}

/** NS-1, POS-4: in any form, an opening returns a new order, or the one that it repeats. */
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

/** POS-3: unless it is a repeat, a closing does not return the same bytes as an opening. */
function compareClosing(
  step: CallStep,
  own: CallOutcome,
  other: CallOutcome,
  orders: LearnedOrders | undefined,
  { outcomes }: Player,
): Difference | null {
  const isServed = other.status < 300 && own.status < 300;
  if (step.operation !== 'closePosition' || !isServed) return null;
  const isRepeat = other.basis?.idempotency === 'replayed';
  if (isRepeat || orderIn(orders, own.json) === undefined) return null;
  const opened = answersIn(outcomes).find(
    (each) =>
      each.sent.target.endsWith('/positions/open') && Buffer.from(each.body).equals(own.body),
  );
  if (opened === undefined) return null;
  const target = `the answer to call ${opened.n}`;
  return differenceOf(step, own, other, { at: 'order', target, model: 'one of its own' });
}

/** NS-3: whether money may settle unobserved, and whether the call concerns such money. */
function settlingOf(
  answer: CallOutcome,
  { isAtOnce, settlesAtOnce, target, model }: Comparing,
): Pick<Pair, 'maySettle' | 'isUnsettled'> {
  const isUnseen = !target.ground.target.offers.has('settle') || settlesUnseen(target);
  const [, id = ''] = /transactions\/(\d+)/.exec(answer.sent.target) ?? [];
  return {
    maySettle: isUnseen || (isAtOnce === true && settlesAtOnce === true),
    isUnsettled: isUnseen && unsettledIn(model).has(id),
  };
}

/** NS-3: pending money may be booked already, or only when it settles. */
function unsettledIn({ outcomes, settled }: Player): ReadonlySet<string> {
  const approved = new Set<string>();
  for (const { json } of answersIn(outcomes)) {
    const [id, status] = ['id', 'status'].map((name) => memberAt(json, name));
    if (typeof id !== 'string') continue;
    if (status === 'approved') approved.add(id);
    // NS-4: a transaction that was cancelled before it settled may have been booked and reversed.
    else if (status === 'settled') approved.delete(id);
  }
  for (const id of settled) approved.delete(id);
  return approved;
}

/** A response that may come from the service's rate limit, or from a gateway in front of it. */
function troubleOf(own: CallOutcome, other: CallOutcome, { target }: Sides): string | null {
  if (own.status === other.status) return null;
  if (own.status === 429 && !/json/.test(own.headers.mediaType())) {
    return `call ${own.n}: 429 from something in front of the service`;
  }
  // Other clients may use up the allowance of a live target.
  if (own.status !== 429 || target.ground.target.offers.has('clock')) return null;
  return `call ${own.n}: 429, which the pace should have avoided`;
}

const PLACES = [
  ...[['account_id', 'account'] as const, ['trading_account_id', 'trading account'] as const],
  ['url', 'url'] as const,
];

/** Records of a profile existed before the run, so they need not look alike. */
function pairPlaces({ do: verb }: Step, own: unknown, other: unknown, { match }: Comparing): void {
  const [left, right] = [own, other] as { [name: string]: unknown }[];
  for (const [name, space] of PLACES) {
    const [mine, others] = [left?.[name], right?.[name]];
    if (typeof mine !== 'string' || typeof others !== 'string') continue;
    if (verb === 'place') match.pairSetUp(space, mine, others);
    else match.pair(space, mine, others);
  }
}
