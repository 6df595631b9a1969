// Which of the deliveries at an endpoint are compared, and what an envelope says of itself.
import { eventCategories, eventKinds } from '../../../fixtures/event-kinds.ts';
import type { Json } from '../../engine/send/answer.ts';
import { memberAt } from '../../engine/send/answer.ts';
import type { ReceivedDelivery } from '../../providers/webhook-receiver.ts';
import { numberNames, sequenceAt } from '../observe.ts';
import { settlesUnseen } from '../play/ground.ts';
import { jsonOf as jsonIn, type Outcome } from '../play/outcome.ts';
import type { Player } from '../play/player.ts';
import { signatureOf } from './signatures.ts';
import type { Comparing } from './values.ts';

export type Deliveries = readonly ReceivedDelivery[];
/** As it comes, before it is answered. */
type Arrival = Omit<ReceivedDelivery, 'answered'>;

/** Each is read again after every step of a play, and says what it has said before. */
const read = new WeakMap<Arrival, { readonly json: Json | undefined }>();

export function jsonOf(each: Arrival): Json | undefined {
  const known = read.get(each);
  if (known !== undefined) return known.json;
  const json = jsonIn(each.body);
  read.set(each, { json });
  return json;
}

/** NS-9: a number of its own name, or of a likely one in a part of the envelope. */
const NESTED_NUMBER = /\.(\w*seq\w*|number|offset)$/i;

/** The sequence number of an envelope, written as a number or as its digits. */
export function numberOf(envelope: Json | undefined, seqName: string): number | undefined {
  if (envelope === undefined || envelope === null || typeof envelope !== 'object') return;
  if (Array.isArray(envelope)) return;
  const own = sequenceAt(envelope, seqName);
  if (own !== undefined) return own;
  const nested = numberNames(envelope).find((name) => NESTED_NUMBER.test(name));
  return nested === undefined ? undefined : sequenceAt(envelope, nested);
}

export const eventOf = (each: Arrival): string | undefined => {
  const id = memberAt(jsonOf(each), 'id');
  return typeof id === 'string' || typeof id === 'number' ? String(id) : undefined;
};

/**
 * Without those of other people's events, and without those that only repeat what was taken: an
 * event may arrive twice (EVT-4). By a clock that stands a retry shows, which is none of these.
 */
export function heardBy(deliveries: Deliveries, player: Player, target: Player): Deliveries {
  const { isSteady } = target.ground;
  const isSettlingOpen = !isSteady || settlesUnseen(target);
  const isOwn = player.ground.target.disposable ? () => true : isAbout(player);
  const subscriptions = subscriptionsOf(player);
  const first = new Map<string, ReceivedDelivery>();
  return deliveries.filter((each) => {
    const event = eventOf(each);
    if (event === undefined || !isOwn(each)) return isOwn(each);
    if (isSettlingOpen && isOfSettling(each)) return false;
    const what = `${event} ${subscriptionIn(each, subscriptions)}`;
    const before = first.get(what);
    if (before !== undefined) {
      return isSteady && !isAtOnce(before, each, player) && !isCopy(before, each);
    }
    if (!isSteady || isTaken(each)) first.set(what, each);
    return true;
  });
}

/** Without events of the categories in which it is open which of them there are (NS-11). */
export function withoutOpen(
  deliveries: Deliveries,
  { openCategories = [] }: Pick<Comparing, 'openCategories'>,
): Deliveries {
  if (openCategories.length === 0) return deliveries;
  // A category or a kind that is of one, in an envelope of whatever form (NS-9).
  const ofThem = new RegExp(`(^|[._:/-])(${openCategories.join('|')})s?([._:/-]|$)`, 'i');
  return deliveries.filter((each) => !scalarsIn(jsonOf(each)).some((said) => ofThem.test(said)));
}

/** NS-3: where nobody knows when money arrives, nor whether it has by now. */
function isOfSettling(each: ReceivedDelivery): boolean {
  const said = scalarsIn(jsonOf(each));
  return (
    said.some((value) => /settled$/i.test(value)) && !said.some((value) => /approved$/i.test(value))
  );
}

