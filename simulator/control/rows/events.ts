// Rows of events, subscriptions and deliveries.

import { eventCategories } from '../../../fixtures/event-kinds.ts';
import { id, listOf, object, oneOf, orNull, text, whole } from '../../../fixtures/schemas/kit.ts';
import type { Delivery, Subscription } from '../../core/records.ts';
import { eventId } from '../../core/serialize.ts';
import { findEvent } from '../../core/world.ts';
import type { WorldHost } from '../../host/world/world-host.ts';
import {
  defaultLimit,
  limitParameter,
  listSchema,
  mostLooked,
  wholeListSchema,
} from '../paging.ts';
import {
  type DeliveryShown,
  deliverySchema,
  envelopeSchema,
  subscriptionSchema,
  viewDelivery,
  viewSubscription,
  viewWaiting,
} from '../records.ts';
import { execute, JsonText } from '../reply.ts';
import { row } from '../row.ts';
import { readWhenThere, waitParameter } from '../wait-for-page.ts';

interface EventQuery {
  readonly after_seq?: number;
  readonly kind?: string;
  readonly account_id?: string;
  readonly limit?: number;
}

function readEvents({ world, behaviour }: WorldHost, query: EventQuery) {
  const { after_seq = 0, limit = defaultLimit, kind, account_id } = query;
  const { first, lastSeq } = world.events;
  const envelopes: string[] = [];
  let seq = Math.max(first, after_seq + 1);
  const end = Math.min(lastSeq, seq + mostLooked);
  for (; seq <= end && envelopes.length < limit; seq += 1) {
    const event = findEvent(world, seq);
    if (event === undefined || (kind !== undefined && kind !== event.kind)) continue;
    if (account_id !== undefined && account_id !== event.account_id) continue;
    envelopes.push(behaviour.serialize.envelope(event, world));
  }
  return { envelopes, next: seq <= lastSeq ? seq - 1 : null, lastSeq };
}

/** Events looked at for those that wait: a stopped subscription may have many of them. */
const mostWaiting = 20_000;

/** Events of a subscription that wait behind others and are no deliveries yet. */
function* waiting({ world, behaviour }: WorldHost, subscription: Subscription): Generator<number> {
  if (subscription.disabled) return;
  const from = Math.max(subscription.cursor_seq + 1, world.events.first);
  const to = Math.min(world.events.lastSeq, from + mostWaiting);
  for (let seq = from; seq <= to; seq += 1) {
    const event = findEvent(world, seq);
    if (event !== undefined && behaviour.delivery.wants(subscription, event)) yield seq;
  }
}

interface DeliveryQuery {
  readonly subscription_id?: number;
  readonly event_id?: string;
  readonly status?: Delivery['status'];
  readonly after?: number;
  readonly limit?: number;
}

function fits({ world }: WorldHost, delivery: Delivery, query: DeliveryQuery): boolean {
  const { after = 0, subscription_id, event_id, status } = query;
  if (Number(delivery.id) <= after) return false;
  if (subscription_id !== undefined && subscription_id !== delivery.subscription_id) return false;
  if (event_id !== undefined && event_id !== eventId(world, delivery.seq)) return false;
  return status === undefined || status === delivery.status;
}

function listDeliveries(host: WorldHost, query: DeliveryQuery) {
  const { limit = defaultLimit } = query;
  const deliveries: DeliveryShown[] = [];
  for (const delivery of host.world.deliveries.values()) {
    if (!fits(host, delivery, query)) continue;
    if (deliveries.length === limit) {
      return { deliveries, next_after: Number(deliveries[limit - 1]?.id) };
    }
    deliveries.push(viewDelivery(host, delivery));
  }
  addWaiting(host, query, limit, deliveries);
  return { deliveries, next_after: null };
}

/** Fills the page with events that wait behind others. */
function addWaiting(
  host: WorldHost,
  { subscription_id, event_id, status = 'pending' }: DeliveryQuery,
  limit: number,
  deliveries: DeliveryShown[],
): void {
  if (status !== 'pending') return;
  for (const subscription of host.world.subscriptions.values()) {
    if (subscription_id !== undefined && subscription_id !== subscription.id) continue;
    for (const seq of waiting(host, subscription)) {
      if (deliveries.length === limit) return;
      if (event_id !== undefined && event_id !== eventId(host.world, seq)) continue;
      deliveries.push(viewWaiting(host, subscription, seq));
    }
  }
}

