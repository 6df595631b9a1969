// Reads what a stranger answers without keeping more of it than a person or a rule could look at.

/** No answer of the API is longer; what follows is said, and not kept. */
export const ANSWER_LIMIT_BYTES = 1024 * 1024;

/** JSON of more levels is nothing that the API answers, and costs whoever walks through it. */
const DEEPEST = 200;

export class TooLong extends Error {
  constructor(limitBytes: number) {
    super(`the answer is longer than ${limitBytes / 1024} KiB and was not read further`);
  }
}

/** The whole body. Throws TooLong, with the rest left unread, when it is longer. */
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
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stream) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > limitBytes) {
      return { bytes: Buffer.concat(chunks).subarray(0, limitBytes), isWhole: false };
    }
  }
  return {
    bytes: chunks.length === 1 ? (chunks[0] as Uint8Array) : Buffer.concat(chunks),
    isWhole: true,
  };
}

/** Whether JSON text is nested so deeply that nobody should parse it. */
export function isTooDeep(text: string): boolean {
  let depth = 0;
  let inString = false;
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at];
    if (char === '"') inString = !inString;
    else if (inString) at += char === '\\' ? 1 : 0;
    else if (char === '[' || char === '{') depth += 1;
    else if (char === ']' || char === '}') depth -= 1;
    if (depth > DEEPEST) return true;
  }
  return false;
}
