// Deliveries that are ambiguous, or need the secret: they lead to advice, never to a failure. One
// row for each: name, what is sent, how the signature is made.
import { createHmac } from 'node:crypto';
import { type Check, checkOf } from '../check.ts';
import {
  bytesOf,
  type Delivery,
  deliveryOf,
  eventOf,
  macOf,
  type SigningOptions,
  signatureOf,
} from '../delivery.ts';
import { drawProbe, shiftDigits } from './draw-probe.ts';

type Make = (signing: SigningOptions, body: Uint8Array, tMs: number) => Delivery;

/** A delivery with this signature header. */
const signed =
  (headerOf: (signing: SigningOptions, body: Uint8Array, tMs: number) => string): Make =>
  (signing, body, tMs) =>
    deliveryOf(signing, { body, signature: [headerOf(signing, body, tMs)] });

/** A v1 of these parts, with the right secret. */
const digested = (
  algorithm: string,
  partsOf: (t: string, body: Uint8Array) => readonly (string | Uint8Array)[],
) =>
  signed(({ secret }, body, t) => {
    const digest = createHmac(algorithm, secret);
    for (const part of partsOf(String(t), body)) digest.update(part);
    return `t=${t},v1=${digest.digest('hex')}`;
  });

const upperCase = signed(({ secret }, body, tMs) => {
  // A digit has no case, so both ends have to be letters, or part of it may be right.
  const isOpen = (t: number) => !/^[a-f].*[a-f]$/.test(macOf(secret, String(t), body));
  let t = tMs;
  while (isOpen(t) && tMs - t < 1000) t -= 1;
  return `t=${t},v1=${macOf(secret, String(t), body).toUpperCase()}`;
});

const withOrderMark: Make = (signing, body, tMs) =>
  deliveryOf(signing, {
    body: Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), body]),
    signature: [signatureOf(signing, body, tMs)],
  });

const inSeconds: Make = (signing, body, tMs) =>
  deliveryOf(signing, { body, tMs: Math.floor(tMs / 1000) });
const withLetters = signed(({ secret }, body, t) => `t=${t}ms,v1=${macOf(secret, `${t}ms`, body)}`);

const better: readonly (readonly [name: string, title: string, make: Make])[] = [
  ['t-in-seconds', 't in seconds, and signed so', inSeconds],
  ['t-with-letters', 'a t with letters after its digits, and signed so', withLetters],
  [
    'no-dot',
    'a v1 over t and the body without the dot between them',
    digested('sha256', (t, body) => [t, body]),
  ],
  ['body-only-mac', 'a v1 over the body alone', digested('sha256', (_, body) => [body])],
  ['sha1', 'a v1 made with SHA-1', digested('sha1', (t, body) => [`${t}.`, body])],
  ['sha512', 'a v1 made with SHA-512', digested('sha512', (t, body) => [`${t}.`, body])],
  ['upper-case-hex', 'a v1 in upper-case hex', upperCase],
  ['byte-order-mark', 'a body with a byte order mark that is not signed', withOrderMark],
];

/** Better refused: passes if it is not answered 2xx. */
export const adviceChecks: readonly Check[] = better.map(([name, title, make]) =>
  checkOf('form', {
    id: `RCV-advises-${name}`,
    group: 'advice',
    title,
    gains: 'Such a delivery needs the secret; it shows how exactly you check.',
    probes: (signing) => {
      const draw = (turn: number) => {
        const event = eventOf(signing, turn === 0 ? name : `${name}-${turn}`);
        return { delivery: make(signing, bytesOf(JSON.stringify(event)), Date.now()) };
      };
      return [name === 'upper-case-hex' ? draw(0) : drawProbe(signing, draw)];
    },
  }),
);

type Print = (t: string, digest: string) => string;

const usual: Print = (t, digest) => `t=${t},v1=${digest}`;
const headerCase = 'header-name-case';

const lax: readonly (readonly [name: string, title: string, print: Print])[] = [
  [
    'white-space-in-header',
    'white space after the comma of the header',
    (t, digest) => `t=${t}, v1=${digest}`,
  ],
  ['v1-before-t', 'v1 before t', (t, digest) => `v1=${digest},t=${t}`],
  [
    'unknown-key',
    'a key that does not exist yet, between t and v1',
    (t, digest) => `t=${t},kid=7,v1=${digest}`,
  ],
  [
    'unknown-version-too',
    'a v2 beside the right v1',
    (t, digest) => `t=${t},v2=${shiftDigits(digest)},v1=${digest}`,
  ],
  [headerCase, 'the names of the headers in capitals', usual],
];

/** Better accepted, because a proxy or a later version may do it. */
export const laxChecks: readonly Check[] = lax.map(([name, title, print]) =>
  checkOf('tolerance', {
    id: `RCV-tolerates-${name}`,
    group: 'advice',
    title,
    gains: 'Nothing for an attacker; a harmless change of the platform breaks you.',
    probes: (signing) => {
      const body = bytesOf(JSON.stringify(eventOf(signing, name)));
      const t = String(Date.now());
      const signature = [print(t, macOf(signing.secret, t, body))];
      const cased = (text: string) => (name === headerCase ? text.toUpperCase() : text);
      const names = {
        signature: cased(signing.names.signature),
        subscription: cased(signing.names.subscription),
      };
      return [{ delivery: deliveryOf({ ...signing, names }, { body, signature }) }];
    },
  }),
);
