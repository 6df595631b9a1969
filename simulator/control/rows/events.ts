// Rows of events, subscriptions and deliveries.

import { eventCategories, likelyKind } from '../../../fixtures/event-kinds.ts';
import { id, listOf, object, oneOf, orNull, text, whole } from '../../../fixtures/schemas/kit.ts';
import { deliveryMembers } from '../../../fixtures/schemas/records.ts';
import type { Delivery } from '../../core/records.ts';
import { eventId } from '../../core/serialize.ts';
import type { World } from '../../core/world.ts';
import type { WorldHost } from '../../host/world/world-host.ts';
import {
  deliverySchema,
  envelopeSchema,
  madeEnvelopeSchema,
  subscriptionSchema,
  viewDelivery,
  viewSubscription,
  type Waiting,
} from '../records.ts';
import { execute, JsonText } from '../reply.ts';
import {
  defaultLimit,
  limitParameter,
  listRow,
  listSchema,
  matching,
  page,
  paging,
  type QueryOf,
  row,
} from '../row.ts';

const eventQuery = {
  'after_seq?': whole('Those with a greater sequence number.', 0, 1e15),
  'kind?': text('Of one kind, such as transaction.approved.'),
  'account_id?': id('About one account.'),
  'limit?': limitParameter,
} as const;

const eventsAfter = ({ events: { records, first } }: World, seq: number) =>
  records.slice(Math.max(0, seq + 1 - first));

const deliveryQuery = {
  'subscription_id?': whole('Of one subscription.', 1, 1e15),
  'event_id?': text('Of one event.'),
  'status?': deliveryMembers.status,
  ...paging,
} as const;

/** Events checked for waiting ones: a stopped subscription may have many of them. */
const maxWaiting = 20_000;

/** Events that wait behind others of their subscriptions and are no deliveries yet. */
function* waiting({ world, behaviour }: WorldHost): Generator<Waiting> {
  for (const subscription of world.subscriptions.values()) {
    if (subscription.disabled) continue;
    for (const event of eventsAfter(world, subscription.cursor_seq).slice(0, maxWaiting)) {
      if (behaviour.delivery.wants(subscription, event)) {
        yield { id: null, subscription_id: subscription.id, seq: event.seq, status: 'pending' };
      }
    }
  }
}

/** Deliveries, and within the limit the events that wait behind others. */
function listDeliveries(host: WorldHost, query: QueryOf<typeof deliveryQuery>) {
  const { after = 0, limit = defaultLimit, ...filter } = query;
  const fits = matching(filter);
  const isShown = (each: Delivery | Waiting) =>
    fits({ ...each, event_id: eventId(host.world, each.seq) });
  const begun = [...host.world.deliveries.values()].filter(({ id }) => Number(id) > after);
  const { items, next } = page(begun, limit, ({ id }) => Number(id), isShown);
  const deliveries = items.map((each) => viewDelivery(host, each));
  if (next !== null) return { deliveries, next_after: next };
  for (const each of waiting(host)) {
    if (deliveries.length === limit) break;
    if (isShown(each)) deliveries.push(viewDelivery(host, each));
  }
  return { deliveries, next_after: null };
}

export const eventRows = {
  listEvents: row('GET', 'events', {
    summary: 'List the events',
    description: 'Envelopes by ascending sequence number; seven days are kept (EVT-10b).',
    query: eventQuery,
    answer: object('A page of them.', {
      events: listOf(envelopeSchema, 'In sequence.'),
      next_after_seq: orNull(whole('For the next page; null on the last one.', 0, 1e15)),
      last_seq: whole('The last event there is.', 0, 1e15),
    }),
    run: ({ host: { world, behaviour }, query }) => {
      const { after_seq = 0, limit, ...filter } = query;
      const events = eventsAfter(world, after_seq);
      const { items, next } = page(events, limit, ({ seq }) => seq, matching(filter));
      const envelopes = items.map((event) => behaviour.serialize.envelope(event, world));
      const { lastSeq } = world.events;
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
    answer: madeEnvelopeSchema,
    run: ({ host, body }) => {
      const event = execute(host, 'makeEvent', body);
      const envelope = host.behaviour.serialize.envelope(event, host.world);
      const meant = likelyKind(event.kind);
      if (meant === null) return new JsonText(envelope);
      const hint = `kind is sent as it is; did you mean ${meant}?`;
      return new JsonText(`${envelope.slice(0, -1)},"hint":${JSON.stringify(hint)}}`);
    },
  }),
};

export const deliveryRows = {
  listSubscriptions: listRow(
    'subscriptions',
    'List the webhook subscriptions of all firms',
    subscriptionSchema,
    ({ host }) =>
      [...host.world.subscriptions.values()].map((each) => viewSubscription(host, each)),
  ),
  resumeSubscription: row('POST', 'subscriptions/{id}/resume', {
    summary: 'Resume a subscription after exhaustion',
    description: 'From the event that was not delivered, with a fresh timetable (NS-28).',
    answer: subscriptionSchema,
    refusals: { 409: 'It is disabled, and nothing resumes that (HOOK-13).' },
    run: ({ host, params }) => viewSubscription(host, execute(host, 'resumeSubscription', params)),
  }),
  listDeliveries: row('GET', 'deliveries', {
    summary: 'List the deliveries',
    description:
      'In the order in which they began: all that are not finished and the last finished ones; after them, as far as the limit goes, the events that wait behind others.',
    query: deliveryQuery,
    answer: listSchema('deliveries', deliverySchema),
    run: ({ host, query }) => listDeliveries(host, query),
  }),
  retryDelivery: row('POST', 'deliveries/{id}/retry', {
    summary: 'Attempt a delivery now',
    description: 'It responds when the attempt has begun; a delivered one is sent once more.',
    answer: deliverySchema,
    refusals: { 409: 'An attempt is under way, or its subscription is disabled.' },
    run: ({ host, params }) => viewDelivery(host, execute(host, 'retryDelivery', params)),
  }),
};
