// Signs a delivery: the digest over timestamp and body, and the header that carries it.
import { hmacSha256Hex } from './digest.ts';

/** EVT-6: the lower-case hex HMAC-SHA256 of the timestamp, a `.`, and the body’s bytes. */
export function signBody(secret: string, tMs: number, body: Uint8Array | string): string {
  return hmacSha256Hex(secret, `${wholeMs(tMs)}.`, body);
}

/** EVT-5a, EVT-7: `t=…,v1=…`, with one `v1` for each signature, in order. */
export function signatureHeader(tMs: number, signatures: readonly string[]): string {
  if (signatures.length === 0) throw new RangeError('a signature header needs a signature');
  return [`t=${wholeMs(tMs)}`, ...signatures.map((signature) => `v1=${signature}`)].join(',');
}

function wholeMs(tMs: number): number {
  if (Number.isSafeInteger(tMs) && tMs >= 0) return tMs;
  throw new RangeError(`tMs is ${tMs}, but a delivery's time is whole milliseconds since 1970`);
}
