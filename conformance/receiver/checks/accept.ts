// Valid deliveries, in every form that the platform may send: a correct receiver answers all of
// them with 2xx. One row for each: name, what is sent, why it is valid, how it is made, how to mend.
import type { Check } from '../check.ts';
import {
  bytesOf,
  type Delivery,
  type DeliveryOptions,
  deliveryOf,
  eventOf,
  macOf,
  type SigningOptions,
  signatureOf,
} from '../delivery.ts';
import { shiftDigits } from './draw-probe.ts';

type Make = (signing: SigningOptions) => Delivery | readonly Delivery[];
type Row = readonly [name: string, title: string, why: string, make: Make, fix?: string];

/** The event with some members changed, in compact JSON. */
const compact = (signing: SigningOptions, name: string, change: object = {}) =>
  bytesOf(JSON.stringify({ ...eventOf(signing, name), ...change }));

/** A delivery of the event with other members or other options. */
const event =
  (name: string, change: object = {}, options: () => Partial<DeliveryOptions> = () => ({})): Make =>
  (signing) =>
    deliveryOf(signing, { body: compact(signing, name, change), ...options() });

/** A delivery of the event in other bytes. */
const printed =
  (name: string, print: (event: object) => string): Make =>
  (signing) =>
    deliveryOf(signing, { body: bytesOf(print(eventOf(signing, name))) });

const signedAgo = (name: string, ageMs: number) =>
  event(name, {}, () => ({ tMs: Date.now() - ageMs }));

/** A delivery with two v1, one right and one wrong. */
const withTwo =
  (name: string, join: (bad: string, good: string) => string): Make =>
  (signing) => {
    const body = compact(signing, name);
    const tMs = Date.now();
    const good = macOf(signing.secret, String(tMs), body);
    return deliveryOf(signing, { body, signature: [`t=${tMs},${join(shiftDigits(good), good)}`] });
  };

/** A delivery during a rotation, signed with both secrets in this order. */
const rotated =
  (name: string, secretsOf: (now: string, before: string) => readonly string[]): Make =>
  (signing) => {
    const body = compact(signing, name);
    const tMs = Date.now();
    const secrets = secretsOf(signing.secret, signing.previousSecret ?? 'whsec_before');
    return deliveryOf(signing, { body, signature: [signatureOf(signing, body, tMs, ...secrets)] });
  };

const minuteMs = 60_000;
const fiveMinutes = 'EVT-5b: only a difference of more than five minutes is refused.';
const inMs = 'Allow five minutes, in milliseconds: t is on that scale.';
const asSent = 'EVT-6: what is signed is the body as sent; JSON may be printed in many ways.';
const anyMatch = 'EVT-6: a match on any one v1 passes.';
const everyV1 = 'Compare every v1 with the digest of your secret.';

