// Judges one step that both sides have played, a call or a ledger: alike, different, open, or
// inconclusive.
import { idText, type Json, memberAt } from '../../engine/send/json.ts';
import { OPS } from '../draw/operations.ts';
import { type Excuse, excuseFor, type Pair } from '../open/projection.ts';
import { orderIn } from '../play/forms.ts';
import { settlesUnseen } from '../play/ground.ts';
import {
  answersIn,
  type CallOutcome,
  jsonSent,
  type LedgerOutcome,
  type ManyOutcome,
  type Outcome,
} from '../play/outcome.ts';
import type { Player } from '../play/player.ts';
import { type CallStep, type ManyStep, refersTo, type Step } from '../sequence.ts';
import {
  asForeignReplay,
  compareAnswers,
  compareAttempt,
  compareReplay,
  differenceOf,
  firstOf,
  keyOf,
} from './answers.ts';
import type { Difference } from './difference.ts';
import { normalDecimal } from './shapes.ts';
import type { Comparing, Sides } from './sides.ts';

/** The result of one step; empty if both sides agree. */
export interface Verdict {
  readonly difference?: Difference;
  readonly why?: string;
  /** Another order of the concurrent calls may explain it. */
  readonly isOfOrder?: boolean;
  readonly open?: Excuse;
  /** Only one side had an effect: steps that depend on it cannot be compared. */
  readonly isParted?: boolean;
}

const ALIKE: Verdict = {};
const PASSING = 'a failure that a repeat may have mended';

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

function compareMore(
  step: CallStep,
  own: CallOutcome,
  other: CallOutcome,
  comparing: Comparing,
): Difference | null {
  const { target, model } = comparing;
  return (
    compareReplay(step, own, other, { target: target.outcomes, model: model.outcomes }) ??
    compareAttempt(step, own, other, target.outcomes) ??
    compareOrder(step, own, other, comparing)
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
  const outcomes = [...target.outcomes];
  const before = outcomes.slice(0, [...target.outcomes.keys()].indexOf(step.n));
  const done = answersIn(new Map(before)).filter(({ status }) => status < 300);
  const hooks = done.filter(
    ({ sent }) => sent.method === 'POST' && sent.target.endsWith('/webhooks'),
  );
  const decided = done.filter(({ sent }) => /\/transactions\/\d/.test(sent.target));
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
    isDecidedOn: decided.some(
      ({ json }) => idText(memberAt(json, 'account_id')) === accountOf(own),
    ),
    ...(perSecond && {
      metered: { ...meteredIn([...servedBefore(step, before, target), ...served]), perSecond },
    }),
  };
}

function servedBefore(
  { as, n }: CallStep,
  before: readonly (readonly [n: number, Outcome])[],
  { beganAtMs }: Player,
): readonly CallOutcome[] {
  const latest = before.filter(([label]) => beganAtMs.get(label) === beganAtMs.get(n));
  return answersIn(new Map(latest)).filter(({ sent, status }) => sent.as === as && status !== 429);
}

/** NS-17, NS-59: repeats, and calls that are refused for their form, need not be metered. */
function meteredIn(served: readonly CallOutcome[]) {
  const ran = served.filter(({ status }) => ![400, 401, 413, 415, 422].includes(status));
  const least = new Set(ran.map((each) => keyOf(each) ?? each)).size;
  return { served: served.length, least };
}

const accountOf = ({ sent, json }: CallOutcome): string | undefined =>
  /\/accounts\/(\d+)/.exec(sent.target)?.[1] ?? idText(memberAt(json, 'id'));

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

function compareOrder(
  step: CallStep,
  own: CallOutcome,
  other: CallOutcome,
  { match, target: { outcomes, ground } }: Comparing,
): Difference | null {
  const [came, due] = [orderIn(ground.orders, own.json), orderIn(undefined, other.json)];
  if (own.status >= 300 || other.status >= 300 || came === undefined) return null;
  const wrong = (target: string, model: string) =>
    differenceOf(step, own, other, { at: 'order', target, model });
  // POS-4: an opening returns a new order, or the one that it repeats.
  if (step.operation === 'openPosition' && due !== undefined) {
    const isPaired = match.pair('order', came, due);
    return isPaired ? null : wrong(came, match.targetOf('order', due) ?? 'another one');
  }
  // POS-3: unless it is a repeat, a closing does not return the same bytes as an opening.
  if (step.operation !== 'closePosition' || other.basis?.idempotency === 'replayed') return null;
  const isOpening = ({ sent, body }: CallOutcome) =>
    sent.target.endsWith('/positions/open') && Buffer.from(body).equals(own.body);
  const opened = answersIn(outcomes).find(isOpening);
  return opened === undefined ? null : wrong(`the answer to call ${opened.n}`, 'one of its own');
}

