// Names the first step at which the verification of a delivery fails, and finds the likely cause by
// undoing common mistakes until the signature matches.
import { parseJson } from '../../../fixtures/lenient.ts';
import { hmacSha256Hex } from '../../core/values/digest.ts';
import { isTooDeep } from '../bodies/json.ts';
import {
  defaultToleranceMs,
  type HeaderValue,
  type ParsedHeader,
  parseSignatureHeader,
  splitHeader,
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

/** The likely mistake. `proven`: without it the signature matches. */
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
  /** The bytes of the body that were verified. */
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
 * rotation, seconds for milliseconds.
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
  const parsed = parseSignatureHeader(header);
  const delivery: Delivery = { ...options, body, parsed, nowMs, toleranceMs };
  const { reason, explanation } = verdict.ok
    ? { reason: null, explanation: 'the signature matches and the time is within the tolerance' }
    : verdict;
  const steps = describeSteps(reason, explanation, delivery);
  const causes = reason === null ? [] : findCauses(reason, delivery);
  return { verified: verdict.ok, reason, explanation, steps, causes };
}

interface Delivery extends WebhookToDiagnose {
  readonly body: Buffer;
  readonly parsed: ParsedHeader;
  readonly nowMs: number;
  readonly toleranceMs: number;
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

function describeSteps(
  reason: WebhookRefusal | null,
  explanation: string,
  { header, body, parsed, nowMs }: Delivery,
): DiagnosisStep[] {
  const parts = splitHeader(header).length;
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
    if (step === 'timestamp' && reason !== null && parsed.ok && isInSeconds(tMs)) {
      return { step, does, ok: false, detail: `t=${tMs} looks like seconds` };
    }
    if (failed < 0 || at < failed) return { step, does, ok: true, detail: passed };
    if (at === failed) return { step, does, ok: false, detail: explanation };
    return { step, does, ok: null, detail: 'not reached' };
  });
}

type Bytes = string | Uint8Array;

/** The usual mistakes, each with its remedy. */
const mistakes = {
  line_ends:
    'a line end or white space was added, stripped or changed after signing, as an editor, echo or a text mode does: keep the body binary.',
  reserialised_json:
    'the body was parsed and printed again: verify the raw bytes, before any parsing.',
  encoding:
    'the text encoding of the body was changed (Latin-1, UTF-16, base64 or a byte order mark): read and write it as bytes.',
  previous_secret:
    'it was signed under the previous secret: the secret was rotated, and this delivery is from before or the signer does not have the new secret yet. Accept both during a rotation.',
  secret_form:
    'one side used the secret in another form: with white space around it, without its prefix, or decoded. Use the whole secret as text, trimmed.',
  seconds: 't was sent and signed in different units: use milliseconds for both.',
} as const;

type Attempt = readonly [mistake: keyof typeof mistakes, key: Bytes, start: string, body: Bytes];

/** Bodies larger than any envelope are not reformatted or decoded. */
const maxBytes = 262_144;

/** What may have been signed instead, and with which key. */
function* attempts({ body, secret, previousSecret }: Delivery, tMs: number): Generator<Attempt> {
  const start = `${tMs}.`;
  const text = body.toString();
  const bytes = body.toString('latin1');
  const unix = bytes.replaceAll('\r\n', '\n');
  const shorter = [bytes.replace(/\r?\n$/, ''), bytes.trimEnd()];
  const longer = [`${bytes}\n`, `${bytes}\r\n`];
  for (const each of [...shorter, ...longer, unix, unix.replaceAll('\n', '\r\n')]) {
    yield ['line_ends', secret, start, Buffer.from(each, 'latin1')];
  }
  if (previousSecret) yield ['previous_secret', previousSecret, start, body];
  const trimmed = secret.trim();
  const bare = trimmed.replace(/^[a-z]+_/, '');
  const keys = (['hex', 'base64'] as const).flatMap((encoding) =>
    [trimmed, bare].map((each) => Buffer.from(each, encoding)),
  );
  for (const key of [trimmed, `${secret}\n`, bare, ...keys]) {
    if (key.length > 0) yield ['secret_form', key, start, body];
  }
  for (const t of [Math.floor(tMs / 1000), tMs * 1000]) yield ['seconds', secret, `${t}.`, body];
  if (body.length > maxBytes) return;
  for (const each of printings(text)) yield ['reserialised_json', secret, start, each];
  const wide = body.subarray(2).toString('utf16le');
  const decoded = [Buffer.from(text, 'latin1'), body.subarray(3), Buffer.from(text, 'base64')];
  for (const each of [...decoded, bytes, wide, wide.trimEnd()]) {
    yield ['encoding', secret, start, each];
  }
}

/** JSON as common libraries print it; the text itself may also be inside a JSON string. */
function printings(text: string): readonly string[] {
  const value = isTooDeep(text) ? undefined : parseJson(text);
  if (value === undefined) return [];
  const indented = [0, 2, 4, '\t'].map((indent) => JSON.stringify(value, null, indent));
  const inAscii = spaced(value).replace(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return [...indented, spaced(value), inAscii, String(value)];
}

/** As Python prints JSON. */
function spaced(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(spaced).join(', ')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const members = Object.entries(value).map(([key, v]) => `${JSON.stringify(key)}: ${spaced(v)}`);
  return `{${members.join(', ')}}`;
}

const proven = (cause: string, explanation: string) => ({ cause, proven: true, explanation });
const likely = (cause: string, explanation: string) => ({ cause, proven: false, explanation });

/** Only the proven cause, or the possible causes. */
function findCauses(reason: WebhookRefusal, delivery: Delivery): readonly LikelyCause[] {
  const { body, parsed } = delivery;
  if (!parsed.ok) {
    const words =
      'the header must be t=…,v1=…: whole milliseconds since 1970 and lower-case hex, with commas between the parts.';
    return reason === 'no_header' ? [] : [likely('header_form', words)];
  }
  if (reason !== 'mismatch') return [explainTime(parsed.tMs, delivery)];
  for (const [cause, key, ...message] of attempts(delivery, parsed.tMs)) {
    const signature = hmacSha256Hex(key, ...message);
    if (parsed.signatures.includes(signature)) return [proven(cause, mistakes[cause])];
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
  if (isInSeconds(tMs)) return proven('seconds', 't is in seconds: use milliseconds.');
  const span = formatSpan(Math.abs(nowMs - tMs));
  const limit = `at most ${formatSpan(toleranceMs)} are tolerated`;
  const [side, why] =
    tMs > nowMs
      ? ['ahead', "the signer's clock or this one is wrong"]
      : ['old', 'it was kept or sent again (each attempt is signed again), or a clock is wrong'];
  return proven('time', `the signature is right, but ${span} ${side}: ${why}; ${limit}.`);
}

/** Read as milliseconds these are before 1974; read as seconds they are plausible times. */
const isInSeconds = (tMs: number): boolean => tMs >= 1e8 && tMs < 1e11;

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
