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

/** One step of the verification; `ok` is null if an earlier step already failed. */
export interface DiagnosisStep {
  readonly step: StepName;
  readonly does: string;
  readonly ok: boolean | null;
  readonly detail: string;
}

/** The probable mistake. `proven`: undoing it gives a signature that matches. */
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

/** Larger bodies than any envelope get only the cheap attempts. */
const mostBytes = 262_144;
const latin1 = (text: string) => Buffer.from(text, 'latin1');

/** A common mistake, and the value that it makes the signer or the receiver use. */
interface Mistake {
  readonly cause: string;
  readonly explanation: string;
  readonly bodies?: (body: Buffer) => readonly Bytes[];
  readonly keys?: (delivery: Delivery) => readonly Bytes[];
  readonly messages?: (tMs: number, body: Buffer) => readonly (readonly Bytes[])[];
}

const mistakes: readonly Mistake[] = [
  {
    cause: 'line_ends',
    explanation:
      'a line end or white space was added, stripped or changed after signing, as an editor, echo or a text mode does: keep the body binary.',
    bodies: (body) => {
      const text = body.toString('latin1');
      const unix = text.replaceAll('\r\n', '\n');
      const shorter = [text.replace(/\r?\n$/, ''), text.trimEnd()];
      return [...shorter, `${text}\n`, `${text}\r\n`, unix, unix.replaceAll('\n', '\r\n')].map(
        latin1,
      );
    },
  },
  {
    cause: 'reserialised_json',
    explanation: 'the body was parsed and printed again: verify the raw bytes, before any parsing.',
    bodies: (body) => (body.length <= mostBytes ? printings(body.toString()) : []),
  },
  {
    cause: 'encoding',
    explanation:
      'the text encoding of the body was changed (Latin-1, UTF-16, base64 or a byte order mark): read and write it as bytes.',
    bodies: (body) => {
      if (body.length > mostBytes) return [];
      const text = body.toString();
      const wide = body.subarray(2).toString('utf16le');
      const texts = [body.toString('latin1'), wide, wide.trimEnd()];
      return [latin1(text), body.subarray(3), Buffer.from(text, 'base64'), ...texts];
    },
  },
  {
    cause: 'previous_secret',
    explanation:
      'it was signed under the previous secret: the secret was rotated, and this delivery is from before or the signer does not have the new secret yet. Accept both during a rotation.',
    keys: ({ previousSecret = '' }) => (previousSecret === '' ? [] : [previousSecret]),
  },
  {
    cause: 'secret_form',
    explanation:
      'one side used the secret in another form: with white space around it, without its prefix, or decoded. Use the whole secret as text, trimmed.',
    keys: ({ secret }) => {
      const whole = secret.trim();
      const bare = whole.replace(/^[a-z]+_/, '');
      const decoded = (['hex', 'base64'] as const).flatMap((encoding) =>
        [whole, bare].map((text) => Buffer.from(text, encoding)),
      );
      return [whole, `${secret}\n`, bare, ...decoded].filter(({ length }) => length > 0);
    },
  },
  {
    cause: 'other_message',
    explanation: 'the signed message is not t, a dot and the body, in this order.',
    messages: (tMs, body) => {
      const starts = ['', '.', `t=${tMs}.`, ...['', ':', '\n', '|'].map((sign) => `${tMs}${sign}`)];
      return [...starts.map((start) => [start, body]), [body, `.${tMs}`]];
    },
  },
  {
    cause: 'seconds',
    explanation: 't was sent and signed in different units: use milliseconds for both.',
    messages: (tMs, body) => [Math.floor(tMs / 1000), tMs * 1000].map((t) => [`${t}.`, body]),
  },
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

/** Forms of a header that cannot be read, each with the fix. */
const headerForms: readonly (readonly [words: string, form: RegExp])[] = [
  ['the header is a bare signature: it has to be t=…,v1=….', /^(sha256=)?[0-9a-f]{64}$/i],
  ['the parts are separated by semicolons: use commas.', /;/],
  ['the header is percent-encoded: send it as it is.', /%3D/],
  ['t is a written date: use whole milliseconds since 1970.', /(^|,)\s*t=\d{4}-\d\d-/],
  [
    'v1 is in upper case or base64: print it as lower-case hex.',
    /v1=([0-9A-F]{64}|[\w+/-]{43}=?)$/i,
  ],
];

/** Only the proven cause, or the possible causes. */
function findCauses(reason: WebhookRefusal, delivery: Delivery): readonly LikelyCause[] {
  const parsed = parseSignatureHeader(delivery.header);
  const likely = (cause: string, explanation: string) => ({ cause, proven: false, explanation });
  if (!parsed.ok) {
    const text = textOf(delivery.header).trim();
    const forms = headerForms.filter(([, form]) => form.test(text));
    return forms.map(([explanation]) => likely('header_form', explanation));
  }
  if (reason !== 'mismatch') return [explainTime(parsed.tMs, delivery)];
  const { tMs, signatures } = parsed;
  const { body, secret } = delivery;
  const signs = (key: Bytes, message: readonly Bytes[]) =>
    signatures.includes(hmacSha256Hex(key, ...message));
  const start = `${tMs}.`;
  const made = mistakes.find(
    ({ bodies, keys, messages }) =>
      bodies?.(body).some((each) => signs(secret, [start, each])) ||
      keys?.(delivery).some((key) => signs(key, [start, body])) ||
      messages?.(tMs, body).some((message) => signs(secret, message)),
  );
  if (made !== undefined) {
    return [{ cause: made.cause, proven: true, explanation: made.explanation }];
  }
  if (body.length === 0) {
    return [likely('parsed_body', 'the body is empty: something read it before the verification.')];
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
function explainTime(tMs: number, { nowMs, toleranceMs }: Delivery): LikelyCause {
  const found = (cause: string, explanation: string) => ({ cause, proven: true, explanation });
  // As milliseconds these lie before 1974; in seconds they are of our time.
  if (tMs >= 1e8 && tMs < 1e11) return found('seconds', 't is in seconds: use milliseconds.');
  const span = formatSpan(Math.abs(nowMs - tMs));
  const limit = `at most ${formatSpan(toleranceMs)} are tolerated`;
  const [side, why] =
    tMs > nowMs
      ? ['ahead', "the signer's clock or this one is wrong"]
      : ['old', 'it was kept or sent again (each attempt is signed again), or a clock is wrong'];
  return found('time', `the signature is right, but ${span} ${side}: ${why}; ${limit}.`);
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
