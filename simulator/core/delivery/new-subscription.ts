// A subscription as it begins, whoever makes it: the API, an operator, or a starting world.
import type { Behaviour } from '../behaviour.ts';
import type { Subscription } from '../records.ts';
import type { World } from '../world.ts';

type NewSubscriptionOptions = Pick<
  Subscription,
  'firm_id' | 'brand_id' | 'url' | 'event_categories' | 'created_at'
> &
  Partial<Pick<Subscription, 'account_id' | 'client_id'>>;

/** Enabled, with a secret of its own, and due nothing of what has happened before (HOOK-2). */
export function newSubscription(
  world: World,
  behaviour: Behaviour,
  options: NewSubscriptionOptions,
): Subscription {
  return {
    id: world.counters.subscription + 1,
    account_id: null,
    client_id: null,
    ...options,
    disabled: false,
    disabled_reason: null,
    last_delivered_seq: 0,
    secret: behaviour.webhooks.secret(world, world.counters.secret + 1),
    previous_secret: null,
    rotated_at_ms: null,
    cursor_seq: world.events.lastSeq,
    stopped: false,
  };
}
