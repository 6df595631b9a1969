// Names the first step at which a delivery fails to verify, and finds the likely cause by undoing the
// usual mistakes until the signature matches.
import { hmacSha256Hex } from '../../core/values/digest.ts';
import { isTooDeep } from '../bodies/json-depth.ts';
import {
  defaultToleranceMs,
  type HeaderValue,
  parseSignatureHeader,
  splitParts,
  verifyWebhook,
  type WebhookRefusal,
} from './verify.ts';

type StepName = 'header' | 'timestamp' | 'signatures' | 'match' | 'time';

/** One step of the verification; `ok` is null when an earlier step already failed. */
export interface DiagnosisStep {
  readonly step: StepName;
  readonly does: string;
  readonly ok: boolean | null;
  readonly detail: string;
}

/** What probably went wrong. `proven`: undoing it gives a signature that matches. */
export interface LikelyCause {
  readonly cause: string;
  readonly proven: boolean;
  readonly explanation: string;
}

export interface Diagnosis {
  readonly verified: boolean;
  readonly reason: WebhookRefusal | null;
  readonly explanation: string;
  readonly steps: readonly DiagnosisStep[];
  readonly causes: readonly LikelyCause[];
}

export interface WebhookToDiagnose {
  readonly header: HeaderValue;
  /** The body's bytes as they reached the verification. */
  readonly body: string | Uint8Array;
  readonly secret: string;
  /** The secret before the last rotation, to recognise deliveries that were signed under it. */
  readonly previousSecret?: string | undefined;
  readonly nowMs?: number | undefined;
  readonly toleranceMs?: number | undefined;
}

/**
 * Verifies as {@link verifyWebhook} does. If that fails, tries the usual mistakes one by one: line
 * ends added or lost, JSON printed again, wrong encodings, a decoded secret, the secret before a
 * rotation, seconds for milliseconds, a message put together differently.
 *
 * For people and tests. It says which secret would have matched, so never answer a sender with it.
 *
 * @throws TypeError as verifyWebhook does
 *
 * @example
 * import { diagnoseWebhook, signWebhook } from 'trading-platform-sandbox/webhooks';
 *
 * const secret = 'whsec_test';
 * const { header } = signWebhook({ secret, body: '{"id":"evt_1"}' });
 * // On its way to the receiver's code the body has got a line end.
 * const { verified, causes } = diagnoseWebhook({ header, body: '{"id":"evt_1"}\n', secret });
 * console.log(verified); // false
 * for (const { explanation } of causes) console.log(explanation);
 */
export function diagnoseWebhook(options: WebhookToDiagnose): Diagnosis {
  const { header, secret, nowMs = Date.now(), toleranceMs = defaultToleranceMs } = options;
  const verdict = verifyWebhook({ header, body: options.body, secret, nowMs, toleranceMs });
  const body = Buffer.from(options.body as Uint8Array);
  if (verdict.ok) {
    const explanation = 'the signature matches and the time is within the tolerance';
    const steps = describeSteps(null, '', { header, body, nowMs });
    return { verified: true, reason: null, explanation, steps, causes: [] };
  }
  const { reason, explanation } = verdict;
  const steps = describeSteps(reason, explanation, { header, body, nowMs });
  const causes = findCauses(reason, { ...options, body, nowMs, toleranceMs });
  return { verified: false, reason, explanation, steps, causes };
}

const failsAt: Record<WebhookRefusal, StepName> = {
  no_header: 'header',
  malformed: 'header',
  no_timestamp: 'timestamp',
  bad_timestamp: 'timestamp',
  duplicate_timestamp: 'timestamp',
  no_signature: 'signatures',
  bad_signature: 'signatures',
  mismatch: 'match',
  too_old: 'time',
  too_new: 'time',
};

interface Delivery {
  readonly header: HeaderValue;
  readonly body: Buffer;
  readonly secret: string;
  readonly previousSecret?: string | undefined;
  readonly nowMs: number;
  readonly toleranceMs: number;
}

