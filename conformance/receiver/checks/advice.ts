// What is ambiguous or takes the secret to exploit: told as advice, never as a deviation.
import { createHmac } from 'node:crypto';
import type { Check, Probe } from '../check.ts';
import {
  bytesOf,
  deliveryOf,
  eventOf,
  type HeaderNames,
  macOf,
  type SigningOptions,
  signatureOf,
} from '../delivery.ts';
import { drawProbe, shiftDigits } from './draw-probe.ts';

interface Advice {
  readonly title: string;
  readonly why: string;
  readonly fix: string;
  readonly probe: (signing: SigningOptions, body: Uint8Array, tMs: number) => Probe['delivery'];
  /** Some of the signature is right on purpose. */
  readonly partly?: true;
}

/** Better refused; `RCV-advises-…` passes when it is not answered 2xx. */
function advise(name: string, { title, why, fix, probe, partly }: Advice): Check {
  return {
    id: `RCV-advises-${name}`,
    group: 'advice',
    title,
    why,
    gains:
      'Only somebody with the secret can make such a delivery; it shows how exactly you check.',
    fix,
    probes: (signing) => {
      const draw = (turn: number): Probe => {
        const body = bytesOf(
          JSON.stringify(eventOf(signing, turn === 0 ? name : `${name}-${turn}`)),
        );
        const tMs = Date.now();
        return { delivery: probe(signing, body, tMs), signed: { body, t: String(tMs) } };
      };
      return [partly ? draw(0) : drawProbe(signing, draw)];
    },
  };
}

const exact = 'The platform signs in one way only; take no other.';

export const adviceChecks: readonly Check[] = [
  advise('t-in-seconds', {
    title: 't in seconds, signed so',
    why: 'EVT-5a: t is in milliseconds.',
    fix: 'Do not guess the scale of t.',
    probe: (signing, body, tMs) => deliveryOf(signing, { body, tMs: Math.floor(tMs / 1000) }),
  }),
  advise('t-with-letters', {
    title: 'a t with letters after its digits, signed so',
    why: 'EVT-5a: t is a number of milliseconds.',
    fix: 'Take a t of digits alone; parseInt and its like read as far as they understand.',
    probe: (signing, body, tMs) =>
      signed(signing, body, `t=${tMs}ms,v1=${macOf(signing.secret, `${tMs}ms`, body)}`),
  }),
  advise('no-dot', {
    title: 'a v1 over t and the body without the dot between them',
    why: 'EVT-6: the message is t, a dot and the body.',
    fix: exact,
    probe: (signing, body, tMs) =>
      signed(signing, body, `t=${tMs},v1=${undotted(signing.secret, tMs, body)}`),
  }),
  advise('body-only-mac', {
    title: 'a v1 over the body alone',
    why: 'EVT-6: t and the dot are part of the message.',
    fix: exact,
    probe: (signing, body, tMs) => signed(signing, body, `t=${tMs},v1=${bodyMac(signing, body)}`),
  }),
  advise('sha1', {
    title: 'a v1 made with SHA-1',
    why: 'EVT-6: the digest is SHA-256.',
    fix: exact,
    probe: (signing, body, tMs) =>
      signed(signing, body, `t=${tMs},v1=${mac(signing, body, tMs, 'sha1')}`),
  }),
  advise('sha512', {
    title: 'a v1 made with SHA-512',
    why: 'EVT-6: the digest is SHA-256.',
    fix: exact,
    probe: (signing, body, tMs) =>
      signed(signing, body, `t=${tMs},v1=${mac(signing, body, tMs, 'sha512')}`),
  }),
  advise('upper-case-hex', {
    title: 'a v1 in upper-case hex',
    why: 'EVT-6: the hex is in lower case.',
    fix: 'Compare the text as it is; a receiver that takes both is no danger, only lax.',
    partly: true,
    probe: (signing, body, tMs) => {
      // A digit is its own upper case: the ends have to be letters, or part of it may be right.
      let t = tMs;
      while (!/^[a-f].*[a-f]$/.test(mac(signing, body, t, 'sha256')) && tMs - t < 1000) t -= 1;
      return signed(signing, body, `t=${t},v1=${mac(signing, body, t, 'sha256').toUpperCase()}`);
    },
  }),
  advise('byte-order-mark', {
    title: 'a body with a byte order mark that is not signed',
    why: 'What is signed is the raw body.',
    fix: 'Do not strip anything from the body before verifying.',
    probe: (signing, body, tMs) =>
      deliveryOf(signing, {
        body: Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), body]),
        signature: [signatureOf(signing, body, tMs)],
      }),
  }),
];

const plain = (t: string, digest: string) => `t=${t},v1=${digest}`;

/** Better accepted, because a proxy or a later version may do it. */
export const laxChecks: readonly Check[] = [
  lax(
    'white-space-in-header',
    'white space after the comma of the header',
    (t, digest) => `t=${t}, v1=${digest}`,
  ),
  lax('v1-before-t', 'v1 before t', (t, digest) => `v1=${digest},t=${t}`),
  lax(
    'unknown-key',
    'a key that does not exist yet, between t and v1',
    (t, digest) => `t=${t},kid=7,v1=${digest}`,
  ),
  lax(
    'unknown-version-too',
    'a v2 beside the right v1',
    (t, digest) => `t=${t},v2=${shiftDigits(digest)},v1=${digest}`,
  ),
  {
    ...lax('header-name-case', 'the names of the headers in capitals', plain, shouted),
    why: 'HTTP compares the names of headers without regard to case, and proxies change it.',
    fix: 'Look headers up by a function that ignores case, or bring their names to lower case first.',
  },
];

function shouted({ signature, subscription }: HeaderNames): HeaderNames {
  return { signature: signature.toUpperCase(), subscription: subscription.toUpperCase() };
}

function lax(
  name: string,
  title: string,
  print: (t: string, digest: string) => string,
  rename: (names: HeaderNames) => HeaderNames = (names) => names,
): Check {
  return {
    id: `RCV-tolerates-${name}`,
    group: 'advice',
    title,
    why: 'EVT-5a says that the parts are key=value separated by commas, and nothing of order or further keys.',
    gains: 'Nothing for an attacker; a change of the platform that breaks nobody else breaks you.',
    fix: 'Split at commas, trim, read t and every v1, pass over the rest.',
    probes: (signing) => {
      const body = bytesOf(JSON.stringify(eventOf(signing, name)));
      const t = String(Date.now());
      const sent = { ...signing, names: rename(signing.names) };
      return [{ delivery: signed(sent, body, print(t, macOf(signing.secret, t, body))) }];
    },
  };
}

function signed(signing: SigningOptions, body: Uint8Array, signature: string) {
  return deliveryOf(signing, { body, signature: [signature] });
}

function mac(signing: SigningOptions, body: Uint8Array, tMs: number, algorithm: string): string {
  return macOf(signing.secret, String(tMs), body, algorithm);
}

function undotted(secret: string, tMs: number, body: Uint8Array): string {
  return createHmac('sha256', secret).update(String(tMs)).update(body).digest('hex');
}

function bodyMac({ secret }: SigningOptions, body: Uint8Array): string {
  return createHmac('sha256', secret).update(body).digest('hex');
}
