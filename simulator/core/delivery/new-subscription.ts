// A subscription as it begins, whoever makes it: the API, an operator, or a starting world.
import type { Behaviour } from '../behaviour.ts';
import type { Subscription } from '../records.ts';
import type { World } from '../world.ts';

type NewSubscriptionOptions = Pick<
  Subscription,
  'firmId' | 'brandId' | 'url' | 'categories' | 'createdAtMs'
> &
  Partial<Pick<Subscription, 'accountId' | 'clientId'>>;

/** Enabled, with a secret of its own, and due nothing of what has happened before (HOOK-2). */
export function newSubscription(
  world: World,
  behaviour: Behaviour,
  options: NewSubscriptionOptions,
): Subscription {
  return {
    id: world.counters.subscription + 1,
    accountId: null,
    clientId: null,
    ...options,
    disabled: false,
    disabledReason: null,
    lastDeliveredSeq: 0,
    secret: behaviour.webhooks.secret(world, world.counters.secret + 1),
    previousSecret: null,
    rotatedAtMs: null,
    cursorSeq: world.events.lastSeq,
    stopped: false,
  };
}
