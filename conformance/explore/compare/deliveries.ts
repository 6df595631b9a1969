// Compares what reached the endpoints: which events, how often, in which order, under which
// signatures.
import type { OperationName } from '../../engine/operations.ts';
import type { Json } from '../../engine/send/answer.ts';
import { memberAt } from '../../engine/send/answer.ts';
import type { ReceivedDelivery } from '../../providers/webhook-receiver.ts';
import { isNumber, nameText, type Outcome } from '../play/outcome.ts';
import type { Player } from '../play/player.ts';
import type { CallStep } from '../sequence.ts';
import {
  areOfSubscriptions,
  eventOf,
  heardBy,
  isOurName,
  jsonOf,
  numberOf,
  subscriptionOf,
  withoutOpen,
} from './arrivals.ts';
import { countMismatch, deliveries } from './delivery-counts.ts';
import type { Difference } from './difference.ts';
import { pairArrivals } from './pairing.ts';
import { ACCOUNT, type Shape, TRANSACTION } from './shapes.ts';
import type { Sides } from './sides.ts';
import { compareSignature, compareTime, signersOf } from './signatures.ts';
import { type Comparing, compareValue, type Mismatch, shown } from './values.ts';

/** NS-1: what stands in the events of orders and positions is as open as their answers. */
type RecordShape = Extract<Shape, { readonly kind: 'record' }>;

const RECORDS: Readonly<Record<string, Shape>> = {
  account: ACCOUNT,
  transaction: TRANSACTION,
};

/** What is made by an operation whose events are no matter of NS-1, as the category has it. */
const MADE_BY: Readonly<Partial<Record<OperationName, string>>> = {
  createAccount: 'account',
  createTransaction: 'transaction',
};

/**
 * The first thing in which the deliveries to any endpoint differ, at the step `n`. Where `heard` says
 * how many had come by then, nothing is said of an endpoint that more or fewer are due at: they may
 * be on their way.
 */
export function compareDeliveries(
  n: number,
  sides: Sides,
  comparing: Comparing,
  heard?: ReadonlyMap<number, number>,
): Difference | null {
  const { target, model } = sides;
  for (const [step, hook] of target.hooks) {
    const other = model.hooks.get(step);
    if (other === undefined) continue;
    const came = hook.deliveries.slice(0, heard?.get(step));
    const isEven = () =>
      heardBy(withoutOpen(came, comparing), target, target).length ===
      heardBy(withoutOpen(other.deliveries, comparing), model, target).length;
    if (heard !== undefined && !isEven()) continue;
    const found = compareArrivals(came, other.deliveries, sides, comparing);
    if (found !== null) return differenceOf(n, found);
  }
  return null;
}

/**
 * Where the order is a matter of chance: how many, of how many events, under how many numbers; and
 * those of the records that were made `later`, when the calls at once were over.
 */
export function countDeliveries(
  n: number,
  sides: Sides,
  comparing: Comparing,
  later: readonly CallStep[],
  bursts: readonly number[],
): Difference | null {
  const { target, model } = sides;
  for (const [step, hook] of target.hooks) {
    const other = model.hooks.get(step);
    if (other === undefined) continue;
    // Of what cannot be read nobody knows which event it tells.
    const form = compareForm(hook.deliveries, other.deliveries, sides);
    if (form !== null) return differenceOf(n, form);
    const own = heardBy(withoutOpen(hook.deliveries, comparing), target, target);
    const due = heardBy(withoutOpen(other.deliveries, comparing), model, target);
    // A live target may send the rest later.
    if (!target.ground.target.offers.has('clock') && own.length < due.length) continue;
    const counted = compareCounts(own, due, comparing);
    if (counted !== null) return differenceOf(n, counted);
    const since = compareSince(step, bursts.at(-1) ?? 0, sides, comparing);
    if (since !== null) return differenceOf(n, since);
    for (const call of later) {
      const about = arrivalsOf(own, call, target);
      // NS-9: nothing says that an event shows its record.
      if (about.length === 0) continue;
      const found = compareArrivals(about, arrivalsOf(due, call, model), sides, comparing);
      if (found !== null) return differenceOf(n, found);
    }
  }
  return null;
}

