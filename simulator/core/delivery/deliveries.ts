// Deliveries of events to subscriptions: their records, which delivery is next, when an attempt is
// made, and how its response is handled.
import { categoryOf, type EventKind } from '../../../fixtures/event-kinds.ts';
import type { Behaviour } from '../behaviour.ts';
import { type Change, evolve, put } from '../change.ts';
import type { RequestContext } from '../pipeline/request-context.ts';
import { takeDeliveryFault } from '../pipeline/take-fault.ts';
import type { Delivery, DeliveryAttempt, EventRecord, Subscription } from '../records.ts';
import { findEvent, type World } from '../world.ts';

/** An account, or a record of one. */
type EventSubject = { readonly firm_id: string; readonly brand_id: string | null } & (
  | { readonly id: string }
  | { readonly account_id: string }
);

/** One event for one state change; the body is the record as the API shows it (EVT-2a, NS-9). */
export function emit(
  { behaviour }: Pick<RequestContext, 'behaviour'>,
  kind: EventKind,
  record: EventSubject,
  body: string,
): readonly Change[] {
  const names = behaviour.settings.event_kinds as Readonly<Record<string, string | null>>;
  const named = names[kind];
  if (named === null) return [];
  const { firm_id, brand_id } = record;
  const account_id = 'account_id' in record ? record.account_id : record.id;
  const category = categoryOf(kind);
  const draft = { category, kind: named ?? kind, firm_id, brand_id, account_id, body };
  return [{ type: 'event', draft }];
}

type NewSubscriptionOptions = Pick<
  Subscription,
  'firm_id' | 'brand_id' | 'url' | 'event_categories' | 'created_at'
> &
  Partial<Pick<Subscription, 'account_id' | 'client_id'>>;

/** Enabled, with a new secret, and without deliveries of earlier events (HOOK-2). */
export function newSubscription(
  world: World,
  behaviour: Behaviour,
  options: NewSubscriptionOptions,
): { readonly subscription: Subscription; readonly changes: readonly Change[] } {
  const count = world.counters.secret + 1;
  const subscription: Subscription = {
    id: world.counters.subscription + 1,
    account_id: null,
    client_id: null,
    ...options,
    disabled: false,
    disabled_reason: null,
    last_delivered_seq: 0,
    secret: behaviour.webhooks.secret(world, count),
    previous_secret: null,
    rotated_at_ms: null,
    cursor_seq: world.events.lastSeq,
    stopped: false,
  };
  const changes: readonly Change[] = [
    { type: 'counter', counter: 'secret', to: count },
    put('subscriptions', subscription),
  ];
  return { subscription, changes };
}

type DeliveryFault = 'duplicate' | 'bad_signature' | 'stale_timestamp';

/** One attempt for the host to make now. */
export interface SendAttempt {
  readonly kind: 'send';
  readonly deliveryId: string;
  readonly attempt: number;
  /** The effect of a fault on this attempt. */
  readonly fault: DeliveryFault | null;
}

/** An attempt that a fault prevented: the host reports it and does nothing else. */
interface FaultInjected {
  readonly kind: 'fault-injected';
  readonly deliveryId: string;
  readonly how: 'dropped' | 'delayed';
}

export type DeliveryStart = SendAttempt | FaultInjected;

/** Concurrent attempts of one subscription if its events do not wait for each other (NS-28). */
const maxInFlight = 64;

/** Starts all deliveries that can start: the next wanted events of these subscriptions. */
export function startDeliveries(
  world: World,
  behaviour: Behaviour,
  subscriptions: Iterable<Subscription>,
): readonly DeliveryStart[] {
  const begun: DeliveryStart[] = [];
  for (const { id, disabled, stopped } of subscriptions) {
    if (disabled || stopped) continue;
    // A dropped delivery frees its subscription immediately, so repeat until a delivery is in
    // progress.
    while (!isBusy(world, behaviour, id)) {
      const subscription = world.subscriptions.get(id) as Subscription;
      const event = nextWanted(world, behaviour, subscription);
      const cursor_seq = event?.seq ?? world.events.lastSeq;
      if (cursor_seq !== subscription.cursor_seq) {
        evolve(world, [put('subscriptions', { ...subscription, cursor_seq })]);
      }
      if (event === undefined) break;
      begun.push(startAttempt(world, newDelivery(world, subscription, event)));
    }
  }
  return begun;
}

