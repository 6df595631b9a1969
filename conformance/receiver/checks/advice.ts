// Deliveries that are ambiguous, or need the secret: they lead to advice, never to a failure. One
// row for each: name, what is sent, why, how the signature is made, how to mend.
import { createHmac } from 'node:crypto';
import type { Check } from '../check.ts';
import {
  bytesOf,
  type Delivery,
  deliveryOf,
  eventOf,
  type HeaderNames,
  macOf,
  type SigningOptions,
  signatureOf,
} from '../delivery.ts';
import { drawProbe, shiftDigits } from './draw-probe.ts';

type Make = (signing: SigningOptions, body: Uint8Array, tMs: number) => Delivery;
type Row = readonly [name: string, title: string, why: string, make: Make, fix: string];

/** A delivery with this signature header. */
const signed =
  (headerOf: (signing: SigningOptions, body: Uint8Array, tMs: number) => string): Make =>
  (signing, body, tMs) =>
    deliveryOf(signing, { body, signature: [headerOf(signing, body, tMs)] });

/** A digest of these parts, with the right secret. */
function hmac(algorithm: string, { secret }: SigningOptions, ...parts: (string | Uint8Array)[]) {
  const digest = createHmac(algorithm, secret);
  for (const each of parts) digest.update(each);
  return digest.digest('hex');
}

const exact = 'The platform signs in one way only; accept no other.';

const better: readonly Row[] = [
  [
    't-in-seconds',
    't in seconds, and signed so',
    'EVT-5a: t is in milliseconds.',
    (signing, body, tMs) => deliveryOf(signing, { body, tMs: Math.floor(tMs / 1000) }),
    'Do not guess the scale of t.',
  ],
  [
    't-with-letters',
    'a t with letters after its digits, and signed so',
    'EVT-5a: t is a number of milliseconds.',
    signed((signing, body, t) => `t=${t}ms,v1=${macOf(signing.secret, `${t}ms`, body)}`),
    'Accept a t of digits alone; parseInt reads as far as it understands.',
  ],
  [
    'no-dot',
    'a v1 over t and the body without the dot between them',
    'EVT-6: the message is t, a dot and the body.',
    signed((signing, body, t) => `t=${t},v1=${hmac('sha256', signing, String(t), body)}`),
    exact,
  ],
  [
    'body-only-mac',
    'a v1 over the body alone',
    'EVT-6: t and the dot are part of the message.',
    signed((signing, body, t) => `t=${t},v1=${hmac('sha256', signing, body)}`),
    exact,
  ],
  [
    'sha1',
    'a v1 made with SHA-1',
    'EVT-6: the digest is SHA-256.',
    signed((signing, body, t) => `t=${t},v1=${hmac('sha1', signing, `${t}.`, body)}`),
    exact,
  ],
  [
    'sha512',
    'a v1 made with SHA-512',
    'EVT-6: the digest is SHA-256.',
    signed((signing, body, t) => `t=${t},v1=${hmac('sha512', signing, `${t}.`, body)}`),
    exact,
  ],
  [
    'upper-case-hex',
    'a v1 in upper-case hex',
    'EVT-6: the hex is in lower case.',
    signed(({ secret }, body, tMs) => {
      // A digit has no case, so both ends have to be letters, or part of it may be right.
      const isOpen = (t: number) => !/^[a-f].*[a-f]$/.test(macOf(secret, String(t), body));
      let t = tMs;
      while (isOpen(t) && tMs - t < 1000) t -= 1;
      return `t=${t},v1=${macOf(secret, String(t), body).toUpperCase()}`;
    }),
    'Compare the text as it is; accepting both is no danger, only lax.',
  ],
  [
    'byte-order-mark',
    'a body with a byte order mark that is not signed',
    'What is signed is the raw body.',
    (signing, body, tMs) =>
      deliveryOf(signing, {
        body: Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), body]),
        signature: [signatureOf(signing, body, tMs)],
      }),
    'Do not strip anything from the body before verifying.',
  ],
];

/** Better refused: passes if it is not answered 2xx. */
export const adviceChecks: readonly Check[] = better.map(([name, title, why, make, fix]) => ({
  id: `RCV-advises-${name}`,
  group: 'advice',
  title,
  why,
  gains: 'Such a delivery needs the secret; it shows how exactly you check.',
  fix,
  probes: (signing) => {
    const draw = (turn: number) => {
      const event = eventOf(signing, turn === 0 ? name : `${name}-${turn}`);
      return { delivery: make(signing, bytesOf(JSON.stringify(event)), Date.now()) };
    };
    return [name === 'upper-case-hex' ? draw(0) : drawProbe(signing, draw)];
  },
}));

const openForm =
  'EVT-5a says that the parts are key=value separated by commas, and nothing about order or more keys.';
const splitParts = 'Split at commas, trim, read t and every v1, and ignore the rest.';

type LaxRow = readonly [
  name: string,
  title: string,
  print: (t: string, digest: string) => string,
  rename?: (names: HeaderNames) => HeaderNames,
  why?: string,
  fix?: string,
];

const lax: readonly LaxRow[] = [
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
  [
    'header-name-case',
    'the names of the headers in capitals',
    (t, digest) => `t=${t},v1=${digest}`,
    (names) => ({
      signature: names.signature.toUpperCase(),
      subscription: names.subscription.toUpperCase(),
    }),
    'HTTP ignores the case of header names, and proxies change it.',
    'Look headers up without regard to case, or convert their names to lower case first.',
  ],
];

/** Better accepted, because a proxy or a later version may do it. */
export const laxChecks: readonly Check[] = lax.map(
  ([name, title, print, rename = (names) => names, why = openForm, fix = splitParts]) => ({
    id: `RCV-tolerates-${name}`,
    group: 'advice',
    title,
    why,
    gains: 'Nothing for an attacker; a harmless change of the platform breaks you.',
    fix,
    probes: (signing) => {
      const body = bytesOf(JSON.stringify(eventOf(signing, name)));
      const t = String(Date.now());
      const signature = [print(t, macOf(signing.secret, t, body))];
      const names = rename(signing.names);
      return [{ delivery: deliveryOf({ ...signing, names }, { body, signature }) }];
    },
  }),
);
