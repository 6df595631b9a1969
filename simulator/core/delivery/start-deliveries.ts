// Deliveries of events to subscriptions: which one is next, and when an attempt goes out.
import type { Behaviour } from '../behaviour.ts';
import type { Change } from '../change.ts';
import { evolve } from '../evolve.ts';
import { type Fault, searchDeliveryFaults } from '../pipeline/find-fault.ts';
import type { Delivery, DeliveryAttempt, EventRecord, Subscription } from '../records.ts';
import { findEvent, type World } from '../world.ts';
import { deliveredChanges, waitChanges } from './delivery-answers.ts';

export type DeliveryFault = 'duplicate' | 'bad_signature' | 'stale_timestamp';

/** One attempt for the host to make now. */
export interface SendAttempt {
  readonly kind: 'send';
  readonly deliveryId: string;
  readonly attempt: number;
  /** What a fault does to this attempt. */
  readonly fault: DeliveryFault | null;
}

/** An attempt that a fault kept from being made now: for the host to tell, nothing to do. */
export interface FaultInjected {
  readonly kind: 'fault-injected';
  readonly deliveryId: string;
  readonly how: 'dropped' | 'delayed';
}

export type DeliveryStart = SendAttempt | FaultInjected;

/**
 * Attempts of one subscription under way at a time where events do not wait for each other. What is
 * beyond it has no delivery yet, so that a receiver that hangs costs no memory.
 */
const mostInFlight = 64;

const independent = (behaviour: Behaviour): boolean =>
  behaviour.settings.delivery_order === 'independent';

/** Starts what can be started: the next wanted event of every subscription that is free. */
export function startDeliveries(world: World, behaviour: Behaviour): readonly DeliveryStart[] {
  const begun: DeliveryStart[] = [];
  for (const subscription of world.subscriptions.values()) {
    startFor(world, behaviour, subscription, begun);
  }
  return begun;
}

/** The same for one subscription, where nothing has changed for the others. */
export function startDeliveriesOf(
  world: World,
  behaviour: Behaviour,
  subscriptionId: number,
): readonly DeliveryStart[] {
  const begun: DeliveryStart[] = [];
  const subscription = world.subscriptions.get(subscriptionId);
  if (subscription !== undefined) startFor(world, behaviour, subscription, begun);
  return begun;
}

function startFor(
  world: World,
  behaviour: Behaviour,
  subscription: Subscription,
  begun: DeliveryStart[],
): void {
  if (subscription.disabled || subscription.stopped) return;
  // A dropped delivery frees its subscription at once, so look again until something is under way.
  for (;;) {
    if (isBusy(world, behaviour, subscription.id)) return;
    const current = world.subscriptions.get(subscription.id) ?? subscription;
    const event = nextWanted(world, behaviour, current);
    const cursorSeq = event?.seq ?? world.events.lastSeq;
    if (cursorSeq !== current.cursor_seq) {
      evolve(world, [
        { type: 'subscription-set', subscription: { ...current, cursor_seq: cursorSeq } },
      ]);
    }
    if (event === undefined) return;
    const delivery: Delivery = {
      id: String(world.counters.delivery + 1),
      subscription_id: subscription.id,
      seq: event.seq,
      status: 'pending',
      attempts: [],
      in_flight: false,
      next_due_ms: null,
      round_start: 0,
    };
    begun.push(startAttempt(world, delivery));
  }
}

/** NS-28: in sequence, an event that has not arrived holds the later ones back. */
function isBusy(world: World, behaviour: Behaviour, subscriptionId: number): boolean {
  if (independent(behaviour)) {
    return (world.inFlightCounts.get(subscriptionId) ?? 0) >= mostInFlight;
  }
  return (world.openDeliveries.get(subscriptionId)?.size ?? 0) > 0;
}

function nextWanted(
  world: World,
  behaviour: Behaviour,
  subscription: Subscription,
): EventRecord | undefined {
  const { events } = world;
  // EVT-10b: what has left the window is not delivered any more, but read over with the bulk reads.
  let seq = Math.max(subscription.cursor_seq + 1, events.first);
  for (; seq <= events.lastSeq; seq += 1) {
    const event = findEvent(world, seq);
    if (event !== undefined && behaviour.delivery.wants(subscription, event)) return event;
  }
  return undefined;
}

/** Hands an attempt to the host, or lets a fault drop or delay it. */
export function startAttempt(world: World, delivery: Delivery, pastFaults = false): DeliveryStart {
  const fault = pastFaults ? null : meetFault(world, delivery);
  if (fault !== null) {
    // A new one is begun before it can end.
    if (!world.deliveries.has(delivery.id)) evolve(world, [{ type: 'delivery-set', delivery }]);
    const { effect } = fault;
    if (effect.kind === 'drop') {
      evolve(world, dropChanges(world, delivery));
      return { kind: 'fault-injected', deliveryId: delivery.id, how: 'dropped' };
    }
    if (effect.kind === 'delay') {
      evolve(world, waitChanges(delivery, world.nowMs + effect.ms, 'delayed'));
      return { kind: 'fault-injected', deliveryId: delivery.id, how: 'delayed' };
    }
  }
  evolve(world, [
    { type: 'delivery-set', delivery: { ...delivery, in_flight: true, next_due_ms: null } },
  ]);
  const kind = fault?.effect.kind;
  const deliveryFault =
    kind === 'duplicate' || kind === 'bad_signature' || kind === 'stale_timestamp' ? kind : null;
  return {
    kind: 'send',
    deliveryId: delivery.id,
    attempt: delivery.attempts.length + 1,
    fault: deliveryFault,
  };
}

/** Finds the fault that this attempt meets, and counts it. */
function meetFault(world: World, { subscription_id: subscriptionId }: Delivery): Fault | null {
  const { found, changed } = searchDeliveryFaults(world, subscriptionId);
  evolve(
    world,
    changed.map((fault) => ({ type: 'fault-set', fault })),
  );
  return found;
}

function dropChanges(world: World, delivery: Delivery): readonly Change[] {
  const attempt: DeliveryAttempt = {
    n: delivery.attempts.length + 1,
    at_ms: world.nowMs,
    status: null,
    error: 'dropped by a fault; counted as delivered',
    duration_ms: null,
    signature: null,
  };
  return deliveredChanges(world, { ...delivery, attempts: [...delivery.attempts, attempt] });
}
