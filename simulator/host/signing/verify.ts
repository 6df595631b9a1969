// Signs and verifies deliveries, for webhook receivers and their tests.
import { equalInConstantTime, signatureHeader, signBody } from '../../core/values/digest.ts';

/** Five minutes, in milliseconds: how far `t` may be from the receiver's clock (EVT-5b). */
export const defaultToleranceMs = 300_000;

export interface SignedWebhook {
  /** Value of the signature header. */
  readonly header: string;
  /** The time that was signed, in Unix epoch milliseconds. */
  readonly t: number;
}

/**
 * Signs a body as the platform signs a delivery.
 *
 * @param options.secret the subscription's signing secret, as text, not decoded in any way
 * @param options.body the body exactly as it will be sent
 * @param options.tMs time of the delivery in Unix epoch milliseconds; now if left out
 * @param options.previousSecret the secret before a rotation, which then signs too (EVT-7)
 * @throws TypeError when the secret is empty or the body is neither text nor bytes
 * @throws RangeError when `tMs` is not a whole number of milliseconds
 *
 * @example
 * import { signWebhook } from 'trading-platform-sandbox/webhooks';
 *
 * const body = JSON.stringify({ id: 'evt_1', seq: 1 });
 * const { header } = signWebhook({ secret: 'whsec_test', body });
 * const { status } = await fetch('http://localhost:3000/hooks', {
 *   method: 'POST',
 *   headers: { 'content-type': 'application/json', 'x-webhook-signature': header },
 *   body,
 * });
 * console.log(status); // 204
 */
export function signWebhook(options: {
  readonly secret: string;
  readonly body: string | Uint8Array;
  readonly tMs?: number;
  readonly previousSecret?: string | undefined;
}): SignedWebhook {
  const { body, tMs = Date.now(), previousSecret } = options;
  requireBody(body);
  const secrets = [options.secret, ...(previousSecret === undefined ? [] : [previousSecret])];
  requireSecrets(secrets);
  const signatures = secrets.map((secret) => signBody(secret, tMs, body));
  return { header: signatureHeader(tMs, signatures), t: tMs };
}

/** Why a delivery cannot be trusted. */
export type WebhookRefusal = HeaderFault | 'mismatch' | 'too_old' | 'too_new';

export type WebhookVerdict =
  | {
      readonly ok: true;
      /** When the delivery was signed, in Unix epoch milliseconds. */
      readonly t: number;
      /** Which of the secrets matched: its place in the list, 0 for a single secret. */
      readonly matched: number;
    }
  | {
      readonly ok: false;
      readonly reason: WebhookRefusal;
      /** One sentence for the log; never contains a secret or a valid signature. */
      readonly explanation: string;
    };

export interface WebhookToVerify {
  /** Value of the signature header; several values are treated as one list. */
  readonly header: HeaderValue;
  /** The body's bytes as received, before any parsing. */
  readonly body: string | Uint8Array;
  /** The signing secret. During a rotation give both, the new one first. */
  readonly secret: string | readonly string[];
  /** The receiver's clock in Unix epoch milliseconds; now if left out. */
  readonly nowMs?: number | undefined;
  /** How far `t` may be from the clock, either way, in milliseconds; five minutes if left out. */
  readonly toleranceMs?: number | undefined;
}

/**
 * Verifies a delivery: the header's form first, then the signature, then the time (EVT-5a, EVT-5b,
 * EVT-6, EVT-7). Signatures are compared in constant time. Never throws for what a sender can send.
 *
 * @throws TypeError when the secret is missing or empty, or the body is a parsed object: mistakes
 * of the receiver's own code, which must not look like a forged delivery
 *
 * @example
 * import { createServer } from 'node:http';
 * import { verifyWebhook } from 'trading-platform-sandbox/webhooks';
 *
 * createServer(async (request, response) => {
 *   const chunks = [];
 *   for await (const chunk of request) chunks.push(chunk);
 *   const body = Buffer.concat(chunks);
 *   const header = request.headers['x-webhook-signature'];
 *   const verdict = verifyWebhook({ header, body, secret: process.env.WEBHOOK_SECRET ?? '' });
 *   if (verdict.ok) console.log('event', JSON.parse(body.toString()).id);
 *   else console.error(verdict.reason, verdict.explanation);
 *   response.writeHead(verdict.ok ? 204 : 400).end();
 * }).listen(3000);
 */
