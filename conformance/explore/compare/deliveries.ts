// Reads and compares the deliveries to the webhook endpoints: which events, how often, how signed.
// The order of events is open (NS-28), so each notice of the target is paired with one of the model.
import { eventCategories, eventKinds } from '../../../fixtures/event-kinds.ts';
import { type Json, memberAt } from '../../engine/send/json.ts';
import type { ReceivedDelivery } from '../../providers/webhook-receiver.ts';
import { count } from '../../reports/verdict-words.ts';
import { expectedMac, numberNames, sequenceAt, signatureOf, valuesAt } from '../observe.ts';
import { settlesUnseen } from '../play/ground.ts';
import { answersIn, jsonOf as jsonIn } from '../play/outcome.ts';
import type { Player } from '../play/player.ts';
import type { Difference } from './difference.ts';
import { type Mismatch, shown } from './shapes.ts';
import type { Comparing, Match, Sides } from './sides.ts';

type Notices = readonly Notice[];
/** The names of kinds that the model uses: its own, or those observed on the target. */
type Kinds = ReadonlySet<string>;

export function compareDeliveries(n: number, comparing: Comparing): Difference | null {
  const { target, model, comparedEvents } = comparing;
  for (const [step, { deliveries: came }] of target.hooks) {
    const other = model.hooks.get(step);
    if (other === undefined) continue;
    const own = noticesIn(came, target, target, comparing);
    const due = noticesIn(other.deliveries, model, target, comparing);
    // NS-28: an event that is not compared and has failed may hold back any of the others.
    const areCounted =
      comparedEvents === undefined || [...came, ...other.deliveries].every(isTaken);
    // NS-11: which events a target with late deliveries sends is not known.
    const isLate = target.ground.deliversLate === true;
    const found =
      compareForm(came, other.deliveries, comparing) ??
      (isLate ? null : compareNotices(own, due, areCounted, comparing));
    if (found === null) continue;
    const answers = { modelAnswer: found.at, targetAnswer: found.at };
    return { n, operation: 'delivery', ...found, ...answers, basis: undefined };
  }
  return null;
}

const attemptsOf = (notices: Notices): Deliveries => notices.flatMap(({ attempts }) => attempts);

/** EVT-3: each is a POST with a JSON envelope that names its subscription in some header (NS-10). */
function compareForm(own: Deliveries, due: Deliveries, { target, model }: Sides): Mismatch | null {
  if (due.length === 0) return null;
  const odd = own.find(({ method }) => method !== 'POST');
  if (odd !== undefined) return { at: 'method', target: odd.method, model: 'POST' };
  const isEnvelope = (each: ReceivedDelivery) => memberAt(jsonOf(each), 'id') !== undefined;
  const unread = own.find((each) => jsonOf(each) === undefined);
  if (unread !== undefined && due.every(isEnvelope)) {
    const end = Buffer.from(unread.body).toString().slice(-30);
    const words = `${unread.body.length} bytes that are no JSON and end in …${end}`;
    return { at: 'body', target: words, model: 'an envelope in JSON' };
  }
  const areNamed = (all: Deliveries, player: Player) => {
    const known = subscriptionsOf(player);
    return all.every((each) => subscriptionOf(each, known) !== '');
  };
  if (!areNamed(due, model) || areNamed(own, target)) return null;
  return { at: 'subscription header', target: 'none', model: 'the id of the subscription' };
}

function compareNotices(
  own: Notices,
  due: Notices,
  areCounted: boolean,
  comparing: Comparing,
): Mismatch | null {
  const isDone = [...own, ...due].every(isDelivered);
  const { pairs, isWhole } = pairsOf(own, due, comparing.match, isDone);
  for (const [mine, theirs] of pairs) {
    const isOnTime = !isBehind(mine, own) && !isBehind(theirs, due);
    const found = comparePair(mine, theirs, isOnTime, comparing);
    if (found !== null) return found;
  }
  if (!areCounted) return null;
  const [came, expected] = [attemptsOf(own), attemptsOf(due)];
  // A live target may send the rest later.
  const isLive = !comparing.target.ground.target.offers.has('clock');
  if (isLive && came.length < expected.length) return null;
  const isUneven = pairs.some(([mine, theirs]) => {
    const areDelivered = isDelivered(mine) && isDelivered(theirs);
    const areNext = isNext(mine, own) && isNext(theirs, due);
    return (areDelivered || areNext) && mine.attempts.length !== theirs.attempts.length;
  });
  // NS-28: events after an undelivered event may be held back or not.
  const isOff = !isWhole && (isDone || own.length === 0 || due.length === 0);
  return isOff || isUneven ? countMismatch(came, expected) : null;
}

