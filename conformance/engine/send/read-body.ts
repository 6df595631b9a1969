// Reads a response body with a limit, so that an endless one costs next to nothing.

/** No answer of the API is longer than this. */
export const ANSWER_LIMIT_BYTES = 1024 * 1024;

export class TooLong extends Error {
  constructor(limitBytes: number) {
    super(`the answer is longer than ${limitBytes / 1024} KiB and was not read further`);
  }
}

/** The whole body. If it is longer, throws TooLong and leaves the rest unread. */
export async function readWhole(
  stream: AsyncIterable<Uint8Array>,
  limitBytes = ANSWER_LIMIT_BYTES,
): Promise<Uint8Array> {
  const { bytes, isWhole } = await readUpTo(stream, limitBytes);
  if (!isWhole) throw new TooLong(limitBytes);
  return bytes;
}

/** The beginning of a body; leaving the loop early ends the stream. */
export async function readUpTo(
  stream: AsyncIterable<Uint8Array>,
  limitBytes = ANSWER_LIMIT_BYTES,
): Promise<{ readonly bytes: Uint8Array; readonly isWhole: boolean }> {
  const bytes = new GrowingBytes();
  for await (const chunk of stream) {
    bytes.add(chunk);
    if (bytes.size > limitBytes)
      return { bytes: bytes.all().subarray(0, limitBytes), isWhole: false };
  }
  return { bytes: bytes.all(), isWhole: true };
}

/**
 * Chunks of bytes in one buffer that grows: each chunk takes more than a hundred bytes to keep, and a
 * target may send one byte in each.
 */
export class GrowingBytes {
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
