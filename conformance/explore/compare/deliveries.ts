// Compares the deliveries to the webhook endpoints: which events, how often, and how they are signed.
// The order of events is open (NS-28), so each notice of the target is paired with one of the model.
import { eventCategories, eventKinds } from '../../../fixtures/event-kinds.ts';
import { type Json, memberAt } from '../../engine/send/json.ts';
import { count } from '../../reports/verdict-words.ts';
import type { Player } from '../play/player.ts';
import {
  type Deliveries,
  isOurName,
  isTaken,
  jsonOf,
  type Notice,
  noticesIn,
  numberOf,
  scalarsIn,
  subscriptionOf,
  subscriptionsOf,
} from './arrivals.ts';
import type { Difference } from './difference.ts';
import type { Match } from './match.ts';
import { compareSignature, compareTime } from './signatures.ts';
import { type Comparing, type Mismatch, type Sides, shown } from './values.ts';

type Arrival = Deliveries[number];
type Notices = readonly Notice[];
/** The names of kinds that the model uses: its own, or those observed on the target. */
type Kinds = ReadonlySet<string>;
type NoticePair = readonly [own: Notice, due: Notice];

/** The first difference in the deliveries after the last step, `n`. */
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
    if (found !== null) return differenceOf(n, found);
  }
  return null;
}

function differenceOf(n: number, { at, target, model }: Mismatch): Difference {
  const texts = { at, model, target, modelAnswer: at, targetAnswer: at };
  return { n, operation: 'delivery', ...texts, basis: undefined };
}

const attemptsOf = (notices: Notices): Deliveries => notices.flatMap(({ attempts }) => attempts);

/** EVT-3: each is a POST with a JSON envelope that names its subscription in some header (NS-10). */
function compareForm(own: Deliveries, due: Deliveries, { target, model }: Sides): Mismatch | null {
  if (due.length === 0) return null;
  const odd = own.find(({ method }) => method !== 'POST');
  if (odd !== undefined) return { at: 'method', target: odd.method, model: 'POST' };
  const isEnvelope = (each: Arrival) => memberAt(jsonOf(each), 'id') !== undefined;
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
    const found = comparePair([mine, theirs], isOnTime, comparing);
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

/** The earlier notices to the same subscription. */
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
  [own, due]: NoticePair,
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
  const pairs: NoticePair[] = [];
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

const deliveries = ({ length }: Deliveries): string => count(length, 'delivery', 'deliveries');

/** EVT-4: `1 delivery: 1 of account.created missing` instead of `2 deliveries`. */
function countMismatch(own: Deliveries, due: Deliveries): Mismatch {
  const odd = oddOnes(own, due);
  const target = odd.length === 0 ? deliveries(own) : `${deliveries(own)}: ${odd.join(', ')}`;
  return { at: 'count', target, model: deliveries(due) };
}

function oddOnes(own: Deliveries, due: Deliveries): readonly string[] {
  // NS-11: by kind if the target uses our names of kinds, otherwise by category.
  const isKnown = [...own, ...due].every((each) => isOurName(memberAt(jsonOf(each), 'kind')));
  const nameOf = (each: Arrival) => memberAt(jsonOf(each), isKnown ? 'kind' : 'category');
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
