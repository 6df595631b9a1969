// Forged deliveries: an attacker without the secret sends them, and a correct receiver answers none
// of them with 2xx. One row for each: name, what is wrong, how it is made, how to mend a receiver.
import { createHash } from 'node:crypto';
import type { Check, Probe } from '../check.ts';
import {
  bytesOf,
  deliveryOf,
  eventOf,
  macOf,
  type SigningOptions,
  signatureOf,
} from '../delivery.ts';
import { drawProbe, shiftDigits } from './draw-probe.ts';

/** What a forgery can be made of. */
interface Parts {
  readonly t: string;
  readonly mac: string;
  readonly body: Uint8Array;
  /** The right signature header of this body and time. */
  readonly right: string;
  /** The right v1 of this body if this text were its t. */
  readonly macFor: (t: string) => string;
}

type HeaderOf = (parts: Parts) => string | readonly string[];

/** How one delivery differs from a valid one. */
interface Forgery {
  /** The signature header; each is sent with a delivery of its own, a list is several lines. */
  readonly headers?: readonly HeaderOf[];
  /** The body that is signed, from the event. */
  readonly print?: (event: object) => string;
  /** The body that is sent, from the one that was signed. */
  readonly body?: (signed: Uint8Array, signing: SigningOptions) => Uint8Array;
  /** Age of the signature. */
  readonly ageMs?: number;
  /** Part of the signature is right on purpose. */
  readonly partly?: true;
}

type Row = readonly [name: string, title: string, forgery: Forgery, fix?: string];

const header = (...headers: HeaderOf[]): Forgery => ({ headers });
const part = (...headers: HeaderOf[]): Forgery => ({ headers, partly: true });
const text = (bytes: Uint8Array) => Buffer.from(bytes).toString();
const sent = (change: (signed: string) => string): Forgery => ({
  body: (signed) => bytesOf(change(text(signed))),
});
const sha256 = (...parts: (string | Uint8Array)[]) => {
  const hash = createHash('sha256');
  for (const each of parts) hash.update(each);
  return hash.digest('hex');
};
/** A v1 made with another secret. */
const keyed =
  (secret: string): HeaderOf =>
  ({ t, body }) =>
    `t=${t},v1=${macOf(secret, t, body)}`;
/** The right digits with some of them changed. */
const changed =
  (from: number, count: number): HeaderOf =>
  ({ t, mac }) => {
    const to = from + count;
    return `t=${t},v1=${mac.slice(0, from)}${shiftDigits(mac.slice(from, to))}${mac.slice(to)}`;
  };
/** Headers whose v1 is right for a t that reads as each of these texts. */
const signedFor = (texts: readonly string[], print: (mac: string, t: string) => string) =>
  texts.map(
    (t): HeaderOf =>
      ({ macFor }) =>
        print(macFor(t), t),
  );

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const wholeDigest = 'Compare whole digests: check the length first.';
const lastDigit = 'Compare whole digests, to the last character.';
const firstDigit = 'Compare whole digests, from the first character.';
const configured = 'Stop if the secret is not configured.';
const rawBytes = 'Verify the bytes as they arrive, not JSON that was printed again.';
const oneT = 'Refuse a header that names t twice.';

