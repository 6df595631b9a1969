// Shows each delivery attempt as it leaves and as it ends: lines for a person, or events for a
// program.

import { jsonText } from '../../../../conformance/reports/plain-text.ts';
import type { Delivery, Subscription } from '../../../../simulator/core/records.ts';
import { eventId } from '../../../../simulator/core/serialize.ts';
import { findEvent } from '../../../../simulator/core/world.ts';
import type { Notice } from '../../../../simulator/host/world/notice.ts';
import type { Sandbox } from '../../../../simulator/host/world/sandbox.ts';
import type { WorldHost } from '../../../../simulator/host/world/world-host.ts';
import { delayedLine, type EndedLine, endedLine, sentLine } from './delivery-line.ts';
import type { LogOptions } from './request-log.ts';

type Phase = Extract<Notice, { readonly kind: 'delivery' }>['phase'];

/** Logs the deliveries of the first world; JSON has those of every world. */
export function logDeliveries(sandbox: Sandbox, { json, say }: LogOptions): void {
  const follow = (name: string, host: WorldHost) => {
    // An attempt that was cut off, by a disable or with its world, has no number to be known by.
    host.listen((notice) => {
      if (notice.kind !== 'delivery' || (!json && host !== sandbox.first)) return;
      const found = find(host, notice.id);
      if (found === null) return;
      const { phase } = notice;
      say(json ? eventOf(name, host, found, phase) : lineOf(host, found, phase));
    });
  };
  for (const [name, host] of sandbox.worlds) follow(name, host);
  sandbox.watchWorlds((name, host) => {
    if (host) follow(name, host);
  });
}

interface Found {
  readonly delivery: Delivery;
  readonly subscription: Subscription;
}

function find({ world }: WorldHost, id: string): Found | null {
  const delivery = world.deliveries.get(id);
  if (delivery === undefined) return null;
  const subscription = world.subscriptions.get(delivery.subscription_id);
  return subscription === undefined ? null : { delivery, subscription };
}

function kindOf({ world }: WorldHost, { delivery }: Found): string {
  return findEvent(world, delivery.seq)?.kind ?? 'event';
}

function urlOf({ world }: WorldHost, { subscription: { url } }: Found): string {
  return world.forwards.get(new URL(url).origin) ?? url;
}

function nowOf({ world, clock }: WorldHost): number {
  return Math.max(clock.nowMs(), world.nowMs);
}

function lineOf(host: WorldHost, found: Found, phase: Phase): string {
  const { delivery } = found;
  const { seq, attempts } = delivery;
  const atMs = nowOf(host);
  if (phase === 'sent') {
    const attempt = attempts.length + 1;
    return sentLine({ atMs, kind: kindOf(host, found), seq, attempt, url: urlOf(host, found) });
  }
  if (phase === 'delayed') {
    const inMs = (delivery.next_due_ms ?? atMs) - atMs;
    return delayedLine({ atMs, seq, attempt: attempts.length + 1, inMs });
  }
  const last = attempts[attempts.length - 1];
  return endedLine({
    atMs,
    seq,
    attempt: last?.n ?? 1,
    status: last?.status ?? null,
    error: last?.error ?? null,
    next: whatNext(host, found),
  });
}

function whatNext(host: WorldHost, { delivery, subscription }: Found): EndedLine['next'] {
  if (subscription.disabled) {
    return { kind: 'disabled', reason: subscription.disabled_reason ?? 'disabled' };
  }
  const { status, next_due_ms: nextDueMs } = delivery;
  if (nextDueMs !== null) return { kind: 'again', inMs: nextDueMs - nowOf(host) };
  if (status === 'exhausted') return { kind: 'exhausted', stops: subscription.stopped };
  return status === 'delivered' ? { kind: 'delivered' } : { kind: 'nothing' };
}

function eventOf(name: string, host: WorldHost, found: Found, phase: Phase): string {
  const { delivery, subscription } = found;
  const last = delivery.attempts[delivery.attempts.length - 1];
  const attempt = phase === 'ended' ? (last?.n ?? 1) : delivery.attempts.length + 1;
  return jsonText({
    event: 'delivery',
    world: name,
    phase,
    at_ms: nowOf(host),
    id: delivery.id,
    subscription_id: subscription.id,
    event_id: eventId(host.world, delivery.seq),
    kind: kindOf(host, found),
    seq: delivery.seq,
    attempt,
    url: urlOf(host, found),
    ...(phase === 'delayed' ? { next_due_ms: delivery.next_due_ms } : {}),
    ...(phase === 'ended'
      ? {
          status: last?.status ?? null,
          error: last?.error ?? null,
          outcome: delivery.status,
          next_due_ms: delivery.next_due_ms,
          disabled_reason: subscription.disabled_reason,
        }
      : {}),
  });
}