const isDelivered = ({ attempts }: Notice): boolean => attempts.some(isTaken);

const before = (notice: Notice, all: Notices): Notices =>
  all
    .slice(0, all.indexOf(notice))
    .filter(({ subscription }) => subscription === notice.subscription);

/** NS-28: an earlier event has failed, so this one may have been held back. */
const isBehind = (notice: Notice, all: Notices): boolean =>
  before(notice, all).some(({ attempts }) => !attempts.every(isTaken));

/** The first event of its subscription that is not delivered yet. */
const isNext = (notice: Notice, all: Notices): boolean =>
  !isDelivered(notice) && before(notice, all).every(isDelivered);

function comparePair(
  own: Notice,
  due: Notice,
  isOnTime: boolean,
  comparing: Comparing,
): Mismatch | null {
  for (const [at, attempt] of own.attempts.slice(0, due.attempts.length).entries()) {
    const other = due.attempts[at]!;
    const found =
      compareEnvelope(jsonOf(attempt), jsonOf(other), comparing) ??
      (isOnTime ? compareSignature(attempt, other, comparing) : null) ??
      compareTime(attempt, other, comparing.target);
    if (found !== null) return found;
  }
  return null;
}

/** Pairs of notices that may be of one event; the others in order, so that they differ. */
function pairsOf(own: Notices, due: Notices, match: Match, isDone: boolean) {
  const [mine, theirs] = [[...own], [...due]];
  const pairs: [own: Notice, due: Notice][] = [];
  const kinds: Kinds = new Set([
    ...eventKinds,
    ...due.map(({ envelope }) => String(memberAt(envelope, 'kind'))),
  ]);
  for (const isLike of [isOfRecord, isAlike, () => true]) {
    for (const notice of [...mine]) {
      const at = theirs.findIndex((each) => isLike(notice, each, match, kinds));
      if (at < 0) continue;
      pairs.push([notice, theirs.splice(at, 1)[0]!]);
      mine.splice(mine.indexOf(notice), 1);
    }
    // If there are too few or too many events, there is no way to pair different ones.
    if (isLike === isAlike && (!isDone || own.length !== due.length)) break;
  }
  return { pairs, isWhole: mine.length + theirs.length === 0 };
}

/** To the same subscription, of the same kind, and not yet paired with other notices. */
function isAlike(own: Notice, due: Notice, match: Match, kinds: Kinds): boolean {
  const subscription = match.modelOf('subscription', own.subscription) ?? due.subscription;
  if (subscription !== due.subscription) return false;
  const known = own.event === undefined ? undefined : match.modelOf('event', own.event);
  const meant = due.event === undefined ? undefined : match.targetOf('event', due.event);
  if ((known ?? due.event) !== due.event || (meant ?? own.event) !== own.event) return false;
  const [account, dueAccount] = [own, due].map(({ envelope }) => memberAt(envelope, 'account_id'));
  const model = account === undefined ? undefined : match.modelOf('account', String(account));
  if (model !== undefined && typeof dueAccount === 'string' && model !== dueAccount) return false;
  // NS-9, NS-11: the kind may be in any member; one with another name may be the same.
  const kind = memberAt(due.envelope, 'kind');
  const named = scalarsIn(own.envelope).filter((each) => kinds.has(each));
  return named.length === 0 || named.some((each) => each === kind);
}

/** Members that identify an account and a transaction, because hardly any other record has them. */
const OF_A_RECORD = ['client_reference_id', 'trading_account_id'];

