// Makes one delivery attempt: checks the target again, signs the body, and reports the answer.
import type { Behaviour } from '../../core/behaviour.ts';
import type { DeliveryAnswer, RefusedTarget, SendAttempt } from '../../core/delivery/deliveries.ts';
import type { EventRecord, Subscription } from '../../core/records.ts';
import { refuseAddress } from '../../core/values/address.ts';
import { parseTargetUrl } from '../../core/values/target-url.ts';
import { findEvent, type World } from '../../core/world.ts';
import type { CancelToken, Deliverer, DeliveryRequest } from './deliverer.ts';

export interface SendContext {
  readonly world: World;
  readonly behaviour: Behaviour;
  readonly deliverer: Deliverer;
  /** EVT-5b: wall-clock time, because real receivers compare with theirs. */
  readonly wallMs: () => number;
  /** Aborts the attempt. */
  readonly cancelToken: CancelToken;
  /** Filled as soon as the request is signed, because it may time out before it is answered. */
  readonly sent: { signature: string | null };
}

export type SendResult =
  | { readonly kind: 'answered'; readonly answer: DeliveryAnswer }
  | ({ readonly kind: 'target-refused' } & RefusedTarget);

const staleByMs = 3600 * 1000;

/** Never rejects. */
export async function sendAttempt(context: SendContext, send: SendAttempt): Promise<SendResult> {
  const startedAtMs = context.world.nowMs;
  const beganMs = performance.now();
  const answered = (status: number | null, error: string | null, signature: string | null) => {
    const { deliveryId, attempt } = send;
    const durationMs = Math.round(performance.now() - beganMs);
    const answer = { deliveryId, attempt, startedAtMs, status, error, durationMs, signature };
    return { kind: 'answered', answer } as const;
  };
  const refused = (why: string) =>
    ({ kind: 'target-refused', deliveryId: send.deliveryId, why }) as const;
  let parcel = findParcel(context, send);
  if (typeof parcel === 'string') return answered(null, parcel, null);
  const found = findTarget(context, parcel.subscription);
  const target = 'then' in found ? await found : found;
  // EVT-13, EVT-7: the subscription may have been disabled or rotated during the look-up.
  if ('then' in found) parcel = findParcel(context, send);
  if (typeof parcel === 'string') return answered(null, parcel, null);
  if ('refused' in target) return refused(target.refused);
  if ('unresolved' in target) return answered(null, target.unresolved, null);
  const { request: unlimited, signature } = signedRequest(context, parcel, send, target);
  context.sent.signature = signature;
  // EVT-9b: fifteen seconds in all, including the look-up.
  const leftMs = context.behaviour.delivery.connectionLimitMs - (performance.now() - beganMs);
  const request = { ...unlimited, answerLimitMs: Math.max(1, leftMs) };
  const { status, error, refusedTarget } = await context.deliverer.deliver(request);
  const result =
    refusedTarget === undefined ? answered(status, error, signature) : refused(refusedTarget);
  // EVT-4: delivery is at least once, so a fault may send a duplicate.
  if (send.fault === 'duplicate' && typeof findParcel(context, send) !== 'string') {
    await context.deliverer.deliver(request);
  }
  return result;
}

interface Parcel {
  readonly subscription: Subscription;
  readonly event: EventRecord;
}

/** The request to send, or why it is not sent. */
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
  const to = forward === undefined ? href : forwardedUrl(href, forward);
  const pinned = (addresses: readonly string[] | null): Target => ({
    url: to,
    addresses: forward === undefined ? addresses : null,
  });
  if (address !== null) return judge(pinned([address]));
  const judgeName = (addresses: readonly string[] | null): FoundTarget =>
    // NS-23: a name that does not resolve now may do so later, so this is only a failed attempt.
    addresses?.length === 0
      ? { unresolved: `${hostname} does not resolve` }
      : judge(pinned(addresses), addresses);
  const named = world.names.get(hostname);
  if (named !== undefined) return judgeName(named);
  // A forwarded name counts as public unless an operator says what it resolves to.
  return forward === undefined ? deliverer.resolve(hostname).then(judgeName) : judgeName(null);
}

/** A forward with a path is used as it is; a bare origin keeps path and query of the target. */
export function forwardedUrl(url: string, forward: string): string {
  const to = new URL(forward);
  if (to.pathname !== '/' || to.search !== '') return forward;
  const from = new URL(url);
  return new URL(`${from.pathname}${from.search}`, to).href;
}

/** The signed request for a parcel. */
function signedRequest(
  { world, behaviour, wallMs, cancelToken }: SendContext,
  { subscription, event }: Parcel,
  { attempt, fault }: SendAttempt,
  { url, addresses }: Target,
) {
  const { delivery } = behaviour;
  const body = delivery.body(event, world, attempt);
  const tMs = fault === 'stale_timestamp' ? wallMs() - staleByMs : wallMs();
  const secrets = delivery.secrets(subscription, world.nowMs);
  const keys = fault === 'bad_signature' ? secrets.map((secret) => `${secret}!`) : secrets;
  const signature = delivery.signature(keys, tMs, body);
  const allowLocal = world.options.allowLocalWebhooks;
  const request: Omit<DeliveryRequest, 'answerLimitMs'> = {
    ...{ url, addresses, body, cancelToken },
    headers: delivery.headers(subscription, signature),
    refuseAddress: (address) =>
      delivery.rechecksTarget ? refuseAddress(address, allowLocal) : null,
    followsRedirects: delivery.followsRedirects,
  };
  return { request, signature };
}
