// Removes tokens, secrets and signatures from all text in a report.

export const REDACTED = '[redacted]';

/** Shorter secrets would also match ordinary words. */
const SHORTEST_SECRET = 4;

/** Headers whose value is always a secret. */
const SECRET_HEADERS = new Set([
  'authorization',
  'proxy-authorization',
  'cookie',
  'set-cookie',
  'x-api-key',
]);

// Members of JSON and form bodies whose value is always a secret. `token_type`
// and `Idempotency-Key` are not secret.
const NAME =
  '[A-Za-z0-9_-]*(?:secret|token|password|passwd|assertion|(?:signing|private|api|hmac|webhook)[_-]?key)s?';

/** Everything that looks like a secret, in one pass; the named groups stay. */
const SECRET_LOOKING = new RegExp(
  [
    `(?<member>"${NAME}"\\s*:\\s*)(?:"(?:[^"\\\\]|\\\\.)*"?|\\[[^\\]{}]*\\]?)`,
    // JSON in a string.
    `(?<inner>\\\\"${NAME}\\\\"\\s*:\\s*)\\\\".*?\\\\"`,
    `(?<form>(?:^|[?&\\s])${NAME}=)[^&\\s"'#]+`,
    // A known secret may be only a part of it, and is already redacted.
    '\\b(?<scheme>(?:Bearer|Basic)\\s+)(?:[\\w.~+/=-]*\\[redacted\\][\\w.~+/=-]*|[\\w.~+/=-]{8,})',
    // A JSON Web Token.
    '\\beyJ[A-Za-z0-9_-]{4,}\\.[A-Za-z0-9_-]{4,}\\.[A-Za-z0-9_-]*',
    // A signature of a body in the same report: enough digits remain to distinguish two of them.
    // Shorter hex is commonly used for request ids.
    '(?<![0-9A-Za-z])(?<start>[0-9a-f]{8})[0-9a-f]{32,}(?![0-9A-Za-z])',
    '\\b(?<origin>https?://)[^\\s/@:"]+(?::[^\\s/@"]*)?(?=@)',
  ].join('|'),
  'gi',
);

function withoutSecret(found: string, ...rest: readonly unknown[]): string {
  const { member, inner, ...kept } = rest.at(-1) as Readonly<Record<string, string | undefined>>;
  if (member !== undefined) {
    return member + (found[member.length] === '[' ? `["${REDACTED}"]` : `"${REDACTED}"`);
  }
  if (inner !== undefined) return `${inner}\\"${REDACTED}\\"`;
  return (kept.form ?? kept.scheme ?? kept.start ?? kept.origin ?? '') + REDACTED;
}

/** The shortest part of an encoded secret that is still recognised. */
const SHORTEST_PART = 10;

/** Never escaped, like letters. */
const UNTOUCHED = new Set(['_', '-', '.']);

/** A pattern for every spelling of a secret, except base64. */
function patternOf(secret: string): string {
  return secret.replace(/[^A-Za-z0-9]/gu, (char) =>
    UNTOUCHED.has(char) ? escaped(char) : spelledAnyhow(char),
  );
}

const NAMED: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
  ' ': '\\+',
};

/** Verbatim or escaped, as in a URL, in JSON, in JSON within JSON, or on a web page. */
function spelledAnyhow(char: string): string {
  const bytes = [...Buffer.from(char)].map((byte) => `%(?:25)*${inHex(byte, 2)}`).join('');
  const units = char
    .split('')
    .map((unit) => `\\\\+u${inHex(unit.charCodeAt(0), 4)}`)
    .join('');
  const code = char.codePointAt(0)!;
  const numbers = `&#0*${code};|&#[xX]0*${inHex(code, 1)};`;
  const named = NAMED[char] === undefined ? '' : `|${NAMED[char]}`;
  return `(?:\\\\*${escaped(char)}|${bytes}|${units}|${numbers}${named})`;
}

/** Hex digits in either case. */
function inHex(code: number, digits: number): string {
  const hex = code.toString(16).padStart(digits, '0');
  return hex.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&');
}

/**
 * AUTH-3: `id:secret` in base64 contains the secret at one of three offsets, with different
 * characters at each; characters that also depend on neighbouring bytes are omitted.
 */
function partsInBase64(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const parts = [0, 1, 2].map((shift) => {
    const text = Buffer.concat([Buffer.alloc(shift), bytes])
      .toString('base64')
      .replace(/(?<!=)=+$/, '');
    const end = (shift + bytes.length) % 3 === 0 ? text.length : text.length - 1;
    return text.slice([0, 2, 3][shift], end);
  });
  return parts.filter((each) => each.length >= SHORTEST_PART);
}

export class Redactor {
  /** Patterns, each with the length of its secret. */
  readonly #known = new Map<string, number>();
  #search: ReturnType<typeof searchFor> | undefined;

  constructor(secrets: Iterable<string> = []) {
    for (const secret of secrets) this.add(secret);
  }

  /** Redacts this secret from now on, in all of its forms. */
  add(secret: string): void {
    this.learn(secret);
    if (secret.length < SHORTEST_SECRET) return;
    for (const part of partsInBase64(secret)) {
      for (const each of [part, part.replaceAll('+', '-').replaceAll('/', '_')]) {
        this.#known.set(escaped(each), each.length);
      }
    }
  }

  /**
   * The same for a secret that was created for the run. There are hundreds of these, so they are
   * not searched for inside base64.
   */
  learn(secret: string): void {
    if (secret.length < SHORTEST_SECRET) return;
    this.#known.set(patternOf(secret), secret.length);
    const whole = Buffer.from(secret).toString('base64');
    this.#known.set(escaped(whole), whole.length);
    this.#search = undefined;
  }

  /** Any text in a report: a body, a URL, the text of a finding. */
  text(text: string): string {
    return this.known(text).replace(SECRET_LOOKING, withoutSecret);
  }

  /** The value of a header; the scheme of an Authorization header stays. */
  header(name: string, value: string): string {
    if (!SECRET_HEADERS.has(name.toLowerCase())) return this.text(value);
    // AUTH-1: the reader must see that the header was empty.
    if (/^(Bearer|Basic|)$/i.test(value.trim())) return value;
    const scheme = /^(Bearer|Basic|Digest)\s+\S/i.exec(value)?.[1];
    return scheme === undefined ? REDACTED : `${scheme} ${REDACTED}`;
  }

  /** Redacts known secrets only: a key of hex digits is not one. */
  known(text: string): string {
    if (this.#known.size === 0) return text;
    this.#search ??= searchFor(this.#known);
    const { stems, whole } = this.#search;
    return stems === null || stems.test(text) ? text.replace(whole, REDACTED) : text;
  }
}

/**
 * A run creates hundreds of secrets with the same prefixes. Most texts contain none of these
 * prefixes, and are not searched for every secret.
 */
function searchFor(known: ReadonlyMap<string, number>) {
  // The longest first, so that no part of one remains after a shorter one is replaced.
  const patterns = [...known].sort(([, a], [, b]) => b - a).map(([pattern]) => pattern);
  const stems = [...new Set(patterns.map((pattern) => pattern.slice(0, SHORTEST_SECRET)))];
  const isPlain = stems.every((stem) => /^\w{4}$/.test(stem));
  return {
    stems: isPlain ? new RegExp(stems.join('|')) : null,
    whole: new RegExp(patterns.join('|'), 'g'),
  };
}
