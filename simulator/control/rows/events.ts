// Rows of events, subscriptions and deliveries.

import { eventCategories } from '../../../fixtures/event-kinds.ts';
import { parseUrl } from '../../../fixtures/parse-url.ts';
import { id, listOf, object, oneOf, orNull, text, whole } from '../../../fixtures/schemas/kit.ts';
import type { Delivery, Subscription } from '../../core/records.ts';
import { eventId } from '../../core/serialize.ts';
import { findEvent } from '../../core/world.ts';
import { isLoopbackHost } from '../../host/delivery/loopback.ts';
import { forwardedUrl } from '../../host/delivery/send-attempt.ts';
import type { WorldHost } from '../../host/world/world-host.ts';
import {
  defaultLimit,
  limitParameter,
  listSchema,
  mostLooked,
  wholeListSchema,
} from '../paging.ts';
import type { Plane } from '../plane.ts';
import { type ControlReply, execute, JsonText, problem, refuseField } from '../reply.ts';
import { row } from '../row.ts';
import {
  type DeliveryShown,
  deliverySchema,
  envelopeSchema,
  subscriptionSchema,
} from '../schemas/records.ts';
import { viewDelivery, viewSubscription, viewWaiting } from '../views/records.ts';
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
    summary: 'The events',
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
      execute(
        host,
        'makeEvent',
        body,
        ({ event }) => new JsonText(host.behaviour.serialize.envelope(event, host.world)),
      ),
  }),
};

export const deliveryRows = {
  listSubscriptions: row('GET', 'subscriptions', {
    summary: 'The webhook subscriptions of all firms',
    answer: wholeListSchema('subscriptions', subscriptionSchema),
    run: ({ host }) => ({
      subscriptions: [...host.world.subscriptions.values()].map((each) =>
        viewSubscription(host, each),
      ),
    }),
  }),
  resumeSubscription: row('POST', 'subscriptions/{id}/resume', {
    summary: 'Go on after exhaustion',
    description: 'From the event that was not delivered, with a fresh timetable (NS-28).',
    answer: subscriptionSchema,
    refusals: { 409: 'It is disabled, and nothing resumes that (HOOK-13).' },
    run: ({ host, params }) =>
      execute(host, 'resumeSubscription', params, ({ subscription }) =>
        viewSubscription(host, subscription),
      ),
  }),
  judgeReceiver: row('POST', 'subscriptions/{id}/judge', {
    summary: 'Judge the receiver of a subscription',
    description:
      'Sends some eighty deliveries straight to the receiver, signed with the subscription’s secret: valid ones in every form, and those of an attacker. Only to this machine, where a forward leads. They are no deliveries of the world and leave it as it is.',
    body: object('Every member is optional.', {
      'effect_probe?': text('A URL of this machine that answers the count of side effects.'),
    }),
    answer: {
      type: 'object',
      description: 'The report, as `conformance receiver --json` prints it.',
      properties: {
        verdict: oneOf('Of the whole run.', ['conformant', 'deviates', 'incomplete', 'invalid']),
        summary: { type: 'object', description: 'How many checks have each verdict.' },
        requests: { type: 'integer', description: 'Deliveries that were sent.' },
        duration_ms: { type: 'integer', description: 'How long it took.' },
        notes: listOf({ type: 'string' }, 'What to know of the run as a whole.'),
        rules: listOf({ type: 'object' }, 'The checks, each with its verdict and findings.'),
      },
      required: ['verdict', 'summary', 'requests', 'duration_ms', 'notes', 'rules'],
    },
    refusals: {
      409: 'Another receiver is being judged, or this sandbox has no judge: `sandbox start` has.',
    },
    run: ({ plane, host, params, body }) =>
      judge(plane, host, params.id, body.effect_probe ?? null),
  }),
  listDeliveries: row('GET', 'deliveries', {
    summary: 'The deliveries',
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
    run: ({ host, params }) =>
      execute(host, 'retryDelivery', params, ({ delivery }) => viewDelivery(host, delivery)),
  }),
};

/** Planes whose judge is at work: it takes one receiver at a time. */
const judging = new WeakSet<Plane>();

async function judge(
  plane: Plane,
  host: WorldHost,
  subscriptionId: string,
  effectProbe: string | null,
): Promise<JsonText | ControlReply> {
  const subscription = host.world.subscriptions.get(Number(subscriptionId));
  if (subscription === undefined) {
    return refuseField('id', `there is no subscription ${subscriptionId}`, 404);
  }
  const forward = viewSubscription(host, subscription).forwards_to;
  const url = forward === null ? subscription.url : forwardedUrl(subscription.url, forward);
  if (!isHere(url)) {
    const remedy = 'forward its origin to a URL such as http://127.0.0.1:3000/hooks (PUT forwards)';
    return refuseField('forwards_to', `${url} is not on this machine; ${remedy}`);
  }
  if (effectProbe !== null && !isHere(effectProbe)) {
    const example = 'such as http://127.0.0.1:3000/count';
    return refuseField('effect_probe', `give an http URL on this machine, ${example}`);
  }
  const { judgeReceiver } = plane.options;
  if (judgeReceiver === undefined) {
    const words = 'There is no judge of receivers in this sandbox';
    return problem(409, `${words}; \`sandbox start\` and \`conformance receiver\` have it.`);
  }
  if (judging.has(plane)) return problem(409, 'A receiver is being judged; wait for its report.');
  judging.add(plane);
  try {
    const { signature_header, subscription_header } = host.behaviour.settings;
    const judged = await judgeReceiver({
      url,
      secret: subscription.secret,
      previousSecret: subscription.previous_secret,
      signatureHeader: signature_header,
      subscriptionHeader: subscription_header,
      subscriptionId,
      effectProbe,
    });
    if ('report' in judged) return new JsonText(JSON.stringify(judged.report));
    return refuseField(judged.refused.field, judged.refused.message);
  } finally {
    judging.delete(plane);
  }
}

function isHere(url: string): boolean {
  if (!/^https?:\/\//i.test(url) || parseUrl(url) === null) return false;
  return isLoopbackHost(new URL(url).hostname);
}