export function verifyWebhook(options: WebhookToVerify): WebhookVerdict {
  const { header, body, secret, nowMs = Date.now(), toleranceMs = defaultToleranceMs } = options;
  const secrets = typeof secret === 'string' ? [secret] : secret;
  requireBody(body);
  requireSecrets(secrets);
  const parsed = parseSignatureHeader(header);
  if (!parsed.ok) return parsed;
  const { tMs, signatures } = parsed;
  // EVT-6, EVT-7: any v1 under any of the secrets. All are compared, so that the time taken does
  // not reveal which one matched.
  const matches = secrets.map((candidate) => {
    const expected = signBody(candidate, tMs, body);
    return signatures.filter((signature) => equalInConstantTime(signature, expected)).length > 0;
  });
  const matched = matches.indexOf(true);
  if (matched < 0) {
    const under = secrets.length === 1 ? 'the secret' : `any of the ${secrets.length} secrets`;
    const explanation = `no v1 is the signature of t, a dot and this body under ${under}`;
    return { ok: false, reason: 'mismatch', explanation };
  }
  // EVT-5b: both directions. A time far ahead would stay valid for as long as the sender likes.
  const distanceMs = Math.abs(nowMs - tMs);
  if (distanceMs > toleranceMs) {
    const side = tMs < nowMs ? 'before' : 'after';
    const explanation = `t=${tMs} is ${distanceMs} ms ${side} the receiver's clock, and ${toleranceMs} ms are tolerated`;
    return { ok: false, reason: tMs < nowMs ? 'too_old' : 'too_new', explanation };
  }
  return { ok: true, t: tMs, matched };
}

function requireBody(body: unknown): void {
  if (typeof body === 'string' || body instanceof Uint8Array) return;
  throw new TypeError(
    'body must be the raw bytes (or text) of the request, not a parsed object: ' +
      'what is parsed and printed again has another signature',
  );
}

function requireSecrets(secrets: readonly unknown[] | undefined | null): void {
  if (Array.isArray(secrets) && secrets.length > 0) {
    if (secrets.every((secret) => typeof secret === 'string' && secret !== '')) return;
  }
  throw new TypeError('secret must be the signing secret, a text that is not empty');
}

/** The header as HTTP libraries provide it: absent, one text, or a list if it came repeatedly. */
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
  /** `signatures`: the well-formed `v1` values, in order. */
  | { readonly ok: true; readonly tMs: number; readonly signatures: readonly string[] }
  | { readonly ok: false; readonly reason: HeaderFault; readonly explanation: string };

const fault = (reason: HeaderFault, explanation: string): ParsedHeader => ({
  ok: false,
  reason,
  explanation,
});

/**
 * EVT-5a: a comma-separated list of `key=value` with one `t` and at least one `v1`. Other keys are
 * ignored, so that a later scheme can be added beside `v1`.
 */
export function parseSignatureHeader(header: HeaderValue): ParsedHeader {
  const parts = splitHeader(header);
  if (parts.length === 1 && parts[0]?.trim() === '') {
    return fault('no_header', 'the signature header is missing or empty');
  }
  const timestamps: string[] = [];
  const signatures: string[] = [];
  for (const part of parts) {
    const equals = part.indexOf('=');
    if (equals < 1) {
      const quoted = part === '' ? 'an empty part' : `the part "${shorten(part)}"`;
      return fault('malformed', `the header has ${quoted}, but every part is key=value`);
    }
    const key = part.slice(0, equals);
    if (key === 't') timestamps.push(part.slice(equals + 1));
    if (key === 'v1') signatures.push(part.slice(equals + 1));
  }
  return checkParts(timestamps, signatures);
}

/** The parts between the commas, without the blanks that proxies put around them. */
export function splitHeader(header: HeaderValue): string[] {
  return [header ?? []].flat().join(',').split(',').map(trimBlanks);
}

// A pattern for trailing blanks would take quadratic time on a part full of blanks.
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
  // With two of them, one could be signed and the other compared with the clock.
  if (second !== undefined) {
    return fault(
      'duplicate_timestamp',
      `the header has ${timestamps.length} t=, but must have one`,
    );
  }
  // Up to 16 digits without a leading zero: exactly the texts that printing the number returns.
  if (!/^(0|[1-9]\d{0,15})$/.test(t) || !Number.isSafeInteger(Number(t))) {
    const quoted = `t is "${shorten(t)}"`;
    return fault('bad_timestamp', `${quoted}, but must be whole milliseconds since 1970`);
  }
  if (signatures.length === 0) return fault('no_signature', 'the header has no v1=');
  // EVT-6: one match is enough, so a malformed signature next to it does not refuse the delivery.
  const wellFormed = signatures.filter((signature) => /^[0-9a-f]{64}$/.test(signature));
  if (wellFormed.length === 0) {
    const quoted = `a v1 is "${shorten(signatures[0] ?? '')}"`;
    return fault('bad_signature', `${quoted}, but must be 64 hexadecimal digits in lower case`);
  }
  return { ok: true, tMs: Number(t), signatures: wellFormed };
}

function shorten(text: string): string {
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
}
