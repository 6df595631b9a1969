// What an operation has told of itself, by the deliveries that it brought.
import type { RecordedDelivery } from '../../engine/record/delivery-recorder.ts';
import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import { type Envelope, envelopeIn, eventIdOf } from './envelopes.ts';
import { deliveryTimeoutMs } from './trigger-event.ts';

/** What a busy machine has not brought yet would be read as no event at all. */
export async function arrived(t: ScenarioContext): Promise<void> {
  if (!t.has('clock')) return;
  const none = async () => (await t.operator.deliveriesInFlight()) === 0;
  await t.until(none, deliveryTimeoutMs(t));
}

/** Members that services call the kind of an event by. */
const KIND_NAMES = ['kind', 'type', 'event', 'event_type', 'name'];

/** What the events among the deliveries from `first` on are called; a repeat is no other event. */
export function kindsIn(deliveries: readonly RecordedDelivery[], first: number): string[] {
  const events = new Map<string | undefined, string>();
  for (const delivered of deliveries.slice(first)) {
    const envelope: Envelope = envelopeIn(delivered) ?? {};
    const kind = KIND_NAMES.map((name) => envelope[name]).find((each) => typeof each === 'string');
    events.set(eventIdOf(envelope), typeof kind === 'string' ? kind : 'an unnamed kind');
  }
  return [...events.values()];
}
