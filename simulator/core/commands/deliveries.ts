// Events made by an operator, and deliveries taken up again.

import type { EventCategory } from '../../../fixtures/event-kinds.ts';
import { disableChanges, resumeChanges } from '../delivery/delivery-answers.ts';
import { newSubscription } from '../delivery/new-subscription.ts';
import { startAttempt } from '../delivery/start-deliveries.ts';
import { evolve } from '../evolve.ts';
import { findEvent } from '../world.ts';
import { type CommandContext, type CommandOutcome, done, refused } from './command.ts';

export interface MakeEvent {
  readonly category: EventCategory;
  readonly kind?: string;
  readonly account_id?: string;
  readonly brand_id?: string;
  readonly firm_id?: string;
  readonly data?: unknown;
}

/** An event like any other: it gets the next sequence number and is delivered (EVT-2a). */
export function makeEvent({ world, behaviour }: CommandContext, args: MakeEvent): CommandOutcome {
  if (!behaviour.webhooks.categories.includes(args.category)) {
    return refused('category', `it is one of ${behaviour.webhooks.categories.join(', ')}`);
  }
  const account = args.account_id === undefined ? undefined : world.accounts.get(args.account_id);
  if (args.account_id !== undefined && account === undefined) {
    return refused('account_id', `there is no account ${args.account_id}`);
  }
  const brand = args.brand_id === undefined ? undefined : world.brands.get(args.brand_id);
  if (args.brand_id !== undefined && brand === undefined) {
    return refused('brand_id', `there is no brand ${args.brand_id}`);
  }
  if (account !== undefined && brand !== undefined && account.brand_id !== brand.id) {
    return refused('brand_id', `account ${account.id} is at brand ${account.brand_id}`);
  }
  const draft = {
    category: args.category,
    kind: args.kind ?? `${args.category}.custom`,
    firm_id:
      account?.firm_id ?? brand?.firm_id ?? args.firm_id ?? world.firms.keys().next().value ?? '1',
    brand_id: account?.brand_id ?? brand?.id ?? null,
    account_id: account?.id ?? null,
    body: JSON.stringify(args.data ?? {}),
  };
  evolve(world, [{ type: 'event-recorded', draft }]);
  return done({ event: findEvent(world, world.events.lastSeq) });
}

export interface MakeSubscription {
  readonly firm_id: string;
  readonly url: string;
  readonly event_categories: readonly EventCategory[];
}

/** A firm-wide subscription that nobody asked the API for; it gets what happens from now on. */
export function makeSubscription(
  { world, behaviour }: CommandContext,
  { firm_id: firmId, url, event_categories: categories }: MakeSubscription,
): CommandOutcome {
  if (!world.firms.has(firmId)) return refused('firm_id', `there is no firm ${firmId}`);
  const why = behaviour.webhooks.refuseTarget(url, null, world);
  if (why !== null) return refused('url', why);
  const subscription = newSubscription(world, behaviour, {
    firm_id: firmId,
    brand_id: null,
    url,
    event_categories: categories,
    created_at: world.nowMs,
  });
  evolve(world, [
    { type: 'counted', counter: 'secret', to: world.counters.secret + 1 },
    { type: 'subscription-set', subscription },
  ]);
  return done({ subscription });
}

/** HOOK-5: ends deliveries for good, as the API's own operation does. */
export function disableSubscription(
  { world }: CommandContext,
  { id, reason }: { readonly id: string; readonly reason: string },
): CommandOutcome {
  const subscription = world.subscriptions.get(Number(id));
  if (subscription === undefined) return refused('id', `there is no subscription ${id}`, 404);
  if (!subscription.disabled) evolve(world, disableChanges(world, subscription, reason));
  return done({ subscription: world.subscriptions.get(subscription.id) });
}

/** Attempts a waiting or exhausted delivery at once. */
export function retryDelivery(
  { world }: CommandContext,
  args: { readonly id: string },
): CommandOutcome {
  const delivery = world.deliveries.get(args.id);
  if (delivery === undefined) return refused('id', `there is no delivery ${args.id}`, 404);
  const subscription = world.subscriptions.get(delivery.subscription_id);
  if (subscription === undefined || subscription.disabled) {
    return refused('id', 'its subscription is disabled and stays so; make a new one', 409);
  }
  if (delivery.in_flight) return refused('id', 'an attempt is under way', 409);
  if (findEvent(world, delivery.seq) === undefined) {
    return refused('id', `event ${delivery.seq} is older than the seven days that are kept`, 409);
  }
  // NS-28: where delivery stands still because of it, this is what makes it go on. One that has
  // arrived, or was skipped, is sent once more by itself: its receiver sees it again (EVT-4).
  if (delivery.status === 'exhausted') evolve(world, resumeChanges(world, subscription));
  const begun = startAttempt(world, world.deliveries.get(args.id) ?? delivery);
  return done({ delivery: world.deliveries.get(args.id) }, [begun]);
}

/** NS-28: delivery goes on after it had stopped. */
export function resumeSubscription(
  { world }: CommandContext,
  args: { readonly id: string },
): CommandOutcome {
  const subscription = world.subscriptions.get(Number(args.id));
  if (subscription === undefined) return refused('id', `there is no subscription ${args.id}`, 404);
  if (subscription.disabled) {
    return refused('id', 'it is disabled, and nothing resumes that (HOOK-13); make a new one', 409);
  }
  evolve(world, resumeChanges(world, subscription));
  return done({ subscription: world.subscriptions.get(subscription.id) });
}
