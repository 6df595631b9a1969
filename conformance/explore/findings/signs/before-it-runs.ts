// Of what is looked at before an operation runs: keys used before (IDEM), and rates (LIM).
import { isDeepStrictEqual } from 'node:util';
import { PROFILE_MEMBERS, UPDATABLE_MEMBERS } from '../../../engine/account-members.ts';
import { type CallStep, callsOf, type Step } from '../../sequence.ts';
import {
  answerOf,
  bodyOf,
  type Evidence,
  hasSymbol,
  isAlike,
  type Members,
  rowsOf,
  statusOf,
  stemsIn,
} from './evidence.ts';

const DAY_MS = 86_400_000;
/** What shrinking leaves of a pause that is not needed. */
const A_MOMENT_MS = 1_000;

export function repeatRules(evidence: Evidence): readonly string[] {
  const { steps, difference, due, isReplayed, isAtOnce } = evidence;
  const { n } = difference;
  const waitedMs = sinceSameKey(steps, n);
  const inFlight = inFlightRules(evidence);
  if (inFlight.length > 0) return inFlight;
  if (!isReplayed) {
    if (waitedMs === undefined) return sameKeyRules(evidence);
    // IDEM-5: the id of the request goes with the key.
    if (difference.at === 'header.x-request-id') return ['IDEM-5', 'ERR-4'];
    const passing = passingRules(evidence);
    if (passing.length > 0) return passing;
    // A pause that cannot be shorter than a day is what it is about.
    return [...(waitedMs >= DAY_MS ? ['IDEM-7b'] : []), ...mistakenFor(evidence)];
  }
  const old = waitedMs !== undefined && waitedMs > A_MOMENT_MS ? ['IDEM-7a'] : [];
  // IDEM-5: whose request it was is the one thing in which a repeat and its first answer differ. A
  // refusal that ran again says the same, and is the likelier (IDEM-4d).
  if (isRequestId(evidence)) {
    // IDEM-7a: where it takes time, it is about how long.
    if (difference.at === 'replay.body') return [...old, 'IDEM-4d', 'IDEM-5'];
    return ['IDEM-5'];
  }
  // One that only calls at once have shown is about what must happen once.
  if (isAtOnce) return ['IDEM-15'];
  // IDEM-4b: it says the same in other bytes.
  if (difference.at === 'replay.bytes') return ['IDEM-4b'];
  // ACC-19: all but a header was kept, and not too short a time.
  if (difference.at === 'header.etag') return ['ACC-19', 'IDEM-4b'];
  const refusal = statusOf(due) >= 400 ? ['IDEM-4d'] : [];
  // POS-2: another order was made.
  if (isRunAgain(evidence)) return ['POS-2', 'IDEM-4c'];
  return [...old, ...refusal, ...subjectRules(evidence)];
}

/** Of a call that is told that another is in flight, or should have been. */
function inFlightRules(evidence: Evidence): readonly string[] {
  const { call, difference, came, isReplayed, isAtOnce, hasPaused } = evidence;
  if (difference.basis?.idempotency === 'in_flight') {
    return hasPaused ? ['IDEM-14b', 'IDEM-14a'] : ['IDEM-14a'];
  }
  if (!came.startsWith('409 idempotency_in_flight')) return [];
  const first = firstUnder(evidence);
  // IDEM-2b: what runs under that key is somebody else's.
  if (first !== undefined && first.as !== call?.as) return ['IDEM-2b', 'IDEM-14a'];
  // IDEM-6b: nothing runs any more of what failed for a moment.
  const passing = isAtOnce ? [] : passingRules(evidence);
  if (passing.length > 0) return [...passing, 'IDEM-14a'];
  // IDEM-2a: what runs under that key is about another subject.
  if (!isReplayed) return ['IDEM-2a', 'IDEM-14a'];
  // IDEM-14a: that one was in flight is not what later repeats get.
  return isAtOnce ? [] : ['IDEM-14a'];
}

/** IDEM-6: what failed only for a moment is not the answer to the next call under its key. */
const PASSING: Readonly<Record<number, string>> = {
  429: 'IDEM-6a',
  503: 'IDEM-6b',
  500: 'IDEM-6c',
};