/** And about the same record, as far as it is known. */
function isOfRecord(own: Notice, due: Notice, match: Match, kinds: Kinds): boolean {
  if (!isAlike(own, due, match, kinds)) return false;
  const space = memberAt(due.envelope, 'category');
  // NS-1: the id in an event of an order or a position is open.
  if (space !== 'account' && space !== 'transaction') return true;
  const data = memberAt(own.envelope, 'data');
  const [id, dueId] = [data, memberAt(due.envelope, 'data')].map((each) => memberAt(each, 'id'));
  if (typeof dueId !== 'string') return true;
  const meant = match.targetOf(space, dueId);
  if (typeof id !== 'string') {
    // NS-9: in an envelope of another form the record is anywhere, or missing.
    const values = scalarsIn(own.envelope);
    if (meant !== undefined && values.includes(meant)) return true;
    return !values.some((value) => match.modelOf(space, value) !== undefined);
  }
  const known = match.modelOf(space, id);
  const isRecord = OF_A_RECORD.some((name) => memberAt(data, name) !== undefined);
  if (known === undefined && !isRecord) return true;
  return (known ?? dueId) === dueId && (meant ?? id) === id;
}

/** NS-9: an envelope has an id and a number; all its other members are open. */
function compareEnvelope(
  own: Json | undefined,
  due: Json | undefined,
  { match, seqName }: Comparing,
): Mismatch | null {
  const spaces = { id: 'event', [seqName]: 'event number' } as const;
  for (const [name, space] of Object.entries(spaces)) {
    const value = memberAt(due, name);
    const mine = name === seqName ? numberOf(own, name) : memberAt(own, name);
    const isAlike = mine !== undefined && match.pair(space, String(mine), String(value));
    if (value === undefined || isAlike) continue;
    const [target, model] = [shown(mine), shown(value)];
    // The value belongs to another event, or this event had another value before.
    const words = target === model ? `${target}, not as told before` : target;
    return { at: `envelope.${name}`, target: words, model };
  }
  return null;
}

/** EVT-4: `1 delivery: 1 of account.created missing` instead of `2 deliveries`. */
function countMismatch(own: Deliveries, due: Deliveries): Mismatch {
  const [came, model] = [own, due].map(({ length }) => count(length, 'delivery', 'deliveries'));
  const odd = oddOnes(own, due);
  const target = odd.length === 0 ? came! : `${came}: ${odd.join(', ')}`;
  return { at: 'count', target, model: model! };
}

function oddOnes(own: Deliveries, due: Deliveries): readonly string[] {
  // NS-11: by kind if the target uses our names of kinds, otherwise by category.
  const isKnown = [...own, ...due].every((each) => isOurName(memberAt(jsonOf(each), 'kind')));
  const nameOf = (each: ReceivedDelivery) => memberAt(jsonOf(each), isKnown ? 'kind' : 'category');
  const countOf = (all: Deliveries, name: unknown) =>
    all.filter((each) => nameOf(each) === name).length;
  const names = [...new Set([...due, ...own].map(nameOf))];
  const isCategory = (name: unknown) => eventCategories.some((known) => known === name);
  if (!isKnown && !names.every(isCategory)) return [];
  return names.flatMap((name) => {
    const more = countOf(own, name) - countOf(due, name);
    if (more === 0) return [];
    return [`${Math.abs(more)} of ${String(name)} ${more > 0 ? 'too many' : 'missing'}`];
  });
}

/** EVT-5b: how far the time of a delivery may be from the clock. */
const TOLERANCE_MS = 5 * 60_000;

/** EVT-6, EVT-7: the secrets that sign a delivery. */
function compareSignature(
  own: ReceivedDelivery,
  other: ReceivedDelivery,
  { target, model }: Sides,
): Mismatch | null {
  const [said, expected] = [signersOf(own, target), signersOf(other, model)];
  if (said.words === expected.words) return null;
  const rotations = answersIn(model.outcomes).filter(
    ({ sent, status }) => sent.target.endsWith('/rotate-secret') && status < 300,
  );
  // NS-61: after a second rotation only the newest secret is sure to sign.
  const isOpen = rotations.length > 1 && said.newest !== 0 && said.newest === expected.newest;
  return isOpen ? null : { at: 'signature', target: said.words, model: expected.words };
}

