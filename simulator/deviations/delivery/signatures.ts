// Wrong signatures: what is signed, how it is written, under which secrets and times (EVT-5 to
// EVT-7).
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
    id: 'signature-header-semicolons',
    breaks: ['EVT-5a'],
    story: 'The parts are separated by semicolons.',
    bend: header((given) => given.replaceAll(',', ';')),
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
  },
];
