// Wrong signatures: what is signed, how it is written, under which secrets and times (EVT-5 to
// EVT-7).
import { hmacSha256Hex, sha256Hex } from '../../core/values/digest.ts';
import { signatureHeader, signBody } from '../../core/values/signature.ts';
import type { Deviation } from '../deviation.ts';
import { delivery, hour } from './bends.ts';

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

export const signatureDeviations: readonly Deviation[] = [
  {
    id: 'signature-header-base64',
    breaks: ['EVT-6'],
    story: 'The digest is in base64.',
    bend: signing((secret, tMs, body) =>
      Buffer.from(signBody(secret, tMs, body), 'hex').toString('base64'),
    ),
  },
  {
    id: 'signature-upper-case',
    breaks: ['EVT-6'],
    story: 'Hex in capitals.',
    bend: signing((secret, tMs, body) => signBody(secret, tMs, body).toUpperCase()),
  },
  {
    id: 'signature-over-body-only',
    breaks: ['EVT-6'],
    story: 'The timestamp is not signed.',
    bend: signing((secret, _tMs, body) => hmacSha256Hex(secret, body)),
  },
  {
    id: 'signature-without-dot',
    breaks: ['EVT-6'],
    story: 'Timestamp and body are joined without a dot.',
    bend: signing((secret, tMs, body) => hmacSha256Hex(secret, String(tMs), body)),
  },
  {
    id: 'signature-unkeyed',
    breaks: ['EVT-6'],
    story: 'SHA-256 over secret and body is taken for an HMAC.',
    bend: signing((secret, tMs, body) => sha256Hex(`${secret}.${tMs}.${body}`)),
  },
  {
    id: 'signature-over-reprinted-body',
    breaks: ['EVT-6'],
    story: 'What is signed is printed once more, with other white space.',
    bend: signing((secret, tMs, body) =>
      signBody(secret, tMs, JSON.stringify(JSON.parse(body), null, 1)),
    ),
  },
  {
    id: 'signature-secret-without-prefix',
    breaks: ['EVT-6'],
    story: 'The prefix of the secret is cut off before signing.',
    bend: signing((secret, tMs, body) => signBody(secret.replace(/^whsec_/, ''), tMs, body)),
  },
  {
    id: 'signature-truncated',
    breaks: ['EVT-6'],
    story: 'The first half of the digest is enough.',
    bend: signing((secret, tMs, body) => signBody(secret, tMs, body).slice(0, 32)),
  },
  {
    id: 'signature-header-without-t',
    breaks: ['EVT-5a'],
    story: 'The time is in a header of its own.',
    bend: header((given) => given.replace(/^t=\d+,/, '')),
  },
  {
    id: 'signature-header-semicolons',
    breaks: ['EVT-5a'],
    story: 'The parts are separated by semicolons.',
    bend: header((given) => given.replaceAll(',', ';')),
  },
  {
    id: 'signature-header-v2',
    breaks: ['EVT-5a'],
    story: 'The version was raised.',
    bend: header((given) => given.replaceAll('v1=', 'v2=')),
  },
  {
    id: 'signature-header-two-t',
    breaks: ['EVT-5a'],
    story: 'The time of queueing is sent too.',
    bend: header((given, tMs) => `${given},t=${tMs - 1}`),
  },
  {
    id: 'signature-time-in-seconds',
    breaks: ['EVT-5a'],
    story: 't is in seconds, as others have it.',
    bend: delivery((own) => ({
      signature: (secrets, tMs, body) => own.signature(secrets, Math.floor(tMs / 1000), body),
    })),
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
    id: 'signature-time-less-the-wait',
    breaks: ['EVT-5b'],
    story: 'What an event waited for its retry is taken off its time.',
    bend: delivery((own) => {
      const signed = new Set<string>();
      return {
        signature: (secrets, tMs, body) => {
          const waitedMs = signed.has(body) ? 30_000 : 0;
          signed.add(body);
          return own.signature(secrets, tMs - waitedMs, body);
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
  },
];
