// Wrong deliveries: what is sent, how it is signed, when it is tried again (EVT).
import type { Behaviour, DeliveryPolicy } from '../core/behaviour.ts';
import type { EventRecord } from '../core/records.ts';
import { hmacSha256Hex, sha256Hex } from '../core/values/digest.ts';
import { signatureHeader, signBody } from '../core/values/signature.ts';
import { type Json, policy } from './bend.ts';
import type { Deviation } from './deviation.ts';

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;

const delivery = (
  change: (own: DeliveryPolicy, behaviour: Behaviour) => Partial<DeliveryPolicy>,
): Deviation['bend'] => policy('delivery', change);

const header = (change: (given: string, tMs: number) => string): Deviation['bend'] =>
  delivery((own) => ({
    signature: (secrets, tMs, body) => change(own.signature(secrets, tMs, body), tMs),
  }));

/** Signs in another way, under every secret. */
const signing = (sign: (secret: string, tMs: number, body: string) => string): Deviation['bend'] =>
  delivery(() => ({
    signature: (secrets, tMs, body) =>
      signatureHeader(
        tMs,
        secrets.map((secret) => sign(secret, tMs, body)),
      ),
  }));

const envelope = (
  change: (body: Json, event: EventRecord, attempt: number) => Json,
): Deviation['bend'] =>
  delivery((own) => ({
    body: (event, world, attempt) =>
      JSON.stringify(change(JSON.parse(own.body(event, world, attempt)) as Json, event, attempt)),
  }));

const gaps = (change: (own: readonly number[]) => readonly number[]): Deviation['bend'] =>
  delivery((own) => ({ gapsMs: change(own.gapsMs) }));

const unsigned = {
  'EVT-7': 'no signature of a rotation matches',
  'HOOK-4': 'the new secret signs nothing that matches',
};