function settlingOf(answer: CallOutcome, { isAtOnce, settlesAtOnce, target, model }: Comparing) {
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

const PLACES = { account_id: 'account', trading_account_id: 'trading account', url: 'url' };

/** Records of a profile existed before the run, so they need not look alike. */
function pairPlaces({ do: verb }: Step, own: Json, other: Json, { match }: Comparing): void {
  for (const [name, space] of Object.entries(PLACES)) {
    const [mine, others] = [memberAt(own, name), memberAt(other, name)];
    if (typeof mine !== 'string' || typeof others !== 'string') continue;
    if (verb === 'place') match.pairSetUp(space, mine, others);
    else match.pair(space, mine, others);
  }
}

type Entries = LedgerOutcome['entries'];
/** The id of a transaction; null: an entry without one, undefined: an unknown one. */
type Id = string | null | undefined;

/** NS-3: entries of the transactions in `unsettled`, by the model's ids, are left out. */
export function compareLedgers(
  target: LedgerOutcome,
  model: LedgerOutcome,
  unsettled: ReadonlySet<string>,
  { match }: Comparing,
): Difference | null {
  const wrong = (at: string, own: string, other: string): Difference => ({
    ...{ n: target.n, operation: 'ledger', at, model: other, target: own },
    ...{ modelAnswer: 'entries', targetAnswer: 'entries', basis: undefined },
  });
  const modelOf = (id: Id) => (id == null ? id : match.modelOf('transaction', id));
  // NS-3: either of two transactions may be booked first. So the entries of each are grouped, in the
  // model's order of transactions; entries of unpaired transactions come last, in their own order.
  const places = new Map<Id, number>();
  for (const { transaction_id: id } of model.entries) {
    const isKnown = id === null || match.targetOf('transaction', id) !== undefined;
    if (isKnown && !places.has(id)) places.set(id, places.size);
  }
  const inOrder = (entries: Entries, nameOf: (id: Id) => Id) => {
    const placeOf = (id: Id) => places.get(nameOf(id)) ?? places.size;
    return entries
      .filter(({ transaction_id: id }) => !unsettled.has(nameOf(id) ?? ''))
      .sort((one, two) => placeOf(one.transaction_id) - placeOf(two.transaction_id));
  };
  const [own, other] = [inOrder(target.entries, modelOf), inOrder(model.entries, (id) => id)];
  const [came, due] = [amountsOf(own), amountsOf(other)];
  if (came.join() !== due.join()) return wrong('entries', inWords(came), inWords(due));
  for (const [index, { transaction_id: id }] of own.entries()) {
    const counterpart = other[index]?.transaction_id ?? null;
    if (id === null || counterpart === null) continue;
    if (!match.pair('transaction', id, counterpart)) return wrong('entries.of', id, counterpart);
  }
  // The balances are comparable only if both sides use the same sign for each movement.
  const signsOf = (entries: Entries) => entries.map(({ amount }) => isMinus(amount)).join();
  if (unsettled.size > 0 || signsOf(own) !== signsOf(other)) return null;
  const [balance, dueBalance] = [target, model].map((each) => normalDecimal(each.balance));
  return balance === dueBalance ? null : wrong('balance', balance!, dueBalance!);
}

const isMinus = (amount: string): boolean => normalDecimal(amount).startsWith('-');

/**
 * NS-27, NS-43: the sign of a movement is open; whether later entries have the same or the opposite
 * sign is not. So the first entry of each transaction counts as plus.
 */
function amountsOf(entries: Entries): readonly string[] {
  const turned = new Map<string | null, boolean>();
  return entries.map(({ transaction_id: id, amount }) => {
    if (!turned.has(id)) turned.set(id, isMinus(amount));
    const text = normalDecimal(amount);
    if (turned.get(id) !== true || text === '0') return text;
    return text.startsWith('-') ? text.slice(1) : `-${text}`;
  });
}

const inWords = (amounts: readonly string[]): string => amounts.slice(0, 12).join(', ') || 'none';
