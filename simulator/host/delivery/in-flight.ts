// Delivery attempts: each checks its target again, signs the body and sends it, and is answered,
// timed out by the sandbox's clock, or aborted.
import type { DeliveryAnswer, RefusedTarget, SendAttempt } from '../../core/delivery/deliveries.ts';
import type { EventRecord, Subscription } from '../../core/records.ts';
import { refuseAddress } from '../../core/values/address.ts';
import { parseTargetUrl } from '../../core/values/target-url.ts';
import { findEvent, type World } from '../../core/world.ts';
import type { WorldHost } from '../world/world-host.ts';
import { CancelToken, type DeliveryRequest } from './deliverer.ts';

/** The longest wait for attempts that were in flight before an advance. */
const idleAtMostMs = 15_000;
/** A timer that fires later than this was delayed by a busy machine. */
const stalledByMs = 100;

export class InFlightDeliveries {
  readonly #host: WorldHost;
  /** By delivery, in the order in which they started. */
  #running = new Map<string, Attempt>();
  /** During an advance, the advance handles the responses to its attempts. */
  #awaited: Attempt[] | null = null;
  /** Called when an attempt has ended; one wait at a time, because advances are queued. */
  #onEnd: () => void = () => undefined;

  constructor(host: WorldHost) {
    this.#host = host;
  }

  get size(): number {
    return this.#running.size;
  }

  /** Starts an attempt; its answer is handled when it arrives, or in the order of an advance. */
  start(send: SendAttempt): void {
    this.#host.notify({ kind: 'delivery', id: send.deliveryId, phase: 'sent' });
    const attempt = new Attempt(this.#host, send);
    this.#running.set(send.deliveryId, attempt);
    if (this.#awaited !== null) this.#awaited.push(attempt);
    else this.#takeLater(attempt);
  }

  #takeLater(attempt: Attempt): void {
    void attempt.result.then((result) =>
      this.#host.untilKept(() => void this.#take(attempt, result)),
    );
  }

  /**
   * Applies the outcome of an attempt to the world, unless it was aborted; starts the next ones.
   */
  #take(attempt: Attempt, result: SendResult): boolean {
    const host = this.#host;
    const id = attempt.send.deliveryId;
    if (this.#running.get(id) !== attempt) return false;
    const { effects } = host.step({ ...result, atMs: host.nowMs });
    this.#running.delete(id);
    host.notify({ kind: 'delivery', id, phase: 'ended' });
    host.carryOut(effects);
    this.#onEnd();
    return true;
  }

  /** From now on attempts wait for `settle`. */
  beginOrder(): void {
    this.#awaited = [];
  }

  /**
   * Handles the answers to the attempts since then in the order of sending, so that the outcome is
   * always the same. False if an attempt was aborted, because its world is closed or gone.
   */
  async settle(taken: (deliveryId: string) => void): Promise<boolean> {
    const awaited = this.#awaited ?? [];
    for (let attempt = awaited[0]; attempt !== undefined; attempt = awaited[0]) {
      const isTaken = this.#take(attempt, await attempt.result);
      awaited.shift();
      if (!isTaken) return false;
      taken(attempt.send.deliveryId);
    }
    return true;
  }

  endOrder(): void {
    const rest = this.#awaited ?? [];
    this.#awaited = null;
    for (const attempt of rest) this.#takeLater(attempt);
  }

  /**
   * Waits until no attempt is running; gives up after this much wall-clock time without a response.
   */
  async waitUntilIdle(silenceMs: number): Promise<void> {
    const untilMs = performance.now() + idleAtMostMs;
    while (this.#running.size > 0) {
      const beganMs = performance.now();
      const timeoutMs = Math.min(silenceMs, untilMs - beganMs);
      if (timeoutMs <= 0) return;
      const hasEnded = await new Promise<boolean>((resolve) => {
        const timer = setTimeout(resolve, timeoutMs, false);
        this.#onEnd = () => {
          clearTimeout(timer);
          resolve(true);
        };
      });
      // If this process itself was stalled, the receivers did not have that time.
      const isStalled = performance.now() - beganMs > timeoutMs + stalledByMs;
      if (!hasEnded && !isStalled) return;
    }
  }

