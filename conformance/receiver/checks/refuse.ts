// Forged deliveries: an attacker without the secret sends them, and a correct receiver answers none
// of them with 2xx. One row for each: name, what is wrong, what a receiver that accepts it gets
// wrong, how it is made.
import { createHash } from 'node:crypto';
import { type Cause, type Check, checkOf, type Probe } from '../check.ts';
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

type Row = readonly [name: string, title: string, cause: Cause, forgery: Forgery, fix?: string];

const header = (...headers: HeaderOf[]): Forgery => ({ headers });
const part = (...headers: HeaderOf[]): Forgery => ({ headers, partly: true });
const sent = (change: (signed: string) => string): Forgery => ({
  body: (signed) => bytesOf(change(Buffer.from(signed).toString())),
});
const sha256 = (...parts: (string | Uint8Array)[]) => {
  const hash = createHash('sha256');
  for (const each of parts) hash.update(each);
  return hash.digest('hex');
};
/** A v1 made with another secret. */
const keyed = (secret: string): Forgery =>
  header(({ t, body }) => `t=${t},v1=${macOf(secret, t, body)}`);
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
const anHourOld = (headerOf: HeaderOf): Forgery => ({ ageMs: hourMs, headers: [headerOf] });
const eighths = [0, 8, 16, 24, 32, 40, 48, 56].map((from) => changed(from, 8));

const swapped: Forgery = {
  body: (_, signing) =>
    bytesOf(JSON.stringify({ ...eventOf(signing, 'swapped'), data: { amount: '1000000.00' } })),
};
const unspaced: Forgery = {
  print: (event) => JSON.stringify(event, null, 2),
  ...sent((body) => JSON.stringify(JSON.parse(body))),
};
const reordered = sent((body) =>
  JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(body) as object).reverse())),
);
// Decoders of hex fail at an odd number of digits.
const truncated = part(
  ({ t, mac }) => `t=${t},v1=${mac.slice(0, 32)}`,
  ({ t, mac }) => `t=${t},v1=${mac.slice(0, 63)}`,
);

const forged: readonly Row[] = [
  ['no-header', 'no signature header', 'unsigned', header(() => [])],
  ['empty-header', 'an empty signature header', 'unsigned', header(() => '')],
  [
    'garbage-header',
    'a signature header without any key=value',
    'unsigned',
    header(() => 'signed'),
  ],
  ['no-v1', 'a signature without v1', 'unsigned', header(({ t }) => `t=${t}`)],
  ['empty-v1', 'an empty v1', 'digest', header(({ t }) => `t=${t},v1=`)],
  [
    'non-hex-v1',
    'a v1 that is not hex',
    'digest',
    header(({ t }) => `t=${t},v1=${'z'.repeat(64)}`),
  ],
  ['truncated-v1', 'a v1 without its second half, or without its last digit', 'digest', truncated],
  [
    'first-bytes-v1',
    'a v1 of which only the first two characters are right',
    'digest',
    part(changed(2, 62)),
  ],
  [
    'last-bytes-v1',
    'a v1 of which only the last two characters are right',
    'digest',
    part(changed(0, 62)),
  ],
  [
    'part-changed-v1',
    'the right v1 with eight of its digits changed, each eight in turn',
    'digest',
    part(...eighths),
  ],
  [
    'first-digit-changed-v1',
    'the right v1 with its first digit changed',
    'digest',
    part(changed(0, 1)),
  ],
  [
    'last-digit-changed-v1',
    'the right v1 with its last digit changed',
    'digest',
    part(changed(63, 1)),
  ],
  [
    'extended-v1',
    'the right v1 with two more characters',
    'digest',
    part(({ right }) => `${right}00`),
  ],
  ['wrong-secret', 'a signature under another secret', 'secret', keyed('whsec_another')],
  ['empty-secret', 'a signature under the empty secret', 'secret', keyed('')],
  ['secret-undefined', 'a signature under the secret "undefined"', 'secret', keyed('undefined')],
  ['secret-null', 'a signature under the secret "null"', 'secret', keyed('null')],
  [
    'unkeyed-hash',
    'a plain SHA-256 instead of the HMAC',
    'secret',
    header(({ t, body }) => `t=${t},v1=${sha256(`${t}.`, body)}`),
  ],
  [
    'unkeyed-body-hash',
    'a plain SHA-256 of the body instead of the HMAC',
    'secret',
    header(({ t, body }) => `t=${t},v1=${sha256(body)}`),
  ],
  [
    'byte-changed',
    'one byte of the body changed',
    'bytes',
    sent((body) => body.replace('250.00', '950.00')),
  ],
  [
    'white-space-added',
    'a space added in the body',
    'bytes',
    sent((body) => body.replace('":', '": ')),
  ],
  ['white-space-removed', 'the white space of the body removed', 'bytes', unspaced],
  ['newline-added', 'a line break added to the body', 'bytes', sent((body) => `${body}\n`)],
  ['members-reordered', 'the members of the body in another order', 'bytes', reordered],
  ['body-swapped', 'the signature of one event on another', 'bytes', swapped],
  ['body-emptied', 'an empty body under the signature of another', 'bytes', sent(() => '')],
];

