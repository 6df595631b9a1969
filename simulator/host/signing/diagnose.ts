// Names the first step at which a delivery fails to verify, and works out what probably went wrong.
import { type DiagnosisInput, findCauses, type LikelyCause } from './likely-causes.ts';
import { type HeaderValue, parseSignatureHeader, splitParts } from './signature-header.ts';
import { defaultToleranceMs, verifyWebhook, type WebhookRefusal } from './verify.ts';

export type StepName = 'header' | 'timestamp' | 'signatures' | 'match' | 'time';

/** One step of the verification; `ok` is null when an earlier step already failed. */
export interface DiagnosisStep {
  readonly step: StepName;
  readonly does: string;
  readonly ok: boolean | null;
  readonly detail: string;
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
  /**
   * The secret before the last rotation: a delivery signed under it verifies no more, and says so.
   */
  readonly previousSecret?: string | undefined;
  readonly nowMs?: number | undefined;
  readonly toleranceMs?: number | undefined;
}

/**
 * Verifies as {@link verifyWebhook} does and, where that fails, tries the usual mistakes one by one
 * and in pairs: line ends added or lost, JSON printed again, wrong encodings, a decoded secret, the
 * secret before a rotation, seconds for milliseconds, a message put together differently.
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
  const body = typeof options.body === 'string' ? Buffer.from(options.body) : options.body;
  const verdict = verifyWebhook({ header, body, secret, nowMs, toleranceMs });
  const reason = verdict.ok ? null : verdict.reason;
  return {
    verified: verdict.ok,
    reason,
    explanation: verdict.ok
      ? 'the signature matches and the time is within the tolerance'
      : verdict.explanation,
    steps: describeSteps(reason, verdict.ok ? '' : verdict.explanation, { header, body, nowMs }),
    causes: reason === null ? [] : findCauses(reason, { ...options, body, nowMs, toleranceMs }),
  };
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
  { header, body, nowMs }: Pick<DiagnosisInput, 'header' | 'body' | 'nowMs'>,
): DiagnosisStep[] {
  const parsed = parseSignatureHeader(header);
  const parts = splitParts([header ?? []].flat().join(',')).length;
  const t = parsed.ok ? `t=${parsed.tMs}, ${formatTime(parsed.tMs)}` : 'one t';
  const away = parsed.ok ? Math.abs(nowMs - parsed.tMs) : 0;
  const count = parsed.ok ? parsed.signatures.length : 0;
  const steps: [StepName, does: string, passed: string][] = [
    ['header', 'the header is a list of key=value', `${parts} of them`],
    ['timestamp', 'it has one t in epoch milliseconds', t],
    ['signatures', 'it has at least one v1', count === 1 ? 'one v1' : `${count} v1`],
    ['match', `a v1 signs t, a dot and the ${body.length} bytes of the body`, 'one matches'],
    ['time', 't is close enough to the clock', `${away} ms away`],
  ];
  const failed = steps.findIndex(([step]) => reason !== null && step === failsAt[reason]);
  return steps.map(([step, does, passed], index) => {
    if (failed < 0 || index < failed) return { step, does, ok: true, detail: passed };
    if (index === failed) return { step, does, ok: false, detail: explanation };
    return { step, does, ok: null, detail: 'not reached' };
  });
}

function formatTime(ms: number): string {
  // The last instant that a Date can hold.
  return ms <= 8.64e15 ? new Date(ms).toISOString() : 'no date at all';
}
