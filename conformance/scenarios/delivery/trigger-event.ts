// Things that happen on the platform, and the deliveries that tell of them. Which operation brings
// which event is open (NS-11): where an operator can make events they are made, else an account is
// created.

import type { Role } from '../../engine/capabilities.ts';
import type { RecordedDelivery } from '../../engine/record/delivery-recorder.ts';
import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import { Blocked, Inconclusive, MissingCapability } from '../../engine/scenario-errors.ts';
import type { RequestBody } from '../../engine/send/client.ts';
import type { WebhookEndpoint } from '../../providers/webhook-receiver.ts';
import { type Bodied, type Envelope, envelopeIn, eventIdOf, textOf } from './envelopes.ts';

export type Category = 'account' | 'order' | 'position' | 'transaction';

export const CATEGORIES: readonly Category[] = ['account', 'order', 'position', 'transaction'];

export interface TriggeredEvent {
  readonly words: string;
  /** What the operator who made it was told that it is. */
  readonly envelope?: Envelope;
  /** Whether a delivery tells of it. */
  isIn(delivered: Bodied): boolean;
}

export interface EventOptions {
  readonly category?: Category;
  /** At whose brand it happens; that of the main role when left out. */
  readonly role?: Role;
  /** Text to stand in the event. */
  readonly text?: string;
}

/** Makes one event of a category happen. */
export async function triggerEvent(
  t: ScenarioContext,
  options: EventOptions = {},
): Promise<TriggeredEvent> {
  const { category = 'account', role = t.mainRole, text } = options;
  if (!t.has('emit')) {
    if (category !== 'account')
      throw new MissingCapability('emit', `no way to cause ${category} events`);
    return triggerAccountEvent(t, role, text === undefined ? {} : { last_name: text });
  }
  const mark = t.fresh.reference();
  const brandId = t.brandId(role);
  const brand = brandId === undefined ? {} : { brandId };
  const data = { mark, ...(text === undefined ? {} : { text }) };
  const envelope = await t.operator.emit({ category, data, ...brand });
  const id = eventIdOf(envelope);
  // By its mark first: that a repeat keeps the id is judged elsewhere (EVT-2b).
  return {
    words: `${category} event ${id}`,
    envelope,
    isIn: (each) => textOf(each).includes(mark) || eventIdOf(envelopeIn(each)) === id,
  };
}

/** An account is created by the API itself, which may bring an event, or several, or none. */
export async function triggerAccountEvent(
  t: ScenarioContext,
  role: Role,
  over: RequestBody = {},
): Promise<TriggeredEvent> {
  const { id, reference, email } = await t.given.account(over, role);
  const names = [`"${id}"`, reference, email];
  return {
    words: `an event about the account ${id}`,
    isIn: (each) => {
      const text = textOf(each);
      return names.some((name) => text.includes(name)) || new RegExp(`:\\s*${id}\\b`).test(text);
    },
  };
}

/**
 * How long a delivery may take where nobody says: at once under our own clock, longer on a live
 * target.
 */
export function deliveryTimeoutMs(t: ScenarioContext): number {
  return t.has('clock') ? 5_000 : 30_000;
}

/** The deliveries of one triggered event at a hook, once there are `count` or the time is up. */
export async function deliveriesOf(
  t: ScenarioContext,
  hook: WebhookEndpoint,
  triggered: TriggeredEvent,
  count = 1,
  withinMs = deliveryTimeoutMs(t),
): Promise<RecordedDelivery[]> {
  const own = () => hook.deliveries.filter((each) => triggered.isIn(each));
  await t.until(() => own().length >= count, withinMs);
  return (await t.deliveriesAt(hook, 0, 0)).filter((each) => triggered.isIn(each));
}

/** The first delivery of a triggered event: what follows rests on it. */
export async function requireDelivery(
  t: ScenarioContext,
  hook: WebhookEndpoint,
  triggered: TriggeredEvent,
): Promise<RecordedDelivery> {
  const [first] = await deliveriesOf(t, hook, triggered);
  if (first !== undefined) return first;
  const words = `no delivery of ${triggered.words} came within ${deliveryTimeoutMs(t) / 1000} s`;
  // NS-11: without an operator nothing says that there was an event to deliver.
  throw t.has('emit') ? new Blocked(words) : new Inconclusive(words);
}

/** Gives what is on its way the time to arrive: an advance returns when it has been answered. */
export async function flushDeliveries(t: ScenarioContext): Promise<void> {
  if (t.has('clock')) await t.operator.advance(1);
  else await t.sleep(2_000);
}
