// Makes the envelope of an event that never happened, to try a receiver with.
import { categoryOf, type EventCategory } from '../../../fixtures/event-kinds.ts';
import { eventsOf } from '../../../fixtures/openapi/events.ts';
import { defaultSettings } from '../../../fixtures/settings.ts';

export interface SampleEventOptions {
  readonly category: EventCategory | undefined;
  readonly kind: string | undefined;
  /** Instead of a sample record of the category. */
  readonly data: unknown;
  /** A new one each time if left out, so that the receiver does not take it for a repeat. */
  readonly id: string | undefined;
  readonly seq: number | undefined;
}

/** An event as wished, and else as ordinary as can be: `transaction.created` of account 1001. */
export function sampleEvent(
  { kind, data, seq = 1, ...options }: SampleEventOptions,
  nowMs: number,
) {
  const { id = `evt_${crypto.randomUUID().replaceAll('-', '')}` } = options;
  const category = options.category ?? categoryOf(kind ?? '') ?? 'transaction';
  const events = eventsOf(defaultSettings);
  const ofCategory = events.filter(({ categories }) => categories.includes(category));
  const like = ofCategory.find((each) => each.kind === kind) ?? ofCategory[0];
  return {
    ...like?.example,
    ...{ id, seq, category, kind: kind ?? like?.kind ?? category, occurred_at: nowMs },
    ...(data === undefined ? {} : { data }),
  };
}
