// Makes one delivery attempt out of what core asked for: target checked again, body signed now,
// answer brought back.
import type { Behaviour } from '../../core/behaviour.ts';
import type { DeliveryAnswer, RefusedTarget, SendAttempt } from '../../core/delivery/deliveries.ts';
import type { EventRecord, Subscription } from '../../core/records.ts';
import { refuseAddress } from '../../core/values/address.ts';
import { beginHmac } from '../../core/values/digest.ts';
import { memoize } from '../../core/values/memoize.ts';
import { parseTargetUrl } from '../../core/values/target-url.ts';
import { findEvent, type World } from '../../core/world.ts';
import type { CancelToken, Deliverer, DeliveryRequest } from './deliverer.ts';

export interface SendContext {
  readonly world: World;
  readonly behaviour: Behaviour;
  readonly deliverer: Deliverer;
  /** EVT-5b: the wall's time, because real receivers check theirs. */
  readonly wallMs: () => number;
  readonly cancelToken: CancelToken;
}

export type SendResult =
  | { readonly kind: 'answered'; readonly answer: DeliveryAnswer }
  | ({ readonly kind: 'target-refused' } & RefusedTarget);

const staleByMs = 3600 * 1000;

/** Never rejects. */
export function sendAttempt(context: SendContext, send: SendAttempt): Promise<SendResult> {
  const attempt = new AttemptSender(context, send);
  const parcel = findParcel(context, send);
  if (typeof parcel === 'string') return Promise.resolve(attempt.failed(parcel));
  const target = findTarget(context, parcel.subscription);
  if (!('then' in target)) return attempt.post(target, parcel);
  return target.then((found) => {
    // EVT-13, EVT-7: while the name was looked up the subscription may have been disabled or
    // rotated.
    const still = findParcel(context, send);
    return typeof still === 'string' ? attempt.failed(still) : attempt.post(found, still);
  });
}

/**
 * Prepares the next event of the subscription while the receiver is busy, so that sending it takes
 * less time.
 */
export function prepareNext(
  { world, behaviour }: Pick<SendContext, 'world' | 'behaviour'>,
  { deliveryId }: SendAttempt,
): void {
  const delivery = world.deliveries.get(deliveryId);
  const subscription = world.subscriptions.get(delivery?.subscription_id ?? 0);
  const next = delivery === undefined ? undefined : findEvent(world, delivery.seq + 1);
  if (subscription === undefined || next === undefined) return;
  if (!behaviour.delivery.wants(subscription, next)) return;
  behaviour.serialize.envelope(next, world);
  for (const secret of behaviour.delivery.secrets(subscription, world.nowMs)) beginHmac(secret);
}

/** One attempt from its start on, as it will be told. */
class AttemptSender {
  readonly #context: SendContext;
  readonly #send: SendAttempt;
  readonly #startedAtMs: number;
  readonly #beganMs = performance.now();

  constructor(context: SendContext, send: SendAttempt) {
    this.#context = context;
    this.#send = send;
    this.#startedAtMs = context.world.nowMs;
  }

  /** An attempt that never left. */
  failed(error: string): SendResult {
    return this.#answered(null, error, null);
  }

