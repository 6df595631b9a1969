// Reads deliveries: the members of an envelope, and which attempts deliver which event to which
// subscription.
import { eventCategories, eventKinds } from '../../../fixtures/event-kinds.ts';
import { type Json, memberAt } from '../../engine/send/json.ts';
import type { ReceivedDelivery } from '../../providers/webhook-receiver.ts';
import { numberNames, sequenceAt, signatureOf } from '../observe.ts';
import { settlesUnseen } from '../play/ground.ts';
import { answersIn, jsonOf as jsonIn } from '../play/outcome.ts';
import type { Player } from '../play/player.ts';
import type { Comparing } from './values.ts';

export type Deliveries = readonly ReceivedDelivery[];
/** A delivery before it is answered. */
type Arrival = Omit<ReceivedDelivery, 'answered'>;

/** All attempts to deliver one event to one subscription. */
export interface Notice {
  /** Undefined if its envelope has no id. */
  readonly event: string | undefined;
  readonly subscription: string;
  readonly seq: number | undefined;
  readonly envelope: Json | undefined;
  readonly attempts: ReceivedDelivery[];
}

/** Parsed once: a long list of deliveries is read again for every subscription that is shown. */
const parsed = new WeakMap<Uint8Array, { readonly json: Json | undefined }>();

export function jsonOf({ body }: Arrival): Json | undefined {
  const known = parsed.get(body) ?? { json: jsonIn(body) };
  parsed.set(body, known);
  return known.json;
}

/** NS-9: names that the sequence number may have if its name was not observed, or is nested. */
const LIKELY_NUMBER = /(^|\.)(\w*seq\w*|number|offset)$/i;

/** The sequence number of an envelope, written as a number or as its digits. */
export function numberOf(envelope: Json | undefined, seqName: string): number | undefined {
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

/** Ids of the subscriptions that a play has created, as a header writes them. */
export function subscriptionsOf({ outcomes }: Player): ReadonlySet<string> {
  const made = answersIn(outcomes).flatMap(({ json }) => {
    const id = memberAt(json, 'id');
    return memberAt(json, 'event_categories') === undefined || id === undefined ? [] : [String(id)];
  });
  return new Set(made);
}

export const isTaken = ({ answered }: ReceivedDelivery): boolean =>
  answered >= 200 && answered < 300;

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

/** NS-3: the time of settlement is unknown. */
function isOfSettling(envelope: Json | undefined): boolean {
  const values = scalarsIn(envelope);
  return (
    values.some((each) => /settled$/i.test(each)) && !values.some((each) => /approved$/i.test(each))
  );
}

/** Whether a delivery names a record that this play has created. */
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

export function scalarsIn(value: Json | undefined): readonly string[] {
  if (value === null || value === undefined) return [];
  return typeof value === 'object' ? Object.values(value).flatMap(scalarsIn) : [String(value)];
}

/** Whether the model uses this name for a category or a kind. */
export function isOurName(name: Json | undefined): boolean {
  const known: readonly string[] = [...eventKinds, ...eventCategories];
  return known.includes(String(name));
}