/** Ids of subscriptions that were made, as a header has them. */
export function subscriptionsOf({ outcomes }: Player): ReadonlySet<string> {
  const made = eachOf(outcomes).flatMap((outcome) => {
    const json = outcome.kind === 'answer' ? outcome.json : undefined;
    const id = memberAt(json, 'id');
    const isOne = memberAt(json, 'event_categories') !== undefined && id !== undefined;
    return isOne ? [String(id)] : [];
  });
  return new Set(made);
}

/** Those of many calls one by one. */
function eachOf(outcomes: ReadonlyMap<number, Outcome>): readonly Outcome[] {
  return [...outcomes.values()].flatMap((outcome): readonly Outcome[] =>
    outcome.kind === 'many' ? outcome.answers : [outcome],
  );
}

const OTHER_NUMBERS = ['content-length', 'host'];

/** NS-10: the header that names the subscription, whatever it is called. */
export function subscriptionIn({ headers }: Arrival, known: ReadonlySet<string>): string {
  const named = headers.lines.find(
    ([name, value]) => known.has(value) && !OTHER_NUMBERS.includes(name.toLowerCase()),
  );
  return named?.[1] ?? '';
}

/** Which event it tells to which subscription; undefined where its envelope has no id. */
export function toldBy(each: Arrival, player: Player): string | undefined {
  const event = eventOf(each);
  return event === undefined
    ? undefined
    : `${event} ${subscriptionIn(each, subscriptionsOf(player))}`;
}

/** The subscription that a delivery names; empty where it names none that was made. */
export const subscriptionOf = (each: Arrival, player: Player): string =>
  subscriptionIn(each, subscriptionsOf(player));

/** Whether each of them names a subscription that was made. */
export function areOfSubscriptions(all: Deliveries, player: Player): boolean {
  const known = subscriptionsOf(player);
  return all.every((each) => subscriptionIn(each, known) !== '');
}

const isTaken = ({ answered }: ReceivedDelivery): boolean => answered >= 200 && answered < 300;

/** Whether each was taken, in the order of the events. */
export function isAllTaken({ hooks }: Player, seqName: string): boolean {
  return [...hooks.values()].every(({ deliveries }) => {
    const numbers = deliveries.map((each) => numberOf(jsonOf(each), seqName) ?? Number.NaN);
    const isInOrder = numbers.every((each, at) => at === 0 || each >= numbers[at - 1]!);
    return isInOrder && deliveries.every(isTaken);
  });
}

/** EVT-8a: nobody tries again sooner than after this; what comes twice before is no retry. */
const RETRY_MS = 29_000;

/** So little time has passed from the one to the other that it is no retry. */
function isAtOnce(one: ReceivedDelivery, other: ReceivedDelivery, { arrived }: Player): boolean {
  const [takenMs] = arrived.get(one) ?? [];
  const [, toMs] = arrived.get(other) ?? [];
  return takenMs !== undefined && toMs !== undefined && toMs - takenMs < RETRY_MS;
}

/**
 * Sent once and come twice, whenever it came: a retry has a time and a signature of its own
 * (EVT-5b).
 */
function isCopy(one: ReceivedDelivery, other: ReceivedDelivery): boolean {
  const signature = signatureOf(one);
  return (
    signature !== undefined &&
    signature === signatureOf(other) &&
    Buffer.compare(one.body, other.body) === 0
  );
}

/** By what the play has named or was told, which nobody else's events have in them. */
function isAbout({ nonce, outcomes }: Player): (each: ReceivedDelivery) => boolean {
  const ids = new Set<string>();
  for (const outcome of eachOf(outcomes)) {
    const json = 'json' in outcome ? outcome.json : undefined;
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

export function scalarsIn(value: Json | undefined): readonly string[] {
  if (value === null || value === undefined) return [];
  return typeof value === 'object' ? Object.values(value).flatMap(scalarsIn) : [String(value)];
}

/** A category, or a kind as the model calls one of its own. */
export function isOurName(name: Json | undefined): boolean {
  const known: readonly string[] = [...eventKinds, ...eventCategories];
  return known.includes(String(name));
}