/** What came when the calls at once were over, where nothing else came then. */
function compareSince(
  step: number,
  burst: number,
  sides: Sides,
  comparing: Comparing,
): Mismatch | null {
  const all = [sides.target, sides.model].map((each) => each.hooks.get(step)?.deliveries ?? []);
  if (!sides.target.ground.isSteady || !all.every(areTaken)) return null;
  const [own, due] = [sides.target, sides.model].map((each) => heardSince(step, burst, each));
  // Else some of what the calls at once have brought about is late.
  return own!.length === due!.length ? compareArrivals(own!, due!, sides, comparing) : null;
}

/** Nothing is to be sent again, so that what comes later tells of what has happened later. */
const areTaken = (deliveries: readonly ReceivedDelivery[]): boolean =>
  deliveries.every(({ answered }) => answered >= 200 && answered < 300);

/** What an endpoint was told of since the calls at once; what was told before may come again. */
function heardSince(step: number, burst: number, player: Player): readonly ReceivedDelivery[] {
  const { deliveries = [] } = player.hooks.get(step) ?? {};
  const since = player.heardAt.get(burst)?.get(step) ?? 0;
  const toldIn = (each: ReceivedDelivery) => `${subscriptionOf(each, player)} ${eventOf(each)}`;
  const before = new Set(deliveries.slice(0, since).map(toldIn));
  return deliveries.slice(since).filter((each) => !before.has(toldIn(each)));
}

/** EVT-2b: how many there are, of how many events, under how many numbers. */
function compareCounts(
  own: readonly ReceivedDelivery[],
  due: readonly ReceivedDelivery[],
  { seqName }: Comparing,
): Mismatch | null {
  if (own.length !== due.length) return countMismatch(own, due);
  const said = deliveries(own);
  for (const name of ['id', seqName]) {
    const told = (each: ReceivedDelivery) =>
      name === 'id' ? memberAt(jsonOf(each), name) : numberOf(jsonOf(each), name);
    const [mine, theirs] = [own, due].map((all) => new Set(all.map(told).map(String)).size);
    if (mine === theirs) continue;
    const words = (numbers: number | undefined) => `${numbers} for ${said}`;
    const [target, model] = [words(mine), words(theirs)];
    return { at: `envelope.${name}`, target, model };
  }
  return null;
}

/**
 * Deliveries about the record that a call has made, by their signers: which of two subscriptions
 * is served first is open.
 */
function arrivalsOf(
  all: readonly ReceivedDelivery[],
  { n: call, operation }: CallStep,
  player: Player,
): readonly ReceivedDelivery[] {
  const id = idOf(player.outcomes.get(call));
  const category = MADE_BY[operation];
  if (id === undefined || category === undefined) return [];
  // What an earlier call has made already is only shown again.
  const [first] = [...player.outcomes.values()].filter((each) => idOf(each) === id);
  if (first?.n !== call) return [];
  return (
    all
      .filter((each) => memberAt(memberAt(jsonOf(each), 'data'), 'id') === id)
      // Another kind of record may have the same id.
      .filter((each) => memberAt(jsonOf(each), 'category') === category)
      .map((each) => ({ each, signers: signersOf(each, player) }))
      .sort((one, other) => (one.signers < other.signers ? -1 : 1))
      .map(({ each }) => each)
  );
}

function idOf(outcome: Outcome | undefined): string | undefined {
  if (outcome?.kind !== 'answer' || outcome.status >= 300) return undefined;
  const id = memberAt(outcome.json, 'id');
  return typeof id === 'string' ? id : undefined;
}

function differenceOf(n: number, { at, target, model }: Mismatch): Difference {
  const said = { at, model, target, modelAnswer: at, targetAnswer: at };
  return { n, operation: 'delivery', ...said, basis: undefined };
}

function compareArrivals(
  all: readonly ReceivedDelivery[],
  expected: readonly ReceivedDelivery[],
  sides: Sides,
  comparing: Comparing,
): Mismatch | null {
  const form = compareForm(all, expected, sides);
  if (form !== null) return form;
  const own = heardBy(withoutOpen(all, comparing), sides.target, sides.target);
  const other = heardBy(withoutOpen(expected, comparing), sides.model, sides.target);
  if (own.length !== other.length) return countMismatch(own, other);
  const paired = pairArrivals({ own, other }, sides, comparing);
  for (const [index, arrival] of paired?.own.entries() ?? []) {
    const counterpart = paired!.other[index]!;
    const found =
      compareEnvelope(arrival, counterpart, comparing) ??
      compareSignature(arrival, counterpart, sides) ??
      compareTime(arrival, counterpart, sides.target);
    if (found !== null) return found;
  }
  return null;
}

