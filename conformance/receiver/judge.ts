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
  if (
    exchanges.some(
      ({ response }) => response !== null && response.status >= 300 && response.status < 400,
    )
  ) {
    return say('advisory', 'a 4xx answer', `${actual}: a redirect is not a refusal`);
  }
  const broke = exchanges.some(({ response }) => response === null || response.status >= 500);
  return broke
    ? {
        ...say(
          'advisory',
          'a 4xx answer',
          `${actual}: hostile input should not break the receiver`,
        ),
        stake: breaking,
      }
    : say('passed', 'a 4xx answer');
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
  const slowest = valid.reduce((most, { durationMs }) => Math.max(most, durationMs), 0);
  const slow = valid.filter(({ durationMs }) => durationMs > slowMs).map(({ n }) => n);
  const pace: Judged = slowest > 15_000 ? 'deviates' : slowest > slowMs ? 'advisory' : 'passed';
  const redirects = valid.filter(
    ({ response }) => response !== null && response.status >= 300 && response.status < 400,
  );
  return [
    {
      check: answersInTime,
      judgement: {
        verdict: pace,
        expected: 'a response within 15 s, better within 5 s',
        actual: `the slowest took ${(slowest / 1000).toFixed(1)} s`,
        exchanges: slow,
      },
    },
    {
      check: doesNotRedirect,
      judgement: {
        verdict: redirects.length > 0 ? 'deviates' : 'passed',
        expected: 'no redirect: the platform does not follow them',
        actual: redirects.length > 0 ? redirects.map(describeExchange).join(', ') : 'none',
        exchanges: redirects.map(({ n }) => n),
      },
    },
    {
      check: givesNothingAway,
      judgement: {
        verdict: leaking.length > 0 ? 'deviates' : 'passed',
        expected: 'responses that do not contain the right signature',
        actual:
          leaking.length > 0
            ? `${leaking.length} responses to forgeries contain it`
            : 'none contains it',
        exchanges: leaking.map(({ n }) => n),
      },
    },
  ];
}

/** A check that could not be judged, and why. */
export function unjudged(check: Check, why: string): Judgement {
  return { verdict: 'inconclusive', expected: check.title, actual: why, exchanges: [] };
}