function passingRules(evidence: Evidence): readonly string[] {
  const first = firstUnder(evidence);
  const { outcomes } = evidence.found.duel.model;
  const rule = PASSING[answerOf(outcomes.get(first?.n ?? 0))?.status ?? 0];
  return rule === undefined ? [] : [rule];
}

/** POS-2: whose answer names another order was opened or closed once more. */
const isRunAgain = (evidence: Evidence): boolean =>
  /Position$/.test(evidence.difference.operation) && unlikeMembers(evidence).includes('id');

function isRequestId(evidence: Evidence): boolean {
  const { at } = evidence.difference;
  return at === 'header.x-request-id' || unlikeMembers(evidence).join() === 'request_id';
}

/** In which members a repeat is unlike its first answer, though it should have its bytes. */
function unlikeMembers(evidence: Evidence): readonly string[] {
  const { difference, found, call } = evidence;
  if (difference.at !== 'replay.body') return [];
  const { outcomes } = found.duel.target;
  const [one, other] = [firstUnder(evidence), call].map(
    (each) => answerOf(outcomes.get(each?.n ?? 0))?.json,
  ) as (Members | undefined)[];
  const names = Object.keys({ ...one, ...other });
  return names.filter((name) => !isDeepStrictEqual(one?.[name], other?.[name]));
}

function firstUnder({ call, others }: Evidence): CallStep | undefined {
  return others.find((each) => isAlike(each.key, call?.key));
}

/** IDEM-2a: answered like an earlier call whose key is another, though much like it. */
function sameKeyRules({ found, call, others, due, came, difference }: Evidence): readonly string[] {
  // IDEM-1b: of long keys only the beginning was looked at.
  const rules = hasSymbol(call?.key, 'length') ? ['IDEM-1b', 'IDEM-2a'] : ['IDEM-2a', 'IDEM-1b'];
  if (difference.at === 'attempt') return rules;
  // ERR-1a: it is answered as itself, but for whose answer it is said to be.
  if (difference.at === 'attempt.request_id') return ['IDEM-5', 'ERR-1a'];
  const given = answerOf(found.duel.target.outcomes.get(call?.n ?? 0));
  if (call?.key === undefined || given === undefined) return [];
  const isUpdate = call.operation === 'updateAccount';
  const isOtherWay =
    isUpdate || (due === '201' && came === '200') || (due === '200' && came === '201');
  const like = others.find(({ n, operation, key }) => {
    const earlier = answerOf(found.duel.target.outcomes.get(n));
    const isLike = earlier !== undefined && isDeepStrictEqual(earlier.json, given.json);
    const isKin = stemsIn(key).some((each) => stemsIn(call.key).includes(each));
    const isSame = earlier?.status === given.status;
    return n < call.n && operation === call.operation && isLike && isSame && isKin;
  });
  return isOtherWay && like !== undefined ? rules : [];
}

/** IDEM-3: the answer of another operation under that key, which has another form as well. */
export function strangeRules(evidence: Evidence): readonly string[] {
  const { steps, difference, isReplayed } = evidence;
  if (isReplayed || sinceSameKey(steps, difference.n) === undefined) return [];
  const rules = mistakenFor(evidence);
  return rules.includes('IDEM-3') ? rules : [];
}

/** The answer to an earlier call under that key, about something else. */
function mistakenFor({ found, call, others }: Evidence): readonly string[] {
  const { outcomes } = found.duel.target;
  const given = answerOf(outcomes.get(call?.n ?? 0));
  if (call === undefined || given === undefined) return [];
  const first = others.find((each) => {
    const earlier = answerOf(outcomes.get(each.n));
    return earlier !== undefined && given.body.length > 0 && sameBytes(earlier.body, given.body);
  });
  if (first === undefined) return [];
  if (first.operation !== call.operation) {
    return /Position$/.test(call.operation) ? ['POS-3', 'IDEM-3'] : ['IDEM-3'];
  }
  if (first.as !== call.as) return ['IDEM-2b', 'IDEM-2a'];
  if (call.operation === 'bulkCreateAccounts') {
    const [one, other] = [first, call].map((each) => stemsIn(referencesOf(each)));
    // IDEM-9a: the same references under other emails or brands are another batch.
    const isEdited = isDeepStrictEqual(one, other);
    return isEdited ? ['IDEM-9a', 'IDEM-9b'] : ['IDEM-9b', 'IDEM-9a', 'IDEM-2a'];
  }
  const own = /Position$/.test(call.operation) ? ['POS-4'] : [];
  // IDEM-10: of these the subject is the account.
  const isOther = !isDeepStrictEqual(first.query, call.query);
  return [...own, ...(isOther ? ['IDEM-2a'] : []), 'IDEM-2c', 'IDEM-2a'];
}