/** The secrets that sign, in words, and the step that returned the newest; 0 if one is not known. */
function signersOf(arrival: ReceivedDelivery, player: Player) {
  const header = signatureOf(arrival);
  if (header === undefined) return { words: 'not signed', newest: 0 };
  const [t = '', ...more] = valuesAt(header, 't');
  if (t === '' || more.length > 0) return { words: 'not one time', newest: 0 };
  const answers = answersIn(player.outcomes);
  const steps: number[] = [];
  const signers = valuesAt(header, 'v1').map((signature) => {
    if (!/^[0-9a-f]{64}$/.test(signature)) return 'what is no HMAC-SHA256 in lower-case hex';
    const known = answers.find(({ json }) => {
      const secret = memberAt(json, 'secret');
      return typeof secret === 'string' && expectedMac(secret, t, arrival.body) === signature;
    });
    if (known === undefined) return 'an unknown secret';
    steps.push(known.n);
    return `the secret of step ${known.n}`;
  });
  const newest = steps.length === signers.length ? Math.max(0, ...steps) : 0;
  return { words: `signed by ${signers.sort().join(' and ')}`, newest };
}

/** EVT-5b: by the wall clock or by the target's own clock. */
function compareTime(
  own: ReceivedDelivery,
  other: ReceivedDelivery,
  target: Player,
): Mismatch | null {
  const [header, expected] = [signatureOf(own), signatureOf(other)];
  if (header === undefined || expected === undefined) return null;
  const t = Number(valuesAt(header, 't')[0]);
  const byItsClock = target.arrived.get(own) ?? [target.startMs, target.nowMs ?? own.atMs];
  const isWithin = ([fromMs, toMs]: readonly [number, number]) =>
    t >= fromMs - TOLERANCE_MS && t <= toMs + TOLERANCE_MS;
  if (isWithin([own.atMs, own.atMs]) || isWithin(byItsClock)) return null;
  return { at: 'signature.t', target: String(t), model: `about ${own.atMs}` };
}

type Deliveries = readonly ReceivedDelivery[];
export type Arrival = Omit<ReceivedDelivery, 'answered'>;

/** All attempts to deliver one event to one subscription. */
interface Notice {
  readonly event: string | undefined;
  readonly subscription: string;
  readonly seq: number | undefined;
  readonly envelope: Json | undefined;
  readonly attempts: ReceivedDelivery[];
}

/** Parsed once: a long list of deliveries is read again for every subscription that is shown. */
const parsed = new WeakMap<Uint8Array, { readonly json: Json | undefined }>();

function jsonOf({ body }: Arrival): Json | undefined {
  const known = parsed.get(body) ?? { json: jsonIn(body) };
  parsed.set(body, known);
  return known.json;
}

/** NS-9: names that the sequence number may have if its name was not observed, or is nested. */
const LIKELY_NUMBER = /(^|\.)(\w*seq\w*|number|offset)$/i;

/** The sequence number of an envelope, written as a number or as its digits. */
function numberOf(envelope: Json | undefined, seqName: string): number | undefined {
  if (envelope === undefined || envelope === null || typeof envelope !== 'object') return;
  if (Array.isArray(envelope)) return;
  const own = sequenceAt(envelope, seqName);
  if (own !== undefined) return own;
  const likely = numberNames(envelope).find((name) => LIKELY_NUMBER.test(name));
  return likely === undefined ? undefined : sequenceAt(envelope, likely);
}

export const eventOf = (each: Arrival): string | undefined => {
  const id = memberAt(jsonOf(each), 'id');
  return typeof id === 'string' || typeof id === 'number' ? String(id) : undefined;
};

const OTHER_NUMBERS = ['content-length', 'host'];

/** NS-10: the subscription that some header names; empty if no header names one of these. */
export function subscriptionOf({ headers }: Arrival, known: ReadonlySet<string>): string {
  const named = headers.lines.find(
    ([name, value]) => known.has(value) && !OTHER_NUMBERS.includes(name.toLowerCase()),
  );
  return named?.[1] ?? '';
}

export function subscriptionsOf({ outcomes }: Player): ReadonlySet<string> {
  const made = answersIn(outcomes).flatMap(({ json }) => {
    const id = memberAt(json, 'id');
    return memberAt(json, 'event_categories') === undefined || id === undefined ? [] : [String(id)];
  });
  return new Set(made);
}

const isTaken = ({ answered }: ReceivedDelivery): boolean => answered >= 200 && answered < 300;

/** EVT-8a: the shortest time before a retry. */
const RETRY_MS = 29_000;

/**
 * Groups deliveries into notices, by their sequence numbers. Leaves out events of other clients on a
 * shared target, events of open categories, and duplicates that are no retries (EVT-4).
 */
