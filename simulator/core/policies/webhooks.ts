// Subscriptions and deliveries of the conforming service.
import { eventCategories } from '../../../fixtures/event-kinds.ts';
import type { Settings } from '../../../fixtures/settings.ts';
import type { DeliveryPolicy, SerializePolicy, WebhookPolicy } from '../behaviour.ts';
import { eventWindowMs } from '../evolve.ts';
import { answerLimitMs, retryGapsMs } from '../tables/retry-schedule.ts';
import { type AddressSpace, publicSpace } from '../values/address.ts';
import { seededToken } from '../values/digest.ts';
import { signatureHeader, signBody } from '../values/signature.ts';
import { judgeAddresses, parseTargetUrl, targetSpace } from '../values/target-url.ts';
import type { World } from '../world.ts';

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

export function webhookPolicy(settings: Settings): WebhookPolicy {
  const policy: WebhookPolicy = {
    space: publicSpace,
    refuseTarget: (url, addresses, world) =>
      refuseTarget(settings, url, addresses, world, policy.space),
    // HOOK-9.
    categories: eventCategories,
    secret: (world, count) =>
      `whsec_${seededToken(world.seed, `secret:${world.name}:${count}`, 40, alphabet)}`,
  };
  return policy;
}

/** HOOK-7, HOOK-8, EVT-11: why this url cannot be a target now; null when it can. */
function refuseTarget(
  settings: Settings,
  url: string,
  addresses: readonly string[] | null,
  world: World,
  space: AddressSpace,
): string | null {
  const allowLocal = world.options.allowLocalWebhooks;
  const target = parseTargetUrl(url, { allowLocal, space });
  if (target.kind === 'refused') return target.why;
  if (target.address !== null) return null;
  const named = world.names.get(target.hostname) ?? null;
  // A forwarded name counts as public unless an operator says what it resolves to.
  if (named === null && world.forwards.has(target.origin)) return null;
  const found = named ?? addresses ?? [];
  if (found.length === 0) {
    return settings.unresolvable_webhook_host === 'accepted'
      ? null
      : `url must lead to a public address: ${target.hostname} does not resolve`;
  }
  const judged = judgeAddresses(found, targetSpace({ allowLocal, space }));
  return judged.ok ? null : `url must lead to a public address: ${judged.why}`;
}

export function deliveryPolicy(settings: Settings, serialize: SerializePolicy): DeliveryPolicy {
  const overlapMs = settings.rotation_overlap_s * 1000;
  return {
    // EVT-1, EVT-12, NS-65.
    wants: (subscription, event) =>
      subscription.event_categories.includes(event.category) &&
      subscription.firm_id === event.firm_id &&
      (subscription.brand_id === null || subscription.brand_id === event.brand_id) &&
      (subscription.account_id === null || subscription.account_id === event.account_id),
    gapsMs: retryGapsMs,
    answerLimitMs,
    connectionLimitMs: answerLimitMs,
    // EVT-9a.
    succeeded: (status) => status >= 200 && status < 300,
    followsRedirect: null,
    // EVT-7, NS-22.
    secrets: ({ secret, previous_secret: previousSecret, rotated_at_ms: rotatedAtMs }, atMs) =>
      previousSecret !== null && rotatedAtMs !== null && atMs - rotatedAtMs < overlapMs
        ? [secret, previousSecret]
        : [secret],
    // EVT-5a, EVT-6.
    signature: (secrets, tMs, body) =>
      signatureHeader(
        tMs,
        secrets.map((secret) => signBody(secret, tMs, body)),
      ),
    // EVT-2a, EVT-2b.
    body: (event, world) => serialize.envelope(event, world),
    // EVT-3, NS-10.
    headers: (subscription, signature) => ({
      'content-type': 'application/json; charset=utf-8',
      [settings.signature_header]: signature,
      [settings.subscription_header]: String(subscription.id),
    }),
    // EVT-11.
    rechecksTarget: true,
    overlapMs,
    replayWindowMs: eventWindowMs,
  };
}