export const deliveryDeviations: readonly Deviation[] = [
  {
    id: 'delivery-ignores-categories',
    breaks: ['EVT-1'],
    story: 'The filter by category is the receiver’s business.',
    bend: delivery((own) => ({
      wants: (subscription, event) =>
        own.wants(
          { ...subscription, categories: ['account', 'order', 'position', 'transaction'] },
          event,
        ),
    })),
  },
  {
    id: 'delivery-orders-with-positions',
    breaks: ['EVT-1'],
    story: 'Whoever wants positions gets their orders too.',
    bend: delivery((own) => ({
      wants: (subscription, event) =>
        own.wants(subscription, event) ||
        (event.category === 'order' && own.wants(subscription, { ...event, category: 'position' })),
    })),
  },
  {
    id: 'delivery-without-event-id',
    breaks: ['EVT-2a'],
    story: 'The sequence number is id enough.',
    bend: envelope(({ id: _, ...rest }) => rest),
    alsoSeenAs: {
      'EVT-2b': 'there is no id to compare',
      'EVT-4': 'events cannot be told apart',
      'EVT-10b': 'events cannot be told apart',
    },
  },
  {
    id: 'delivery-without-seq',
    breaks: ['EVT-2a'],
    story: 'The sequence number is for the channel only.',
    bend: (behaviour) =>
      envelope(({ [behaviour.settings.envelope_seq_name]: _, ...rest }) => rest)(behaviour),
    alsoSeenAs: {
      'EVT-2b': 'there is no number to compare',
      'EVT-10a': 'there is no number to compare',
    },
  },
  {
    id: 'delivery-body-is-the-record',
    breaks: ['EVT-2a'],
    story: 'The record itself is sent, without an envelope.',
    bend: envelope((body) => body.data as Json),
    alsoSeenAs: {
      'EVT-2b': 'there is no event id',
      'EVT-4': 'there is no event id',
      'EVT-3': 'there is no envelope',
      'EVT-10a': 'there is no sequence number',
      'EVT-1': 'there is no event id',
      'EVT-12': 'there is no event id',
    },
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
    alsoSeenAs: {
      'EVT-10a': 'it is not the number that was delivered',
      'EVT-2b': 'numbers do not match',
      'EVT-10b': 'the channel counts otherwise',
    },
  },
  {
    id: 'delivery-new-id-each-attempt',
    breaks: ['EVT-2b'],
    story: 'The id is that of the attempt.',
    bend: envelope((body, _event, attempt) => ({ ...body, id: `${String(body.id)}-${attempt}` })),
    alsoSeenAs: {
      'EVT-10b': 'the channel has another id',
      'EVT-2a': 'it is not the id of the channel',
    },
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
    alsoSeenAs: {
      'EVT-5a': 'there is no header',
      'EVT-5b': 'there is no header',
      'EVT-6': 'there is no header',
      ...unsigned,
    },
  },
  {
    id: 'delivery-of-accounts-lost',
    breaks: ['EVT-4'],
    story: 'Updates of accounts are thought to be uninteresting.',
    bend: delivery((own) => ({
      wants: (subscription, event) =>
        own.wants(subscription, event) && event.kind !== 'account.updated',
    })),
  },
  {
    id: 'delivery-every-tenth-lost',
    breaks: ['EVT-4'],
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
    },
  },
  {
    id: 'signature-header-base64',
    breaks: ['EVT-6'],
    story: 'The digest is in base64.',
    bend: signing((secret, tMs, body) =>
      Buffer.from(signBody(secret, tMs, body), 'hex').toString('base64'),
    ),
    alsoSeenAs: { 'EVT-5a': 'what follows v1= is no hex', ...unsigned },
  },
  {
    id: 'signature-upper-case',
    breaks: ['EVT-6'],
    story: 'Hex in capitals.',
    bend: signing((secret, tMs, body) => signBody(secret, tMs, body).toUpperCase()),
    alsoSeenAs: unsigned,
  },
  {
    id: 'signature-over-body-only',
    breaks: ['EVT-6'],
    story: 'The timestamp is not signed.',
    bend: signing((secret, _tMs, body) => hmacSha256Hex(secret, body)),
    alsoSeenAs: unsigned,
  },
  {
    id: 'signature-without-dot',
    breaks: ['EVT-6'],
    story: 'Timestamp and body are joined without a dot.',
    bend: signing((secret, tMs, body) => hmacSha256Hex(secret, String(tMs), body)),
    alsoSeenAs: unsigned,
  },
  {
    id: 'signature-unkeyed',
    breaks: ['EVT-6'],
    story: 'SHA-256 over secret and body is taken for an HMAC.',
    bend: signing((secret, tMs, body) => sha256Hex(`${secret}.${tMs}.${body}`)),
    alsoSeenAs: unsigned,
  },
  {
    id: 'signature-over-reprinted-body',
    breaks: ['EVT-6'],
    story: 'What is signed is printed once more, with other white space.',
    bend: signing((secret, tMs, body) =>
      signBody(secret, tMs, JSON.stringify(JSON.parse(body), null, 1)),
    ),
    alsoSeenAs: unsigned,
  },
  {
    id: 'signature-secret-without-prefix',
    breaks: ['EVT-6'],
    story: 'The prefix of the secret is cut off before signing.',
    bend: signing((secret, tMs, body) => signBody(secret.replace(/^whsec_/, ''), tMs, body)),
    alsoSeenAs: unsigned,
  },
  {
    id: 'signature-truncated',
    breaks: ['EVT-6'],
    story: 'The first half of the digest is enough.',
    bend: signing((secret, tMs, body) => signBody(secret, tMs, body).slice(0, 32)),
    alsoSeenAs: unsigned,
  },
  {
    id: 'signature-header-without-t',
    breaks: ['EVT-5a'],
    story: 'The time is in a header of its own.',
    bend: header((given) => given.replace(/^t=\d+,/, '')),
    alsoSeenAs: {
      'EVT-5b': 'there is no time',
      'EVT-6': 'the message cannot be built',
      'EVT-3': 'it cannot be told for the signature',
      ...unsigned,
    },
  },
  {
    id: 'signature-header-semicolons',
    breaks: ['EVT-5a'],
    story: 'The parts are separated by semicolons.',
    bend: header((given) => given.replaceAll(',', ';')),
    alsoSeenAs: {
      'EVT-5b': 'it cannot be read',
      'EVT-6': 'it cannot be read',
      'EVT-3': 'it cannot be told for the signature',
      ...unsigned,
    },
  },
  {
    id: 'signature-header-v2',
    breaks: ['EVT-5a'],
    story: 'The version was raised.',
    bend: header((given) => given.replaceAll('v1=', 'v2=')),
    alsoSeenAs: {
      'EVT-6': 'there is no v1',
      'EVT-3': 'it cannot be told for the signature',
      'EVT-5b': 'it cannot be told for the signature',
      ...unsigned,
    },
  },
  {
    id: 'signature-header-two-t',
    breaks: ['EVT-5a'],
    story: 'The time of queueing is sent too.',
    bend: header((given, tMs) => `${given},t=${tMs - 1}`),
    alsoSeenAs: {
      'EVT-6': 'which time is signed cannot be told',
      'EVT-5b': 'which time is meant cannot be told',
    },
  },
  {
    id: 'signature-time-in-seconds',
    breaks: ['EVT-5a'],
    story: 't is in seconds, as others have it.',
    bend: delivery((own) => ({
      signature: (secrets, tMs, body) => own.signature(secrets, Math.floor(tMs / 1000), body),
    })),
    alsoSeenAs: { 'EVT-5b': 'it is far from the clock' },
  },
  {
    id: 'signature-time-of-the-event',
    breaks: ['EVT-5b'],
    story: 't is the time of the first attempt, kept for the retries.',
    bend: delivery((own) => {
      const first = new Map<string, number>();
      return {
        signature: (secrets, tMs, body) => {
          const kept = first.get(body) ?? tMs;
          first.set(body, kept);
          return own.signature(secrets, kept, body);
        },
      };
    }),
  },
  {
    id: 'signature-time-an-hour-off',
    breaks: ['EVT-5b'],
    story: 'The time zone is added.',
    bend: delivery((own) => ({
      signature: (secrets, tMs, body) => own.signature(secrets, tMs + hour, body),
    })),
  },
  {
    id: 'rotation-drops-old-secret',
    breaks: ['EVT-7'],
    story: 'The old secret ends at once.',
    bend: delivery(() => ({ secrets: ({ secret }) => [secret] })),
  },
  {
    id: 'rotation-keeps-signing-old-only',
    breaks: ['EVT-7'],
    story: 'The new secret begins after the overlap.',
    bend: delivery((own) => ({
      secrets: (subscription, atMs) => own.secrets(subscription, atMs).slice(-1),
    })),
    alsoSeenAs: { 'HOOK-4': 'the new secret signs nothing' },
  },
  {
    id: 'retry-first-after-10s',
    breaks: ['EVT-8a'],
    story: 'The first retry comes after ten seconds.',
    bend: gaps(([, ...rest]) => [10 * second, ...rest]),
  },
  {
    id: 'retry-first-after-60s',
    breaks: ['EVT-8a'],
    story: 'The first retry comes after a minute.',
    bend: gaps(([, ...rest]) => [60 * second, ...rest]),
  },
  {
    id: 'retry-one-step-off',
    breaks: ['EVT-8a'],
    story: 'The timetable begins with its second wait.',
    bend: gaps((own) => [...own.slice(1), 12 * hour]),
  },
  {
    id: 'retry-third-after-5m',
    breaks: ['EVT-8a'],
    story: 'The third wait is five minutes.',
    bend: gaps((own) => own.map((gap) => (gap === 10 * minute ? 5 * minute : gap))),
  },
  {
    id: 'retry-last-after-6h',
    breaks: ['EVT-8a'],
    story: 'No wait is longer than six hours.',
    bend: gaps((own) => own.map((gap) => Math.min(gap, 6 * hour))),
  },
  {
    id: 'retry-at-fixed-times',
    breaks: ['EVT-8a'],
    story: 'The times are taken as counted from the first attempt.',
    bend: gaps((own) => own.map((gap, at) => gap - (own[at - 1] ?? 0))),
  },
  {
    id: 'retry-every-minute',
    breaks: ['EVT-8a'],
    story: 'Once a minute.',
    bend: gaps((own) => own.map(() => minute)),
  },
  {
    id: 'retry-seven-attempts',
    breaks: ['EVT-8a'],
    story: 'Seven attempts: the waits were counted as attempts.',
    bend: gaps((own) => own.slice(0, -1)),
    alsoSeenAs: { 'EVT-8b': 'there is no eighth', 'EVT-10a': 'delivery stops earlier' },
  },
  {
    id: 'retry-nine-attempts',
    breaks: ['EVT-8b'],
    story: 'Eight retries after the first attempt.',
    bend: gaps((own) => [...own, 12 * hour]),
    alsoSeenAs: { 'EVT-8a': 'there is one more', 'EVT-10a': 'delivery stops later' },
  },
  {
    id: 'retry-forever',
    breaks: ['EVT-8b'],
    story: 'The last wait repeats.',
    bend: gaps((own) => [...own, ...Array.from({ length: 50 }, () => 12 * hour)]),
    alsoSeenAs: { 'EVT-8a': 'there are more', 'EVT-10a': 'delivery never stops' },
  },
  {
    id: 'retry-never',
    breaks: ['EVT-8a'],
    story: 'One attempt; the receiver reads the rest from the channel.',
    bend: gaps(() => []),
    alsoSeenAs: {
      'EVT-8b': 'there is one only',
      'EVT-9a': 'a failure is not tried again',
      'EVT-9b': 'a failure is not tried again',
      'EVT-10a': 'delivery stops at once',
      'EVT-2b': 'there is no repeat',
      'EVT-4': 'what fails once is lost',
      'EVT-5b': 'there is no second attempt',
      'EVT-13': 'there is nothing to stop',
      'HOOK-13': 'there is nothing to resume',
      'HOOK-5': 'there is nothing to stop',
      'EVT-11': 'there is no second look',
    },
  },
  {
    id: 'answer-3xx-is-success',
    breaks: ['EVT-9a'],
    story: 'A redirect is an answer.',
    bend: delivery(() => ({ succeeded: (status) => status >= 200 && status < 400 })),
  },
  {
    id: 'answer-4xx-is-success',
    breaks: ['EVT-9a'],
    story: 'What the receiver refuses is not sent again.',
    bend: delivery(() => ({
      succeeded: (status) => status >= 200 && status < 500 && status !== 429,
    })),
    alsoSeenAs: { 'EVT-10a': 'it counts as delivered' },
  },
  {
    id: 'answer-404-disables-retries',
    breaks: ['EVT-9a'],
    story: 'Only 5xx is tried again.',
    bend: delivery((own) => ({
      succeeded: (status) => own.succeeded(status) || status === 404 || status === 410,
    })),
  },
  {
    id: 'answer-only-200-is-success',
    breaks: ['EVT-9a'],
    story: 'Success is 200, not 204.',
    bend: delivery(() => ({ succeeded: (status) => status === 200 })),
    alsoSeenAs: { 'EVT-10a': 'it does not count as delivered' },
  },
  {
    id: 'answer-redirect-followed',
    breaks: ['EVT-9a'],
    story: 'The HTTP client follows redirects.',
    bend: delivery(() => ({ followsRedirects: true })),
  },
  {
    id: 'answer-limit-60s',
    breaks: ['EVT-9b'],
    story: 'The HTTP client waits a minute.',
    bend: delivery(() => ({ answerLimitMs: 60 * second })),
  },
  {
    id: 'answer-limit-5s',
    breaks: ['EVT-9b'],
    story: 'Five seconds must do.',
    bend: delivery(() => ({ answerLimitMs: 5 * second })),
  },
  {
    id: 'seq-counts-attempts',
    breaks: ['EVT-10a'],
    story: 'last_delivered_seq is the last that was sent.',
    bend: policy('print', (print) => ({
      subscription: (subscription, secret) =>
        print.subscription(
          {
            ...subscription,
            lastDeliveredSeq:
              subscription.lastDeliveredSeq === 0 && subscription.cursorSeq === 0
                ? 0
                : Math.max(
                    subscription.lastDeliveredSeq,
                    subscription.stopped ? subscription.cursorSeq : subscription.lastDeliveredSeq,
                  ),
          },
          secret,
        ),
    })),
  },
  {
    id: 'seq-never-moves',
    breaks: ['EVT-10a'],
    story: 'last_delivered_seq is updated by a job that does not run.',
    bend: policy('print', (print) => ({
      subscription: (subscription, secret) =>
        print.subscription({ ...subscription, lastDeliveredSeq: 0 }, secret),
    })),
  },
  {
    id: 'channel-replays-a-day',
    breaks: ['EVT-10b'],
    story: 'The channel keeps a day.',
    bend: delivery(() => ({ replayWindowMs: 24 * hour })),
  },
  {
    id: 'channel-replays-nothing',
    breaks: ['EVT-10b'],
    story: 'after_seq is read and forgotten.',
    bend: delivery(() => ({ replayWindowMs: 0 })),
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
      wants: (subscription, event) => own.wants({ ...subscription, brandId: null }, event),
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
          firmId: subscription.firmId,
          brandId:
            subscription.brandId === null
              ? event.brandId
              : event.firmId === subscription.firmId
                ? event.brandId
                : subscription.brandId,
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
        (subscription.brandId !== null ||
          event.brandId === null ||
          Number(event.brandId) % 2 === 0),
    })),
  },
];
