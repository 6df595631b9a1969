// Subscriptions of a starting world, with the deliveries they have had.
import { parseAgo } from '../../../fixtures/worlds/parse-ago.ts';
import type {
  DeliveryFixture,
  SubscriptionFixture,
} from '../../../fixtures/worlds/world-fixture.ts';
import type { Behaviour } from '../behaviour.ts';
import { newSubscription } from '../delivery/new-subscription.ts';
import { evolve } from '../evolve.ts';
import type { Delivery, DeliveryAttempt, EventRecord, Subscription } from '../records.ts';
import type { World } from '../world.ts';

export function seedSubscriptions(
  world: World,
  behaviour: Behaviour,
  fixtures: readonly SubscriptionFixture[],
  startMs: number,
): void {
  for (const fixture of fixtures) seedSubscription(world, behaviour, fixture, startMs);
}

function seedSubscription(
  world: World,
  behaviour: Behaviour,
  fixture: SubscriptionFixture,
  startMs: number,
): void {
  const createdAtMs = startMs - (parseAgo(fixture.ago) ?? 0);
  const disabledAgo = fixture.disabled_ago === undefined ? null : parseAgo(fixture.disabled_ago);
  const endMs = disabledAgo === null ? startMs : startMs - disabledAgo;
  let subscription: Subscription = {
    ...newSubscription(world, behaviour, {
      firm_id: fixture.firm_id,
      brand_id: fixture.brand_id ?? null,
      url: fixture.url,
      event_categories: fixture.event_categories,
      created_at: createdAtMs,
    }),
    disabled: disabledAgo !== null,
    disabled_reason: disabledAgo === null ? null : 'Disabled by request.',
  };
  evolve(world, [
    { type: 'counted', counter: 'secret', to: world.counters.secret + 1 },
    { type: 'subscription-set', subscription },
  ]);
  for (const event of world.events.records) {
    if (event.occurred_at < createdAtMs || event.occurred_at > endMs) continue;
    if (!behaviour.delivery.wants(subscription, event)) continue;
    const delivery = historyOf(world, behaviour, subscription, event, fixture.deliveries ?? []);
    // Pending first, so that it is counted among the finished ones when it ends.
    evolve(world, [{ type: 'delivery-set', delivery: { ...delivery, status: 'pending' } }]);
    evolve(world, [{ type: 'delivery-set', delivery }]);
    const ended = delivery.status === 'delivered';
    subscription = ended
      ? { ...subscription, last_delivered_seq: event.seq }
      : { ...subscription, stopped: true, cursor_seq: event.seq };
    if (!ended) break;
  }
  evolve(world, [{ type: 'subscription-set', subscription }]);
}

function historyOf(
  world: World,
  behaviour: Behaviour,
  subscription: Subscription,
  event: EventRecord,
  fixtures: readonly DeliveryFixture[],
): Delivery {
  const { delivery: policy } = behaviour;
  const told = fixtures.find(
    ({ kind, record_id: id }) => kind === event.kind && isAbout(event, id),
  );
  const tries = told?.attempts ?? [{ status: 200, duration_ms: 20 }];
  const body = policy.body(event, world, 1);
  const attempts: DeliveryAttempt[] = [];
  let atMs = event.occurred_at;
  for (const [index, { status, error, duration_ms: durationMs }] of tries.entries()) {
    const signature = policy.signature([subscription.secret], atMs, body);
    attempts.push({
      n: index + 1,
      at_ms: atMs,
      status,
      error: error ?? null,
      duration_ms: durationMs,
      signature,
    });
    atMs += durationMs + (policy.gapsMs[index] ?? 0);
  }
  const last = attempts[attempts.length - 1];
  const delivered = last?.status != null && policy.succeeded(last.status);
  return {
    id: String(world.counters.delivery + 1),
    subscription_id: subscription.id,
    seq: event.seq,
    status: delivered ? 'delivered' : 'exhausted',
    attempts,
    in_flight: false,
    next_due_ms: null,
    round_start: 0,
  };
}

function isAbout(event: EventRecord, recordId: string): boolean {
  const { id } = JSON.parse(event.body) as { id?: unknown };
  return id === recordId;
}
