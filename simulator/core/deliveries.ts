// Deliveries of events to subscriptions: which one is next, what an answer means, when to try again.
import type { Behaviour } from './behaviour.ts';
import type { Change } from './change.ts';
import { evolve } from './evolve.ts';
import { findDeliveryFault } from './faults.ts';
import type { Delivery, DeliveryAttempt, EventRecord, Subscription } from './records.ts';
import { findEvent, type World } from './world.ts';

export type Twist = 'duplicate' | 'bad_signature' | 'stale_timestamp';

/** One attempt for the host to make now. */
export interface Send {
  readonly kind: 'send';
  readonly deliveryId: string;
  readonly attempt: number;
  /** What a fault does to this attempt. */
  readonly twist: Twist | null;
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
}

const independent = (behaviour: Behaviour): boolean =>
  behaviour.settings.delivery_order === 'independent';

/** Starts what can be started: the next wanted event of every subscription that is free. */
export function startDeliveries(world: World, behaviour: Behaviour): readonly Send[] {
  const sends: Send[] = [];
  for (const subscription of world.subscriptions.values()) {
    startFor(world, behaviour, subscription, sends);
  }
  return sends;
}

function startFor(
  world: World,
  behaviour: Behaviour,
  subscription: Subscription,
  sends: Send[],
): void {
  if (subscription.disabled || subscription.stopped) return;
  // A dropped delivery frees its subscription at once, so look again until something is under way.
  for (;;) {
    const current = world.subscriptions.get(subscription.id) ?? subscription;
    const busy = (world.openDeliveries.get(subscription.id)?.size ?? 0) > 0;
    if (busy && !independent(behaviour)) return;
    const event = nextWanted(world, behaviour, current);
    const cursorSeq = event?.seq ?? world.events.lastSeq;
    if (cursorSeq !== current.cursorSeq) {
      evolve(world, [{ type: 'subscription-set', subscription: { ...current, cursorSeq } }]);
    }
    if (event === undefined) return;
    const delivery: Delivery = {
      id: String(world.counters.delivery + 1),
      subscriptionId: subscription.id,
      seq: event.seq,
      status: 'pending',
      attempts: [],
      inFlight: false,
      nextDueMs: null,
      roundStart: 0,
    };
    evolve(world, [{ type: 'delivery-set', delivery }]);
    const send = startAttempt(world, delivery);
    if (send !== null) sends.push(send);
  }
}

function nextWanted(
  world: World,
  behaviour: Behaviour,
  subscription: Subscription,
): EventRecord | undefined {
  const { events } = world;
  // EVT-10b: what has left the window is not delivered any more; it is read over from the bulk reads.
  let seq = Math.max(subscription.cursorSeq + 1, events.first);
  for (; seq <= events.lastSeq; seq += 1) {
    const event = findEvent(world, seq);
    if (event !== undefined && behaviour.delivery.wants(subscription, event)) return event;
  }
  return undefined;
}

/** Hands an attempt to the host, or lets a fault drop or delay it. */
export function startAttempt(world: World, delivery: Delivery, pastFaults = false): Send | null {
  const fault = pastFaults
    ? null
    : findDeliveryFault(world.faults.values(), delivery.subscriptionId);
  if (fault !== null) {
    evolve(world, [{ type: 'fault-set', fault: { ...fault, hits: fault.hits + 1 } }]);
    const { effect } = fault;
    if (effect.kind === 'drop') {
      evolve(world, dropChanges(world, delivery));
      return null;
    }
    if (effect.kind === 'delay') {
      const dueAtMs = world.nowMs + effect.ms;
      evolve(world, waitChanges({ ...delivery, inFlight: false }, dueAtMs, 'delayed'));
      return null;
    }
  }
  evolve(world, [
    { type: 'delivery-set', delivery: { ...delivery, inFlight: true, nextDueMs: null } },
  ]);
  const kind = fault?.effect.kind;
  const twist =
    kind === 'duplicate' || kind === 'bad_signature' || kind === 'stale_timestamp' ? kind : null;
  return { kind: 'send', deliveryId: delivery.id, attempt: delivery.attempts.length + 1, twist };
}

function dropChanges(world: World, delivery: Delivery): readonly Change[] {
  const attempt: DeliveryAttempt = {
    n: delivery.attempts.length + 1,
    atMs: world.nowMs,
    status: null,
    error: 'dropped by a fault; counted as delivered',
    durationMs: null,
    signature: null,
  };
  return deliveredChanges(world, { ...delivery, attempts: [...delivery.attempts, attempt] });
}

function waitChanges(delivery: Delivery, dueAtMs: number, why: 'retry' | 'delayed'): Change[] {
  return [
    { type: 'delivery-set', delivery: { ...delivery, inFlight: false, nextDueMs: dueAtMs } },
    { type: 'timer-set', dueAtMs, kind: 'deliver', ref: `${delivery.id}/${why}` },
  ];
}