const forged: readonly Row[] = [
  ['no-header', 'no signature header', header(() => []), 'Refuse a delivery without the header.'],
  ['empty-header', 'an empty signature header', header(() => '')],
  ['garbage-header', 'a signature header without any key=value', header(() => 'signed')],
  ['no-v1', 'a signature without v1', header(({ t }) => `t=${t}`)],
  [
    'empty-v1',
    'an empty v1',
    header(({ t }) => `t=${t},v1=`),
    'An empty text is a prefix of every text: compare whole digests of equal length.',
  ],
  ['non-hex-v1', 'a v1 that is not hex', header(({ t }) => `t=${t},v1=${'z'.repeat(64)}`)],
  [
    'truncated-v1',
    'a v1 without its second half, or without its last digit',
    // Decoders of hex fail at an odd number of digits.
    part(
      ({ t, mac }) => `t=${t},v1=${mac.slice(0, 32)}`,
      ({ t, mac }) => `t=${t},v1=${mac.slice(0, 63)}`,
    ),
    wholeDigest,
  ],
  [
    'first-bytes-v1',
    'a v1 of which only the first two characters are right',
    part(changed(2, 62)),
    lastDigit,
  ],
  [
    'last-bytes-v1',
    'a v1 of which only the last two characters are right',
    part(changed(0, 62)),
    firstDigit,
  ],
  [
    'part-changed-v1',
    'the right v1 with eight of its digits changed, each eight in turn',
    part(...[0, 8, 16, 24, 32, 40, 48, 56].map((from) => changed(from, 8))),
    'Compare whole digests, every character of them.',
  ],
  [
    'first-digit-changed-v1',
    'the right v1 with its first digit changed',
    part(changed(0, 1)),
    firstDigit,
  ],
  [
    'last-digit-changed-v1',
    'the right v1 with its last digit changed',
    part(changed(63, 1)),
    lastDigit,
  ],
  [
    'extended-v1',
    'the right v1 with two more characters',
    part(({ right }) => `${right}00`),
    wholeDigest,
  ],
  ['wrong-secret', 'a signature under another secret', header(keyed('whsec_another'))],
  [
    'empty-secret',
    'a signature under the empty secret',
    header(keyed('')),
    'Stop if the secret is not configured, instead of verifying with an empty one.',
  ],
  [
    'secret-undefined',
    'a signature under the secret "undefined"',
    header(keyed('undefined')),
    configured,
  ],
  ['secret-null', 'a signature under the secret "null"', header(keyed('null')), configured],
  [
    'unkeyed-hash',
    'a plain SHA-256 instead of the HMAC',
    header(({ t, body }) => `t=${t},v1=${sha256(`${t}.`, body)}`),
  ],
  [
    'unkeyed-body-hash',
    'a plain SHA-256 of the body instead of the HMAC',
    header(({ t, body }) => `t=${t},v1=${sha256(body)}`),
  ],
  [
    'byte-changed',
    'one byte of the body changed',
    sent((body) => body.replace('250.00', '950.00')),
  ],
  [
    'white-space-added',
    'a space added in the body',
    sent((body) => body.replace('":', '": ')),
    rawBytes,
  ],
  [
    'white-space-removed',
    'the white space of the body removed',
    {
      print: (event) => JSON.stringify(event, null, 2),
      ...sent((body) => JSON.stringify(JSON.parse(body))),
    },
    rawBytes,
  ],
  [
    'newline-added',
    'a line break added to the body',
    sent((body) => `${body}\n`),
    'Do not trim the body before verifying.',
  ],
  [
    'members-reordered',
    'the members of the body in another order',
    sent((body) =>
      JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(body) as object).reverse())),
    ),
    rawBytes,
  ],
  [
    'body-swapped',
    'the signature of one event on another',
    {
      body: (_, signing) =>
        bytesOf(JSON.stringify({ ...eventOf(signing, 'swapped'), data: { amount: '1000000.00' } })),
    },
  ],
  ['body-emptied', 'an empty body under the signature of another', sent(() => '')],
];

const replayed: readonly Row[] = [
  [
    'new-t',
    'the v1 of an hour ago with a new t',
    { ageMs: hourMs, ...header(({ mac }) => `t=${Date.now()},v1=${mac}`) },
    'Sign t together with the body, as t, a dot and the body.',
  ],
  [
    'two-t-new-first',
    'an old delivery with two t, the new one first',
    { ageMs: hourMs, ...header(({ right }) => `t=${Date.now()},${right}`) },
    oneT,
  ],
  [
    'two-t-new-last',
    'an old delivery with two t, the new one last',
    { ageMs: hourMs, ...header(({ right }) => `${right},t=${Date.now()}`) },
    oneT,
  ],
  [
    'two-header-lines',
    'an old delivery with a second header line that has a new t',
    { ageMs: hourMs, ...header(({ right }) => [right, `t=${Date.now()}`]) },
    'Several lines of a header are one value with commas: refuse a second t there too.',
  ],
];

// A minute is left for clocks that differ, and five seconds for the way.
const ages: readonly (readonly [name: string, title: string, ageMs: number])[] = [
  ['six-minutes-old', 'a delivery signed six minutes ago', 6 * minuteMs + 5000],
  ['ten-minutes-old', 'a delivery signed ten minutes ago', 10 * minuteMs],
  ['an-hour-old', 'a delivery signed an hour ago', hourMs],
  ['a-day-old', 'a delivery signed a day ago', 24 * hourMs],
  ['six-minutes-ahead', 'a t six minutes ahead of the clock', -6 * minuteMs - 5000],
  ['ten-minutes-ahead', 'a t ten minutes ahead of the clock', -10 * minuteMs],
  ['an-hour-ahead', 'a t an hour ahead of the clock', -hourMs],
];