export const eventRows = {
  listEvents: row('GET', 'events', {
    summary: 'List the events',
    description: 'Envelopes by ascending sequence number; seven days are kept (EVT-10b).',
    query: {
      'after_seq?': whole('Those with a greater sequence number.', 0, 1e15),
      'kind?': text('Of one kind, such as transaction.approved.'),
      'account_id?': id('About one account.'),
      'limit?': limitParameter,
      'wait_ms?': waitParameter,
    },
    answer: object('A page of them.', {
      events: listOf(envelopeSchema, 'In sequence.'),
      next_after_seq: orNull(whole('For the next page; null on the last one.', 0, 1e15)),
      last_seq: whole('The last event there is.', 0, 1e15),
    }),
    run: async (context) => {
      const { envelopes, next, lastSeq } = await readWhenThere(context, {
        read: () => readEvents(context.host, context.query),
        isEmpty: (page) => page.envelopes.length === 0 && page.next === null,
        after: ['event'],
      });
      return new JsonText(
        `{"events":[${envelopes.join(',')}],"next_after_seq":${next},"last_seq":${lastSeq}}`,
      );
    },
  }),
  createEvent: row('POST', 'events', {
    summary: 'Make an event',
    description: 'It gets the next sequence number and is delivered like any other (EVT-2a).',
    body: object('What happened.', {
      category: oneOf('Its category.', eventCategories),
      'kind?': text('Such as transaction.approved; CATEGORY.custom by default.'),
      'account_id?': id('The account it is about.'),
      'brand_id?': id('The brand; by default that of the account.'),
      'data?': { type: 'object', description: 'The record in the envelope; empty by default.' },
    }),
    status: 201,
    answer: envelopeSchema,
    run: ({ host, body }) =>
      new JsonText(
        host.behaviour.serialize.envelope(execute(host, 'makeEvent', body).event, host.world),
      ),
  }),
};

export const deliveryRows = {
  listSubscriptions: row('GET', 'subscriptions', {
    summary: 'List the webhook subscriptions of all firms',
    answer: wholeListSchema('subscriptions', subscriptionSchema),
    run: ({ host }) => ({
      subscriptions: [...host.world.subscriptions.values()].map((each) =>
        viewSubscription(host, each),
      ),
    }),
  }),
  resumeSubscription: row('POST', 'subscriptions/{id}/resume', {
    summary: 'Resume a subscription after exhaustion',
    description: 'From the event that was not delivered, with a fresh timetable (NS-28).',
    answer: subscriptionSchema,
    refusals: { 409: 'It is disabled, and nothing resumes that (HOOK-13).' },
    run: ({ host, params }) =>
      viewSubscription(host, execute(host, 'resumeSubscription', params).subscription),
  }),
  listDeliveries: row('GET', 'deliveries', {
    summary: 'List the deliveries',
    description:
      'In the order in which they began: all that are not finished and the last finished ones; after them, as far as the limit goes, the events that wait behind others.',
    query: {
      'subscription_id?': whole('Of one subscription.', 1, 1e15),
      'event_id?': text('Of one event.'),
      'status?': oneOf('In one status.', ['pending', 'delivered', 'exhausted', 'stopped']),
      'after?': whole('Those with a greater id.', 0, 1e15),
      'limit?': limitParameter,
      'wait_ms?': waitParameter,
    },
    answer: listSchema('deliveries', deliverySchema),
    run: (context) =>
      readWhenThere(context, {
        read: () => listDeliveries(context.host, context.query),
        isEmpty: ({ deliveries }) => deliveries.length === 0,
        after: ['delivery', 'event', 'command'],
      }),
  }),
  retryDelivery: row('POST', 'deliveries/{id}/retry', {
    summary: 'Attempt a delivery now',
    description: 'It answers when the attempt has begun; a delivered one is sent once more.',
    answer: deliverySchema,
    refusals: { 409: 'An attempt is under way, or its subscription is disabled.' },
    run: ({ host, params }) => viewDelivery(host, execute(host, 'retryDelivery', params).delivery),
  }),
};
