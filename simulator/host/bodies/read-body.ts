// Reads a body as bytes, however it is sent; used by the API and all other routes.
import type { Readable } from 'node:stream';

export const emptyBody = new Uint8Array(0);

/**
 * Calls back with the complete body, or with null if it is larger than `limit`: it is then read to
 * its end without being kept. An interrupted upload is never answered.
 */
export function readBody(
  stream: Readable,
  limit: number,
  done: (body: Uint8Array | null) => void,
): void {
  let kept: Uint8Array = emptyBody;
  let size = 0;
  stream.on('data', (chunk: Buffer) => {
    const before = size;
    size += chunk.byteLength;
    if (size > limit) {
      kept = emptyBody;
    } else if (before === 0) {
      // Most bodies arrive in one chunk.
      kept = chunk;
    } else {
      // One growing buffer instead of a list of chunks: a chunk costs hundreds of bytes to keep,
      // and a client may send one byte in each.
      if (size > kept.byteLength) kept = grown(kept, before, size, limit);
      kept.set(chunk, before);
    }
  });
  stream.on('end', () => {
    if (size > limit) done(null);
    else done(kept.byteLength === size ? kept : kept.subarray(0, size));
  });
}

function grown(kept: Uint8Array, used: number, needed: number, limit: number): Uint8Array {
  const larger = Buffer.allocUnsafeSlow(
    Math.min(limit, Math.max(needed, 2 * kept.byteLength, 4096)),
  );
  larger.set(kept.subarray(0, used));
  return larger;
}