function describeSteps(
  reason: WebhookRefusal | null,
  explanation: string,
  { header, body, nowMs }: Pick<Delivery, 'header' | 'body' | 'nowMs'>,
): DiagnosisStep[] {
  const parsed = parseSignatureHeader(header);
  const parts = splitParts(textOf(header)).length;
  const [tMs, count] = parsed.ok ? [parsed.tMs, parsed.signatures.length] : [0, 0];
  const date = tMs <= 8.64e15 ? new Date(tMs).toISOString() : 'no date at all';
  const steps: readonly (readonly [StepName, does: string, passed: string])[] = [
    ['header', 'the header is a list of key=value', `${parts} of them`],
    ['timestamp', 'it has one t in epoch milliseconds', parsed.ok ? `t=${tMs}, ${date}` : 'one t'],
    ['signatures', 'it has at least one v1', count === 1 ? 'one v1' : `${count} v1`],
    ['match', `a v1 signs t, a dot and the ${body.length} bytes of the body`, 'one matches'],
    ['time', 't is close enough to the clock', `${Math.abs(nowMs - tMs)} ms away`],
  ];
  const failed = steps.findIndex(([step]) => reason !== null && step === failsAt[reason]);
  return steps.map(([step, does, passed], at) => {
    if (failed < 0 || at < failed) return { step, does, ok: true, detail: passed };
    if (at === failed) return { step, does, ok: false, detail: explanation };
    return { step, does, ok: null, detail: 'not reached' };
  });
}

const textOf = (header: HeaderValue) => [header ?? []].flat().join(',');

type Bytes = string | Uint8Array;

/** What may have been signed, and under which key. */
interface Signed {
  readonly key: Bytes;
  readonly message: readonly Bytes[];
}

/** Larger bodies than any envelope get only the cheap attempts. */
const mostBytes = 262_144;
const latin1 = (text: string) => Buffer.from(text, 'latin1');

/** A usual mistake, and what was signed if it was made. */
type Mistake = readonly [
  cause: string,
  explanation: string,
  undo: (delivery: Delivery, tMs: number) => readonly Signed[],
];

const bodyMistake = (
  cause: string,
  explanation: string,
  undo: (body: Buffer) => readonly Bytes[],
): Mistake => [
  cause,
  explanation,
  ({ body, secret }, tMs) =>
    undo(body).map((each) => ({ key: secret, message: [`${tMs}.`, each] })),
];

const keyMistake = (
  cause: string,
  explanation: string,
  undo: (delivery: Delivery) => readonly Bytes[],
): Mistake => [
  cause,
  explanation,
  (delivery, tMs) => undo(delivery).map((key) => ({ key, message: [`${tMs}.`, delivery.body] })),
];

