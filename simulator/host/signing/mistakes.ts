// The usual mistakes between a signed delivery and one that does not verify, each as something to
// try.
import { serializeInStyles } from './json-styles.ts';

/** One way in which what was signed may differ from what was given. */
export interface Suspicion<T> {
  readonly cause: string;
  /** What seems to have happened and what to do, as a sentence. */
  readonly explanation: string;
  readonly value: T;
}

const suspect = <T>(cause: string, explanation: string, value: T): Suspicion<T> => ({
  cause,
  explanation,
  value,
});

// Envelopes are small, and a few levels deep. For what is much larger or deeper the work is not
// worth its while, and a stranger could make too much of it.
const maxBodyBytes = 262_144;
const maxJsonDepth = 100;

/** Other bodies that this one may have been when it was signed. */
export function suspectBodies(body: Uint8Array): Suspicion<Uint8Array>[] {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  if (bytes.length > maxBodyBytes) return suspectLineEnds(bytes);
  const decoded = suspectEncodings(bytes);
  // An editor or shell that changes the encoding often adds a line end as well.
  const both = decoded.flatMap((outer) =>
    suspectLineEnds(Buffer.from(outer.value)).map((inner) => ({
      cause: inner.cause,
      explanation: `${outer.explanation} Besides: ${inner.explanation}`,
      value: inner.value,
    })),
  );
  return [...suspectLineEnds(bytes), ...suspectJson(bytes), ...decoded, ...both];
}

function suspectLineEnds(bytes: Buffer): Suspicion<Uint8Array>[] {
  const text = bytes.toString('latin1');
  const changed = (next: string) => Buffer.from(next, 'latin1');
  const added =
    'the body given ends in a newline or other white space that was not signed: an editor or echo added it.';
  const lost = 'the body was signed with a line end after it, which was stripped.';
  return [
    suspect('trailing_newline', added, changed(text.replace(/\r?\n$/, ''))),
    suspect('trailing_newline', added, changed(text.trimEnd())),
    suspect('stripped_newline', lost, changed(`${text}\n`)),
    suspect('stripped_newline', lost, changed(`${text}\r\n`)),
    suspect(
      'line_ends',
      'the body was signed with \\n line ends, and has \\r\\n now: keep it binary.',
      changed(text.replaceAll('\r\n', '\n')),
    ),
    suspect(
      'line_ends',
      'the body was signed with \\r\\n line ends, and has \\n now: keep it binary.',
      changed(text.replace(/\r?\n/g, '\r\n')),
    ),
  ].filter(({ value }) => !bytes.equals(value));
}

function suspectJson(bytes: Buffer): Suspicion<Uint8Array>[] {
  const text = bytes.toString('utf8');
  const parsed = parseJson(text);
  if (parsed === undefined || jsonDepth(text) > maxJsonDepth) return [];
  const inner = typeof parsed.value === 'string' ? parseJson(parsed.value) : undefined;
  const rawBytes = 'Verify the raw bytes, before any parsing.';
  const reprinted = serializeInStyles(parsed.value).map(({ style, text }) =>
    suspect(
      'reserialised_json',
      `the body was parsed and printed again; what was signed was ${style}. ${rawBytes}`,
      Buffer.from(text),
    ),
  );
  if (inner === undefined) return reprinted;
  const explanation =
    'the body was printed as a JSON text inside a JSON string; verify the raw bytes.';
  const unwrapped = Buffer.from(parsed.value as string);
  return [...reprinted, suspect('double_encoded', explanation, unwrapped)];
}

