// Ways to sign a delivery wrongly on purpose, each with what a receiver should do with it.
import { hmacSha256Hex } from '../../../simulator/core/values/digest.ts';
import { signatureHeader, signBody } from '../../../simulator/core/values/signature.ts';

/** A body and the time to sign it at. */
export interface Unsigned {
  readonly secret: string;
  readonly previousSecret: string | undefined;
  readonly tMs: number;
  readonly body: Uint8Array;
}

/** What goes out; a null header is not sent. */
export interface Signed {
  readonly header: string | null;
  readonly body: Uint8Array;
}

type Sign = (unsigned: Unsigned) => Signed;

/** The delivery as it should be: one `v1`, or two during a rotation (EVT-7). */
export const signWell: Sign = ({ secret, previousSecret, tMs, body }) => {
  const secrets = previousSecret === undefined ? [secret] : [secret, previousSecret];
  const signatures = secrets.map((each) => signBody(each, tMs, body));
  return { header: signatureHeader(tMs, signatures), body };
};

/** Only the header is wrong. */
const header =
  (make: (tMs: number, signature: string) => string | null): Sign =>
  ({ secret, tMs, body }) => ({ header: make(tMs, signBody(secret, tMs, body)), body });

const signedAt =
  (move: (tMs: number) => number): Sign =>
  (unsigned) =>
    signWell({ ...unsigned, tMs: move(unsigned.tMs) });

const withBody =
  (change: (body: Uint8Array) => Uint8Array): Sign =>
  (unsigned) => ({ ...signWell(unsigned), body: change(unsigned.body) });

const tenMinutesMs = 600_000;
const otherDigit = (signature: string) =>
  signature.slice(0, -1) + (signature.endsWith('0') ? '1' : '0');

const rows = [
  ['body', 'a byte of the body is changed after signing', withBody(changeDigit)],
  [
    'newline',
    'a line end is added to the body after signing',
    withBody((body) => Buffer.concat([body, Buffer.from('\n')])),
  ],
  [
    'secret',
    'signed under another secret',
    (unsigned) =>
      signWell({ ...unsigned, secret: `${unsigned.secret}-not`, previousSecret: undefined }),
  ],
  [
    'signature',
    'the last digit of the v1 is changed',
    header((tMs, signature) => signatureHeader(tMs, [otherDigit(signature)])),
  ],
  [
    'timestamp',
    't is changed after signing',
    header((tMs, signature) => signatureHeader(tMs + 1, [signature])),
  ],
  ['stale', 'signed ten minutes ago', signedAt((tMs) => tMs - tenMinutesMs)],
  ['future', 'signed ten minutes ahead', signedAt((tMs) => tMs + tenMinutesMs)],
  ['seconds', 't is in seconds, and signed so', signedAt((tMs) => Math.floor(tMs / 1000))],
  [
    'no-dot',
    't and body are signed without the dot between them',
    ({ secret, tMs, body }) => ({
      header: signatureHeader(tMs, [hmacSha256Hex(secret, `${tMs}`, body)]),
      body,
    }),
  ],
  ['no-header', 'the signature header is not sent', header(() => null)],
  ['no-timestamp', 'the header has no t', header((_, signature) => `v1=${signature}`)],
  ['no-signature', 'the header has no v1', header((tMs) => `t=${tMs}`)],
  [
    'other-scheme',
    'the signature is sent as v0',
    header((tMs, signature) => `t=${tMs},v0=${signature}`),
  ],
  ['empty-signature', 'the v1 is empty', header((tMs) => signatureHeader(tMs, ['']))],
  ['garbage', 'the header is not a list of key=value', header(() => 'not a signature')],
  [
    'extra-signature',
    'a v1 that matches nothing stands before the right one',
    header((tMs, signature) => signatureHeader(tMs, ['0123456789abcdef'.repeat(4), signature])),
  ],
] as const satisfies readonly (readonly [kind: string, story: string, sign: Sign])[];

export type TamperKind = (typeof rows)[number][0];

interface Tampering {
  readonly story: string;
  readonly expect: 'accepted' | 'refused';
  readonly sign: Sign;
}

/** Every kind, by the name that the command line uses. */
export const tamperings = Object.fromEntries(
  rows.map(([kind, story, sign]): [string, Tampering] => {
    // EVT-6: a match on any one v1 passes.
    const expect = kind === 'extra-signature' ? 'accepted' : 'refused';
    return [kind, { story, expect, sign }];
  }),
) as Readonly<Record<TamperKind, Tampering>>;

export const tamperKinds = Object.keys(tamperings) as readonly TamperKind[];

/** The last digit becomes another one, so that JSON stays JSON and only a verification notices. */
function changeDigit(body: Uint8Array): Uint8Array {
  if (body.length === 0) return Buffer.from(' ');
  const changed = Buffer.from(body);
  const digit = changed.findLastIndex((byte) => byte >= 0x30 && byte <= 0x39);
  const at = digit < 0 ? changed.length - 1 : digit;
  changed[at] = (changed[at] ?? 0) ^ 1;
  return changed;
}
