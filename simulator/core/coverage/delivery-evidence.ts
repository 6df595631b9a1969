// Which rules an event and an attempt to deliver it have met.
import type { RuleId } from '../../../fixtures/rules.ts';
import type { Delivery, EventRecord, Subscription } from '../records.ts';

const answerLimitMs = 15_000;

/** What an attempt that has ended shows. */
export function rulesOfAttempt(delivery: Delivery): readonly RuleId[] {
  const attempt = delivery.attempts.at(-1);
  if (attempt === undefined) return [];
  const { status, error, duration_ms: durationMs, signature } = attempt;
  const met: RuleId[] = [];
  // Only what was sent has a signature; what a fault dropped was not.
  if (signature !== null) {
    met.push('EVT-2a', 'EVT-3', 'EVT-5a', 'EVT-5b', 'EVT-6');
    if (signature.split('v1=').length > 2) met.push('EVT-7');
  }
  if (delivery.status === 'delivered') met.push('EVT-4');
  if (delivery.attempts.length > 1) met.push('EVT-2b');
  if (delivery.attempts.length - delivery.round_start > 1) met.push('EVT-8a');
  if (delivery.status === 'exhausted') met.push('EVT-8b');
  if (status !== null && (status < 200 || status > 299)) met.push('EVT-9a');
  const isLate = error !== null && (durationMs ?? 0) >= answerLimitMs;
  if (isLate || error?.includes('15 seconds') === true) met.push('EVT-9b');
  return met;
}

/** What an event shows by whom it does not go to, of those who have a later id. */
export function rulesOfEvent(
  event: EventRecord,
  subscriptions: Iterable<Subscription>,
  afterId: number,
): ReadonlySet<RuleId> {
  const met = new Set<RuleId>();
  for (const {
    id,
    firm_id: firmId,
    brand_id: brandId,
    event_categories: categories,
    disabled,
  } of subscriptions) {
    // Those of the starting world are nobody's test.
    if (id <= afterId) continue;
    const isChosen = categories.includes(event.category);
    const isOfBrand = brandId === null || brandId === event.brand_id;
    if (disabled) {
      // HOOK-13: the event comes after the disabling, and would have been wanted.
      if (firmId !== event.firm_id || !isChosen || !isOfBrand) continue;
      met.add('EVT-13');
      met.add('HOOK-13');
    } else if (!isChosen && firmId === event.firm_id) met.add('EVT-1');
    else if (isChosen && (firmId !== event.firm_id || !isOfBrand)) met.add('EVT-12');
  }
  return met;
}
