// The only module that uses the crypto library: digests, keyed digests, tokens derived from a seed,
// and the signature of a delivery.
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

/** SHA-256 of the text's UTF-8 bytes (or of the bytes), in lower-case hex. */
export function sha256Hex(text: string | Uint8Array): string {
  return createHash('sha256').update(text).digest('hex');
}

/** HMAC-SHA256 under `key` over the concatenated parts, in lower-case hex. */
export function hmacSha256Hex(
  key: string | Uint8Array,
  ...parts: readonly (string | Uint8Array)[]
): string {
  const digest = createHmac('sha256', key);
  for (const part of parts) digest.update(part);
  return digest.digest('hex');
}

export function equalInConstantTime(left: string, right: string): boolean {
  const leftBytes = Buffer.from(left);
  const rightBytes = Buffer.from(right);
  return leftBytes.length === rightBytes.length && timingSafeEqual(leftBytes, rightBytes);
}

/**
 * Text of `length` characters of `alphabet` that depends only on seed and label, so that a run can
 * be repeated. Every character is equally likely. It is only as secret as its seed: good enough for
 * a simulator's ids, tokens and secrets, and for nothing real.
 */
export function seededToken(
  seed: number | string,
  label: string,
  length: number,
  alphabet: string,
): string {
  // Bytes above the last whole multiple of the alphabet's length are dropped, because they would
  // favour its first characters.
  const limit = 256 - (256 % alphabet.length);
  let token = '';
  for (let block = 0; token.length < length; block += 1) {
    for (const byte of createHmac('sha256', `${seed}`).update(`${label}\0${block}`).digest()) {
      if (byte < limit && token.length < length) token += alphabet[byte % alphabet.length];
    }
  }
  return token;
}

const lettersAndDigits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** A token or secret, in their alphabet. */
export const seededSecret = (seed: string, label: string, length = 40): string =>
  seededToken(seed, label, length, lettersAndDigits);

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