/** EVT-3: each is a POST that names its subscription in some header (NS-10). */
function compareForm(
  all: readonly ReceivedDelivery[],
  expected: readonly ReceivedDelivery[],
  { target, model }: Sides,
): Mismatch | null {
  if (expected.length === 0) return null;
  const odd = all.find(({ method }) => method !== 'POST');
  if (odd !== undefined) return { at: 'method', target: odd.method, model: 'POST' };
  const isEnvelope = (each: ReceivedDelivery) => memberAt(jsonOf(each), 'id') !== undefined;
  const unread = all.find((each) => jsonOf(each) === undefined);
  if (unread !== undefined && expected.every(isEnvelope)) {
    const end = Buffer.from(unread.body).toString().slice(-30);
    const target = `${unread.body.length} bytes that are no JSON and end in …${end}`;
    return { at: 'body', target, model: 'an envelope in JSON' };
  }
  if (!areOfSubscriptions(expected, model) || areOfSubscriptions(all, target)) return null;
  return { at: 'subscription header', target: 'none', model: 'the id of the subscription' };
}

/** NS-9: of the envelope its id and number must be there; the rest where both have it. */
function compareEnvelope(
  own: ReceivedDelivery,
  other: ReceivedDelivery,
  comparing: Comparing,
): Mismatch | null {
  const [said, expected] = [jsonOf(own), jsonOf(other)];
  if (expected === undefined || expected === null || typeof expected !== 'object') return null;
  for (const [name, value] of Object.entries(expected)) {
    const mine = name === comparing.seqName ? numberOf(said, name) : memberAt(said, name);
    const needed = name === 'id' || name === comparing.seqName;
    if (mine === undefined && !needed) continue;
    if (isEnvelopeMemberAlike(name, mine, value, comparing)) continue;
    const [target, due] = [shown(mine), shown(value)];
    // It is another event's, or that event had another before.
    const words = target === due ? `${target}, not as told before` : target;
    return { at: `envelope.${name}`, target: words, model: due };
  }
  const category = memberAt(expected, 'category');
  const shape = typeof category === 'string' ? RECORDS[category] : undefined;
  const data = memberAt(said, 'data');
  if (shape?.kind !== 'record' || !showsRecord(data, shape)) return null;
  const account = String(memberAt(said, 'account_id'));
  if (category === 'account' && comparing.match.isSetUp('account', account)) return null;
  return compareValue(shape, data, memberAt(expected, 'data'), 'envelope.data', comparing);
}

/** NS-9: whether what an event tells is the record as the API shows it, and not of its own form. */
function showsRecord(data: Json | undefined, { members }: RecordShape): data is Json {
  return Object.keys(members).every((name) => memberAt(data, name) !== undefined);
}

function isEnvelopeMemberAlike(
  name: string,
  own: Json | undefined,
  other: Json,
  comparing: Comparing,
): boolean {
  const { match, seqName } = comparing;
  if (name === 'id') return own !== undefined && match.pair('event', String(own), String(other));
  if (name === seqName) {
    return typeof own === 'number' && match.pair('event number', String(own), String(other));
  }
  if (name === 'data') return true;
  // CONV-4 is about answers: in an envelope a time may be a text.
  if (name === 'occurred_at') {
    return (
      typeof own !== 'number' ||
      compareValue({ kind: 'time' }, own, other, name, comparing) === null
    );
  }
  const space = /^(account|brand|firm)_id$/.exec(name)?.[1];
  if (space !== undefined && isNumber(own)) return match.pair(space, nameText(own), String(other));
  if (space !== undefined) {
    const shape = { kind: 'name', space: space as 'account' } as const;
    return compareValue(shape, own, other, name, comparing) === null;
  }
  if (name !== 'category' && name !== 'kind') return own === other;
  // NS-11: what each is called is open, and that it is always called so is not.
  return own === other || (!isOurName(own) && match.pair(`${name} ${other}`, String(own), ''));
}