const mistakes: readonly Mistake[] = [
  bodyMistake(
    'trailing_newline',
    'the body ends in a newline or other white space that was not signed: an editor or echo added it.',
    (body) => {
      const text = body.toString('latin1');
      return [latin1(text.replace(/\r?\n$/, '')), latin1(text.trimEnd())];
    },
  ),
  bodyMistake(
    'stripped_newline',
    'the body was signed with a line end after it, which was stripped.',
    (body) => ['\n', '\r\n'].map((end) => Buffer.concat([body, latin1(end)])),
  ),
  bodyMistake(
    'line_ends',
    'line ends were changed between \\n and \\r\\n after signing: keep the body binary.',
    (body) => {
      const unix = body.toString('latin1').replaceAll('\r\n', '\n');
      return [latin1(unix), latin1(unix.replaceAll('\n', '\r\n'))];
    },
  ),
  bodyMistake(
    'reserialised_json',
    'the body was parsed and printed again: verify the raw bytes, before any parsing.',
    (body) => (body.length <= mostBytes ? printings(body.toString()) : []),
  ),
  bodyMistake(
    'encoding',
    'the text encoding of the body was changed (Latin-1, UTF-16, base64 or a byte order mark): read and write it as bytes.',
    (body) => {
      if (body.length > mostBytes) return [];
      const text = body.toString();
      const wide = body.subarray(2).toString('utf16le');
      const texts = [body.toString('latin1'), wide, wide.trimEnd()];
      return [latin1(text), body.subarray(3), Buffer.from(text, 'base64'), ...texts];
    },
  ),
  keyMistake(
    'previous_secret',
    'it was signed under the previous secret: the secret was rotated, and this delivery is from before or the signer does not have the new secret yet. Accept both during a rotation.',
    ({ previousSecret = '' }) => (previousSecret === '' ? [] : [previousSecret]),
  ),
  keyMistake(
    'secret_white_space',
    'one side used the secret with white space or a line end around it: trim it.',
    ({ secret }) => [secret.trim(), `${secret}\n`],
  ),
  keyMistake(
    'secret_decoded',
    'the signer decoded the secret or left its prefix away: use the whole secret as text.',
    ({ secret }) => {
      const whole = secret.trim();
      const bare = whole.replace(/^[a-z]+_/, '');
      const decoded = (['hex', 'base64'] as const).flatMap((encoding) =>
        [whole, bare].map((text) => Buffer.from(text, encoding)),
      );
      return [bare, ...decoded].filter(({ length }) => length > 0);
    },
  ),
  [
    'other_message',
    'the signed message is not t, a dot and the body, in this order.',
    ({ body, secret }, tMs) => {
      const starts = ['', '.', `t=${tMs}.`, ...['', ':', '\n', '|'].map((sign) => `${tMs}${sign}`)];
      const messages = [...starts.map((start) => [start, body]), [body, `.${tMs}`]];
      return messages.map((message) => ({ key: secret, message }));
    },
  ],
  [
    'seconds',
    't was sent and signed in different units: use milliseconds for both.',
    ({ body, secret }, tMs) =>
      [Math.floor(tMs / 1000), tMs * 1000].map((t) => ({ key: secret, message: [`${t}.`, body] })),
  ],
];