export function noticesIn(
  deliveries: Deliveries,
  player: Player,
  target: Player,
  { seqName, comparedEvents }: Pick<Comparing, 'seqName' | 'comparedEvents'>,
): readonly Notice[] {
  const { isSteady } = target.ground;
  const isSettlingOpen = !isSteady || settlesUnseen(target);
  const isOwn = player.ground.target.disposable ? () => true : isAbout(player);
  const notices = new Map<string, Notice>();
  const subscriptions = subscriptionsOf(player);
  for (const [at, each] of deliveries.entries()) {
    const envelope = jsonOf(each);
    if (!isOwn(each) || !isOf(envelope, comparedEvents)) continue;
    if (isSettlingOpen && isOfSettling(envelope)) continue;
    const [event, subscription] = [eventOf(each), subscriptionOf(each, subscriptions)];
    const name = event === undefined ? `${at}` : `${event} ${subscription}`;
    const known = notices.get(name);
    if (known === undefined) {
      const seq = numberOf(envelope, seqName);
      notices.set(name, { event, subscription, seq, envelope, attempts: [each] });
    } else if (!isRepeat(known, each, player, isSteady)) known.attempts.push(each);
  }
  return [...notices.values()].sort((one, other) => (one.seq ?? 0) - (other.seq ?? 0));
}

/** EVT-4: an event may arrive twice. A retry can only be recognized if the clock is frozen. */
function isRepeat(
  { attempts }: Notice,
  each: ReceivedDelivery,
  { arrived }: Player,
  isSteady: boolean,
): boolean {
  if (!isSteady) return true;
  const [, toMs = Number.POSITIVE_INFINITY] = arrived.get(each) ?? [];
  const signature = signatureOf(each)?.value;
  return attempts.some((before) => {
    const [fromMs = Number.NEGATIVE_INFINITY] = arrived.get(before) ?? [];
    const isSoon = toMs - fromMs < RETRY_MS;
    // EVT-5b: a retry has its own time and signature.
    const isSigned = signature !== undefined && signature === signatureOf(before)?.value;
    const isSame = isSigned && Buffer.compare(before.body, each.body) === 0;
    return isTaken(before) ? isSoon || isSame : isSoon && isSame;
  });
}

/** NS-11: the category or kind matches one of these, in an envelope of any form (NS-9). */
const isOf = (envelope: Json | undefined, events: RegExp | undefined): boolean =>
  events === undefined || scalarsIn(envelope).some((value) => events.test(value));

function isOfSettling(envelope: Json | undefined): boolean {
  const values = scalarsIn(envelope);
  return (
    values.some((each) => /settled$/i.test(each)) && !values.some((each) => /approved$/i.test(each))
  );
}

function isAbout({ nonce, outcomes }: Player): (each: ReceivedDelivery) => boolean {
  const ids = new Set<string>();
  for (const { json } of answersIn(outcomes)) {
    const rows = memberAt(json, 'rows');
    for (const record of [json, ...(Array.isArray(rows) ? rows : [])]) {
      const id = memberAt(record, 'id');
      if (typeof id === 'string') ids.add(id);
    }
  }
  return (each) => {
    const text = Buffer.from(each.body).toString();
    return text.includes(nonce) || scalarsIn(jsonOf(each)).some((value) => ids.has(value));
  };
}

/** The numbers that were delivered, ascending, and whether all were accepted in order. */
export function deliveredTo({ hooks }: Player, seqName: string) {
  const numbers = new Set<number>();
  let isAll = true;
  for (const { deliveries } of hooks.values()) {
    let before = 0;
    for (const each of deliveries) {
      const number = numberOf(jsonOf(each), seqName) ?? Number.NaN;
      if (!isTaken(each) || !(number >= before)) isAll = false;
      if (isTaken(each)) numbers.add(number);
      before = number;
    }
  }
  return { numbers: [...numbers].sort((one, other) => one - other), isAll };
}

function scalarsIn(value: Json | undefined): readonly string[] {
  if (value === null || value === undefined) return [];
  return typeof value === 'object' ? Object.values(value).flatMap(scalarsIn) : [String(value)];
}

function isOurName(name: Json | undefined): boolean {
  const known: readonly string[] = [...eventKinds, ...eventCategories];
  return known.includes(String(name));
}
