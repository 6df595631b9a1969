// Judges the responses to a check: the expectation, the receiver's response, and the verdict.
import { REFUSED } from '../engine/send/unreachable.ts';
import type { Exchange, Judged } from '../engine/types.ts';
import { type Check, expectedOf, isTolerance } from './check.ts';
import type { Probe } from './delivery.ts';

export interface Judgement {
  readonly verdict: Judged;
  readonly expected: string;
  readonly actual: string;
  /** Replaces the text of the check if another risk applies. */
  readonly stake?: Pick<Check, 'gains' | 'fix'>;
}

/** The result of one check; `inconclusive` if it could not be judged. */
export interface CheckResult {
  readonly check: Check;
  readonly judgement: Judgement;
  readonly exchanges: readonly Exchange[];
}

/** At stake if an odd delivery makes the receiver fail, and how to fix it. */
export const breaking: Pick<Check, 'gains' | 'fix'> = {
  gains: 'Anyone who knows the URL can make the receiver fail, or end it, with one request.',
  fix: 'Catch errors while header and body are read and compared (in Node, timingSafeEqual throws if lengths differ; in Python, a missing key, and compare_digest with letters beyond ASCII), and answer 400.',
};

export function isAccepted({ response }: Exchange): boolean {
  return response !== null && response.status >= 200 && response.status < 300;
}

export function describeExchange({ response, failure }: Exchange): string {
  return response === null ? (failure ?? 'no response') : `status ${response.status}`;
}

/** The verdict of one check over the responses to its deliveries, in order. */
export function judgeCheck(check: Check, exchanges: readonly Exchange[]): Judgement {
  const actual = exchanges.map(describeExchange).join(', then ');
  const judged = (verdict: Judged, more: Partial<Judgement> = {}): Judgement => {
    return { verdict, expected: expectedOf(check), actual, ...more };
  };
  const accepted = exchanges.every(isAccepted);
  if (check.group === 'accept') return judged(accepted ? 'passed' : 'deviates');
  if (isTolerance(check)) return judged(accepted ? 'passed' : 'advisory');
  if (check.group === 'advice') return judged(accepted ? 'advisory' : 'passed');
  if (exchanges.some(isAccepted)) return judged('deviates');
  const expected = 'a 4xx response';
  const has = (isSo: (status: number) => boolean) =>
    exchanges.some(({ response }) => isSo(response?.status ?? 0));
  if (has((status) => status >= 300 && status < 400)) {
    return judged('advisory', { expected, actual: `${actual}: a redirect is not a refusal` });
  }
  if (!has((status) => status === 0 || status >= 500)) return judged('passed', { expected });
  const words = `${actual}: hostile input should not break the receiver`;
  return judged('advisory', { expected, actual: words, stake: breaking });
}

/** No response, or a gateway error that says that the receiver does not respond. */
export function isGone({ response }: Exchange): boolean {
  return response === null || [502, 504].includes(response.status);
}

/** The port was closed, so this delivery never reached the receiver. */
export function isUnreached({ response, failure }: Exchange): boolean {
  return response === null && failure === REFUSED;
}

/** A receiver that ends or hangs because of a delivery fails: it gets no further events. */
export function judgeEnded(
  check: Check,
  exchanges: readonly Exchange[],
  control: Exchange,
): Judgement {
  const answers = exchanges.map(describeExchange).join(', then ');
  return {
    verdict: 'deviates',
    expected: `${expectedOf(check)}, and a receiver that keeps running`,
    actual: `${answers}; the receiver went away at this: a valid delivery right after it was not answered (${describeExchange(control)})`,
    stake: breaking,
  };
}

/** Whether the response contains the correct signature of the delivery. */
export function leaksMac({ expectedMac }: Probe, { response }: Exchange): boolean {
  if (expectedMac === undefined || response === null) return false;
  const headers = response.headers.map(([, value]) => value).join('\n');
  return `${headers}\n${Buffer.from(response.body).toString()}`.toLowerCase().includes(expectedMac);
}

/** A check that could not be judged, with the reason. */
export function unjudged(check: Check, why: string): Judgement {
  return { verdict: 'inconclusive', expected: check.title, actual: why };
}