/** A JSON text as common libraries print it; a JSON string may hold the text itself. */
function printings(text: string): readonly string[] {
  if (isTooDeep(text)) return [];
  try {
    const value: unknown = JSON.parse(text);
    const indented = [0, 2, 4, '\t'].map((indent) => JSON.stringify(value, null, indent));
    const inAscii = spaced(value).replace(
      /[\u007f-\uffff]/g,
      (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
    );
    return [...indented, spaced(value), inAscii, String(value)];
  } catch (error) {
    if (error instanceof SyntaxError) return [];
    throw error;
  }
}

/** As Python prints JSON. */
function spaced(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(spaced).join(', ')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const members = Object.entries(value).map(([key, v]) => `${JSON.stringify(key)}: ${spaced(v)}`);
  return `{${members.join(', ')}}`;
}

/** The proven cause alone, or what may have gone wrong. */
function findCauses(reason: WebhookRefusal, delivery: Delivery): readonly LikelyCause[] {
  if (reason === 'too_old' || reason === 'too_new') return explainTime(delivery);
  const claim = readLeniently(delivery.header);
  const proven = claim === null ? null : prove(claim, delivery);
  return proven === null ? guess(reason, delivery) : [proven];
}

/** What a header seems to say; its signatures in lower-case hex. */
interface Claim {
  readonly tMs: number;
  readonly signatures: readonly string[];
  readonly isWellFormed: boolean;
}

function readLeniently(header: HeaderValue): Claim | null {
  const parsed = parseSignatureHeader(header);
  if (parsed.ok) return { ...parsed, isWellFormed: true };
  const members = splitParts(textOf(header)).map((part) => part.split(/=(.*)/s));
  const tMs = Number(members.find(([key]) => key === 't')?.[1]);
  const signatures = members.flatMap(([key, value = '']) => {
    if (key !== 'v1') return [];
    if (/^[0-9a-f]{64}$/i.test(value)) return [value.toLowerCase()];
    return /^[\w+/-]{43}=?$/.test(value) ? [Buffer.from(value, 'base64').toString('hex')] : [];
  });
  if (!Number.isSafeInteger(tMs) || tMs < 0 || signatures.length === 0) return null;
  return { tMs, signatures, isWellFormed: false };
}

const notation = 'the v1 is in upper case or base64: print it as lower-case hex.';

/** Undoes one mistake at a time until a signature matches. */
function prove({ tMs, signatures, isWellFormed }: Claim, delivery: Delivery): LikelyCause | null {
  const matches = ({ key, message }: Signed) => signatures.includes(hmacSha256Hex(key, ...message));
  const found: [cause: string, explanation: string][] = isWellFormed
    ? []
    : [['notation', notation]];
  const asIs = { key: delivery.secret, message: [`${tMs}.`, delivery.body] };
  if (isWellFormed || !matches(asIs)) {
    const mistake = mistakes.find(([, , undo]) => undo(delivery, tMs).some(matches));
    if (mistake === undefined) return null;
    found.push([mistake[0], mistake[1]]);
  }
  return {
    cause: found.map(([cause]) => cause).join('+'),
    proven: true,
    explanation: found.map(([, explanation]) => explanation).join(' Besides: '),
  };
}

/** Forms of a header that cannot be read, each with the fix. */
const headerForms: readonly (readonly [cause: string, explanation: string, form: RegExp])[] = [
  [
    'bare_signature',
    'the header is a bare signature: it has to be t=…,v1=….',
    /^(sha256=)?[0-9a-f]{64}$/i,
  ],
  ['semicolons', 'the parts are separated by semicolons: use commas.', /;/],
  ['url_encoded', 'the header is percent-encoded: send it as it is.', /%3D/],
  ['iso_time', 't is a written date: use whole milliseconds since 1970.', /(^|,)\s*t=\d{4}-\d\d-/],
];

function guess(
  reason: WebhookRefusal,
  { header, body }: Pick<Delivery, 'header' | 'body'>,
): readonly LikelyCause[] {
  const likely = (cause: string, explanation: string) => ({ cause, proven: false, explanation });
  const forms = headerForms.filter(([, , form]) => form.test(textOf(header).trim()));
  if (reason !== 'mismatch') return forms.map(([cause, explanation]) => likely(cause, explanation));
  if (body.length === 0) {
    return [likely('empty_body', 'the body is empty: something read it before the verification.')];
  }
  if (body.toString('latin1') === '[object Object]') {
    return [likely('parsed_body', 'the body is a parsed object as text: verify the raw bytes.')];
  }
  return [
    likely('other_secret', 'the secret is another one: of another subscription, or since rotated.'),
    likely('other_body', 'the body was changed after signing, in none of the usual ways.'),
  ];
}

/** The signature is right and the time is off. */
function explainTime({ header, nowMs, toleranceMs }: Delivery): readonly LikelyCause[] {
  const parsed = parseSignatureHeader(header);
  if (!parsed.ok) return [];
  const { tMs } = parsed;
  const found = (cause: string, explanation: string) => [{ cause, proven: true, explanation }];
  // As milliseconds these lie before 1974 and after 5100; in the other unit they are of our time.
  if (tMs >= 1e8 && tMs < 1e11) return found('seconds', 't is in seconds: use milliseconds.');
  if (tMs >= 1e14) return found('microseconds', 't is in microseconds: use milliseconds.');
  const span = formatSpan(Math.abs(nowMs - tMs));
  const limit = `at most ${formatSpan(toleranceMs)} are tolerated`;
  if (tMs > nowMs) {
    const why = `the signer's clock or this one is wrong; ${limit}.`;
    return found('clock_ahead', `the signature is right, but ${span} ahead: ${why}`);
  }
  const why = 'it was kept or sent again (each attempt is signed again), or a clock is wrong';
  return found('old_delivery', `the signature is right, but ${span} old: ${why}; ${limit}.`);
}

function formatSpan(ms: number): string {
  const units: readonly (readonly [number, string])[] = [
    [86_400_000, 'd'],
    [3_600_000, 'h'],
    [60_000, 'min'],
    [1000, 's'],
  ];
  const [size, unit] = units.find(([limit]) => ms >= 2 * limit) ?? [1, 'ms'];
  return `${Math.floor(ms / size)} ${unit}`;
}
