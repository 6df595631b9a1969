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
const JSON_MEMBER = new RegExp(`("${NAME}"\\s*:\\s*)"(?:[^"\\\\]|\\\\.)*"?`, 'gi');
const JSON_LIST = new RegExp(`("${NAME}"\\s*:\\s*)\\[[^\\]{}]*\\]?`, 'gi');
const ESCAPED_MEMBER = new RegExp(`(\\\\"${NAME}\\\\"\\s*:\\s*)\\\\".*?\\\\"`, 'gi');
const FORM_MEMBER = new RegExp(`((?:^|[?&\\s])${NAME}=)[^&\\s"'#]+`, 'gi');
// What is known may be a part of it only, and is gone already.
const SCHEME = /\b(Bearer|Basic)(\s+)(?:[\w.~+/=-]*\[redacted\][\w.~+/=-]*|[\w.~+/=-]{8,})/gi;
const JWT = /\beyJ[A-Za-z0-9_-]{4,}\.[A-Za-z0-9_-]{4,}\.[A-Za-z0-9_-]*/g;
// A signature that was made for a body in the same report: enough is left to tell two apart.
// Shorter hex is what people number their requests with.
const SIGNATURE = /(?<![0-9A-Za-z])([0-9a-fA-F]{8})[0-9a-fA-F]{32,}(?![0-9A-Za-z])/g;
const USER_INFO = /\b(https?:\/\/)[^\s/@:"]+(?::[^\s/@"]*)?@/gi;

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
  #pattern: RegExp | undefined;

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
    this.#pattern = undefined;
  }

  /** Any text that a report shows: a body, a url, words of a finding. */
  text(text: string): string {
    if (text === '') return text;
    return this.#withoutKnown(text)
      .replace(JSON_MEMBER, `$1"${REDACTED}"`)
      .replace(JSON_LIST, `$1["${REDACTED}"]`)
      .replace(ESCAPED_MEMBER, `$1\\"${REDACTED}\\"`)
      .replace(FORM_MEMBER, `$1${REDACTED}`)
      .replace(SCHEME, `$1$2${REDACTED}`)
      .replace(JWT, REDACTED)
      .replace(SIGNATURE, `$1${REDACTED}`)
      .replace(USER_INFO, `$1${REDACTED}@`);
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
    return this.#withoutKnown(text);
  }

  #withoutKnown(text: string): string {
    if (this.#known.size === 0) return text;
    // The longest first, so that no part of one is left behind by another.
    this.#pattern ??= new RegExp(
      [...this.#known]
        .sort(([, a], [, b]) => b - a)
        .map(([pattern]) => pattern)
        .join('|'),
      'g',
    );
    return text.replace(this.#pattern, REDACTED);
  }
}
