// Makes one delivery attempt out of what core asked for: target checked again, body signed now, answer brought back.
import type { Behaviour } from '../core/behaviour.ts';
import type { DeliveryAnswer, Send } from '../core/deliveries.ts';
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

export async function sendDelivery(context: SendContext, send: Send): Promise<SendResult> {
  const { world, wallMs } = context;
  const startedAtMs = world.nowMs;
  const delivery = world.deliveries.get(send.deliveryId);
  const subscription =
    delivery === undefined ? undefined : world.subscriptions.get(delivery.subscriptionId);
  const event = delivery === undefined ? undefined : findEvent(world, delivery.seq);
  const answer = { deliveryId: send.deliveryId, attempt: send.attempt, startedAtMs };
  if (subscription === undefined || event === undefined) {
    const error = 'the event is no longer kept';
    const gone = { ...answer, status: null, error, durationMs: 0, signature: null };
    return { kind: 'answered', answer: gone };
  }
  const beganMs = wallMs();
  const target = await findTarget(context, subscription);
  if ('refused' in target) {
    return { kind: 'target-refused', deliveryId: send.deliveryId, why: target.refused };
  }
  if ('unresolved' in target) {
    const failed = { status: null, error: target.unresolved, durationMs: wallMs() - beganMs };
    return { kind: 'answered', answer: { ...answer, ...failed, signature: null } };
  }
  const signed = sign(context, subscription, event, send);
  const outcome = await post(context, target, signed, send, wallMs() - beganMs);
  if (outcome.refusedTarget !== undefined) {
    return { kind: 'target-refused', deliveryId: send.deliveryId, why: outcome.refusedTarget };
  }
  const { status, error } = outcome;
  const durationMs = wallMs() - beganMs;
  const { signature } = signed;
  return { kind: 'answered', answer: { ...answer, status, error, durationMs, signature } };
}

interface Target {
  readonly url: string;
  readonly addresses: readonly string[] | null;
}

type FoundTarget = Target | { readonly refused: string } | { readonly unresolved: string };

/** EVT-11: the target as it resolves now; a forward goes to its own URL, once the name is judged. */
async function findTarget(context: SendContext, subscription: Subscription): Promise<FoundTarget> {
  const { world, behaviour, deliverer } = context;
  const { url } = subscription;
  const allowLocal = world.options.allowLocalWebhooks;
  const target = parseTargetUrl(url, { allowLocal, space: behaviour.webhooks.space });
  const hostname = target.kind === 'target' && target.address === null ? target.hostname : null;
  const origin = target.kind === 'target' ? target.origin : new URL(url).origin;
  const forward = world.forwards.get(origin);
  const named = hostname === null ? undefined : world.names.get(hostname);
  const looksUp = hostname !== null && named === undefined && forward === undefined;
  const addresses = looksUp ? await deliverer.resolve(hostname) : (named ?? null);
  if (looksUp && addresses?.length === 0) {
    // NS-23: a name that does not resolve now may do so later: a failed attempt, not the end.
    return { unresolved: `${hostname} does not resolve` };
  }
  if (behaviour.delivery.rechecksTarget) {
    const why = behaviour.webhooks.refuseTarget(url, addresses, world);
    if (why !== null) return { refused: why };
  }
  if (forward !== undefined) return { url: forwardedUrl(url, forward), addresses: null };
  const literal = target.kind === 'target' && target.address !== null ? [target.address] : null;
  return { url, addresses: literal ?? addresses };
}

/** A forward with a path of its own is the whole URL; a bare origin keeps the path and query of the target. */
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
  subscription: Subscription,
  event: EventRecord,
  send: Send,
): Signed {
  const { delivery } = behaviour;
  const body = delivery.body(event, world, send.attempt);
  const tMs = send.twist === 'stale_timestamp' ? wallMs() - staleByMs : wallMs();
  const secrets = delivery.secrets(subscription, world.nowMs);
  const keys = send.twist === 'bad_signature' ? secrets.map((secret) => `${secret}!`) : secrets;
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
  if (send.twist === 'duplicate') await deliverer.deliver(order);
  return outcome;
}
