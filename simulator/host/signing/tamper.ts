// The ways in which a delivery can be signed wrongly on purpose, each with what a receiver should
// do.
import { hmacSha256Hex } from '../../core/values/digest.ts';
import { signatureHeader, signBody } from '../../core/values/signature.ts';

/** A body and the time to sign it at, before anything is done to them. */
export interface Unsigned {
  readonly secret: string;
  readonly previousSecret: string | undefined;
  readonly tMs: number;
  readonly body: Uint8Array;
}

/** What goes out; a null header is not sent at all. */
export interface Signed {
  readonly header: string | null;
  readonly body: Uint8Array;
}

interface Tampering {
  readonly story: string;
  readonly expect: 'accepted' | 'refused';
  readonly apply: (unsigned: Unsigned) => Signed;
}

const noise = '0123456789abcdef'.repeat(4);
const tenMinutesMs = 600_000;

/** The delivery as it should be: one `v1`, or two during a rotation (EVT-7). */
export function signWell({ secret, previousSecret, tMs, body }: Unsigned): Signed {
  const secrets = previousSecret === undefined ? [secret] : [secret, previousSecret];
  const signatures = secrets.map((each) => signBody(each, tMs, body));
  return { header: signatureHeader(tMs, signatures), body };
}

function withHeader(make: (tMs: number, signature: string) => string | null) {
  return ({ secret, tMs, body }: Unsigned): Signed => ({
    header: make(tMs, signBody(secret, tMs, body)),
    body,
  });
}

function movedBy(ms: number) {
  return (unsigned: Unsigned): Signed => signWell({ ...unsigned, tMs: unsigned.tMs + ms });
}

/** Every kind, by the name that the command line uses. */
export const tamperings = {
  body: {
    story: 'a byte of the body is changed after signing',
    expect: 'refused',
    apply: (unsigned) => ({ ...signWell(unsigned), body: changeByte(unsigned.body) }),
  },
  newline: {
    story: 'a line end is added to the body after signing',
    expect: 'refused',
    apply: (unsigned) => ({
      ...signWell(unsigned),
      body: Buffer.concat([unsigned.body, Buffer.from('\n')]),
    }),
  },
  secret: {
    story: 'signed under another secret',
    expect: 'refused',
    apply: (unsigned) =>
      signWell({ ...unsigned, secret: `${unsigned.secret}-not`, previousSecret: undefined }),
  },
  signature: {
    story: 'the last digit of the v1 is changed',
    expect: 'refused',
    apply: withHeader((tMs, signature) => {
      const last = signature.endsWith('0') ? '1' : '0';
      return signatureHeader(tMs, [signature.slice(0, -1) + last]);
    }),
  },
  timestamp: {
    story: 't is changed after signing',
    expect: 'refused',
    apply: withHeader((tMs, signature) => signatureHeader(tMs + 1, [signature])),
  },
  stale: {
    story: 'signed ten minutes ago',
    expect: 'refused',
    apply: movedBy(-tenMinutesMs),
  },
  future: {
    story: 'signed ten minutes ahead',
    expect: 'refused',
    apply: movedBy(tenMinutesMs),
  },
  seconds: {
    story: 't is in seconds, and signed so',
    expect: 'refused',
    apply: (unsigned) => signWell({ ...unsigned, tMs: Math.floor(unsigned.tMs / 1000) }),
  },
  'no-dot': {
    story: 't and body are signed without the dot between them',
    expect: 'refused',
    apply: ({ secret, tMs, body }) => {
      const signature = hmacSha256Hex(secret, `${tMs}`, body);
      return { header: signatureHeader(tMs, [signature]), body };
    },
  },
  'no-header': {
    story: 'the signature header is not sent',
    expect: 'refused',
    apply: withHeader(() => null),
  },
  'no-timestamp': {
    story: 'the header has no t',
    expect: 'refused',
    apply: withHeader((_, signature) => `v1=${signature}`),
  },
  'no-signature': {
    story: 'the header has no v1',
    expect: 'refused',
    apply: withHeader((tMs) => `t=${tMs}`),
  },
  'other-scheme': {
    story: 'the signature is sent as v0',
    expect: 'refused',
    apply: withHeader((tMs, signature) => `t=${tMs},v0=${signature}`),
  },
  'empty-signature': {
    story: 'the v1 is empty',
    expect: 'refused',
    apply: withHeader((tMs) => signatureHeader(tMs, [''])),
  },
  garbage: {
    story: 'the header is not a list of key=value',
    expect: 'refused',
    apply: withHeader(() => 'not a signature'),
  },
  'extra-signature': {
    story: 'a v1 that matches nothing stands before the right one',
    expect: 'accepted',
    apply: withHeader((tMs, signature) => signatureHeader(tMs, [noise, signature])),
  },
} as const satisfies Record<string, Tampering>;

export type TamperKind = keyof typeof tamperings;

export const tamperKinds = Object.keys(tamperings) as readonly TamperKind[];

// The last digit becomes another one, so that JSON stays JSON and only a verification can notice.
function changeByte(body: Uint8Array): Uint8Array {
  if (body.length === 0) return Buffer.from(' ');
  const changed = Buffer.from(body);
  const digit = changed.findLastIndex((byte) => byte >= 0x30 && byte <= 0x39);
  const at = digit < 0 ? changed.length - 1 : digit;
  changed[at] = changed[at]! ^ 1;
  return changed;
}
