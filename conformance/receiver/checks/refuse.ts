// Deliveries of an attacker who does not have the secret: a correct receiver answers none of them
// with 2xx.
import { createHash, createHmac } from 'node:crypto';
import type { Check } from '../check.ts';
import { bytesOf, eventOf } from '../delivery.ts';
import { type Parts, refuse, replayed } from './attack.ts';
import { shiftDigits } from './draw-probe.ts';
import { timeChecks } from './refuse-times.ts';

const text = (bytes: Uint8Array) => Buffer.from(bytes).toString();
const hmac = (secret: string, { t, body }: Parts) =>
  createHmac('sha256', secret).update(`${t}.`).update(body).digest('hex');
/** The digits of a right v1, with some of them changed. */
function changed(mac: string, from: number, count: number): string {
  const to = from + count;
  return `${mac.slice(0, from)}${shiftDigits(mac.slice(from, to))}${mac.slice(to)}`;
}

export const refuseChecks: readonly Check[] = [
  refuse('no-header', {
    title: 'no signature header',
    header: () => [],
    fix: 'Refuse a delivery without the header.',
  }),
  refuse('empty-header', { title: 'an empty signature header', header: () => [''] }),
  refuse('garbage-header', {
    title: 'a signature header without any key=value',
    header: () => ['signed'],
  }),
  refuse('no-v1', { title: 'a signature without v1', header: (_, { t }) => [`t=${t}`] }),
  refuse('empty-v1', {
    title: 'an empty v1',
    header: (_, { t }) => [`t=${t},v1=`],
    fix: 'An empty text is a prefix of every text: compare whole digests of equal length.',
  }),
  refuse('non-hex-v1', {
    title: 'a v1 that is not hex',
    header: (_, { t }) => [`t=${t},v1=${'z'.repeat(64)}`],
  }),
  refuse('truncated-v1', {
    title: 'a v1 of which the second half is missing, or its last digit alone',
    partly: true,
    // An odd number of digits is what decoders of hex stumble over.
    headers: [32, 63].map(
      (length) =>
        ({ t, mac }: Parts) =>
          `t=${t},v1=${mac.slice(0, length)}`,
    ),
    fix: 'Compare whole digests: check the length first.',
  }),
  refuse('first-bytes-v1', {
    title: 'a v1 of which only the first two characters are right',
    partly: true,
    header: (_, { t, mac }) => [`t=${t},v1=${mac.slice(0, 2)}${shiftDigits(mac.slice(2))}`],
    fix: 'Compare whole digests, to the last character.',
  }),
  refuse('last-bytes-v1', {
    title: 'a v1 of which only the last two characters are right',
    partly: true,
    header: (_, { t, mac }) => [`t=${t},v1=${shiftDigits(mac.slice(0, -2))}${mac.slice(-2)}`],
    fix: 'Compare whole digests, from the first character.',
  }),
  refuse('part-changed-v1', {
    title: 'the right v1 with eight of its digits changed, each eight in turn',
    partly: true,
    headers: [0, 8, 16, 24, 32, 40, 48, 56].map(
      (from) =>
        ({ t, mac }: Parts) =>
          `t=${t},v1=${changed(mac, from, 8)}`,
    ),
    fix: 'Compare whole digests, every character of them.',
  }),
  refuse('first-digit-changed-v1', {
    title: 'the right v1 with its first digit changed',
    partly: true,
    header: (_, { t, mac }) => [`t=${t},v1=${changed(mac, 0, 1)}`],
    fix: 'Compare whole digests, from the first character.',
  }),
  refuse('last-digit-changed-v1', {
    title: 'the right v1 with its last digit changed',
    partly: true,
    header: (_, { t, mac }) => [`t=${t},v1=${changed(mac, 63, 1)}`],
    fix: 'Compare whole digests, to the last character.',
  }),
  refuse('extended-v1', {
    title: 'the right v1 with two characters more',
    partly: true,
    header: (_, { t, mac }) => [`t=${t},v1=${mac}00`],
    fix: 'Compare whole digests: check the length first.',
  }),
  refuse('wrong-secret', {
    title: 'a signature under another secret',
    header: (_, parts) => [`t=${parts.t},v1=${hmac('whsec_another', parts)}`],
  }),
  refuse('empty-secret', {
    title: 'a signature under the empty secret',
    header: (_, parts) => [`t=${parts.t},v1=${hmac('', parts)}`],
    fix: 'Stop when the secret is not configured, rather than verify with an empty one.',
  }),
  refuse('secret-undefined', {
    title: 'a signature under the secret "undefined"',
    header: (_, parts) => [`t=${parts.t},v1=${hmac('undefined', parts)}`],
    fix: 'Stop when the secret is not configured.',
  }),
  refuse('secret-null', {
    title: 'a signature under the secret "null"',
    header: (_, parts) => [`t=${parts.t},v1=${hmac('null', parts)}`],
    fix: 'Stop when the secret is not configured.',
  }),
  refuse('unkeyed-hash', {
    title: 'a plain SHA-256 in place of the HMAC',
    header: (_, { t, body }) => [
      `t=${t},v1=${createHash('sha256').update(`${t}.`).update(body).digest('hex')}`,
    ],
  }),
  refuse('unkeyed-body-hash', {
    title: 'a plain SHA-256 of the body in place of the HMAC',
    header: (_, { t, body }) => [`t=${t},v1=${createHash('sha256').update(body).digest('hex')}`],
  }),
  refuse('byte-changed', {
    title: 'one byte of the body changed',
    body: (signed) => bytesOf(text(signed).replace('250.00', '950.00')),
  }),
  refuse('white-space-added', {
    title: 'a space added in the body',
    body: (signed) => bytesOf(text(signed).replace('":', '": ')),
    fix: 'Sign the bytes as they came, not JSON printed anew.',
  }),
  refuse('white-space-removed', {
    title: 'the white space of the body taken out',
    print: (event) => JSON.stringify(event, null, 2),
    body: (signed) => bytesOf(JSON.stringify(JSON.parse(text(signed)))),
    fix: 'Sign the bytes as they came, not JSON printed anew.',
  }),
  refuse('newline-added', {
    title: 'a line break added to the body',
    body: (signed) => bytesOf(`${text(signed)}\n`),
    fix: 'Do not trim the body before verifying.',
  }),
  refuse('members-reordered', {
    title: 'the members of the body in another order',
    body: (signed) =>
      bytesOf(
        JSON.stringify(
          Object.fromEntries(Object.entries(JSON.parse(text(signed)) as object).reverse()),
        ),
      ),
    fix: 'Sign the bytes as they came, not JSON printed anew.',
  }),
  refuse('body-swapped', {
    title: 'the signature of one event on another',
    body: (_signed, signing) =>
      bytesOf(JSON.stringify({ ...eventOf(signing, 'swapped'), data: { amount: '1000000.00' } })),
  }),
  refuse('body-emptied', {
    title: 'an empty body under the signature of another',
    body: () => new Uint8Array(0),
  }),
  refuse('new-t', {
    title: 'the v1 of an hour ago with a new t',
    ageMs: 3_600_000,
    header: (_, { mac }) => [`t=${Date.now()},v1=${mac}`],
    gains: replayed,
    fix: 'Sign t together with the body, as t, a dot and the body.',
  }),
  ...timeChecks,
  refuse('two-t-new-first', {
    title: 'two t in an old delivery, a new one before the old',
    ageMs: 3_600_000,
    header: (right) => [`t=${Date.now()},${right}`],
    gains: replayed,
    fix: 'Refuse a header that names t twice.',
  }),
  refuse('two-t-new-last', {
    title: 'two t in an old delivery, a new one after the old',
    ageMs: 3_600_000,
    header: (right) => [`${right},t=${Date.now()}`],
    gains: replayed,
    fix: 'Refuse a header that names t twice.',
  }),
  refuse('two-header-lines', {
    title: 'an old delivery with a second header line that has a new t',
    ageMs: 3_600_000,
    header: (right) => [right, `t=${Date.now()}`],
    gains: replayed,
    fix: 'Several lines of a header are one value with commas: refuse a second t there too.',
  }),
  refuse('unknown-version-only', {
    title: 'the right digest under v0 and v2, without v1',
    header: (_, { t, mac }) => [`t=${t},v0=${mac},v2=${mac}`],
    why: 'EVT-5a: signatures are in v1.',
    gains: 'A scheme that is broken later could be chosen by the attacker.',
    fix: 'Look at v1 only.',
  }),
];