const replayed: readonly Row[] = [
  [
    'new-t',
    'the v1 of an hour ago with a new t',
    'time',
    anHourOld(({ mac }) => `t=${Date.now()},v1=${mac}`),
    'Sign t together with the body, as t, a dot and the body.',
  ],
  [
    'two-t-new-first',
    'an old delivery with two t, the new one first',
    'time',
    anHourOld(({ right }) => `t=${Date.now()},${right}`),
  ],
  [
    'two-t-new-last',
    'an old delivery with two t, the new one last',
    'time',
    anHourOld(({ right }) => `${right},t=${Date.now()}`),
  ],
  [
    'two-header-lines',
    'an old delivery with a second header line that has a new t',
    'time',
    anHourOld(({ right }) => [right, `t=${Date.now()}`]),
    'Several lines of a header are one value with commas: refuse a second t there too.',
  ],
  // A minute is left for clocks that differ, and five seconds for the way.
  ...(
    [
      ['six-minutes-old', 'a delivery signed six minutes ago', 6 * minuteMs + 5000],
      ['ten-minutes-old', 'a delivery signed ten minutes ago', 10 * minuteMs],
      ['an-hour-old', 'a delivery signed an hour ago', hourMs],
      ['a-day-old', 'a delivery signed a day ago', 24 * hourMs],
      ['six-minutes-ahead', 'a t six minutes ahead of the clock', -6 * minuteMs - 5000],
      ['ten-minutes-ahead', 'a t ten minutes ahead of the clock', -10 * minuteMs],
      ['an-hour-ahead', 'a t an hour ahead of the clock', -hourMs],
    ] as const
  ).map(([name, title, ageMs]): Row => [name, title, 'age', { ageMs }]),
];

const notTimes: readonly Row[] = [
  [
    'no-t',
    'a signature without t',
    'time',
    // What languages read an absent t as.
    header(
      ({ mac }) => `v1=${mac}`,
      ...signedFor(['undefined', 'null', 'None', 'NaN', '', '0'], (mac) => `v1=${mac}`),
    ),
  ],
  [
    'empty-t',
    'an empty t',
    'time',
    header(({ mac }) => `t=,v1=${mac}`, ...signedFor(['', '0', 'NaN'], (mac) => `t=,v1=${mac}`)),
  ],
  [
    't-not-a-number',
    'a t that is not a number',
    'time',
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
    'age',
    header(...signedFor(['0', '0000000000000'], (mac, t) => `t=${t},v1=${mac}`)),
    'Check whether t is present, not whether it is truthy: 0 is a time, and an old one.',
  ],
];

const otherVersions: readonly Row[] = [
  [
    'unknown-version-only',
    'the right digest under v0 and v2, without v1',
    'unsigned',
    header(({ t, mac }) => `t=${t},v0=${mac},v2=${mac}`),
  ],
];

export const refuseChecks: readonly Check[] = [
  ...refusals('Anyone who knows the URL can make the receiver act on an invented event.', forged),
  ...refusals('Anyone who has seen one delivery can repeat it, today and next year.', replayed),
  ...refusals(
    'A signature under a t that is not a time never expires: it can be repeated for ever.',
    notTimes,
  ),
  ...refusals('An attacker could choose a scheme that is broken later.', otherVersions),
];

function refusals(gains: string, rows: readonly Row[]): Check[] {
  return rows.map(([name, title, cause, forgery, fix]) => {
    const { headers = [({ right }: Parts) => right], partly } = forgery;
    const probes = (signing: SigningOptions) =>
      headers.map((headerOf, at) => {
        const event = at === 0 ? name : `${name}-part-${at + 1}`;
        const draw = (turn: number) =>
          forge(signing, turn === 0 ? event : `${event}-${turn}`, forgery, headerOf);
        return partly ? draw(0) : drawProbe(signing, draw);
      });
    const id = `RCV-refuses-${name}`;
    return checkOf(cause, { id, group: 'refuse', title, gains, probes }, fix);
  });
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
