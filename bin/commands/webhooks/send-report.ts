// How `sandbox webhooks send` reports what it sent and how the receiver answered.

import chalk from 'chalk';
import { jsonText } from '../../../conformance/reports/plain-text.ts';
import type { ReceiverAnswer } from './send-webhook.ts';
import { type TamperKind, tamperings } from './tamper.ts';

/** One delivery as it went out, how it was answered, and how it should have been. */
export interface SendReport {
  readonly sent: {
    readonly url: string;
    readonly label: string;
    readonly tamper: TamperKind | null;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: Uint8Array;
  };
  readonly answer: ReceiverAnswer;
  readonly expected: 'accepted' | 'refused';
}

/** EVT-9a: 2xx is acceptance. No answer at all is a fault, whatever was expected. */
export function isAsExpected({ answer, expected }: SendReport): boolean {
  return answer.status !== null && isAccepted(answer.status) === (expected === 'accepted');
}

const isAccepted = (status: number): boolean => status >= 200 && status <= 299;

/** For people: what went out, what came back, and whether that is right. */
export function describeReport(report: SendReport): string[] {
  const { sent, answer, expected } = report;
  const flaw = sent.tamper === null ? '' : chalk.yellow(` (${tamperings[sent.tamper].story})`);
  const lines = [`--> POST ${sent.url} ${sent.label}${flaw}`];
  for (const [name, value] of Object.entries(sent.headers)) {
    lines.push(chalk.dim(`    ${name}: ${value}`));
  }
  const status = answer.status === null ? answer.error : `${answer.status}`;
  lines.push(`<-- ${status}, after ${answer.durationMs} ms`);
  const said = answer.text.trim().split('\n')[0]!.slice(0, 200);
  if (said !== '') lines.push(chalk.dim(`    ${said}`));
  const isGood = isAsExpected(report);
  const should = expected === 'accepted' ? 'accepted it' : 'refused it (any answer but 2xx)';
  const wrong = expected === 'accepted' ? 'did not answer 2xx' : 'accepted it';
  const did = answer.status === null ? 'did not answer' : wrong;
  const verdict = isGood
    ? `✔ the receiver ${expected} it, as it should`
    : `✘ the receiver ${did}, and should have ${should}`;
  lines.push(isGood ? chalk.green(verdict) : chalk.red(verdict));
  const remedy = isGood ? null : remedyFor(report);
  return remedy === null ? lines : [...lines, `  ${remedy}`];
}

/** The likeliest reason for a delivery that should have been accepted. */
function remedyFor({ sent, answer, expected }: SendReport): string | null {
  const { url } = sent;
  const isPlain = /wrong version number|packet length too long|EPROTO/i.test(answer.error ?? '');
  if (isPlain && url.startsWith('https:')) {
    return `that port does not speak TLS: send to ${url.replace('https:', 'http:')}`;
  }
  const isRefusal = answer.status !== null && answer.status >= 400 && answer.status < 500;
  if (expected !== 'accepted' || !isRefusal) return null;
  return 'does the receiver have another secret? It must verify with the one in --secret-env';
}

/** For machines: the same as one line of JSON. */
export function printReport(report: SendReport): string {
  const { sent, answer, expected } = report;
  const { durationMs, status, error, text } = answer;
  return jsonText({
    url: sent.url,
    tamper: sent.tamper,
    headers: sent.headers,
    body: Buffer.from(sent.body).toString('utf8'),
    status,
    error,
    answer: text,
    duration_ms: durationMs,
    expected,
    as_expected: isAsExpected(report),
  });
}
