// Wrong deliveries: what is sent, and to whom (EVT-1 to EVT-4, EVT-10 to EVT-12).
import type { EventRecord } from '../../core/records.ts';
import type { Json } from '../bend.ts';
import type { Deviation } from '../deviation.ts';
import { delivery, hour } from './bends.ts';

const envelope = (
  change: (body: Json, event: EventRecord, attempt: number) => Json,
): Deviation['bend'] =>
  delivery((own) => ({
    body: (event, world, attempt) =>
      JSON.stringify(change(JSON.parse(own.body(event, world, attempt)) as Json, event, attempt)),
  }));

export const envelopeDeviations: readonly Deviation[] = [
  {
    id: 'delivery-ignores-categories',
    breaks: ['EVT-1'],
    story: 'The filter by category is the receiver’s business.',
    bend: delivery((own) => ({
      wants: (subscription, event) =>
        own.wants(
          { ...subscription, event_categories: ['account', 'order', 'position', 'transaction'] },
          event,
        ),
    })),
  },
  {
    id: 'delivery-without-event-id',
    breaks: ['EVT-2a'],
    story: 'The sequence number is id enough.',
    bend: envelope(({ id: _, ...rest }) => rest),
  },
  {
    id: 'delivery-without-seq',
    breaks: ['EVT-2a'],
    story: 'The sequence number is for the channel only.',
    bend: (behaviour) =>
      envelope(({ [behaviour.settings.envelope_seq_name]: _, ...rest }) => rest)(behaviour),
  },
  {
    id: 'delivery-seq-per-subscription',
    breaks: ['EVT-2a'],
    story: 'Every subscription counts for itself.',
    bend: (behaviour) =>
      envelope((body, event) => ({
        ...body,
        [behaviour.settings.envelope_seq_name]: (event.seq % 7) + 1,
      }))(behaviour),
  },
  {
    id: 'delivery-new-id-each-attempt',
    breaks: ['EVT-2b'],
    story: 'The id is that of the attempt.',
    bend: envelope((body, _event, attempt) => ({ ...body, id: `${String(body.id)}-${attempt}` })),
    alsoSeenAs: { 'EVT-2a': 'it is not the id of the channel' },
  },
  {
    id: 'delivery-new-seq-each-attempt',
    breaks: ['EVT-2b'],
    story: 'A retry takes the next number.',
    bend: (behaviour) =>
      envelope((body, event, attempt) => ({
        ...body,
        [behaviour.settings.envelope_seq_name]: event.seq + attempt - 1,
      }))(behaviour),
  },
  {
    id: 'delivery-without-subscription-id',
    breaks: ['EVT-3'],
    story: 'The receiver knows its subscription by the path.',
    bend: delivery((own, { settings }) => ({
      headers: (subscription, signature) => {
        const { [settings.subscription_header]: _, ...rest } = own.headers(subscription, signature);
        return rest;
      },
    })),
  },
  {
    id: 'delivery-without-signature',
    breaks: ['EVT-3'],
    story: 'Signing was meant for later.',
    bend: delivery((own, { settings }) => ({
      headers: (subscription, signature) => {
        const { [settings.signature_header]: _, ...rest } = own.headers(subscription, signature);
        return rest;
      },
    })),
  },
  {
    id: 'delivery-all-four-without-orders',
    breaks: ['EVT-4'],
    story: 'Whoever wants everything is spared the orders, which positions tell of as well.',
    bend: delivery((own) => ({
      wants: (subscription, event) =>
        own.wants(subscription, event) &&
        (event.category !== 'order' || subscription.event_categories.length < 4),
    })),
  },
  {
    id: 'delivery-every-tenth-lost',
    breaks: ['EVT-4'],
    byChance: true,
    story: 'The queue drops what comes too fast.',
    bend: delivery((own) => ({
      wants: (subscription, event) => own.wants(subscription, event) && event.seq % 4 !== 0,
    })),
    alsoSeenAs: {
      'EVT-1': 'chosen ones are missing',
      'EVT-12': 'some are missing',
      'EVT-10a': 'some are missing',
      'EVT-8a': 'some are missing',
      'EVT-8b': 'some are missing',
      'EVT-9a': 'some are missing',
      'EVT-9b': 'some are missing',
      'EVT-2a': 'some are missing',
      'EVT-2b': 'some are missing',
      'EVT-3': 'some are missing',
      'EVT-5a': 'some are missing',
      'EVT-5b': 'some are missing',
      'EVT-6': 'some are missing',
      'EVT-7': 'some are missing',
      'EVT-11': 'some are missing',
      'EVT-13': 'some are missing',
      'HOOK-5': 'some are missing',
      'HOOK-4': 'some are missing',
      'IDEM-4c': 'the event of the first attempt is missing',
    },
  },
  {
    id: 'channel-replays-a-day',
    breaks: ['EVT-10b'],
    story: 'The channel keeps a day.',
    bend: delivery(() => ({ replayWindowMs: 24 * hour })),
  },
  {
    id: 'target-not-checked-again',
    breaks: ['EVT-11'],
    story: 'The target was checked when it was created.',
    bend: delivery(() => ({ rechecksTarget: false })),
  },
  {
    id: 'brand-receives-whole-firm',
    breaks: ['EVT-12'],
    story: 'The brand of a subscription is not looked at.',
    bend: delivery((own) => ({
      wants: (subscription, event) => own.wants({ ...subscription, brand_id: null }, event),
    })),
  },
  {
    id: 'firm-receives-every-firm',
    breaks: ['EVT-12'],
    story: 'The firm of an event is not looked at.',
    bend: delivery((own) => ({
      wants: (subscription, event) =>
        own.wants(subscription, {
          ...event,
          firm_id: subscription.firm_id,
          brand_id:
            subscription.brand_id === null
              ? event.brand_id
              : event.firm_id === subscription.firm_id
                ? event.brand_id
                : subscription.brand_id,
        }),
    })),
  },
  {
    id: 'firm-wide-receives-unbranded-only',
    breaks: ['EVT-12'],
    story: 'A firm-wide subscription gets what belongs to no brand.',
    bend: delivery((own) => ({
      wants: (subscription, event) =>
        own.wants(subscription, event) &&
        (subscription.brand_id !== null ||
          event.brand_id === null ||
          Number(event.brand_id) % 2 === 0),
    })),
  },
  {
    id: 'delivery-once-a-url',
    breaks: ['EVT-4'],
    story: 'Who is subscribed is kept by url, so that a second subscription to one adds nothing.',
    bend: (behaviour) => {
      const first = new Map<string, number>();
      return delivery((own) => ({
        wants: (subscription, event) => {
          const name = `${subscription.firm_id} ${subscription.url}`;
          if (!first.has(name)) first.set(name, subscription.id);
          return first.get(name) === subscription.id && own.wants(subscription, event);
        },
      }))(behaviour);
    },
  },
];
