// The subscription of `forwardTo`: every event of the first firm, delivered to a local URL.

import type { Forward } from '../../fixtures/config.ts';
import { type EventCategory, eventCategories } from '../../fixtures/event-kinds.ts';
import type { WorldFixture } from '../../fixtures/worlds.ts';
import type { Subscription } from '../core/records.ts';
import type { Sandbox } from '../host/world/sandbox.ts';
import type { WorldHost } from '../host/world/world-host.ts';

/** The target of its deliveries, and their signing secret. */
export interface ForwardReceiver {
  readonly id: number;
  readonly url: string;
  readonly secret: string;
  readonly forwards_to: string;
}

/** A reserved name (RFC 2606); its deliveries are forwarded to the receiver of `forwardTo`. */
const origin = 'https://receiver.example';
const url = `${origin}/`;

/** The starting world with a subscription to everything that happens at its first firm. */
export function withReceiver(fixture: WorldFixture): WorldFixture {
  const firm = fixture.firms[0]?.id ?? '1';
  const subscription = { firm_id: firm, url, event_categories: eventCategories, ago: '0s' };
  return { ...fixture, subscriptions: [...(fixture.subscriptions ?? []), subscription] };
}

export const forwardToReceiver = (to: string): Forward => ({ from: origin, to });

/**
 * Makes a world, including a loaded one, handle webhooks as the options say. Returns the
 * subscription of `forwardTo`.
 */
export function connectReceiver(
  { first, options }: Sandbox,
  forwardTo: string | undefined,
): ForwardReceiver | null {
  const allowLocalWebhooks = options.allowLocalWebhooks ?? false;
  first.world.options = { ...first.world.options, allowLocalWebhooks };
  // Not by a command: deliveries that are due in a loaded world would be sent before it runs.
  for (const { from, to } of options.forwards ?? []) first.world.forwards.set(from, to);
  if (forwardTo === undefined) return null;
  const { id, secret } = subscriptionTo(first, url);
  return { id, url, secret, forwards_to: forwardTo };
}

/** The enabled subscription with this URL; one is made if there is none. Default: the first firm. */
export function subscriptionTo(
  host: WorldHost,
  url: string,
  event_categories: readonly EventCategory[] = eventCategories,
  firmId?: string,
): Subscription {
  const { subscriptions, firms } = host.world;
  for (const each of subscriptions.values()) if (each.url === url && !each.disabled) return each;
  const firm_id = firmId ?? firms.keys().next().value ?? '1';
  const outcome = host.execute('makeSubscription', { firm_id, url, event_categories });
  if ('value' in outcome) return outcome.value;
  throw new TypeError(`${outcome.refused.field} ${outcome.refused.message}`);
}