const rows: readonly Row[] = [
  ['now', 'a delivery signed now', 'EVT-6: a matching v1 passes.', event('now')],
  [
    'a-minute-old',
    'a delivery signed a minute ago',
    fiveMinutes,
    signedAgo('minute', minuteMs),
    inMs,
  ],
  [
    'four-minutes-old',
    'a delivery signed four minutes ago',
    fiveMinutes,
    signedAgo('four', 4 * minuteMs),
    inMs,
  ],
  [
    'a-minute-ahead',
    'a delivery whose t is a minute ahead of the clock',
    `${fiveMinutes} Clocks differ.`,
    signedAgo('ahead', -minuteMs),
    'Compare the absolute difference with five minutes.',
  ],
  [
    'pretty-body',
    'the event printed with line breaks and indentation',
    asSent,
    printed('pretty', (each) => JSON.stringify(each, null, 2)),
  ],
  [
    'escaped-body',
    'the event with its letters as \\u escapes',
    asSent,
    printed('escaped', (each) =>
      JSON.stringify({ ...each, note: '#' }).replace('"#"', '"Z\\u00fcrich \\u0026 \\/"'),
    ),
  ],
  [
    'raw-utf-8',
    'the event with letters beyond ASCII, not escaped',
    asSent,
    event('utf8', { note: 'Zürich – 東京 – 👩‍🚀' }),
  ],
  [
    'trailing-newline',
    'the event with a line break at its end',
    asSent,
    printed('newline', (each) => `${JSON.stringify(each)}\n`),
  ],
  [
    'numbers-as-written',
    'the event with numbers that change when JSON is printed again',
    asSent,
    printed('numbers', (each) =>
      JSON.stringify({ ...each, note: 0 }).replace('"note":0', '"note":1.50e3'),
    ),
  ],
  [
    'without-charset',
    'Content-Type: application/json, without a charset',
    'The charset is not part of the rules.',
    event('charset', {}, () => ({ contentType: 'application/json' })),
    'Accept application/json with and without parameters.',
  ],
  [
    'chunked',
    'the body in chunks, without Content-Length',
    'HTTP leaves it to the sender.',
    event('chunked', {}, () => ({ chunked: true })),
    'Read the body to its end, whatever the headers say about its length.',
  ],
  [
    'cut-letters',
    'the body in chunks that end inside a letter of several bytes',
    asSent,
    (signing) => {
      const body = compact(signing, 'letters', { note: '東京のウェブフック 👩‍🚀' });
      return deliveryOf(signing, { body, cutsAt: cutsInside(body, 4) });
    },
    'Collect the chunks as bytes and join them as bytes; a chunk is not text of its own.',
  ],
  [
    'large',
    'an event of 64 KB',
    'Events carry whole records.',
    event('large', { note: 'x'.repeat(64 * 1024) }),
  ],
  [
    'bad-v1-then-good',
    'two v1, the first of them wrong',
    anyMatch,
    withTwo('first', (bad, good) => `v1=${bad},v1=${good}`),
    'Compare with every v1, not only with the first.',
  ],
  [
    'good-v1-then-bad',
    'two v1, the second of them wrong',
    anyMatch,
    withTwo('second', (bad, good) => `v1=${good},v1=${bad}`),
    'Compare with every v1, not only with the last.',
  ],
  [
    'unknown-kind',
    'an event of a kind that does not exist yet',
    'New kinds may be added at any time.',
    event('kind', { kind: 'transaction.reconsidered' }),
    'Answer 2xx to a kind that you do not know, and ignore it.',
  ],
  [
    'unknown-fields',
    'an event with members that do not exist yet',
    'Envelopes may grow.',
    event('fields', { priority: 3, trace: { id: 'x' } }),
    'Ignore members that you do not know.',
  ],
  [
    'redelivery',
    'the same event twice, the second time with a fresh t',
    'EVT-4: delivery is at least once.',
    (signing) => {
      const body = compact(signing, 'again');
      return [deliveryOf(signing, { body, tMs: Date.now() - 1000 }), deliveryOf(signing, { body })];
    },
    'Key side effects on the event id, and answer 2xx to one you have seen.',
  ],
  [
    'both-secrets',
    'a rotation: one v1 under the new secret, one under the previous',
    'EVT-7: the header carries both.',
    rotated('both', (now, before) => [now, before]),
    everyV1,
  ],
  [
    'previous-secret-first',
    'a rotation with the v1 under the previous secret first',
    anyMatch,
    rotated('before', (now, before) => [before, now]),
    everyV1,
  ],
];

export const acceptChecks: readonly Check[] = rows.map(
  ([name, title, why, make, fix = 'Verify the bytes as they arrive, before parsing them.']) => ({
    id: `RCV-accepts-${name}`,
    group: 'accept',
    title,
    why,
    gains: 'Nothing for an attacker; the event is retried for 21 hours and then lost.',
    fix,
    probes: (signing) => [make(signing)].flat().map((delivery) => ({ delivery })),
  }),
);

/** Offsets between two bytes of one letter, at most `most` of them. */
function cutsInside(body: Uint8Array, most: number): number[] {
  const isFollowing = (byte = 0) => byte >= 0x80 && byte < 0xc0;
  const isLeading = (byte = 0) => byte >= 0xc0;
  return [...body.keys()]
    .filter((at) => isFollowing(body[at]) && isLeading(body[at - 1]))
    .slice(0, most);
}
