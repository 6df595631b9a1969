// Makes one delivery attempt out of what core asked for: target checked again, body signed now,
// answer brought back.
import type { Behaviour } from '../core/behaviour.ts';
import type { Send } from '../core/deliveries.ts';
import type { DeliveryAnswer } from '../core/delivery-answers.ts';
import type { EventRecord, Subscription } from '../core/records.ts';
import { explainAddress } from '../core/values/address.ts';
import { parseTargetUrl, targetSpace } from '../core/values/target-url.ts';
import { findEvent, type World } from '../core/world.ts';
import type { Deliverer, DeliveryOutcome } from './deliverer.ts';

export interface SendContext {
  readonly world: World;
  readonly behaviour: Behaviour;
  readonly deliverer: Deliverer;
  /** EVT-5b: the wall's time, because real receivers check theirs. */
  readonly wallMs: () => number;
  readonly signal: AbortSignal;
}

export type SendResult =
  | { readonly kind: 'answered'; readonly answer: DeliveryAnswer }
  | { readonly kind: 'target-refused'; readonly deliveryId: string; readonly why: string };

const staleByMs = 3600 * 1000;

/** Never rejects. */
export async function sendDelivery(context: SendContext, send: Send): Promise<SendResult> {
  const startedAtMs = context.world.nowMs;
  const beganMs = performance.now();
  const answered = (outcome: DeliveryOutcome, signature: string | null): SendResult => ({
    kind: 'answered',
    answer: {
      deliveryId: send.deliveryId,
      attempt: send.attempt,
      startedAtMs,
      status: outcome.status,
      error: outcome.error,
      durationMs: Math.round(performance.now() - beganMs),
      signature,
    },
  });
  const refused = (why: string): SendResult => {
    return { kind: 'target-refused', deliveryId: send.deliveryId, why };
  };
  const before = findParcel(context, send);
  if (typeof before === 'string') return answered({ status: null, error: before }, null);
  const found = findTarget(context, before.subscription);
  const target = 'then' in found ? await found : found;
  if ('refused' in target) return refused(target.refused);
  if ('unresolved' in target) return answered({ status: null, error: target.unresolved }, null);
  // EVT-13, EVT-7: while the name was looked up the subscription may have been disabled or rotated.
  const parcel = findParcel(context, send);
  if (typeof parcel === 'string') return answered({ status: null, error: parcel }, null);
  const signed = sign(context, parcel, send);
  const outcome = await post(context, target, signed, send, performance.now() - beganMs);
  if (outcome.refusedTarget !== undefined) return refused(outcome.refusedTarget);
  return answered(outcome, signed.signature);
}

interface Parcel {
  readonly subscription: Subscription;
  readonly event: EventRecord;
}

/** What is to be sent to whom, or why it is not. */
function findParcel({ world }: SendContext, { deliveryId }: Send): Parcel | string {
  const delivery = world.deliveries.get(deliveryId);
  const subscription =
    delivery === undefined ? undefined : world.subscriptions.get(delivery.subscriptionId);
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
  const { world, behaviour, deliverer } = context;
  const { space } = behaviour.webhooks;
  const target = parseTargetUrl(url, { allowLocal: world.options.allowLocalWebhooks, space });
  if (target.kind === 'refused') {
    // A deviation may have let in what cannot be parsed as a target, and then it is sent as it is.
    return judgeTarget(context, url, { url, addresses: null });
  }
  const { href, hostname, origin, address } = target;
  const forward = world.forwards.get(origin);
  const to = forward === undefined ? href : forwardedUrl(href, forward);
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

/**
 * A forward with a path of its own is the whole URL; a bare origin keeps path and query of the
 * target.
 */
function forwardedUrl(url: string, forward: string): string {
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
  { attempt, twist }: Send,
): Signed {
  const { delivery } = behaviour;
  const body = delivery.body(event, world, attempt);
  const tMs = twist === 'stale_timestamp' ? wallMs() - staleByMs : wallMs();
  const secrets = delivery.secrets(subscription, world.nowMs);
  const keys = twist === 'bad_signature' ? secrets.map((secret) => `${secret}!`) : secrets;
  const signature = delivery.signature(keys, tMs, body);
  return { body, signature, headers: delivery.headers(subscription, signature) };
}

async function post(
  context: SendContext,
  target: Target,
  { body, headers }: Signed,
  send: Send,
  spentMs: number,
): Promise<DeliveryOutcome> {
  const { world, behaviour, deliverer, signal } = context;
  const { webhooks, delivery } = behaviour;
  const allowLocal = world.options.allowLocalWebhooks;
  const space = targetSpace({ allowLocal, space: webhooks.space });
  const order = {
    ...target,
    headers,
    body,
    refuseAddress: (address: string) => {
      if (!delivery.rechecksTarget) return null;
      const judged = explainAddress(address, space);
      return judged.public ? null : judged.why;
    },
    // EVT-9b: fifteen seconds in all, looking up the name included.
    answerLimitMs: Math.max(1, delivery.answerLimitMs - spentMs),
    followsRedirects: delivery.followsRedirects,
    signal,
  };
  const outcome = await deliverer.deliver(order);
  // EVT-4: at least once, so a fault may send the same thing twice.
  if (send.twist === 'duplicate' && typeof findParcel(context, send) !== 'string') {
    await deliverer.deliver(order);
  }
  return outcome;
}
