// What has happened, numbered in order, and who is to be told.
import type { JsonObject } from './json.ts';
import type { SecondMind } from './mind.ts';
import type { Credential, EventRecord, Subscription } from './records.ts';

const REPLAYED_MS = 7 * 24 * 3_600_000;

export interface About {
  readonly firmId: string;
  readonly brandId: string | null;
  readonly id: string | null;
}

export function emit(
  mind: SecondMind,
  category: string,
  kind: string,
  about: About,
  content: JsonObject,
): EventRecord {
  const seq = mind.events.length + 1;
  const event: EventRecord = {
    id: `evt_${mind.mark}_${seq}`,
    seq,
    category,
    kind: mind.style.kindOf(kind),
    atMs: mind.now(),
    firmId: about.firmId,
    brandId: about.brandId,
    accountId: about.id,
    content,
  };
  mind.events.push(event);
  for (const each of mind.subscriptions) if (wants(each, event)) enqueue(mind, each, event);
  for (const listener of mind.listeners) listener(event);
  return event;
}

/** EVT-1, EVT-12, EVT-13 */
function wants(each: Subscription, event: EventRecord): boolean {
  if (each.disabled || each.firmId !== event.firmId) return false;
  if (each.brandId !== null && each.brandId !== event.brandId) return false;
  return each.categories.includes(event.category);
}

function enqueue(mind: SecondMind, { id }: Subscription, event: EventRecord): void {
  mind.deliveries.push({
    id: `dlv_${mind.deliveries.length + 1}`,
    subscriptionId: id,
    event,
    status: 'pending',
    attempts: [],
    dueAtMs: mind.now(),
    inFlight: false,
  });
}

/** EVT-10b: what a credential may hear of what came after a number, within seven days. */
export function eventsAfter(mind: SecondMind, credential: Credential, seq: number): EventRecord[] {
  const sinceMs = mind.now() - REPLAYED_MS;
  return mind.events.filter(
    (each) => each.seq > seq && each.atMs > sinceMs && mayHear(credential, each),
  );
}

export function mayHear(credential: Credential, event: EventRecord): boolean {
  if (credential.firmId !== event.firmId) return false;
  if (credential.brandId !== null && credential.brandId !== event.brandId) return false;
  return credential.kind !== 'delegated' || credential.accountId === event.accountId;
}
