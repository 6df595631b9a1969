// Which delivery of the target stands for which of the model: in which order those of several
// events come is open (NS-28).
import type { Json } from '../../engine/send/answer.ts';
import { memberAt } from '../../engine/send/answer.ts';
import type { ReceivedDelivery } from '../../providers/webhook-receiver.ts';
import type { Player } from '../play/player.ts';
import {
  type Deliveries,
  eventOf,
  isOurName,
  jsonOf,
  numberOf,
  scalarsIn,
  subscriptionIn,
  subscriptionsOf,
} from './arrivals.ts';
import type { Match } from './match.ts';

/** All that tell one subscription of one event, in the order in which they came. */
interface Told {
  readonly event: string;
  readonly subscription: string;
  readonly seq: number;
  readonly attempts: ReceivedDelivery[];
}

/** Undefined where an envelope has no id or number: they are compared as they came then. */
function byEvent(
  deliveries: Deliveries,
  player: Player,
  seqName: string,
): readonly Told[] | undefined {
  const subscriptions = subscriptionsOf(player);
  const all = new Map<string, Told>();
  for (const each of deliveries) {
    const event = eventOf(each);
    const seq = numberOf(jsonOf(each), seqName);
    if (event === undefined || seq === undefined) return undefined;
    const subscription = subscriptionIn(each, subscriptions);
    const what = `${event} ${subscription}`;
    const known = all.get(what);
    if (known === undefined) all.set(what, { event, subscription, seq, attempts: [each] });
    else known.attempts.push(each);
  }
  return [...all.values()].sort((one, other) => one.seq - other.seq);
}

export interface Paired {
  readonly own: Deliveries;
  readonly other: Deliveries;
}

/**
 * The same deliveries, event by event. Null where only which of them were sent more often is
 * another: which of several comes first, and meets the answer that was meant for the first, is
 * chance.
 */
export function pairArrivals(
  { own, other }: Paired,
  { target, model }: { readonly target: Player; readonly model: Player },
  { seqName, match }: { readonly seqName: string; readonly match: Match },
): Paired | null {
  const [mine, theirs] = [byEvent(own, target, seqName), byEvent(other, model, seqName)];
  if (mine === undefined || theirs === undefined) return { own, other };
  if (sizesOf(mine) !== sizesOf(theirs)) return { own, other };
  // A number in an envelope of its own form may be read as a record's that it does not mean: who is
  // told of it is known all the same.
  const found = inPairs(mine, theirs, match, mayBe) ?? inPairs(mine, theirs, match, mayBeTold);
  if (found !== undefined) {
    return {
      own: found.flatMap(([{ attempts }]) => attempts),
      other: found.flatMap(([, { attempts }]) => attempts),
    };
  }
  const isUneven = mine.some(({ attempts }) => attempts.length !== mine[0]!.attempts.length);
  return isUneven ? null : { own, other };
}

type MayBe = (own: Told, other: Told, match: Match) => boolean;

/** Each with one that it may be; undefined where there is none for some of them. */
function inPairs(
  mine: readonly Told[],
  theirs: readonly Told[],
  match: Match,
  isLike: MayBe,
): readonly (readonly [Told, Told])[] | undefined {
  const left = [...theirs];
  const pairs: (readonly [Told, Told])[] = [];
  for (const told of mine) {
    const at = left.findIndex((each) => isLike(told, each, match));
    if (at < 0) return undefined;
    pairs.push([told, left.splice(at, 1)[0]!]);
  }
  return pairs;
}

const sizesOf = (all: readonly Told[]): string =>
  all
    .map(({ attempts }) => attempts.length)
    .sort((one, another) => one - another)
    .join();

/** Members of an account, and of a transaction, that hardly anything else has. */
const OF_A_RECORD = ['client_reference_id', 'trading_account_id'];

/** As often sent, to the same subscription, of the same kind. */
function mayBeTold(own: Told, other: Told, match: Match): boolean {
  if (own.attempts.length !== other.attempts.length) return false;
  const subscription = match.modelOf('subscription', own.subscription) ?? other.subscription;
  if (subscription !== other.subscription) return false;
  // What one of them was paired with before it stays its pair.
  const met = match.modelOf('event', own.event);
  const due = match.targetOf('event', other.event);
  if ((met ?? other.event) !== other.event || (due ?? own.event) !== own.event) return false;
  const [kind, expected] = [own, other].map(({ attempts }) =>
    memberAt(jsonOf(attempts[0]!), 'kind'),
  );
  // NS-11: by another name it may be the same.
  return !isOurName(kind) || kind === expected;
}

/** And of the same record where that is known. */
function mayBe(own: Told, other: Told, match: Match): boolean {
  if (!mayBeTold(own, other, match)) return false;
  const [mine, theirs] = [own, other].map(({ attempts }) => jsonOf(attempts[0]!));
  const space = memberAt(theirs, 'category');
  // NS-1: whose id an event of an order or a position shows is open.
  if (space !== 'account' && space !== 'transaction') return true;
  const [id, dueId] = [mine, theirs].map((each) => memberAt(memberAt(each, 'data'), 'id'));
  if (typeof dueId !== 'string') return true;
  if (typeof id !== 'string') return namesNoOther(mine, match.targetOf(space, dueId), space, match);
  const [known, meant] = [match.modelOf(space, id), match.targetOf(space, dueId)];
  // NS-9: what is called so there may be anything.
  const data = memberAt(mine, 'data');
  const isRecord = OF_A_RECORD.some((name) => memberAt(data, name) !== undefined);
  if (known === undefined && !isRecord) return true;
  return (known ?? dueId) === dueId && (meant ?? id) === id;
}

/** NS-9: in an envelope of its own form the record that is meant stands somewhere, or none does. */
function namesNoOther(
  envelope: Json | undefined,
  meant: string | undefined,
  space: 'account' | 'transaction',
  match: Match,
): boolean {
  const said = scalarsIn(envelope);
  if (meant !== undefined && said.includes(meant)) return true;
  return !said.some((value) => match.modelOf(space, value) !== undefined);
}
