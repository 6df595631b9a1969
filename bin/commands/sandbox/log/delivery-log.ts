// Logs each delivery attempt when it is sent and when it ends: as lines for people, or as events for
// programs.
import { jsonText } from '../../../../conformance/reports/plain-text.ts';
import { duration } from '../../../../conformance/reports/verdict-words.ts';
import { eventId } from '../../../../simulator/core/serialize.ts';
import { findEvent } from '../../../../simulator/core/world.ts';
import { forwardedUrl } from '../../../../simulator/host/delivery/in-flight.ts';
import type { Sandbox } from '../../../../simulator/host/world/sandbox.ts';
import type { Notice, WorldHost } from '../../../../simulator/host/world/world-host.ts';
import { terminalLine } from '../../terminal.ts';
import { clockTime, eachWorld, type LogOptions } from './request-log.ts';

/** Logs the deliveries of the first world; with JSON those of every world. */
export function logDeliveries(sandbox: Sandbox, { json, print }: LogOptions): void {
  eachWorld(sandbox, (name, host) => {
    // An attempt that was cancelled, by a disable or with its world, has no number.
    host.listen((notice) => {
      if (notice.kind !== 'delivery' || (!json && host !== sandbox.first)) return;
      const event = deliveryEvent(name, host, notice);
      if (event !== null) print(json ? jsonText(event) : deliveryLine(event));
    });
  });
}

function deliveryEvent(
  name: string,
  { world, clock }: WorldHost,
  { id, phase }: Extract<Notice, { readonly kind: 'delivery' }>,
) {
  const delivery = world.deliveries.get(id);
  const subscription = delivery && world.subscriptions.get(delivery.subscription_id);
  if (subscription === undefined || delivery === undefined) return null;
  const { seq, attempts, next_due_ms, status: outcome } = delivery;
  const last = phase === 'ended' ? attempts[attempts.length - 1] : undefined;
  const forward = world.forwards.get(new URL(subscription.url).origin);
  return {
    event: 'delivery',
    world: name,
    phase,
    at_ms: Math.max(clock.nowMs(), world.nowMs),
    id: delivery.id,
    subscription_id: subscription.id,
    event_id: eventId(world, seq),
    kind: findEvent(world, seq)?.kind ?? 'event',
    seq,
    attempt: phase === 'ended' ? (last?.n ?? 1) : attempts.length + 1,
    /** The final address, after forwards. */
    url: forward === undefined ? subscription.url : forwardedUrl(subscription.url, forward),
    /** When the next attempt is due, or this one is sent. */
    next_due_ms,
    /** The status of an ended attempt; null if there was no response. */
    status: last?.status ?? null,
    error: last?.error ?? null,
    /** What a fault did to an ended attempt. */
    fault: last?.fault ?? null,
    outcome,
    disabled_reason: subscription.disabled ? (subscription.disabled_reason ?? 'disabled') : null,
    /** EVT-8b, NS-28: the subscription is stopped until it is resumed. */
    stopped: subscription.stopped,
  };
}

export type DeliveryEvent = NonNullable<ReturnType<typeof deliveryEvent>>;

/**
 * `12:00:01.250  → transaction.approved seq 12 attempt 1 to http://localhost:3000/hooks`, and
 * `12:00:01.262  ← 500, again in 30 s (seq 12 attempt 1)`.
 */
export function deliveryLine(event: DeliveryEvent): string {
  const { phase, at_ms, kind, seq, attempt, url, next_due_ms: dueMs } = event;
  const time = clockTime(at_ms);
  const number = `seq ${seq} attempt ${attempt}`;
  if (phase === 'sent') return terminalLine(`${time}  → ${kind} ${number} to ${url}`);
  const words =
    phase === 'delayed'
      ? `... delayed by a fault, goes out in ${duration((dueMs ?? at_ms) - at_ms)}`
      : `← ${endWords(event)}`;
  return terminalLine(`${time}  ${words} (${number})`);
}

function endWords(event: DeliveryEvent): string {
  const { at_ms, status, error, outcome, next_due_ms: dueMs, disabled_reason, stopped } = event;
  if (disabled_reason !== null) return `disabled: ${disabled_reason}`;
  const of = event.fault === null || event.fault === 'drop' ? '' : ` (fault ${event.fault})`;
  const what = `${status ?? error ?? 'no response'}${of}`;
  if (dueMs !== null) return `${what}, again in ${duration(dueMs - at_ms)}`;
  if (outcome !== 'exhausted') return what;
  return `${what}${stopped ? ', the last attempt: delivery stops until it is resumed' : ', given up'}`;
}
