// Deliveries of events: which is due, what is sent, and what becomes of it (EVT-3 to EVT-11).

import type { SecondMind } from './mind.ts';
import { disable, forwardOf, targetProblem } from './operations/hooks.ts';
import { furthest, saveSecrets, sweptAt } from './sealed-effects.ts';
import type { JsonObject } from './values/json.ts';
import type { Attempt, Delivery, Subscription } from './values/records.ts';
import { sign } from './values/signing.ts';

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
export function patienceMs(mind: SecondMind, { attempts }: Delivery): number {
  if (attempts.length > 1 && mind.has('time-retry-patience')) return 5 * SECOND_MS;
  if (mind.has('evt-slow-success')) return MINUTE_MS;
  return (mind.has('evt-five-seconds') ? 5 : 15) * SECOND_MS;
}

/** EVT-8a, EVT-8b */
function waitAfter(mind: SecondMind, n: number): number | undefined {
  if (mind.has('evt-no-retry')) return undefined;
  if (mind.has('evt-seven-attempts') && n >= 7) return undefined;
  if (mind.has('evt-first-wait') && n === 1) return MINUTE_MS;
  if (mind.has('evt-last-wait') && n === 7) return 6 * HOUR_MS;
  if (mind.has('time-seventh-wait') && n === 6) return 4 * HOUR_MS;
  if (mind.has('evt-nine-attempts') && n === 8) return 12 * HOUR_MS;
  return WAITS_MS[n - 1];
}

export interface Sending {
  readonly delivery: Delivery;
  readonly attempt: Attempt;
  /** The subscription as it was when this began, kept for a defect alone. */
  readonly before: Subscription;
  readonly url: string;
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body: string;
  readonly follows: boolean;
}

function subscriptionOf(mind: SecondMind, { subscriptionId }: Delivery): Subscription {
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
  const goesOn =
    mind.has('evt-disabled-queue') ||
    mind.has('hook-disable-delivers') ||
    mind.has('comb-disabled-retries');
  if (subscription.stopped || (subscription.disabled && !goesOn)) return false;
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
  const isLeft = delivery.attempts.length > 0 && mind.has('comb-recheck-first');
  if (!isLeft && !isStillPublic(mind, subscription)) return null;
  const { style } = mind;
  const body = JSON.stringify(envelopeOf(mind, delivery));
  const firstMs = delivery.attempts[0]?.atMs ?? mind.now();
  const n = delivery.attempts.length + 1;
  const isBare = n > 1 && mind.has('comb-retry-one-signature');
  const heard = mind.has('comb-signed-once') ? firstToHear(mind, delivery) : subscription;
  const signer = isBare ? { ...heard, previousSecret: null } : heard;
  const signature = sign(mind, signer, body, firstMs);
  const attempt: Attempt = { n, atMs: mind.now(), status: null, error: null, signature };
  delivery.attempts.push(attempt);
  delivery.inFlight = true;
  const headers: Record<string, string> = {
    'Content-Type': 'application/json',
    [style.signatureHeader]: signature,
  };
  if (!mind.has('evt-no-subscription')) {
    headers[style.subscriptionHeader] = String(subscription.id);
  }
  return {
    delivery,
    attempt,
    before: { ...subscription },
    url: sentTo(mind, subscription.url),
    method: mind.has('evt-put') ? 'PUT' : 'POST',
    headers,
    body: mind.has('comb-length-in-chars') ? cutTo(body.length, body) : body,
    follows: mind.has('evt-follows'),
  };
}

const firstToHear = (mind: SecondMind, { event }: Delivery): Subscription =>
  subscriptionOf(mind, mind.deliveries.find((each) => each.event === event)!);

/** What is left of a text that may have only so many bytes. */
function cutTo(bytes: number, text: string): string {
  return Buffer.byteLength(text) <= bytes ? text : cutTo(bytes, text.slice(0, -1));
}

/** EVT-11 */
function isStillPublic(mind: SecondMind, subscription: Subscription): boolean {
  if (mind.has('evt-no-recheck')) return true;
  const row = `resolved ${subscription.url}`;
  const isFresh = mind.now() - (mind.counts[row] ?? Number.NEGATIVE_INFINITY) < 10 * MINUTE_MS;
  if (isFresh && mind.has('time-target-cached')) return true;
  const problem = targetProblem(mind, subscription.url, false);
  if (problem === null) {
    mind.counts[row] = mind.now();
    return true;
  }
  const reason = mind.has('evt-recheck-silent') ? null : `no valid target any more: ${problem}`;
  if (mind.has('evt-recheck-fails')) postpone(mind, subscription);
  else disable(mind, subscription, reason);
  return false;
}

