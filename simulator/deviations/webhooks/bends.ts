// Bends of subscriptions that their families share.
import type { Subscription } from '../../core/records.ts';
import { type Bend, decision, type Json, policy } from '../bend.ts';

export const routes = [
  'createWebhook',
  'listWebhooks',
  'getWebhook',
  'rotateWebhookSecret',
  'disableWebhook',
] as const;

export const shown = (change: (body: Json, subscription: Subscription) => Json): Bend =>
  policy('serialize', (serialize) => ({
    subscription: (subscription, secret) =>
      JSON.stringify(
        change(JSON.parse(serialize.subscription(subscription, secret)) as Json, subscription),
      ),
  }));

/** Changes a subscription as an operation leaves it. */
export const left = (
  name: (typeof routes)[number],
  change: (after: Subscription) => Subscription,
): Bend =>
  decision(name, (given) => ({
    ...given,
    changes: given.changes.map((each) =>
      each.type === 'subscription-set'
        ? { ...each, subscription: change(each.subscription) }
        : each,
    ),
  }));
