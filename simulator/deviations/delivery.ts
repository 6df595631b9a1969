// Deviations of webhook deliveries (EVT).
import { eventCategories } from '../../fixtures/event-kinds.ts';
import type { Behaviour, DeliveryPolicy } from '../core/behaviour.ts';
import type { EventRecord, Subscription } from '../core/records.ts';
import { signatureHeader, signBody } from '../core/values/digest.ts';
import type { DeviationFamily } from './deviation.ts';
import { type Json, type Override, policy, seenBy } from './overrides.ts';

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;

const delivery = (
  change: (own: DeliveryPolicy, behaviour: Behaviour) => Partial<DeliveryPolicy>,
): Override => policy('delivery', change);

const envelope = (change: (body: Json, event: EventRecord, attempt: number) => Json): Override =>
  delivery((own) => ({
    body: (event, world, attempt) =>
      JSON.stringify(change(JSON.parse(own.body(event, world, attempt)) as Json, event, attempt)),
  }));

/** Changes the sequence number of envelopes; null removes it. */
const sequence =
  (change: (event: EventRecord, attempt: number) => number | null): Override =>
  (behaviour) => {
    const name = behaviour.settings.envelope_seq_name;
    return envelope(({ [name]: _, ...rest }, event, attempt) => {
      const seq = change(event, attempt);
      return seq === null ? rest : { ...rest, [name]: seq };
    })(behaviour);
  };

const withoutHeader = (setting: 'subscription_header' | 'signature_header'): Override =>
  delivery((own, { settings }) => ({
    headers: (subscription, signature) => {
      const { [settings[setting]]: _, ...rest } = own.headers(subscription, signature);
      return rest;
    },
  }));

/** Selects other events for a subscription. */
const wants = (
  change: (
    conforming: DeliveryPolicy['wants'],
    subscription: Subscription,
    event: EventRecord,
  ) => boolean,
): Override =>
  delivery((own) => ({ wants: (subscription, event) => change(own.wants, subscription, event) }));

/** Signs in another way, under every secret. */
const signing = (sign: (secret: string, tMs: number, body: string) => string): Override =>
  delivery(() => ({
    signature: (secrets, tMs, body) =>
      signatureHeader(
        tMs,
        secrets.map((secret) => sign(secret, tMs, body)),
      ),
  }));

const gaps = (change: (own: readonly number[]) => readonly number[]): Override =>
  delivery((own) => ({ gapsMs: change(own.gapsMs) }));