function suspectEncodings(bytes: Buffer): Suspicion<Uint8Array>[] {
  const suspicions: Suspicion<Uint8Array>[] = [];
  const add = (cause: string, explanation: string, value: Buffer) =>
    suspicions.push(suspect(cause, explanation, value));
  const utf8 = bytes.toString('utf8');
  if (/\P{ASCII}/u.test(utf8)) {
    const misread = 'the body was read as Latin-1 and written as UTF-8: read it as bytes.';
    add('latin1', misread, Buffer.from(utf8, 'latin1'));
    const lossy = 'the body was written as Latin-1: read and write it as bytes.';
    add('latin1', lossy, Buffer.from(bytes.toString('latin1'), 'utf8'));
  }
  if (utf8.startsWith('\ufeff')) {
    add('byte_order_mark', 'a byte order mark was put before the body.', bytes.subarray(3));
  }
  if (bytes[0] === 0xff && bytes[1] === 0xfe) {
    const explanation =
      'the body was saved as UTF-16 (PowerShell does): save the bytes as they are.';
    add('utf16', explanation, Buffer.from(bytes.subarray(2).toString('utf16le')));
  }
  if (/^[A-Za-z0-9+/]{4,}={0,2}\s*$/.test(utf8)) {
    const explanation = 'the body is base64, as some gateways hand it over: decode it first.';
    add('base64_body', explanation, Buffer.from(utf8, 'base64'));
  }
  return suspicions;
}

/** Other keys that may have signed, made from the secret given. */
export function suspectKeys(secret: string): Suspicion<string | Uint8Array>[] {
  const suspicions: Suspicion<string | Uint8Array>[] = [];
  const add = (cause: string, explanation: string, value: string | Uint8Array) =>
    suspicions.push(suspect(cause, explanation, value));
  const decodedInstead = 'the secret is used as text, not decoded';
  if (secret.trim() !== secret) {
    add('secret_white_space', 'the secret has white space around it: trim it.', secret.trim());
  }
  const newline = 'the signer used the secret with a line end after it: trim it.';
  add('secret_white_space', newline, `${secret}\n`);
  const bare = secret.trim().replace(/^[a-z]+_/, '');
  if (bare !== secret.trim()) {
    const prefix = secret.trim().slice(0, -bare.length);
    const explanation = `the signer left the secret's "${prefix}" away; it is part of the secret.`;
    add('secret_prefix', explanation, bare);
  }
  for (const text of new Set([secret.trim(), bare])) {
    if (/^([0-9a-f]{2})+$/i.test(text)) {
      const explanation = `the signer decoded the secret from hex; ${decodedInstead}.`;
      add('secret_hex_decoded', explanation, Buffer.from(text, 'hex'));
    }
    if (/^[A-Za-z0-9+/_-]{4,}={0,2}$/.test(text)) {
      const explanation = `the signer decoded the secret from base64; ${decodedInstead}.`;
      add('secret_base64_decoded', explanation, Buffer.from(text, 'base64'));
    }
  }
  return suspicions;
}

/** Other messages that may have been signed in place of `t`, a dot and the body. */
export function suspectMessages(
  tMs: number,
): Suspicion<(body: Uint8Array) => readonly (string | Uint8Array)[]>[] {
  const seconds = Math.floor(tMs / 1000);
  const rule = 'the message is t, a dot and the body';
  return [
    suspect('no_dot', `t and body were signed without the dot; ${rule}.`, (body) => [
      `${tMs}`,
      body,
    ]),
    suspect('no_timestamp', `the body alone was signed; ${rule}.`, (body) => [body]),
    suspect('no_timestamp', `t was left away before the dot; ${rule}.`, (body) => ['.', body]),
    suspect('seconds', 't was signed in seconds and sent in milliseconds.', (body) => [
      `${seconds}.`,
      body,
    ]),
    suspect('seconds', 't was signed in milliseconds and sent in seconds.', (body) => [
      `${tMs * 1000}.`,
      body,
    ]),
    suspect('header_prefix', `"t=" was signed with its key; ${rule}.`, (body) => [
      `t=${tMs}.`,
      body,
    ]),
    suspect('swapped', `the body was signed before t; ${rule}.`, (body) => [body, `.${tMs}`]),
    suspect('separator', `another sign than a dot was used; ${rule}.`, (body) => [`${tMs}:`, body]),
    suspect('separator', `a line end was used for the dot; ${rule}.`, (body) => [`${tMs}\n`, body]),
  ];
}

function parseJson(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** How deep the arrays and objects of a JSON text are nested. */
function jsonDepth(json: string): number {
  let depth = 0;
  let deepest = 0;
  for (const sign of json.replace(/"[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?$)/g, '')) {
    if (sign === '[' || sign === '{') depth += 1;
    if (sign === ']' || sign === '}') depth -= 1;
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}