const notTimes: readonly Row[] = [
  [
    'no-t',
    'a signature without t',
    // What languages read an absent t as.
    header(
      ({ mac }) => `v1=${mac}`,
      ...signedFor(['undefined', 'null', 'None', 'NaN', '', '0'], (mac) => `v1=${mac}`),
    ),
    'Refuse a header that names no t.',
  ],
  [
    'empty-t',
    'an empty t',
    header(({ mac }) => `t=,v1=${mac}`, ...signedFor(['', '0', 'NaN'], (mac) => `t=,v1=${mac}`)),
    'Refuse a t that is not digits alone.',
  ],
  [
    't-not-a-number',
    'a t that is not a number',
    header(
      ({ mac }) => `t=now,v1=${mac}`,
      ...signedFor(['now', 'NaN'], (mac) => `t=now,v1=${mac}`),
      ...signedFor(['NaN'], (mac) => `t=NaN,v1=${mac}`),
    ),
    'Check that t is a number before comparing times: NaN is neither too old nor too new.',
  ],
  [
    't-zero',
    'a t of 0',
    header(...signedFor(['0', '0000000000000'], (mac, t) => `t=${t},v1=${mac}`)),
    'Check whether t is present, not whether it is truthy: 0 is a time, and an old one.',
  ],
];

const otherVersions: readonly Row[] = [
  [
    'unknown-version-only',
    'the right digest under v0 and v2, without v1',
    header(({ t, mac }) => `t=${t},v0=${mac},v2=${mac}`),
    'Look at v1 only.',
  ],
];

const exact = 'EVT-6: only a v1 over exactly these bytes and this time passes.';
const replay = 'Anyone who has seen one delivery can repeat it, today and next year.';

export const refuseChecks: readonly Check[] = [
  ...forged.map((row) =>
    refuse(row, exact, 'Anyone who knows the URL can make the receiver act on an invented event.'),
  ),
  ...replayed.map((row) => refuse(row, exact, replay)),
  ...ages.map(([name, title, ageMs]) => {
    const limit = 'Refuse when t is more than five minutes from your clock; t is in milliseconds.';
    const fix = ageMs > 0 ? limit : `${limit} Compare the absolute difference.`;
    const why = 'EVT-5b, EVT-6: t more than five minutes off is refused.';
    return refuse([name, title, { ageMs }, fix], why, replay);
  }),
  ...notTimes.map((row) =>
    refuse(
      row,
      'EVT-5a, EVT-6: t is the time in epoch milliseconds; more than five minutes off is refused.',
      'A signature under a t that is not a time never expires: it can be repeated for ever.',
    ),
  ),
  ...otherVersions.map((row) =>
    refuse(
      row,
      'EVT-5a: signatures are in v1.',
      'An attacker could choose a scheme that is broken later.',
    ),
  ),
];

function refuse([name, title, forgery, fix]: Row, why: string, gains: string): Check {
  return {
    id: `RCV-refuses-${name}`,
    group: 'refuse',
    title,
    why,
    gains,
    fix:
      fix ??
      'Compute the HMAC of t, a dot and the raw body, and compare it in constant time with each v1.',
    probes: (signing) => {
      const { headers = [({ right }: Parts) => right], partly } = forgery;
      return headers.map((headerOf, at) => {
        const event = at === 0 ? name : `${name}-part-${at + 1}`;
        const draw = (turn: number) =>
          forge(signing, turn === 0 ? event : `${event}-${turn}`, forgery, headerOf);
        return partly ? draw(0) : drawProbe(signing, draw);
      });
    },
  };
}

function forge(
  signing: SigningOptions,
  name: string,
  { print = JSON.stringify, body: change, ageMs = 0 }: Forgery,
  headerOf: HeaderOf,
): Probe {
  const tMs = Date.now() - ageMs;
  const signed = bytesOf(print(eventOf(signing, name)));
  const macFor = (t: string) => macOf(signing.secret, t, signed);
  const t = String(tMs);
  const right = signatureOf(signing, signed, tMs);
  const signature = [headerOf({ t, mac: macFor(t), body: signed, right, macFor })].flat();
  const body = change === undefined ? signed : change(signed, signing);
  const expectedMac = macOf(signing.secret, t, body);
  // A receiver can only give away a signature that was not sent to it.
  const leaks = signature.some((line) => line.includes(expectedMac)) ? {} : { expectedMac };
  return { delivery: deliveryOf(signing, { body, signature }), ...leaks };
}
