// Reads the answers on a connection as strictly as RFC 9112 allows.

export interface ReadAnswers {
  readonly statuses: readonly number[];
  /** What no client could read; null when all is well-formed. */
  readonly malformed: string | null;
  /** The last answer is not whole. */
  readonly isCut: boolean;
}

const line = /^HTTP\/1\.1 (\d{3}) [\x20-\x7e]*$/;
const field = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+:[ \t]*[\x20-\x7e\x80-\xff]*$/;
const bodiless = [204, 304];

interface OneAnswer {
  readonly status: number;
  /** Where the next one begins; null where this one is not whole. */
  readonly end: number | null;
}

/** `isHead`: the answers have no bodies, whatever their heads say. */
export function readAnswers(bytes: Buffer, isHead: boolean): ReadAnswers {
  const text = bytes.toString('latin1');
  const statuses: number[] = [];
  let at = 0;
  while (at < text.length) {
    const found = readOne(text, at, isHead);
    if (found === null) return { statuses, malformed: null, isCut: true };
    if (typeof found === 'string') return { statuses, malformed: found, isCut: false };
    statuses.push(found.status);
    // What follows is the protocol that was changed to.
    if (found.status === 101) break;
    if (found.end === null) return { statuses, malformed: null, isCut: true };
    at = found.end;
  }
  return { statuses, malformed: null, isCut: false };
}

function readOne(text: string, from: number, isHead: boolean): OneAnswer | string | null {
  const headEnd = text.indexOf('\r\n\r\n', from);
  if (headEnd < 0) return null;
  const [first = '', ...fields] = text.slice(from, headEnd).split('\r\n');
  const status = Number(line.exec(first)?.[1] ?? Number.NaN);
  if (Number.isNaN(status)) return `no status line: ${first.slice(0, 100)}`;
  const wrong = fields.find((each) => !field.test(each));
  if (wrong !== undefined) return `no header: ${wrong.slice(0, 100)}`;
  const valuesOf = (name: string) =>
    fields.flatMap((each) => {
      const colon = each.indexOf(':');
      return each.slice(0, colon).toLowerCase() === name ? [each.slice(colon + 1).trim()] : [];
    });
  const bodyAt = headEnd + 4;
  if (status < 200 || bodiless.includes(status) || isHead) return { status, end: bodyAt };
  const lengths = valuesOf('content-length');
  const codings = valuesOf('transfer-encoding');
  if (lengths.length + codings.length > 1) return `more than one length under ${status}`;
  // Up to the end of the connection, as HTTP/1.0 has it.
  if (lengths.length + codings.length === 0) return { status, end: text.length };
  if (codings.length > 0) return { status, end: endOfChunks(text, bodyAt) };
  const end = bodyAt + Number(lengths[0]);
  return { status, end: end <= text.length ? end : null };
}

function endOfChunks(text: string, from: number): number | null {
  for (let at = from; ; ) {
    const eol = text.indexOf('\r\n', at);
    if (eol < 0) return null;
    const size = Number.parseInt(text.slice(at, eol), 16);
    at = eol + 2 + size + 2;
    if (at > text.length) return null;
    if (size === 0) return at;
  }
}
