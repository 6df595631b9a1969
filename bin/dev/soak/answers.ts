// Parses the responses on a connection as strictly as RFC 9112 allows.

interface Answers {
  /** The statuses of the responses whose head is complete. */
  readonly statuses: readonly number[];
  /** The malformed part; null if everything is well-formed. */
  readonly malformed: string | null;
}

const statusLine = /^HTTP\/1\.1 (\d{3}) [\x20-\x7e]*$/;
const field = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+:[ \t]*[\x20-\x7e\x80-\xff]*$/;

/** `isHead`: the responses have no bodies, whatever their headers say. */
export function readAnswers(bytes: Buffer, isHead: boolean): Answers {
  const statuses: number[] = [];
  let rest = bytes.toString('latin1');
  for (;;) {
    const headEnd = rest.indexOf('\r\n\r\n');
    if (headEnd < 0) return { statuses, malformed: null };
    const [first = '', ...fields] = rest.slice(0, headEnd).split('\r\n');
    const status = Number(statusLine.exec(first)?.[1]);
    const wrong = fields.find((each) => !field.test(each));
    const lengths = fields.filter((each) => /^(content-length|transfer-encoding):/i.test(each));
    if (Number.isNaN(status)) return { statuses, malformed: `no status line: ${first}` };
    if (wrong !== undefined) return { statuses, malformed: `no header: ${wrong}` };
    statuses.push(status);
    // The following bytes belong to the new protocol.
    if (status === 101) return { statuses, malformed: null };
    const body = rest.slice(headEnd + 4);
    const isBodiless = status < 200 || status === 204 || status === 304 || isHead;
    if (!isBodiless && lengths.length > 1) {
      return { statuses, malformed: `more than one length under ${status}` };
    }
    // Without a length the body extends to the end of the connection.
    const end = isBodiless ? 0 : bodyEnd(body, lengths[0]);
    rest = body.slice(end);
  }
}

/** The start of the next response; the end of the text if this one is incomplete. */
function bodyEnd(body: string, length = ''): number {
  const [name = '', value] = length.toLowerCase().split(':');
  if (name === 'content-length') return Number(value);
  if (name === '') return body.length;
  for (let at = 0; ; ) {
    const lineEnd = body.indexOf('\r\n', at);
    const size = Number.parseInt(body.slice(at, lineEnd), 16);
    at = lineEnd + 2 + size + 2;
    if (lineEnd < 0 || at > body.length) return body.length;
    if (size === 0) return at;
  }
}
