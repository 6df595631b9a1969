// How many deliveries came and how many were due, and of which events there are too many or too
// few.
import { eventCategories } from '../../../fixtures/event-kinds.ts';
import { memberAt } from '../../engine/send/answer.ts';
import type { ReceivedDelivery } from '../../providers/webhook-receiver.ts';
import { count } from '../../reports/verdict-words.ts';
import { isOurName, jsonOf } from './arrivals.ts';
import type { Mismatch } from './values.ts';

type Deliveries = readonly ReceivedDelivery[];

export const deliveries = ({ length }: Deliveries): string =>
  count(length, 'delivery', 'deliveries');

/** EVT-4: `1 delivery: 1 of account.created missing` in place of `2 deliveries`. */
export function countMismatch(own: Deliveries, due: Deliveries): Mismatch {
  const odd = oddOnes(own, due);
  const target = odd.length === 0 ? deliveries(own) : `${deliveries(own)}: ${odd.join(', ')}`;
  return { at: 'count', target, model: deliveries(due) };
}

function oddOnes(own: Deliveries, due: Deliveries): readonly string[] {
  // NS-11: by its kind where the target calls kinds as we do, else by its category.
  const isKnown = [...own, ...due].every((each) => isOurName(memberAt(jsonOf(each), 'kind')));
  const nameOf = (each: ReceivedDelivery) => memberAt(jsonOf(each), isKnown ? 'kind' : 'category');
  const [came, wanted] = [own, due].map((all) => tally(all.map(nameOf)));
  const names = [...new Set([...wanted!.keys(), ...came!.keys()])];
  if (!isKnown && !names.every((each) => eventCategories.some((known) => known === each)))
    return [];
  return names.flatMap((name) => {
    const more = (came!.get(name) ?? 0) - (wanted!.get(name) ?? 0);
    if (more === 0) return [];
    return [`${Math.abs(more)} of ${String(name)} ${more > 0 ? 'too many' : 'missing'}`];
  });
}

function tally(names: readonly unknown[]): ReadonlyMap<unknown, number> {
  const counts = new Map<unknown, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}
