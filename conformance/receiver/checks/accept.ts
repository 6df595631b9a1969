// Valid deliveries, in every form that the platform may send: a correct receiver answers all of
// them with 2xx. One row for each: name, what is sent, what a receiver that refuses it gets wrong.
import { type Cause, type Check, checkOf } from '../check.ts';
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

type Make = (signing: SigningOptions, name: string) => Delivery | readonly Delivery[];
type Row = readonly [name: string, title: string, cause: Cause, make: Make];

/** The event with some members changed, in compact JSON. */
const compact = (signing: SigningOptions, name: string, change: object = {}) =>
  bytesOf(JSON.stringify({ ...eventOf(signing, name), ...change }));

/** A delivery of the event with other members or other options. */
const event =
  (change: object = {}, options: () => Partial<DeliveryOptions> = () => ({})): Make =>
  (signing, name) =>
    deliveryOf(signing, { body: compact(signing, name, change), ...options() });

/** A delivery of the event in other bytes. */
const printed =
  (print: (event: object) => string): Make =>
  (signing, name) =>
    deliveryOf(signing, { body: bytesOf(print(eventOf(signing, name))) });

const minuteMs = 60_000;
const signedAgo = (ageMs: number) => event({}, () => ({ tMs: Date.now() - ageMs }));

/** A delivery with two v1, one right and one wrong. */
const withTwo =
  (join: (bad: string, good: string) => string): Make =>
  (signing, name) => {
    const body = compact(signing, name);
    const tMs = Date.now();
    const good = macOf(signing.secret, String(tMs), body);
    return deliveryOf(signing, { body, signature: [`t=${tMs},${join(shiftDigits(good), good)}`] });
  };

/** A delivery during a rotation, signed with both secrets in this order. */
const rotated =
  (secretsOf: (now: string, before: string) => readonly string[]): Make =>
  (signing, name) => {
    const body = compact(signing, name);
    const tMs = Date.now();
    const secrets = secretsOf(signing.secret, signing.previousSecret ?? 'whsec_before');
    return deliveryOf(signing, { body, signature: [signatureOf(signing, body, tMs, ...secrets)] });
  };

/** Chunks that end inside a letter of several bytes. */
const cutLetters: Make = (signing, name) => {
  const body = compact(signing, name, { note: '東京のウェブフック 👩‍🚀' });
  const isFollowing = (byte = 0) => byte >= 0x80 && byte < 0xc0;
  const isLeading = (byte = 0) => byte >= 0xc0;
  const inside = [...body.keys()].filter((at) => isFollowing(body[at]) && isLeading(body[at - 1]));
  return deliveryOf(signing, { body, cutsAt: inside.slice(0, 4) });
};

const twice: Make = (signing, name) => {
  const body = compact(signing, name);
  return [deliveryOf(signing, { body, tMs: Date.now() - 1000 }), deliveryOf(signing, { body })];
};

const escapes = (each: object) =>
  JSON.stringify({ ...each, note: '#' }).replace('"#"', '"Z\\u00fcrich \\u0026 \\/"');
const odd = (each: object) =>
  JSON.stringify({ ...each, note: 0 }).replace('"note":0', '"note":1.50e3');

const rows: readonly Row[] = [
  ['now', 'a delivery signed now', 'bytes', event()],
  ['a-minute-old', 'a delivery signed a minute ago', 'impatient', signedAgo(minuteMs)],
  ['four-minutes-old', 'a delivery signed four minutes ago', 'impatient', signedAgo(4 * minuteMs)],
  ['a-minute-ahead', 't a minute ahead of the clock', 'impatient', signedAgo(-minuteMs)],
  [
    'pretty-body',
    'the event printed with line breaks and indentation',
    'bytes',
    printed((each) => JSON.stringify(each, null, 2)),
  ],
  ['escaped-body', 'the event with its letters as \\u escapes', 'bytes', printed(escapes)],
  [
    'raw-utf-8',
    'the event with letters beyond ASCII, not escaped',
    'bytes',
    event({ note: 'Zürich – 東京 – 👩‍🚀' }),
  ],
  [
    'trailing-newline',
    'the event with a line break at its end',
    'bytes',
    printed((each) => `${JSON.stringify(each)}\n`),
  ],
  [
    'numbers-as-written',
    'the event with numbers that change when JSON is printed again',
    'bytes',
    printed(odd),
  ],
  [
    'without-charset',
    'Content-Type: application/json, without a charset',
    'transport',
    event({}, () => ({ contentType: 'application/json' })),
  ],
  [
    'chunked',
    'the body in chunks, without Content-Length',
    'transport',
    event({}, () => ({ chunked: true })),
  ],
  ['cut-letters', 'chunks that end inside a letter of several bytes', 'bytes', cutLetters],
  ['large', 'an event of 64 KB', 'transport', event({ note: 'x'.repeat(64 * 1024) })],
  [
    'bad-v1-then-good',
    'two v1, the first of them wrong',
    'oneV1',
    withTwo((bad, good) => `v1=${bad},v1=${good}`),
  ],
  [
    'good-v1-then-bad',
    'two v1, the second of them wrong',
    'oneV1',
    withTwo((bad, good) => `v1=${good},v1=${bad}`),
  ],
  [
    'unknown-kind',
    'an event of a kind that does not exist yet',
    'growth',
    event({ kind: 'transaction.reconsidered' }),
  ],
  [
    'unknown-fields',
    'an event with members that do not exist yet',
    'growth',
    event({ priority: 3, trace: { id: 'x' } }),
  ],
  ['redelivery', 'the same event twice, the second time with a fresh t', 'growth', twice],
  [
    'both-secrets',
    'a rotation: one v1 under the new secret, one under the previous',
    'oneV1',
    rotated((now, before) => [now, before]),
  ],
  [
    'previous-secret-first',
    'a rotation with the v1 under the previous secret first',
    'oneV1',
    rotated((now, before) => [before, now]),
  ],
];

export const acceptChecks: readonly Check[] = rows.map(([name, title, cause, make]) =>
  checkOf(cause, {
    id: `RCV-accepts-${name}`,
    group: 'accept',
    title,
    gains: 'Nothing for an attacker; the event is retried for 21 hours and then lost.',
    probes: (signing) => [make(signing, name)].flat().map((delivery) => ({ delivery })),
  }),
);
