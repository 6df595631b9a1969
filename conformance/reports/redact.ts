// Takes tokens, secrets and signatures out of everything that a report says.

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
// and `Idempotency-Key` are none.
const NAME =
  '[A-Za-z0-9_-]*(?:secret|token|password|passwd|assertion|(?:signing|private|api|hmac|webhook)[_-]?key)s?';

/** Whatever looks like a secret, in one pass; the named parts stay. */
const SECRET_LOOKING = new RegExp(
  [
    `(?<member>"${NAME}"\\s*:\\s*)(?:"(?:[^"\\\\]|\\\\.)*"?|\\[[^\\]{}]*\\]?)`,
    // JSON in a string.
    `(?<inner>\\\\"${NAME}\\\\"\\s*:\\s*)\\\\".*?\\\\"`,
    `(?<form>(?:^|[?&\\s])${NAME}=)[^&\\s"'#]+`,
    // What is known may be a part of it only, and is gone already.
    '\\b(?<scheme>(?:Bearer|Basic)\\s+)(?:[\\w.~+/=-]*\\[redacted\\][\\w.~+/=-]*|[\\w.~+/=-]{8,})',
    // A JSON Web Token.
    '\\beyJ[A-Za-z0-9_-]{4,}\\.[A-Za-z0-9_-]{4,}\\.[A-Za-z0-9_-]*',
    // A signature that was made for a body in the same report: enough is left to tell two apart.
    // Shorter hex is what people number their requests with.
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

/** A pattern for every spelling in which a secret may turn up, base64 apart. */
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

/** As it is or escaped, as in a url, in JSON or in JSON within JSON, and as on a web page. */
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

/** Hex digits of either case. */
function inHex(code: number, digits: number): string {
  const hex = code.toString(16).padStart(digits, '0');
  return hex.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&');
}

/**
 * AUTH-3: `id:secret` in base64 holds the secret at one of three shifts, each of which leaves other
 * characters; those that its neighbours have a part in are left out.
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
  /** Patterns, each with the length of what it stands for. */
  readonly #known = new Map<string, number>();
  #search: ReturnType<typeof searchFor> | undefined;

  constructor(secrets: Iterable<string> = []) {
    for (const secret of secrets) this.add(secret);
  }

  /** Never to be shown from now on, in any of the forms in which it may turn up. */
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
   * The same for one that was made for the run, of which there are hundreds: as a part of something
   * in base64 it is not looked for.
   */
  learn(secret: string): void {
    if (secret.length < SHORTEST_SECRET) return;
    this.#known.set(patternOf(secret), secret.length);
    const whole = Buffer.from(secret).toString('base64');
    this.#known.set(escaped(whole), whole.length);
    this.#search = undefined;
  }

  /** Any text that a report shows: a body, a url, words of a finding. */
  text(text: string): string {
    return this.known(text).replace(SECRET_LOOKING, withoutSecret);
  }

  /** The value of a header; of an Authorization the scheme stays. */
  header(name: string, value: string): string {
    if (!SECRET_HEADERS.has(name.toLowerCase())) return this.text(value);
    // AUTH-1: that nothing stood there is what a reader has to see.
    if (/^(Bearer|Basic|)$/i.test(value.trim())) return value;
    const scheme = /^(Bearer|Basic|Digest)\s+\S/i.exec(value)?.[1];
    return scheme === undefined ? REDACTED : `${scheme} ${REDACTED}`;
  }

  /** What is a secret only if it is one of those that are known: a key of hex digits is none. */
  known(text: string): string {
    if (this.#known.size === 0) return text;
    this.#search ??= searchFor(this.#known);
    const { stems, whole } = this.#search;
    return stems === null || stems.test(text) ? text.replace(whole, REDACTED) : text;
  }
}

/**
 * A run makes hundreds of secrets that begin with the same letters: most texts have none of these
 * stems, and are not searched for each secret.
 */
function searchFor(known: ReadonlyMap<string, number>) {
  // The longest first, so that no part of one is left behind by another.
  const patterns = [...known].sort(([, a], [, b]) => b - a).map(([pattern]) => pattern);
  const stems = [...new Set(patterns.map((pattern) => pattern.slice(0, SHORTEST_SECRET)))];
  const isPlain = stems.every((stem) => /^\w{4}$/.test(stem));
  return {
    stems: isPlain ? new RegExp(stems.join('|')) : null,
    whole: new RegExp(patterns.join('|'), 'g'),
  };
}
