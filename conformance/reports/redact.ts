// Takes tokens, secrets and signatures out of everything that a report says.

export const REDACTED = '[redacted]';

/** Shorter ones would blot out innocent words. */
const SHORTEST_SECRET = 4;

/** Headers whose value is a secret whatever it is. */
const SECRET_HEADERS = new Set([
  'authorization',
  'proxy-authorization',
  'cookie',
  'set-cookie',
  'x-api-key',
]);

// Members of JSON and form bodies whose value is a secret, whoever made the body up. `token_type`
// and `Idempotency-Key` are none.
const NAME =
  '[A-Za-z0-9_-]*(?:secret|token|password|passwd|assertion|(?:signing|private|api|hmac|webhook)[_-]?key)s?';
const JSON_MEMBER = new RegExp(`("${NAME}"\\s*:\\s*)"(?:[^"\\\\]|\\\\.)*"?`, 'gi');
const JSON_LIST = new RegExp(`("${NAME}"\\s*:\\s*)\\[[^\\]{}]*\\]?`, 'gi');
const ESCAPED_MEMBER = new RegExp(`(\\\\"${NAME}\\\\"\\s*:\\s*)\\\\".*?\\\\"`, 'gi');
const FORM_MEMBER = new RegExp(`((?:^|[?&\\s])${NAME}=)[^&\\s"'#]+`, 'gi');
const SCHEME = /\b(Bearer|Basic)(\s+)[A-Za-z0-9._~+/=-]{8,}/gi;
const JWT = /\beyJ[A-Za-z0-9_-]{4,}\.[A-Za-z0-9_-]{4,}\.[A-Za-z0-9_-]*/g;
// A signature that was made for a body in the same report: enough is left to tell two apart.
// Shorter hex is what people number their requests with.
const SIGNATURE = /(?<![0-9A-Za-z])([0-9a-fA-F]{8})[0-9a-fA-F]{32,}(?![0-9A-Za-z])/g;
const USER_INFO = /\b(https?:\/\/)[^\s/@:"]+(?::[^\s/@"]*)?@/gi;

export class Redactor {
  readonly #known = new Set<string>();
  #pattern: RegExp | undefined;

  constructor(secrets: Iterable<string> = []) {
    for (const secret of secrets) this.add(secret);
  }

  /** Never to be shown from now on, in any of the forms in which it may turn up. */
  add(secret: string): void {
    if (secret.length < SHORTEST_SECRET) return;
    const forms = [
      secret,
      encodeURIComponent(secret),
      Buffer.from(secret).toString('base64'),
      JSON.stringify(secret).slice(1, -1),
    ];
    for (const form of forms) this.#known.add(form);
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
    if (/^\s*(Bearer|Basic)?\s*$/i.test(value)) return value;
    const scheme = /^(Bearer|Basic|Digest)\s+\S/i.exec(value)?.[1];
    return scheme === undefined ? REDACTED : `${scheme} ${REDACTED}`;
  }

  #withoutKnown(text: string): string {
    if (this.#known.size === 0) return text;
    // The longest first, so that no part of one is left behind by another.
    this.#pattern ??= new RegExp(
      [...this.#known]
        .sort((a, b) => b.length - a.length)
        .map((each) => each.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
        .join('|'),
      'g',
    );
    return text.replace(this.#pattern, REDACTED);
  }
}