const referencesOf = (call: CallStep): readonly unknown[] =>
  rowsOf(call).map(({ client_reference_id }) => client_reference_id);

const sameBytes = (one: Uint8Array, other: Uint8Array) => Buffer.from(one).equals(other);

/** Members that nobody could take for the subject of a call. */
const WORDS = new Set([...UPDATABLE_MEMBERS, ...PROFILE_MEMBERS, 'amount', 'reason']);

/** More calls under other keys than a mixture takes. */
const MANY_BETWEEN = 6;

/** Which part of the call is another than the first time, and does not count. */
function subjectRules(evidence: Evidence): readonly string[] {
  const { call } = evidence;
  const first = firstUnder(evidence);
  if (call === undefined || first === undefined) return [];
  const { operation } = call;
  // IDEM-2: under another token of the same credential it is the same key.
  if (!isDeepStrictEqual(first.headers, call.headers)) return ['IDEM-2b'];
  // IDEM-4: it takes many keys between the two, whatever they say.
  const between = evidence.others.filter(({ n, key }) => n > first.n && n < call.n && key);
  const isOfMany = evidence.steps.some((step) => step.do === 'many');
  if (isOfMany || between.length >= MANY_BETWEEN) return ['IDEM-4a'];
  const isSame = isDeepStrictEqual(first.body, call.body);
  if (/^(approve|reject|cancel)/.test(operation)) {
    if (!isSame) return ['IDEM-8'];
    return isDeepStrictEqual(first.id, call.id) ? [] : ['IDEM-10'];
  }
  if (isSame) return [];
  if (operation === 'bulkCreateAccounts') return ['IDEM-9a', 'IDEM-8'];
  if (/Position$/.test(operation)) return ['POS-2', 'IDEM-8'];
  // Shrinking has tried to make it differ in plain words alone.
  const [one, other] = [bodyOf(first), bodyOf(call)];
  const members = Object.keys({ ...one, ...other }).filter((name) => !WORDS.has(name));
  const isOther = members.some((name) => !isDeepStrictEqual(one[name], other[name]));
  return isOther ? ['IDEM-2c', 'IDEM-8'] : ['IDEM-8'];
}

/** How much time passed since the first call under the same key; undefined without one. */
function sinceSameKey(steps: readonly Step[], n: number): number | undefined {
  const key = callsOf(steps).find((each) => each.n === n)?.key;
  let waitedMs: number | undefined;
  for (const step of steps) {
    if (step.do === 'advance' && waitedMs !== undefined) waitedMs += step.byMs;
    if (callsOf([step]).some((each) => each.n !== n && isAlike(each.key, key))) waitedMs ??= 0;
  }
  return waitedMs;
}

