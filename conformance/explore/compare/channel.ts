// Compares what the events channel repeats (EVT-2a, EVT-10b).
import { memberAt } from '../../engine/send/answer.ts';
import type { ReceivedDelivery } from '../../providers/webhook-receiver.ts';
import { count } from '../../reports/verdict-words.ts';
import type { HeardOutcome } from '../play/outcome.ts';
import type { Player } from '../play/player.ts';
import { jsonOf, withoutOpen } from './arrivals.ts';
import { compareEnvelope, differenceOf } from './deliveries.ts';
import type { Difference } from './difference.ts';
import { pairArrivals } from './pairing.ts';
import type { Sides } from './signatures.ts';
import type { Comparing, Mismatch } from './values.ts';

const DAY_MS = 86_400_000;
/** EVT-10b: seven days, and one of grace: what is old may be put away once a day. */
const KEPT_MS = 8 * DAY_MS;

const events = (length: number): string => count(length, 'event');

export function compareChannel(
  own: HeardOutcome,
  other: HeardOutcome,
  sides: Sides,
  comparing: Comparing,
): Difference | null {
  const { told } = own;
  const due = other.told;
  // NS-12: where the channel is, and how one connects, is open.
  if (told === undefined || due === undefined) return null;
  const found = other.isCut
    ? compareOld(told, own, sides.target)
    : compareTold(withoutOpen(told, comparing), withoutOpen(due, comparing), sides, comparing);
  return found === null ? null : differenceOf(own.n, 'channel', found);
}

/** NS-12: whether a channel that cannot repeat all ends or goes on with what it has is open. */
function compareOld(
  told: readonly ReceivedDelivery[],
  { atMs }: HeardOutcome,
  target: Player,
): Mismatch | null {
  if (atMs === undefined) return null;
  const old = new Set<unknown>();
  for (const { deliveries } of target.hooks.values()) {
    for (const each of deliveries) {
      const [, toMs = atMs] = target.arrived.get(each) ?? [];
      if (toMs <= atMs - KEPT_MS) old.add(memberAt(jsonOf(each), 'id'));
    }
  }
  const length = told.filter((each) => old.has(memberAt(jsonOf(each), 'id'))).length;
  if (length === 0) return null;
  return { at: 'age', target: `${events(length)} of 8 days ago and more`, model: 'none of them' };
}

function compareTold(
  told: readonly ReceivedDelivery[],
  due: readonly ReceivedDelivery[],
  sides: Sides,
  comparing: Comparing,
): Mismatch | null {
  if (told.length !== due.length) {
    return { at: 'count', target: events(told.length), model: events(due.length) };
  }
  const paired = pairArrivals({ own: told, other: due }, sides, comparing);
  for (const [index, each] of paired?.own.entries() ?? []) {
    const found = compareEnvelope(each, paired!.other[index]!, comparing);
    if (found !== null) return found;
  }
  return null;
}
