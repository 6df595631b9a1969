// The signature of a delivery (EVT-5a, EVT-5b, EVT-6, EVT-7).
import { createHmac } from 'node:crypto';
import type { SecondMind } from '../mind.ts';
import type { Subscription } from './records.ts';

export function sign(
  mind: SecondMind,
  subscription: Subscription,
  body: string,
  firstMs: number,
): string {
  const isRetry = firstMs < subscription.rotatedAtMs && subscription.previousSecret !== null;
  if (isRetry && mind.has('comb-retry-old-secret')) {
    const before = { ...subscription, secret: subscription.previousSecret!, previousSecret: null };
    return sign(mind, before, body, mind.now());
  }
  const t = timeOf(mind, firstMs);
  const name = mind.has('evt-no-v1') ? 'v2' : 'v1';
  const digests = secretsOf(mind, subscription).map((each) => digestOf(mind, each, t, body));
  const parts = [`t=${t}`, ...digests.map((each) => `${name}=${each}`)];
  return parts.join(mind.has('evt-semicolons') ? ';' : ',');
}

function timeOf(mind: SecondMind, firstMs: number): number {
  const nowMs = mind.style.signsWith === 'wall' ? Date.now() : mind.now();
  const t = mind.has('evt-t-of-event') ? nowMs - (mind.now() - firstMs) : nowMs;
  return mind.has('evt-t-seconds') ? Math.floor(t / 1000) : t;
}

function secretsOf(mind: SecondMind, subscription: Subscription): string[] {
  const { secret, previousSecret, rotatedAtMs, createdAtMs } = subscription;
  const sinceMs = mind.has('time-rotation-from-creation') ? createdAtMs : rotatedAtMs;
  const lasts = mind.now() - sinceMs < mind.style.rotationMs;
  if (previousSecret === null) return [secret];
  if (!lasts) return [mind.has('time-rotation-reverts') ? previousSecret : secret];
  if (mind.has('evt-rotation-new')) return [secret];
  return mind.has('evt-rotation-old') ? [previousSecret] : [secret, previousSecret];
}

function digestOf(mind: SecondMind, secret: string, t: number, body: string): string {
  const bytes = mind.has('evt-ascii-signed') ? Buffer.from(body, 'latin1') : Buffer.from(body);
  const signed = mind.has('size-body-4k-signed') ? bytes.subarray(0, 4096) : bytes;
  const dot = mind.has('evt-no-dot') ? '' : '.';
  const before = mind.has('evt-body-signed') ? '' : `${t}${dot}`;
  const digest = createHmac('sha256', secret)
    .update(before)
    .update(signed)
    .digest(mind.has('evt-base64') ? 'base64' : 'hex');
  return mind.has('evt-upper-digest') ? digest.toUpperCase() : digest;
}