export const deliveryDeviations: DeviationFamily = {
  'delivery-ignores-categories': {
    breaks: ['EVT-1'],
    story: 'Receivers are expected to filter by category.',
    override: wants((own, subscription, event) =>
      own({ ...subscription, event_categories: eventCategories }, event),
    ),
  },
  'delivery-without-event-id': {
    breaks: ['EVT-2a'],
    story: 'The sequence number identifies the event.',
    override: envelope(({ id: _, ...rest }) => rest),
  },
  'delivery-without-seq': {
    breaks: ['EVT-2a'],
    story: 'Only the channel has sequence numbers.',
    override: sequence(() => null),
  },
  'delivery-seq-per-subscription': {
    breaks: ['EVT-2a'],
    story: 'Every subscription counts its own events.',
    override: sequence(({ seq }) => (seq % 7) + 1),
  },
  'delivery-new-id-each-attempt': {
    breaks: ['EVT-2b'],
    story: 'The id is that of the attempt.',
    override: envelope((body, _event, attempt) => ({
      ...body,
      id: `${String(body.id)}-${attempt}`,
    })),
    alsoSeenAs: { 'EVT-2a': 'it is not the id on the channel' },
  },
  'delivery-new-seq-each-attempt': {
    breaks: ['EVT-2b'],
    story: 'A retry gets the next number.',
    override: sequence(({ seq }, attempt) => seq + attempt - 1),
  },
  'delivery-without-subscription-id': {
    breaks: ['EVT-3'],
    story: 'Receivers are expected to know the subscription by its path.',
    override: withoutHeader('subscription_header'),
  },
  'delivery-without-signature': {
    breaks: ['EVT-3'],
    story: 'Deliveries are not signed yet.',
    override: withoutHeader('signature_header'),
  },
  'delivery-of-everything-without-orders': {
    breaks: ['EVT-4'],
    story: 'A subscription to everything gets no orders, because positions imply them.',
    override: wants(
      (own, subscription, event) =>
        own(subscription, event) &&
        (event.category !== 'order' ||
          subscription.event_categories.length < eventCategories.length),
    ),
  },
  'delivery-some-lost': {
    breaks: ['EVT-4'],
    byChance: true,
    story: 'The queue drops events under load.',
    override: wants((own, subscription, event) => own(subscription, event) && event.seq % 4 !== 0),
    alsoSeenAs: {
      'EVT-1': 'events of its categories are missing',
      'IDEM-4c': 'the event of the first attempt is missing',
      ...seenBy(
        'events are missing',
        `
        EVT-12 EVT-10a EVT-8a EVT-8b EVT-9a EVT-9b EVT-2a EVT-2b EVT-3 EVT-5a EVT-5b EVT-6 EVT-7
        EVT-11 EVT-13 HOOK-5 HOOK-4`,
      ),
    },
  },
  'channel-window-short': {
    breaks: ['EVT-10b'],
    story: 'The channel keeps events for half the time.',
    override: delivery((own) => ({ replayWindowMs: own.replayWindowMs / 2 })),
  },
  'target-not-checked-again': {
    breaks: ['EVT-11'],
    story: 'The target is only checked when the subscription is created.',
    override: delivery(() => ({ rechecksTarget: false })),
  },
  'brand-receives-whole-firm': {
    breaks: ['EVT-12'],
    story: 'The brand of a subscription is ignored.',
    override: wants((own, subscription, event) => own({ ...subscription, brand_id: null }, event)),
  },
  'firm-receives-every-firm': {
    breaks: ['EVT-12'],
    story: 'The firm of an event is ignored.',
    override: wants((own, subscription, event) => {
      const { firm_id, brand_id } = subscription;
      const isOwn = brand_id === null || event.firm_id === firm_id;
      return own(subscription, { ...event, firm_id, brand_id: isOwn ? event.brand_id : brand_id });
    }),
  },
  'firm-wide-receives-unbranded-only': {
    breaks: ['EVT-12'],
    story: 'A firm-wide subscription only gets the events of some brands.',
    override: wants(
      (own, subscription, event) =>
        own(subscription, event) &&
        (subscription.brand_id !== null ||
          event.brand_id === null ||
          Number(event.brand_id) % 2 === 0),
    ),
  },
  'delivery-once-a-url': {
    breaks: ['EVT-4'],
    story: 'Who is subscribed is kept by url, so that a second subscription to one adds nothing.',
    override: (behaviour) => {
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
  'signature-header-base64': {
    breaks: ['EVT-6'],
    story: 'The digest is encoded in base64.',
    override: signing((secret, tMs, body) =>
      Buffer.from(signBody(secret, tMs, body), 'hex').toString('base64'),
    ),
  },
  'signature-header-semicolons': {
    breaks: ['EVT-5a'],
    story: 'The parts of the header are separated by semicolons.',
    override: delivery((own) => ({
      signature: (secrets, tMs, body) => own.signature(secrets, tMs, body).replaceAll(',', ';'),
    })),
  },
  'signature-time-of-the-event': {
    breaks: ['EVT-5b'],
    story: 't is the time of the event, even for retries.',
    override: delivery((own) => ({
      signature: (secrets, _tMs, body) =>
        own.signature(secrets, (JSON.parse(body) as { occurred_at: number }).occurred_at, body),
    })),
  },
  'signature-time-an-hour-off': {
    breaks: ['EVT-5b'],
    story: 't is in local time.',
    override: delivery((own) => ({
      signature: (secrets, tMs, body) => own.signature(secrets, tMs + hour, body),
    })),
  },
  'rotation-drops-old-secret': {
    breaks: ['EVT-7'],
    story: 'The old secret stops working immediately.',
    override: delivery(() => ({ secrets: ({ secret }) => [secret] })),
  },
  'rotation-keeps-signing-old-only': {
    breaks: ['EVT-7'],
    story: 'The new secret is used only after the overlap.',
    override: delivery((own) => ({
      secrets: (subscription, atMs) => own.secrets(subscription, atMs).slice(-1),
    })),
  },
  'retry-first-early': {
    breaks: ['EVT-8a'],
    story: 'The first retry comes after ten seconds.',
    override: gaps(([, ...rest]) => [10 * second, ...rest]),
  },
  'retry-first-late': {
    breaks: ['EVT-8a'],
    story: 'The first retry comes after a minute.',
    override: gaps(([, ...rest]) => [60 * second, ...rest]),
  },
  'retry-third-early': {
    breaks: ['EVT-8a'],
    story: 'The third wait is five minutes.',
    override: gaps((own) => own.map((gap) => (gap === 10 * minute ? 5 * minute : gap))),
  },
  'retry-last-early': {
    breaks: ['EVT-8a'],
    story: 'No wait is longer than six hours.',
    override: gaps((own) => own.map((gap) => Math.min(gap, 6 * hour))),
  },
  'retry-at-fixed-times': {
    breaks: ['EVT-8a'],
    story: 'The waits are counted from the first attempt.',
    override: gaps((own) => own.map((gap, at) => gap - (own[at - 1] ?? 0))),
  },
  'retry-last-missing': {
    breaks: ['EVT-8a'],
    story: 'The waits are counted as attempts, so there are seven.',
    override: gaps((own) => own.slice(0, -1)),
  },
  'retry-once-too-often': {
    breaks: ['EVT-8b'],
    story: 'There are eight retries after the first attempt.',
    override: gaps((own) => [...own, 12 * hour]),
  },
  'answer-4xx-is-success': {
    breaks: ['EVT-9a'],
    story: 'A delivery that the receiver refuses is not retried.',
    override: delivery(() => ({
      succeeded: (status) => status >= 200 && status < 500 && status !== 429,
    })),
  },
  'answer-only-200-is-success': {
    breaks: ['EVT-9a'],
    story: 'Only 200 counts as success.',
    override: delivery(() => ({ succeeded: (status) => status === 200 })),
  },
  'answer-redirect-followed': {
    breaks: ['EVT-9a'],
    story: 'The HTTP client follows redirects.',
    override: delivery(() => ({ followsRedirects: true })),
  },
  'answer-limit-long': {
    breaks: ['EVT-9b'],
    story: 'The HTTP client waits a minute.',
    override: delivery(() => ({ answerLimitMs: 60 * second, connectionLimitMs: 60 * second })),
  },
  'answer-limit-short': {
    breaks: ['EVT-9b'],
    story: 'The HTTP client waits five seconds.',
    override: delivery(() => ({ answerLimitMs: 5 * second, connectionLimitMs: 5 * second })),
  },
  'seq-never-moves': {
    breaks: ['EVT-10a'],
    story: 'A job that does not run updates last_delivered_seq.',
    override: policy('serialize', (serialize) => ({
      subscription: (subscription, secret) =>
        serialize.subscription({ ...subscription, last_delivered_seq: 0 }, secret),
    })),
  },
};