  post(target: FoundTarget, parcel: Parcel): Promise<SendResult> {
    if ('refused' in target) return Promise.resolve(this.#refused(target.refused));
    if ('unresolved' in target) return Promise.resolve(this.failed(target.unresolved));
    const signed = sign(this.#context, parcel, this.#send);
    const request = requestOf(this.#context, target, signed, performance.now() - this.#beganMs);
    return this.#context.deliverer.deliver(request).then((outcome) => {
      const result =
        outcome.refusedTarget === undefined
          ? this.#answered(outcome.status, outcome.error, signed.signature)
          : this.#refused(outcome.refusedTarget);
      return this.#send.fault === 'duplicate' ? this.#again(request, result) : result;
    });
  }

  /** EVT-4: at least once, so a fault may send the same thing twice. */
  async #again(request: DeliveryRequest, result: SendResult): Promise<SendResult> {
    const parcel = findParcel(this.#context, this.#send);
    if (typeof parcel !== 'string') await this.#context.deliverer.deliver(request);
    return result;
  }

  #refused(why: string): SendResult {
    return { kind: 'target-refused', deliveryId: this.#send.deliveryId, why };
  }

  #answered(status: number | null, error: string | null, signature: string | null): SendResult {
    const { deliveryId, attempt } = this.#send;
    const startedAtMs = this.#startedAtMs;
    const durationMs = Math.round(performance.now() - this.#beganMs);
    const answer = { deliveryId, attempt, startedAtMs, status, error, durationMs, signature };
    return { kind: 'answered', answer };
  }
}

interface Parcel {
  readonly subscription: Subscription;
  readonly event: EventRecord;
}

/** What is to be sent to whom, or why it is not. */
function findParcel({ world }: SendContext, { deliveryId }: SendAttempt): Parcel | string {
  const delivery = world.deliveries.get(deliveryId);
  const subscription =
    delivery === undefined ? undefined : world.subscriptions.get(delivery.subscription_id);
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

/** EVT-11: the target as it resolves now; waits only where a name has to be looked up. */
function findTarget(
  context: SendContext,
  { url }: Subscription,
): FoundTarget | Promise<FoundTarget> {
  const { world, deliverer } = context;
  const target = parseTargetUrl(url, world.options.allowLocalWebhooks);
  if (target.kind === 'refused') {
    // A deviation may have let in what cannot be parsed as a target, and then it is sent as it is.
    return judgeTarget(context, url, { url, addresses: null });
  }
  const { href, hostname, origin, address } = target;
  const forward = world.forwards.get(origin);
  const to = forward === undefined ? href : forwarded(`${href} ${forward}`);
  if (address !== null) {
    return judgeTarget(context, url, {
      url: to,
      addresses: forward === undefined ? [address] : null,
    });
  }
  const judge = (addresses: readonly string[] | null): FoundTarget => {
    // NS-23: a name that does not resolve now may do so later: a failed attempt, not the end.
    if (addresses?.length === 0) return { unresolved: `${hostname} does not resolve` };
    const pins = forward === undefined ? addresses : null;
    return judgeTarget(context, url, { url: to, addresses: pins }, addresses);
  };
  const named = world.names.get(hostname);
  if (named !== undefined) return judge(named);
  // A forwarded name counts as public unless an operator says what it resolves to.
  if (forward !== undefined) return judge(null);
  return deliverer.resolve(hostname).then(judge);
}

function judgeTarget(
  { world, behaviour }: SendContext,
  url: string,
  target: Target,
  addresses: readonly string[] | null = null,
): FoundTarget {
  if (!behaviour.delivery.rechecksTarget) return target;
  const why = behaviour.webhooks.refuseTarget(url, addresses, world);
  return why === null ? target : { refused: why };
}

const forwarded = memoize((pair) => {
  const [url = '', forward = ''] = pair.split(' ');
  return forwardedUrl(url, forward);
});

/**
 * A forward with a path of its own is the whole URL; a bare origin keeps path and query of the
 * target.
 */
export function forwardedUrl(url: string, forward: string): string {
  const to = new URL(forward);
  if (to.pathname !== '/' || to.search !== '') return forward;
  const from = new URL(url);
  return new URL(`${from.pathname}${from.search}`, to).href;
}

interface Signed {
  readonly body: string;
  readonly signature: string;
  readonly headers: Readonly<Record<string, string>>;
}

function sign(
  { world, behaviour, wallMs }: SendContext,
  { subscription, event }: Parcel,
  { attempt, fault }: SendAttempt,
): Signed {
  const { delivery } = behaviour;
  const body = delivery.body(event, world, attempt);
  const tMs = fault === 'stale_timestamp' ? wallMs() - staleByMs : wallMs();
  const secrets = delivery.secrets(subscription, world.nowMs);
  const keys = fault === 'bad_signature' ? secrets.map((secret) => `${secret}!`) : secrets;
  const signature = delivery.signature(keys, tMs, body);
  return { body, signature, headers: delivery.headers(subscription, signature) };
}

function requestOf(
  { world, behaviour, cancelToken }: SendContext,
  { url, addresses }: Target,
  { body, headers }: Signed,
  spentMs: number,
): DeliveryRequest {
  const { delivery } = behaviour;
  const allowLocal = world.options.allowLocalWebhooks;
  return {
    url,
    addresses,
    headers,
    body,
    refuseAddress: (address) =>
      delivery.rechecksTarget ? refuseAddress(address, allowLocal) : null,
    // EVT-9b: fifteen seconds in all, looking up the name included.
    answerLimitMs: Math.max(1, delivery.connectionLimitMs - spentMs),
    followsRedirect: delivery.followsRedirect,
    cancelToken,
  };
}
