// Rows of deliveries and subscriptions: what was sent, what waits, and going on by hand.

import { oneOf, text, whole } from '../../../../fixtures/schemas/kit.ts';
import type { Delivery, Subscription } from '../../../core/records.ts';
import type { WorldHost } from '../../../host/world/world-host.ts';
import { eventId, findEvent } from '../../../host/world/world-reads.ts';
import { defaultLimit, limitParameter, listSchema, wholeListSchema } from '../../paging.ts';
import { answer, answerCommand } from '../../reply.ts';
import { row } from '../../row.ts';
import { type DeliveryShown, deliverySchema, subscriptionSchema } from '../../schemas/records.ts';
import { viewDelivery, viewSubscription, viewWaiting } from '../../views/records.ts';
import { readWhenThere, waitParameter } from '../../wait-for-page.ts';

/**
 * Events looked at in search of those that wait; what is behind a stopped subscription can be long.
 */
const mostLooked = 20_000;

/** Events that wait behind others and have not become deliveries yet. */
function* waiting(host: WorldHost, subscription: Subscription): Generator<number> {
  const { world, behaviour } = host;
  if (subscription.disabled) return;
  const from = Math.max(subscription.cursor_seq + 1, world.events.first);
  const to = Math.min(world.events.lastSeq, from + mostLooked);
  for (let seq = from; seq <= to; seq += 1) {
    const event = findEvent(world, seq);
    if (event !== undefined && behaviour.delivery.wants(subscription, event)) yield seq;
  }
}

/** Those that have been begun, and at most so many of those that wait. */
export function countPending({ world }: WorldHost): number {
  let count = 0;
  for (const open of world.openDeliveries.values()) count += open.size;
  return count;
}

interface Asked {
  readonly subscription_id?: number;
  readonly event_id?: string;
  readonly status?: Delivery['status'];
  readonly after?: number;
  readonly limit?: number;
}

function isMatch({ world }: WorldHost, delivery: Delivery, asked: Asked): boolean {
  const { after = 0, subscription_id, event_id, status } = asked;
  if (Number(delivery.id) <= after) return false;
  if (subscription_id !== undefined && subscription_id !== delivery.subscription_id) return false;
  if (event_id !== undefined && event_id !== eventId(world, delivery.seq)) return false;
  return status === undefined || status === delivery.status;
}

function listDeliveries(host: WorldHost, asked: Asked) {
  const { limit = defaultLimit } = asked;
  const { world } = host;
  const shown: DeliveryShown[] = [];
  for (const delivery of world.deliveries.values()) {
    if (!isMatch(host, delivery, asked)) continue;
    if (shown.length === limit) {
      return { deliveries: shown, next_after: Number(shown[limit - 1]?.id) };
    }
    shown.push(viewDelivery(host, delivery));
  }
  return {
    deliveries: [...shown, ...listWaiting(host, asked, limit - shown.length)],
    next_after: null,
  };
}

/** At most so many of those that wait behind others. */
function listWaiting(host: WorldHost, asked: Asked, limit: number): DeliveryShown[] {
  const { subscription_id, event_id, status = 'pending' } = asked;
  const { world } = host;
  const shown: DeliveryShown[] = [];
  if (status !== 'pending') return shown;
  for (const subscription of world.subscriptions.values()) {
    if (subscription_id !== undefined && subscription_id !== subscription.id) continue;
    for (const seq of waiting(host, subscription)) {
      if (shown.length === limit) return shown;
      if (event_id !== undefined && event_id !== eventId(world, seq)) continue;
      shown.push(viewWaiting(host, subscription, seq));
    }
  }
  return shown;
}

export const deliveryRows = [
  row({
    name: 'listDeliveries',
    method: 'GET',
    path: 'deliveries',
    tag: 'Deliveries',
    summary: 'The deliveries',
    description:
      'In the order in which they were begun: all that are not finished and the last finished ones; after them, as far as the limit goes, the events that wait behind others.',
    query: {
      subscription_id: whole('Of one subscription.', 1, 1e15),
      event_id: text('Of one event.'),
      status: oneOf('In one status.', ['pending', 'delivered', 'exhausted', 'stopped']),
      after: whole('Those with a greater id.', 0, 1e15),
      limit: limitParameter,
      wait_ms: waitParameter,
    },
    answer: { status: 200, words: 'A page.', schema: listSchema('deliveries', deliverySchema) },
    run: async (context) => {
      const page = await readWhenThere(context, {
        read: () => listDeliveries(context.host, context.query),
        isEmpty: ({ deliveries }) => deliveries.length === 0,
        after: ['delivery', 'event', 'command'],
      });
      return answer(page);
    },
  }),
  row({
    name: 'retryDelivery',
    method: 'POST',
    path: 'deliveries/{id}/retry',
    tag: 'Deliveries',
    summary: 'Attempt a delivery now',
    description: 'It answers when the attempt has begun; one delivered already is sent once more.',
    answer: { status: 200, words: 'The delivery.', schema: deliverySchema },
    refusals: { 409: 'An attempt is under way, or its subscription is disabled.' },
    run: ({ host, params }) =>
      answerCommand<{ delivery: Delivery }>(
        host.execute('retryDelivery', { id: params.id ?? '' }),
        ({ delivery }) => answer(viewDelivery(host, delivery)),
      ),
  }),
];

export const subscriptionRows = [
  row({
    name: 'listSubscriptions',
    method: 'GET',
    path: 'subscriptions',
    tag: 'Deliveries',
    summary: 'The webhook subscriptions of all firms',
    answer: {
      status: 200,
      words: 'All of them.',
      schema: wholeListSchema('subscriptions', subscriptionSchema),
    },
    run: ({ host }) => {
      const all = [...host.world.subscriptions.values()];
      return answer({ subscriptions: all.map((each) => viewSubscription(host, each)) });
    },
  }),
  row({
    name: 'resumeSubscription',
    method: 'POST',
    path: 'subscriptions/{id}/resume',
    tag: 'Deliveries',
    summary: 'Go on after exhaustion',
    description: 'From the event that was not delivered, with a fresh timetable (NS-28).',
    answer: { status: 200, words: 'The subscription.', schema: subscriptionSchema },
    refusals: { 409: 'It is disabled, and nothing resumes that (HOOK-13).' },
    run: ({ host, params }) =>
      answerCommand<{ subscription: Subscription }>(
        host.execute('resumeSubscription', { id: params.id ?? '' }),
        ({ subscription }) => answer(viewSubscription(host, subscription)),
      ),
  }),
];
