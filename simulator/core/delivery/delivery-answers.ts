// What follows from an attempt, and from ending or taking up again the deliveries of a
// subscription.
import type { Behaviour } from '../behaviour.ts';
import type { Change } from '../change.ts';
import { evolve } from '../evolve.ts';
import type { Delivery, DeliveryAttempt, Subscription } from '../records.ts';
import { findEvent, type World } from '../world.ts';

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

/** The target of a subscription was looked at again and is no longer public (EVT-11). */
export interface RefusedTarget {
  readonly deliveryId: string;
  readonly why: string;
}

export function waitChanges(
  delivery: Delivery,
  dueAtMs: number,
  why: 'retry' | 'delayed',
): readonly Change[] {
  return [
    { type: 'delivery-set', delivery: { ...delivery, in_flight: false, next_due_ms: dueAtMs } },
    { type: 'timer-set', dueAtMs, kind: 'deliver', ref: `${delivery.id}/${why}` },
  ];
}

export function deliveredChanges(world: World, delivery: Delivery): readonly Change[] {
  const delivered: Delivery = {
    ...delivery,
    status: 'delivered',
    in_flight: false,
    next_due_ms: null,
  };
  const changes: Change[] = [{ type: 'delivery-set', delivery: delivered }];
  const subscription = world.subscriptions.get(delivery.subscription_id);
  if (subscription !== undefined) {
    // EVT-10a: the last event that arrived; one that is sent again takes nothing back.
    const lastDeliveredSeq = Math.max(subscription.last_delivered_seq, delivery.seq);
    changes.push({
      type: 'subscription-set',
      subscription: { ...subscription, last_delivered_seq: lastDeliveredSeq },
    });
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
  if (delivery === undefined || !delivery.in_flight) return [];
  if (answer.attempt !== delivery.attempts.length + 1) return [];
  const attempt: DeliveryAttempt = {
    n: answer.attempt,
    at_ms: answer.startedAtMs,
    status: answer.status,
    error: answer.error,
    duration_ms: answer.durationMs,
    signature: answer.signature,
  };
  const tried = { ...delivery, attempts: [...delivery.attempts, attempt] };
  const { status, error } = answer;
  // EVT-9a: only a 2xx is a success.
  if (status !== null && error === null && behaviour.delivery.succeeded(status)) {
    return deliveredChanges(world, tried);
  }
  // Stopped meanwhile, or one that had arrived before and was sent once more.
  if (delivery.status !== 'pending') {
    return [{ type: 'delivery-set', delivery: { ...tried, in_flight: false } }];
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
    return waitChanges(tried, Math.max(from + gap, world.nowMs), 'retry');
  }
  const exhausted: Delivery = {
    ...tried,
    status: 'exhausted',
    in_flight: false,
    next_due_ms: null,
  };
  const changes: Change[] = [];
  const subscription = world.subscriptions.get(tried.subscription_id);
  if (subscription !== undefined && behaviour.settings.after_last_attempt === 'stop') {
    // EVT-10a, NS-28: delivery stops here until an operator resumes it. First of all, so that the
    // delivery is kept for that.
    changes.push({ type: 'subscription-set', subscription: { ...subscription, stopped: true } });
  }
  return [...changes, { type: 'delivery-set', delivery: exhausted }];
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
      subscription: { ...subscription, disabled: true, disabled_reason: reason },
    },
  ];
  for (const id of world.openDeliveries.get(subscription.id) ?? []) {
    const delivery = world.deliveries.get(id);
    if (delivery === undefined) continue;
    const stopped: Delivery = { ...delivery, status: 'stopped', next_due_ms: null };
    changes.push({ type: 'delivery-set', delivery: stopped });
  }
  return changes;
}

/** EVT-11: the subscription is disabled with the attempt, and its reason says why. */
export function disableRefusedTarget(world: World, { deliveryId, why }: RefusedTarget): void {
  const delivery = world.deliveries.get(deliveryId);
  const subscription = world.subscriptions.get(delivery?.subscription_id ?? 0);
  if (delivery?.in_flight !== true || subscription === undefined) return;
  evolve(world, [{ type: 'delivery-set', delivery: { ...delivery, in_flight: false } }]);
  const address = why.replace(/^url must lead to a public address: /, '');
  const reason = `The target is no longer a valid public address: ${address}.`;
  evolve(world, disableChanges(world, subscription, reason));
}

/**
 * NS-28: delivery goes on after exhaustion: from what was not delivered, with a fresh timetable.
 * EVT-10b: what has left the window meanwhile is not sent any more.
 */
export function resumeChanges(world: World, subscription: Subscription): readonly Change[] {
  if (!subscription.stopped) return [];
  const changes: Change[] = [
    { type: 'subscription-set', subscription: { ...subscription, stopped: false } },
  ];
  for (const delivery of world.deliveries.values()) {
    if (delivery.subscription_id !== subscription.id || delivery.status !== 'exhausted') continue;
    if (findEvent(world, delivery.seq) === undefined) continue;
    const roundStart = delivery.attempts.length;
    const again: Delivery = { ...delivery, status: 'pending', round_start: roundStart };
    changes.push(...waitChanges(again, world.nowMs, 'retry'));
  }
  return changes;
}