  /** When the first attempt times out on the sandbox's clock (EVT-9b); null if none is running. */
  nextExpiryMs(): number | null {
    const limitMs = this.#host.behaviour.delivery.answerLimitMs;
    // Attempts are in the order in which they started, so the first one expires first.
    for (const { startedAtMs } of this.#running.values()) return startedAtMs + limitMs;
    return null;
  }

  /** Ends the attempts that have timed out, as failures; returns their deliveries. */
  expire(nowMs: number): string[] {
    const limitMs = this.#host.behaviour.delivery.answerLimitMs;
    const expired: string[] = [];
    for (const [id, attempt] of [...this.#running]) {
      const { startedAtMs, cancelToken } = attempt;
      if (startedAtMs + limitMs > nowMs) break;
      const error = `no response within ${limitMs / 1000} s of the sandbox's clock`;
      this.#take(attempt, answered(attempt, null, error, nowMs - startedAtMs));
      cancelToken.cancel();
      expired.push(id);
    }
    return expired;
  }

  /** Aborts all attempts without applying an outcome. */
  abandon(): void {
    const running = [...this.#running.values()];
    this.#running = new Map();
    for (const { cancelToken } of running) cancelToken.cancel();
    this.#onEnd();
  }

  /** Sends again the attempts that were running when a loaded world was saved (EVT-4). */
  restart(world: World): void {
    for (const delivery of world.deliveries.values()) {
      if (!delivery.in_flight || delivery.status === 'stopped') continue;
      const attempt = delivery.attempts.length + 1;
      this.start({ kind: 'send', deliveryId: delivery.id, attempt, fault: null });
    }
  }
}

class Attempt {
  readonly send: SendAttempt;
  readonly startedAtMs: number;
  readonly cancelToken = new CancelToken();
  /** Null until the request is signed. */
  signature: string | null = null;
  readonly result: Promise<SendResult>;

  constructor(host: WorldHost, send: SendAttempt) {
    this.send = send;
    this.startedAtMs = host.world.nowMs;
    this.result = sendAttempt(host, this);
  }
}

const staleByMs = 3600 * 1000;

/** `wallMs`: wall-clock time, because real receivers compare with theirs (EVT-5b). */
type SendContext = Pick<WorldHost, 'world' | 'behaviour' | 'deliverer' | 'wallMs'>;

type SendResult =
  | { readonly kind: 'answered'; readonly answer: DeliveryAnswer }
  | ({ readonly kind: 'target-refused' } & RefusedTarget);

function answered(
  { send, startedAtMs, signature }: Attempt,
  status: number | null,
  error: string | null,
  durationMs: number,
): SendResult {
  const sent = { ...{ startedAtMs, signature }, ...{ status, error, durationMs } };
  const { deliveryId, attempt, fault } = send;
  return { kind: 'answered', answer: { deliveryId, attempt, fault, ...sent } };
}

/** Never rejects. The attempt belongs to the world that the host has now. */
async function sendAttempt(host: WorldHost, attempt: Attempt): Promise<SendResult> {
  const { world, behaviour, deliverer, wallMs } = host;
  const context: SendContext = { world, behaviour, deliverer, wallMs };
  const { deliveryId, fault } = attempt.send;
  const beganMs = performance.now();
  const end = (status: number | null, error: string | null) =>
    answered(attempt, status, error, Math.round(performance.now() - beganMs));
  const refused = (why: string): SendResult => ({ kind: 'target-refused', deliveryId, why });
  let parcel = findParcel(world, deliveryId);
  if (typeof parcel === 'string') return end(null, parcel);
  const found = findTarget(context, parcel.subscription);
  const target = 'then' in found ? await found : found;
  // EVT-13, EVT-7: the subscription may have been disabled or rotated during the look-up.
  if ('then' in found) parcel = findParcel(world, deliveryId);
  if (typeof parcel === 'string') return end(null, parcel);
  if ('refused' in target) return refused(target.refused);
  if ('unresolved' in target) return end(null, target.unresolved);
  // EVT-9b: fifteen seconds in all, including the look-up.
  const leftMs = behaviour.delivery.connectionLimitMs - (performance.now() - beganMs);
  const request = signedRequest(context, parcel, attempt, target, Math.max(1, leftMs));
  const { status, error, refusedTarget } = await deliverer.deliver(request);
  const result = refusedTarget === undefined ? end(status, error) : refused(refusedTarget);
  // EVT-4: delivery is at least once, so a fault may send a duplicate.
  if (fault === 'duplicate' && typeof findParcel(world, deliveryId) !== 'string') {
    await deliverer.deliver(request);
  }
  return result;
}

interface Parcel {
  readonly subscription: Subscription;
  readonly event: EventRecord;
}

/** The request to send, or why it is not sent. */
function findParcel(world: World, deliveryId: string): Parcel | string {
  const delivery = world.deliveries.get(deliveryId);
  const subscription = world.subscriptions.get(delivery?.subscription_id ?? 0);
  if (delivery === undefined || subscription === undefined) return 'not sent: it is gone';
  if (subscription.disabled) return 'not sent: its subscription was disabled';
  const event = findEvent(world, delivery.seq);
  return event === undefined ? 'not sent: the event is no longer kept' : { subscription, event };
}

interface Target {
  readonly url: string;
  readonly addresses: readonly string[] | null;
}

type FoundTarget = Target | { readonly refused: string } | { readonly unresolved: string };

/** EVT-11: the target as it resolves now; asynchronous only if a name must be looked up. */
function findTarget(
  { world, behaviour, deliverer }: SendContext,
  { url }: Subscription,
): FoundTarget | Promise<FoundTarget> {
  const judge = (target: Target, addresses: readonly string[] | null = null): FoundTarget => {
    if (!behaviour.delivery.rechecksTarget) return target;
    const why = behaviour.webhooks.refuseTarget(url, addresses, world);
    return why === null ? target : { refused: why };
  };
  const parsed = parseTargetUrl(url, world.options.allowLocalWebhooks);
  // A deviation may have accepted a target that cannot be parsed; it is used unchanged.
  if (parsed.kind === 'refused') return judge({ url, addresses: null });
  const { href, hostname, origin, address } = parsed;
  const forward = world.forwards.get(origin);
  const forwarded =
    forward === undefined ? null : { url: forwardedUrl(href, forward), addresses: null };
  if (address !== null) return judge(forwarded ?? { url: href, addresses: [address] });
  const judgeName = (addresses: readonly string[] | null): FoundTarget =>
    // NS-23: a name that does not resolve now may do so later, so this is only a failed attempt.
    addresses?.length === 0
      ? { unresolved: `${hostname} does not resolve; forward it with --forward ${origin}=URL` }
      : judge(forwarded ?? { url: href, addresses }, addresses);
  const named = world.names.get(hostname);
  // A forwarded name counts as public unless an operator says what it resolves to.
  if (named !== undefined || forward !== undefined) return judgeName(named ?? null);
  return deliverer.resolve(hostname).then(judgeName);
}

/** A forward with a path is used as it is; a bare origin keeps path and query of the target. */
export function forwardedUrl(url: string, forward: string): string {
  const to = new URL(forward);
  if (to.pathname !== '/' || to.search !== '') return forward;
  const from = new URL(url);
  return new URL(`${from.pathname}${from.search}`, to).href;
}

function signedRequest(
  { world, behaviour, wallMs }: SendContext,
  { subscription, event }: Parcel,
  attempt: Attempt,
  { url, addresses }: Target,
  answerLimitMs: number,
): DeliveryRequest {
  const { delivery } = behaviour;
  const { fault } = attempt.send;
  const body = delivery.body(event, world, attempt.send.attempt);
  const tMs = fault === 'stale_timestamp' ? wallMs() - staleByMs : wallMs();
  const secrets = delivery.secrets(subscription, world.nowMs);
  const keys = fault === 'bad_signature' ? secrets.map((secret) => `${secret}!`) : secrets;
  attempt.signature = delivery.signature(keys, tMs, body);
  const allowLocal = world.options.allowLocalWebhooks;
  return {
    ...{ url, addresses, body, answerLimitMs },
    headers: delivery.headers(subscription, attempt.signature),
    refuseAddress: (address) =>
      delivery.rechecksTarget ? refuseAddress(address, allowLocal) : null,
    followsRedirects: delivery.followsRedirects,
    cancelToken: attempt.cancelToken,
  };
}
