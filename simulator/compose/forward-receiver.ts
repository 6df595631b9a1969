// The subscription of `forwardTo`: every event of the first firm, delivered to a local URL.

import type { Forward } from '../../fixtures/config.ts';
import { eventCategories } from '../../fixtures/event-kinds.ts';
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
  const { id, secret } = findReceiver(first) ?? makeReceiver(first);
  return { id, url, secret, forwards_to: forwardTo };
}

function findReceiver({ world }: WorldHost): Subscription | undefined {
  return [...world.subscriptions.values()].find((one) => one.url === url && !one.disabled);
}

function makeReceiver(host: WorldHost): Subscription {
  const [firm] = host.world.firms.keys();
  host.execute('makeSubscription', {
    firm_id: firm ?? '1',
    url,
    event_categories: eventCategories,
  });
  const existing = findReceiver(host);
  if (existing === undefined) throw new Error('the subscription of forwardTo could not be made');
  return existing;
}