function postpone(mind: SecondMind, { id }: Subscription): void {
  for (const each of mind.deliveries) {
    if (each.subscriptionId === id) each.dueAtMs = mind.now() + HOUR_MS;
  }
}

/** EVT-2a, EVT-2b */
function envelopeOf(mind: SecondMind, { event, attempts, subscriptionId }: Delivery): JsonObject {
  const n = attempts.length + 1;
  const id = mind.has('evt-id-by-attempt') ? `${event.id}_${n}` : event.id;
  const before = mind.deliveries.filter((each) => each.subscriptionId === subscriptionId);
  const own = before.findIndex((each) => each.event === event) + 10 * n;
  const seq = mind.has('evt-own-numbers') ? own : event.seq;
  const { id: shown, ...rest } = mind.style.envelope({ ...event, id, seq });
  return mind.has('evt-no-id') ? rest : { id: shown!, ...rest };
}

function sentTo(mind: SecondMind, url: string): string {
  const forward = forwardOf(mind, url);
  if (forward === undefined) return url;
  const { pathname, search } = new URL(url);
  const to = new URL(forward.to);
  return to.pathname === '/' ? `${to.origin}${pathname}${search}` : forward.to;
}

/** EVT-9a */
function isSuccess(mind: SecondMind, status: number | null): boolean {
  if (status === null) return false;
  if (mind.has('evt-202-failure')) return status === 200;
  if (mind.has('evt-3xx-success') && status >= 300 && status < 400) return true;
  if (mind.has('evt-404-success') && status === 404) return true;
  return status >= 200 && status < 300;
}

/** What became of an attempt; a status of null is an error of the network, or no answer in time. */
export function endAttempt(
  mind: SecondMind,
  { delivery, attempt, before }: Sending,
  status: number | null,
  error: string | null,
): void {
  if (!delivery.inFlight) return;
  delivery.inFlight = false;
  attempt.status = status;
  attempt.error = error;
  const subscription = subscriptionOf(mind, delivery);
  saveSecrets(mind, subscription, before);
  const { seq } = delivery.event;
  if (mind.has('race-delivery-disable') && subscription.disabledAtMs >= attempt.atMs) {
    subscription.disabled = false;
  }
  const isMoved = attempt.n > 1 && status !== null && status >= 300 && status < 400;
  if (isSuccess(mind, status) || (isMoved && mind.has('comb-redirect-retry'))) {
    delivery.status = 'delivered';
    if (attempt.n > 1 && mind.has('time-retry-unseen')) return;
    subscription.lastDeliveredSeq = furthest(mind, subscription.lastDeliveredSeq, seq);
    return;
  }
  if (mind.has('evt-last-failed')) subscription.lastDeliveredSeq = seq;
  if (delivery.status !== 'pending') return;
  if (status === 410 && mind.has('evt-410-disables')) {
    disable(mind, subscription, 'the receiver is gone');
    return;
  }
  const isOver = mind.now() - delivery.event.atMs >= 4 * HOUR_MS && mind.has('time-queue-ttl');
  const wait = isOver ? undefined : waitAfter(mind, countedFailures(mind, delivery, attempt.n));
  if (wait === undefined) {
    delivery.status = 'exhausted';
    subscription.stopped = mind.style.holdsBack;
    return;
  }
  const { countsFrom } = mind.style;
  delivery.dueAtMs = (countsFrom === 'start' ? attempt.atMs : mind.now()) + wait;
  delivery.dueAtMs = sweptAt(mind, delivery.dueAtMs, wait);
  if (mind.has('time-waits-from-first')) delivery.dueAtMs = delivery.attempts[0]!.atMs + wait;
}

/** Of this delivery; defects count those of its subscription, or of its event. */
function countedFailures(mind: SecondMind, of: Delivery, n: number): number {
  const { subscriptionId, event } = of;
  if (mind.has('time-rotation-restarts')) {
    const { rotatedAtMs } = subscriptionOf(mind, of);
    return of.attempts.filter(({ atMs }) => atMs >= rotatedAtMs).length;
  }
  if (mind.has('time-waits-by-event')) {
    const same = mind.deliveries.filter((each) => each.event === event);
    return same.reduce((sum, { attempts }) => sum + attempts.length, 0);
  }
  if (!mind.has('comb-waits-shared') || n > WAITS_MS.length) return n;
  const own = mind.deliveries.filter((each) => each.subscriptionId === subscriptionId);
  const attempts = own.flatMap((each) => each.attempts);
  const failed = attempts.filter(({ status }) => !isSuccess(mind, status));
  return Math.min(failed.length, WAITS_MS.length);
}