export const newDelivery = (
  world: World,
  subscription: Subscription,
  event: EventRecord,
): Delivery => ({
  id: String(world.counters.delivery + 1),
  subscription_id: subscription.id,
  seq: event.seq,
  status: 'pending',
  attempts: [],
  in_flight: false,
  next_due_ms: null,
  round_start: 0,
});

/** NS-28: in sequence, an event that has not arrived holds the later ones back. */
function isBusy(world: World, behaviour: Behaviour, subscriptionId: number): boolean {
  const open = world.openDeliveries.get(subscriptionId);
  if (open === undefined || open.size === 0) return false;
  if (behaviour.settings.delivery_order === 'in_sequence') return true;
  const running = [...open].filter((id) => world.deliveries.get(id)?.in_flight === true);
  return running.length >= maxInFlight;
}

function nextWanted(
  world: World,
  behaviour: Behaviour,
  subscription: Subscription,
): EventRecord | undefined {
  const { events } = world;
  // EVT-10b: events outside the window are not delivered any more; clients read them with the bulk
  // reads.
  let seq = Math.max(subscription.cursor_seq + 1, events.first);
  for (; seq <= events.lastSeq; seq += 1) {
    const event = findEvent(world, seq);
    if (event !== undefined && behaviour.delivery.wants(subscription, event)) return event;
  }
  return undefined;
}

/** Hands an attempt to the host, or lets a fault drop or delay it. */
export function startAttempt(world: World, { delayed, ...delivery }: Delivery): DeliveryStart {
  const { id, subscription_id: subscriptionId } = delivery;
  const found = delayed ? null : takeDeliveryFault(world, subscriptionId);
  // A new delivery is started before it can end.
  if (found !== null && !world.deliveries.has(id)) evolve(world, [put('deliveries', delivery)]);
  const effect = found?.effect;
  if (effect?.kind === 'drop') {
    const attempt: DeliveryAttempt = {
      ...{ n: delivery.attempts.length + 1, at_ms: world.nowMs },
      error: 'dropped by a fault; counted as delivered',
      ...{ status: null, duration_ms: null, signature: null, fault: 'drop' },
    };
    const tried = { ...delivery, attempts: [...delivery.attempts, attempt] };
    evolve(world, deliveredChanges(world, tried));
    return { kind: 'fault-injected', deliveryId: id, how: 'dropped' };
  }
  if (effect?.kind === 'delay') {
    evolve(world, waitChanges({ ...delivery, delayed: true }, world.nowMs + effect.ms));
    return { kind: 'fault-injected', deliveryId: id, how: 'delayed' };
  }
  evolve(world, [put('deliveries', { ...delivery, in_flight: true, next_due_ms: null })]);
  const fault = (effect?.kind ?? null) as DeliveryFault | null;
  return { kind: 'send', deliveryId: id, attempt: delivery.attempts.length + 1, fault };
}

/** How an attempt ended, as the host saw it. */
export interface DeliveryAnswer {
  readonly deliveryId: string;
  readonly attempt: number;
  readonly startedAtMs: number;
  readonly status: number | null;
  readonly error: string | null;
  readonly durationMs: number | null;
  readonly signature: string | null;
  readonly fault: DeliveryFault | null;
}

/** The target of a subscription was looked at again and is no longer public (EVT-11). */
export interface RefusedTarget {
  readonly deliveryId: string;
  readonly why: string;
}

function waitChanges(delivery: Delivery, dueAtMs: number): readonly Change[] {
  return [
    put('deliveries', { ...delivery, in_flight: false, next_due_ms: dueAtMs }),
    { type: 'timer', dueAtMs, kind: 'deliver', ref: delivery.id },
  ];
}

const ended = (delivery: Delivery, status: Delivery['status']): Change =>
  put('deliveries', { ...delivery, status, in_flight: false, next_due_ms: null });

function deliveredChanges(world: World, delivery: Delivery): readonly Change[] {
  const subscription = world.subscriptions.get(delivery.subscription_id);
  if (subscription === undefined) return [ended(delivery, 'delivered')];
  // EVT-10a: the last event that arrived; sending an old event again does not lower it.
  const last_delivered_seq = Math.max(subscription.last_delivered_seq, delivery.seq);
  return [
    ended(delivery, 'delivered'),
    put('subscriptions', { ...subscription, last_delivered_seq }),
  ];
}

