// Deliveries of events: which is due, what is sent, and what becomes of it (EVT-3 to EVT-11).
import { createHmac } from 'node:crypto';
import { disable, forwardOf, targetProblem } from './hooks.ts';
import type { SecondMind } from './mind.ts';
import type { Attempt, Delivery, Subscription } from './records.ts';

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** EVT-8a: how long each retry waits. */
const WAITS_MS = [
  30 * SECOND_MS,
  2 * MINUTE_MS,
  10 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  6 * HOUR_MS,
  12 * HOUR_MS,
];

/** EVT-9b */
export const PATIENCE_MS = 15 * SECOND_MS;

export interface Sending {
  readonly delivery: Delivery;
  readonly attempt: Attempt;
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body: string;
}

export function subscriptionOf(mind: SecondMind, { subscriptionId }: Delivery): Subscription {
  return mind.subscriptions.find((each) => each.id === subscriptionId)!;
}

export function readyDeliveries(mind: SecondMind): Delivery[] {
  const nowMs = mind.now();
  return mind.deliveries.filter((each) => isWaiting(mind, each) && each.dueAtMs <= nowMs);
}

/** Whether its time alone decides when it goes. */
export function isWaiting(mind: SecondMind, each: Delivery): boolean {
  if (each.status !== 'pending' || each.inFlight) return false;
  const subscription = subscriptionOf(mind, each);
  if (subscription.stopped || subscription.disabled) return false;
  if (!mind.style.holdsBack) return true;
  // NS-28: an earlier one of this subscription that is not over holds it back.
  const first = mind.deliveries.find(
    (one) => one.subscriptionId === each.subscriptionId && one.status === 'pending',
  );
  return first === each;
}

/** What is to be sent; null where the target turns out to be public no longer (EVT-11). */
export function beginAttempt(mind: SecondMind, delivery: Delivery): Sending | null {
  const subscription = subscriptionOf(mind, delivery);
  const problem = targetProblem(mind, subscription.url, false);
  if (problem !== null) {
    disable(mind, subscription, `the target is no longer valid: ${problem}`);
    return null;
  }
  const { style } = mind;
  const body = JSON.stringify(style.envelope(delivery.event));
  const signature = sign(mind, subscription, body);
  const n = delivery.attempts.length + 1;
  const attempt: Attempt = { n, atMs: mind.now(), status: null, error: null, signature };
  delivery.attempts.push(attempt);
  delivery.inFlight = true;
  const headers = {
    'Content-Type': 'application/json',
    [style.signatureHeader]: signature,
    [style.subscriptionHeader]: String(subscription.id),
  };
  return { delivery, attempt, url: sentTo(mind, subscription.url), headers, body };
}

function sentTo(mind: SecondMind, url: string): string {
  const forward = forwardOf(mind, url);
  if (forward === undefined) return url;
  const { pathname, search } = new URL(url);
  const to = new URL(forward.to);
  return to.pathname === '/' ? `${to.origin}${pathname}${search}` : forward.to;
}

/** EVT-5a, EVT-6, EVT-7 */
function sign(mind: SecondMind, subscription: Subscription, body: string): string {
  const t = mind.style.signsWith === 'wall' ? Date.now() : mind.now();
  const { secret, previousSecret, rotatedAtMs } = subscription;
  const secrets = [secret];
  const lasts = mind.now() - rotatedAtMs < mind.style.rotationMs;
  if (previousSecret !== null && lasts) secrets.push(previousSecret);
  const digest = (each: string) => createHmac('sha256', each).update(`${t}.${body}`).digest('hex');
  return [`t=${t}`, ...secrets.map((each) => `v1=${digest(each)}`)].join(',');
}

/** What became of an attempt; a status of null is an error of the network, or no answer in time. */
export function endAttempt(
  mind: SecondMind,
  { delivery, attempt }: Sending,
  status: number | null,
  error: string | null,
): void {
  if (!delivery.inFlight) return;
  delivery.inFlight = false;
  attempt.status = status;
  attempt.error = error;
  const subscription = subscriptionOf(mind, delivery);
  // EVT-9a
  if (status !== null && status >= 200 && status < 300) {
    delivery.status = 'delivered';
    const { seq } = delivery.event;
    subscription.lastDeliveredSeq = Math.max(subscription.lastDeliveredSeq, seq);
    return;
  }
  if (delivery.status !== 'pending') return;
  const wait = WAITS_MS[attempt.n - 1];
  if (wait === undefined) {
    delivery.status = 'exhausted';
    subscription.stopped = mind.style.holdsBack;
    return;
  }
  delivery.dueAtMs = (mind.style.countsFrom === 'start' ? attempt.atMs : mind.now()) + wait;
}