function deliveredChanges(world: World, delivery: Delivery): Change[] {
  const subscription = world.subscriptions.get(delivery.subscriptionId);
  const changes: Change[] = [
    {
      type: 'delivery-set',
      delivery: { ...delivery, status: 'delivered', inFlight: false, nextDueMs: null },
    },
  ];
  if (subscription !== undefined) {
    // EVT-10a: the last event that arrived; one that is sent again takes nothing back.
    const lastDeliveredSeq = Math.max(subscription.lastDeliveredSeq, delivery.seq);
    changes.push({ type: 'subscription-set', subscription: { ...subscription, lastDeliveredSeq } });
  }
  return changes;
}

/** What the receiver's answer does: delivered, waiting for the next attempt, or exhausted. */
export function answerChanges(
  world: World,
  behaviour: Behaviour,
  answer: DeliveryAnswer,
): readonly Change[] {
  const delivery = world.deliveries.get(answer.deliveryId);
  if (delivery === undefined || !delivery.inFlight) return [];
  if (answer.attempt !== delivery.attempts.length + 1) return [];
  const attempt: DeliveryAttempt = {
    n: answer.attempt,
    atMs: answer.startedAtMs,
    status: answer.status,
    error: answer.error,
    durationMs: answer.durationMs,
    signature: answer.signature,
  };
  const tried = { ...delivery, attempts: [...delivery.attempts, attempt] };
  // EVT-9a: only a 2xx is a success.
  if (
    answer.status !== null &&
    answer.error === null &&
    behaviour.delivery.succeeded(answer.status)
  ) {
    return deliveredChanges(world, tried);
  }
  if (delivery.status !== 'pending')
    return [{ type: 'delivery-set', delivery: { ...tried, inFlight: false } }];
  return failedChanges(world, behaviour, tried, answer.startedAtMs);
}

function failedChanges(
  world: World,
  behaviour: Behaviour,
  tried: Delivery,
  startedAtMs: number,
): readonly Change[] {
  const failures = tried.attempts.length - tried.roundStart;
  const gap = behaviour.delivery.gapsMs[failures - 1];
  if (gap !== undefined) {
    // EVT-8a, NS-42: the wait counts from the end of the failed attempt, or from its start.
    const from = behaviour.settings.retry_counted_from === 'start' ? startedAtMs : world.nowMs;
    return waitChanges(tried, Math.max(from + gap, world.nowMs), 'retry');
  }
  const changes: Change[] = [
    {
      type: 'delivery-set',
      delivery: { ...tried, status: 'exhausted', inFlight: false, nextDueMs: null },
    },
  ];
  const subscription = world.subscriptions.get(tried.subscriptionId);
  if (subscription !== undefined && behaviour.settings.after_last_attempt === 'stop') {
    // EVT-10a, NS-28: delivery stops here until an operator resumes it.
    changes.push({ type: 'subscription-set', subscription: { ...subscription, stopped: true } });
  }
  return changes;
}

/** HOOK-5, HOOK-13, EVT-13: nothing more is sent, and what was waiting stops. */
export function disableChanges(
  world: World,
  subscription: Subscription,
  reason: string,
): readonly Change[] {
  const changes: Change[] = [
    {
      type: 'subscription-set',
      subscription: { ...subscription, disabled: true, disabledReason: reason },
    },
  ];
  for (const id of world.openDeliveries.get(subscription.id) ?? []) {
    const delivery = world.deliveries.get(id);
    if (delivery === undefined) continue;
    const stopped: Delivery = { ...delivery, status: 'stopped', nextDueMs: null };
    changes.push({ type: 'delivery-set', delivery: stopped });
  }
  return changes;
}

/** An event goes on after exhaustion: from the one that was not delivered, with a fresh timetable (NS-28). */
export function resumeChanges(world: World, subscription: Subscription): readonly Change[] {
  const changes: Change[] = [
    { type: 'subscription-set', subscription: { ...subscription, stopped: false } },
  ];
  for (const delivery of world.deliveries.values()) {
    if (delivery.subscriptionId !== subscription.id || delivery.status !== 'exhausted') continue;
    if (delivery.seq <= subscription.lastDeliveredSeq) continue;
    const roundStart = delivery.attempts.length;
    const again: Delivery = { ...delivery, status: 'pending', nextDueMs: world.nowMs, roundStart };
    changes.push(
      { type: 'delivery-set', delivery: again },
      { type: 'timer-set', dueAtMs: world.nowMs, kind: 'deliver', ref: `${delivery.id}/retry` },
    );
  }
  return changes;
}