/** Handles the receiver's response: delivered, waiting for the next attempt, or exhausted. */
export function answerChanges(
  world: World,
  behaviour: Behaviour,
  answer: DeliveryAnswer,
): readonly Change[] {
  const delivery = world.deliveries.get(answer.deliveryId);
  if (delivery === undefined || !delivery.in_flight) return [];
  if (answer.attempt !== delivery.attempts.length + 1) return [];
  const attempt: DeliveryAttempt = {
    n: answer.attempt,
    at_ms: answer.startedAtMs,
    status: answer.status,
    error: answer.error,
    duration_ms: answer.durationMs,
    signature: answer.signature,
    ...(answer.fault && { fault: answer.fault }),
  };
  const tried = { ...delivery, attempts: [...delivery.attempts, attempt] };
  const { status, error } = answer;
  // EVT-9a: only a 2xx is a success.
  if (status !== null && error === null && behaviour.delivery.succeeded(status)) {
    return deliveredChanges(world, tried);
  }
  // Stopped in the meantime, or already delivered and sent again.
  if (delivery.status !== 'pending') {
    return [put('deliveries', { ...tried, in_flight: false })];
  }
  return failedChanges(world, behaviour, tried, answer.startedAtMs);
}

function failedChanges(
  world: World,
  behaviour: Behaviour,
  tried: Delivery,
  startedAtMs: number,
): readonly Change[] {
  const failures = tried.attempts.length - tried.round_start;
  const gap = behaviour.delivery.gapsMs[failures - 1];
  if (gap !== undefined) {
    // EVT-8a, NS-42: the wait counts from the end of the failed attempt, or from its start.
    const from = behaviour.settings.retry_counted_from === 'start' ? startedAtMs : world.nowMs;
    return waitChanges(tried, Math.max(from + gap, world.nowMs));
  }
  const exhausted = ended(tried, 'exhausted');
  const subscription = world.subscriptions.get(tried.subscription_id);
  if (subscription === undefined || behaviour.settings.after_last_attempt !== 'stop') {
    return [exhausted];
  }
  // EVT-10a, NS-28: delivery stops here until an operator resumes it. This change comes first, so
  // that the delivery is kept until then.
  return [put('subscriptions', { ...subscription, stopped: true }), exhausted];
}

export const disabled = (subscription: Subscription, reason: string): Subscription => ({
  ...subscription,
  disabled: true,
  disabled_reason: reason,
});

/** HOOK-5, HOOK-13, EVT-13: nothing more is sent, and waiting deliveries stop. */
export function disableChanges(
  world: World,
  subscription: Subscription,
  reason: string,
): readonly Change[] {
  const changes: Change[] = [put('subscriptions', disabled(subscription, reason))];
  for (const id of world.openDeliveries.get(subscription.id) ?? []) {
    const delivery = world.deliveries.get(id);
    if (delivery === undefined) continue;
    const stopped: Delivery = { ...delivery, status: 'stopped', next_due_ms: null };
    changes.push(put('deliveries', stopped));
  }
  return changes;
}

/** EVT-11: disables the subscription together with its attempt, and stores the reason. */
export function disableRefusedTarget(world: World, { deliveryId, why }: RefusedTarget): void {
  const delivery = world.deliveries.get(deliveryId);
  const subscription = world.subscriptions.get(delivery?.subscription_id ?? 0);
  if (delivery?.in_flight !== true || subscription === undefined) return;
  evolve(world, [put('deliveries', { ...delivery, in_flight: false })]);
  const address = why.replace(/^url must lead to a public address: /, '');
  const reason = `The target is no longer a valid public address: ${address}.`;
  evolve(world, disableChanges(world, subscription, reason));
}

/** NS-28: continues with undelivered events of the window (EVT-10b), on a new retry schedule. */
export function resumeChanges(world: World, subscription: Subscription): readonly Change[] {
  if (!subscription.stopped) return [];
  const changes: Change[] = [put('subscriptions', { ...subscription, stopped: false })];
  for (const delivery of world.deliveries.values()) {
    if (delivery.subscription_id !== subscription.id || delivery.status !== 'exhausted') continue;
    if (findEvent(world, delivery.seq) === undefined) continue;
    const roundStart = delivery.attempts.length;
    const again: Delivery = { ...delivery, status: 'pending', round_start: roundStart };
    changes.push(...waitChanges(again, world.nowMs));
  }
  return changes;
}
