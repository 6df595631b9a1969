// Parses the signature header of a delivery, strictly: what could be read in two ways is refused.

/**
 * The header as an HTTP library hands it over: absent, one text, or one for each time it was sent.
 */
export type HeaderValue = string | readonly string[] | null | undefined;

export type HeaderFault =
  | 'no_header'
  | 'malformed'
  | 'no_timestamp'
  | 'bad_timestamp'
  | 'duplicate_timestamp'
  | 'no_signature'
  | 'bad_signature';

export type ParsedHeader =
  /** `signatures`: the `v1` that can be one, in their order. */
  | { readonly ok: true; readonly tMs: number; readonly signatures: readonly string[] }
  | { readonly ok: false; readonly reason: HeaderFault; readonly explanation: string };

const fault = (reason: HeaderFault, explanation: string): ParsedHeader => ({
  ok: false,
  reason,
  explanation,
});

/**
 * EVT-5a: a comma-separated list of `key=value` with one `t` and at least one `v1`. Other keys are
 * left alone, so that a later scheme can stand beside `v1`.
 */
export function parseSignatureHeader(header: HeaderValue): ParsedHeader {
  const text = typeof header === 'string' ? header : (header ?? []).join(',');
  if (text.trim() === '') return fault('no_header', 'the signature header is missing or empty');
  const timestamps: string[] = [];
  const signatures: string[] = [];
  for (const part of splitParts(text)) {
    const equals = part.indexOf('=');
    if (equals < 1) {
      const shown = part === '' ? 'an empty part' : `the part "${shorten(part)}"`;
      return fault('malformed', `the header has ${shown}, but every part is key=value`);
    }
    const key = part.slice(0, equals);
    if (key === 't') timestamps.push(part.slice(equals + 1));
    if (key === 'v1') signatures.push(part.slice(equals + 1));
  }
  return checkParts(timestamps, signatures);
}

/** The parts between the commas, without the blanks that proxies put around them. */
export function splitParts(text: string): string[] {
  return text.split(',').map(trimBlanks);
}

// By hand, because a pattern for the blanks at the end takes quadratic time on a part full of them.
function trimBlanks(part: string): string {
  const isBlank = (index: number) => part[index] === ' ' || part[index] === '\t';
  let start = 0;
  let end = part.length;
  while (start < end && isBlank(start)) start += 1;
  while (start < end && isBlank(end - 1)) end -= 1;
  return part.slice(start, end);
}

function checkParts(timestamps: readonly string[], signatures: readonly string[]): ParsedHeader {
  const [t, second] = timestamps;
  if (t === undefined) return fault('no_timestamp', 'the header has no t=');
  // With two of them, one could be signed and the other be checked against the clock.
  if (second !== undefined) {
    return fault(
      'duplicate_timestamp',
      `the header has ${timestamps.length} t=, but must have one`,
    );
  }
  // Up to 16 digits and no leading zero: exactly what a number gives back when it is printed.
  if (!/^(0|[1-9]\d{0,15})$/.test(t) || !Number.isSafeInteger(Number(t))) {
    const shown = `t is "${shorten(t)}"`;
    return fault('bad_timestamp', `${shown}, but must be whole milliseconds since 1970`);
  }
  if (signatures.length === 0) return fault('no_signature', 'the header has no v1=');
  // EVT-6: a match on any one passes, so an odd one beside it is no reason to refuse.
  const wellFormed = signatures.filter((signature) => /^[0-9a-f]{64}$/.test(signature));
  if (wellFormed.length === 0) {
    const shown = `a v1 is "${shorten(signatures[0] ?? '')}"`;
    return fault('bad_signature', `${shown}, but must be 64 hexadecimal digits in lower case`);
  }
  return { ok: true, tMs: Number(t), signatures: wellFormed };
}

function shorten(text: string): string {
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
}
