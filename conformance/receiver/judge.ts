// Judges the responses to a check: what was expected, what the receiver answered, and the verdict.
import type { Exchange, Judged } from '../engine/types.ts';
import { type Check, expectedOf, isTolerance, type Probe } from './check.ts';
import { answersInTime, doesNotRedirect, givesNothingAway } from './checks/behaviour.ts';

/** EVT-9b: 15 s are too long; from 5 s on there is advice. */
const slowMs = 5000;

export interface Judgement {
  readonly verdict: Judged;
  readonly expected: string;
  readonly actual: string;
  readonly exchanges: readonly number[];
  /** Replaces the words of the check if something else is at stake. */
  readonly stake?: Pick<Check, 'gains' | 'fix'>;
}

const breaking: Pick<Check, 'gains' | 'fix'> = {
  gains: 'Anyone who knows the URL can make the receiver fail, or end it, with one request.',
  fix: 'Catch errors while header and body are read and compared (timingSafeEqual throws if lengths differ), and answer 400.',
};

export function isAccepted({ response }: Exchange): boolean {
  return response !== null && response.status >= 200 && response.status < 300;
}

function isRedirect({ response }: Exchange): boolean {
  return response !== null && response.status >= 300 && response.status < 400;
}

export function describeExchange({ response, failure }: Exchange): string {
  return response === null ? (failure ?? 'no response') : `status ${response.status}`;
}

/** The verdict of one check over the responses to its deliveries, in order. */
export function judgeCheck(check: Check, exchanges: readonly Exchange[]): Judgement {
  const numbers = exchanges.map(({ n }) => n);
  const actual = exchanges.map(describeExchange).join(', then ');
  const say = (verdict: Judged, expected: string, seen = actual): Judgement => ({
    verdict,
    expected,
    actual: seen,
    exchanges: numbers,
  });
  const expected = expectedOf(check);
  const accepted = exchanges.every(isAccepted);
  if (check.group === 'accept') return say(accepted ? 'passed' : 'deviates', expected);
  if (isTolerance(check)) return say(accepted ? 'passed' : 'advisory', expected);
  if (check.group === 'advice') return say(accepted ? 'advisory' : 'passed', expected);
  if (exchanges.some(isAccepted)) return say('deviates', expected);
  const refusal = 'a 4xx answer';
  if (exchanges.some(isRedirect)) {
    return say('advisory', refusal, `${actual}: a redirect is not a refusal`);
  }
  const isBroken = exchanges.some(({ response }) => response === null || response.status >= 500);
  if (!isBroken) return say('passed', refusal);
  const words = `${actual}: hostile input should not break the receiver`;
  return { ...say('advisory', refusal, words), stake: breaking };
}

/** No response, or a gateway that reports that the receiver does not respond. */
export function isGone({ response }: Exchange): boolean {
  return response === null || [502, 504].includes(response.status);
}

/** The port was closed, so this delivery never reached the receiver. */
export function isUnreached({ response, failure }: Exchange): boolean {
  return response === null && (failure ?? '').includes('ECONNREFUSED');
}

/** A receiver that ends or hangs at a delivery fails: no other event reaches it. */
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
    exchanges: [...exchanges, control].map(({ n }) => n),
    stake: breaking,
  };
}

/** Whether the response contains the right signature of what was sent. */
export function leaksMac({ expectedMac }: Probe, { response }: Exchange): boolean {
  if (expectedMac === undefined || response === null) return false;
  const headers = response.headers.map(([, value]) => value).join('\n');
  return `${headers}\n${Buffer.from(response.body).toString()}`.toLowerCase().includes(expectedMac);
}

/**
 * EVT-9a, EVT-9b: time and redirects of the responses to valid deliveries, and responses to forged
 * ones that contain the right signature.
 */
export function judgeManners(
  valid: readonly Exchange[],
  leaking: readonly Exchange[],
): readonly { readonly check: Check; readonly judgement: Judgement }[] {
  const slowestMs = Math.max(0, ...valid.map(({ durationMs }) => durationMs));
  const slow = valid.filter(({ durationMs }) => durationMs > slowMs);
  const redirects = valid.filter(isRedirect);
  const verdictOf = (wrong: readonly Exchange[]) => (wrong.length > 0 ? 'deviates' : 'passed');
  const judged = (
    check: Check,
    verdict: Judged,
    expected: string,
    actual: string,
    shown: readonly Exchange[],
  ) => ({ check, judgement: { verdict, expected, actual, exchanges: shown.map(({ n }) => n) } });
  return [
    judged(
      answersInTime,
      slowestMs > 15_000 ? 'deviates' : slowestMs > slowMs ? 'advisory' : 'passed',
      'a response within 15 s, better within 5 s',
      `the slowest took ${(slowestMs / 1000).toFixed(1)} s`,
      slow,
    ),
    judged(
      doesNotRedirect,
      verdictOf(redirects),
      'no redirect: the platform does not follow them',
      redirects.map(describeExchange).join(', ') || 'none',
      redirects,
    ),
    judged(
      givesNothingAway,
      verdictOf(leaking),
      'responses that do not contain the right signature',
      leaking.length === 0
        ? 'none contains it'
        : `${leaking.length} responses to forgeries contain it`,
      leaking,
    ),
  ];
}

/** A check that could not be judged, and why. */
export function unjudged(check: Check, why: string): Judgement {
  return { verdict: 'inconclusive', expected: check.title, actual: why, exchanges: [] };
}
