// Reads a response body with a limit, so that an endless one costs next to nothing.

/** No answer of the API is longer than this. */
export const ANSWER_LIMIT_BYTES = 1024 * 1024;

export class TooLong extends Error {}

interface BodyLimit {
  readonly limitBytes?: number;
  /** Keeps the beginning of a longer body, which otherwise throws TooLong. */
  readonly isCut?: boolean;
}

/** Leaves the rest of a body beyond the limit unread; leaving the loop early ends the stream. */
export async function readBody(
  stream: AsyncIterable<Uint8Array>,
  { limitBytes = ANSWER_LIMIT_BYTES, isCut = false }: BodyLimit = {},
): Promise<Uint8Array> {
  const bytes = new GrowingBytes();
  for await (const chunk of stream) {
    bytes.add(chunk);
    if (bytes.size <= limitBytes) continue;
    if (isCut) return bytes.all().subarray(0, limitBytes);
    const kibibytes = limitBytes / 1024;
    throw new TooLong(`the answer is longer than ${kibibytes} KiB and was not read further`);
  }
  return bytes.all();
}

/**
 * Chunks of bytes in one buffer that grows: each chunk takes more than a hundred bytes to keep, and a
 * target may send one byte in each.
 */
class GrowingBytes {
  #kept: Uint8Array = new Uint8Array(0);
  size = 0;

  add(chunk: Uint8Array): void {
    const needed = this.size + chunk.length;
    if (needed > this.#kept.length) {
      const larger = new Uint8Array(Math.max(needed, 2 * this.#kept.length));
      larger.set(this.#kept.subarray(0, this.size));
      this.#kept = larger;
    }
    this.#kept.set(chunk, this.size);
    this.size = needed;
  }

  all(): Uint8Array {
    return this.#kept.subarray(0, this.size);
  }
}