/** A refusal for the rate that was not due, or one that was due and did not come. */
export function limitRules({ difference, due, came, call, steps, hasPaused }: Evidence) {
  const { n, operation, at } = difference;
  const [isDue, hasCome] = [due, came].map((each) => each.startsWith('429'));
  const isToken = operation === 'issueToken';
  if (/^header\.(x-ratelimit|retry-after)/.test(at) && isDue === hasCome) {
    if (!isDue) return ['LIM-8'];
    // AUTH-3b: when the budget of tokens is back.
    const isLater = /^\d+$/.test(difference.target) && /^\d+$/.test(difference.model);
    if (isToken && isLater && /reset|retry-after/.test(at)) return ['AUTH-3b', 'LIM-6'];
    return isToken ? ['LIM-6', 'AUTH-3b'] : ['LIM-6'];
  }
  if (isDue && hasCome) return ['LIM-6'];
  if (isDue === hasCome) return [];
  // ERR-3: what is said of it is right, and stands under another status.
  if (isDue && came.endsWith('rate_limited')) return ['ERR-3', 'LIM-2'];
  if (isToken) return ['AUTH-3b', 'AUTH-3c'];
  // LIM-3: whose allowance it is that was spent.
  if (isDue && difference.basis?.cites.includes('LIM-3')) {
    // LIM-2: of the firm too, a pause saves up no more than a second's.
    return hasPaused ? ['LIM-2', 'LIM-3'] : ['LIM-3', 'LIM-2'];
  }
  const saved = savedRules(steps, n, isDue === true, hasPaused);
  const earlier = hasCome ? earlierRules(steps, n) : [];
  // LIM-11: a read that counted would have been told as a plain create like the others.
  if (isDue && readsBefore(steps, call)) return ['LIM-11', 'LIM-2'];
  const buckets = bucketRules(steps, n, call);
  // LIM-9: a batch that shrinking has left says more than a pause that it takes besides.
  const first = earlier.includes('LIM-9') ? [...earlier, ...saved] : [...saved, ...earlier];
  return [...first, ...buckets, 'LIM-2', 'LIM-7', 'LIM-5'];
}

function readsBefore(steps: readonly Step[], call: CallStep | undefined): boolean {
  const own = callsOf(steps).filter(({ as }) => as === call?.as);
  const isRead = ({ operation }: CallStep) => /^(list|get)/.test(operation);
  return own.some(isRead) && !own.every(isRead);
}

/** More than it takes to save up an allowance and spend it. */
const MANY_WAITS = 10;

/** LIM-2, LIM-7: a pause that is needed says that it is about what gathers in it. */
function savedRules(steps: readonly Step[], n: number, isDue: boolean, hasPaused: boolean) {
  // LIM-1: who has waited again and again was served at the rate, over more than a second.
  const waits = steps.filter(({ do: what }) => what === 'advance').length;
  if (!isDue && waits > MANY_WAITS) return ['LIM-1', 'LIM-7'];
  if (hasPaused) return isDue ? ['LIM-2'] : ['LIM-7', 'LIM-2'];
  // LIM-3: without a rate of the firm's own it does not show.
  if (steps.some(({ do: what }) => what === 'firmRate')) return ['LIM-3'];
  // LIM-1: more than the plan has.
  const isOfPlan = wishOf(steps, n)?.perSecond === null;
  return isDue && !isOfPlan ? ['LIM-2'] : [];
}

function wishOf(steps: readonly Step[], n: number) {
  const as = callsOf(steps).find((each) => each.n === n)?.as;
  return steps.flatMap((step) => (step.do === 'mint' && step.name === as ? [step.wish] : []))[0];
}

/** Whose allowance it is: of a plan, of its own, of a minter, of the firm. */
function bucketRules(
  steps: readonly Step[],
  n: number,
  call: CallStep | undefined,
): readonly string[] {
  const wish = wishOf(steps, n);
  if (steps.some(({ do: what }) => what === 'firmRate')) return ['LIM-3', 'LIM-1'];
  const isTraders = call !== undefined && /^(delegated|read_only)$/.test(call.as);
  if (isTraders || wish?.mintedBy !== undefined) return ['LIM-10', 'LIM-1'];
  return typeof wish?.perSecond === 'number' ? ['LIM-1', 'LIM-4'] : ['LIM-1', 'LIM-3'];
}

/** LIM-9, LIM-11: what the calls before it may have cost, which no plain create has cost. */
function earlierRules(steps: readonly Step[], n: number): readonly string[] {
  const calls = callsOf(steps);
  const before = calls.filter((each) => each.n !== n);
  // A batch that could be told as a plain create would be.
  if (calls.some(({ operation }) => operation === 'bulkCreateAccounts')) return ['LIM-9'];
  if (before.some(({ operation }) => /^(list|get)/.test(operation))) return ['LIM-11'];
  // LIM-2: so few are no second's allowance.
  return before.length === 1 ? ['LIM-2'] : [];
}
