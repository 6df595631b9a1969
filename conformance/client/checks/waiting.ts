// Checks of what a client does when it has to wait: 429 with Retry-After, 409 for an attempt that is
// still running.
import { type ApiCall, endingWords, type Recording, succeeded } from '../call.ts';
import { meetInFlight, runOn, runsOnMs } from '../faults/in-flight.ts';
import { limit } from '../faults/limiting.ts';
import { type FollowUp, followUp } from '../follow-up.ts';
import { isSuccess, type Observation } from '../observation.ts';
import {
  type Aim,
  advise,
  aimsAt,
  type Check,
  fail,
  missed,
  type Outcome,
  pass,
  seconds,
  siteIds,
  tooBusy,
} from './check.ts';
import { crowdIn } from './crowd.ts';
import { judgeRepeats, wrongRepeat } from './sent-again.ts';

/** Timers end early by a little, and what came is looked at late by a little. */
const slackMs = 50;
/** How long what was sent before the 429 was read may take to arrive. */
const onItsWayMs = 250;

const limited: Check = {
  id: 'CLT-429',
  title: 'the client is told to wait (429)',
  orders:
    'Each write in turn is answered 429 with a Retry-After of a few seconds; until they are over, every call of that credential is answered 429.',
  expected:
    'sends nothing of that credential before Retry-After is over, then repeats with the same key, and succeeds',
  atStake:
    'A client that goes on sending is limited for longer, and so is everything else that uses the same credential.',
  mend: {
    words:
      'Read Retry-After, in seconds, hold back every call of that credential until it is over, add some jitter, then send the identical request with the same key.',
    example: `POST /api/v1/accounts
Idempotency-Key: 8a40d1

429 Too Many Requests
Retry-After: 2

(2 s and a little jitter: nothing is sent)

POST /api/v1/accounts
Idempotency-Key: 8a40d1

201 Created`,
  },
  rules: ['LIM-6', 'LIM-7', 'IDEM-6a'],
  aims: ({ sites }) => aimsAt(sites),
  atOnce: 4,
  // Another wait the second time: a client that always waits so long passes the first by luck.
  fault: (aims, again) => limit(siteIds(aims), again === 0 ? 2 : 4),
  twice: true,
  judge: judgeLimited,
};

function judgeLimited(recording: Recording, aim: Aim, seen: Observation): Outcome {
  const then = aim.site === null ? null : followUp(recording, aim.site, seen);
  if (then === null) return missed(aim);
  const { struck } = then;
  const early = findEarly(recording, struck);
  if (early !== null) {
    const wait = retryAfterMs(struck) ?? 0;
    const other = `call ${early.n}, ${early.method} ${early.path}, came`;
    const what = early.site === struck.site ? 'it was sent again' : other;
    const later = seconds(early.atMs - (struck.answeredAtMs ?? struck.atMs));
    const told = `the write was answered 429 with Retry-After: ${wait / 1000}`;
    return fail('too-early', `${told}, and ${later} later ${what}`, [struck, early]);
  }
  const outcome = judgeRepeats(recording, aim, seen, {
    after: 'the write was answered 429',
    givingUp: 'fails',
    mustSucceed: true,
  });
  const next = outcome.verdict === 'passed' ? findNext(recording, struck, seen) : null;
  if (next === null) return outcome;
  const other = `call ${next.n}, of the same credential, did not wait`;
  const unless = 'which is right only if it was already queued for the connection';
  const words = `${outcome.actual}; but ${other}, ${unless}`;
  return advise('next-not-held', words, [struck, next]);
}

/**
 * A client that sends one call at a time hardly had the next one on its way already, unless it was
 * queued for the only connection of a pool.
 */
function findNext({ calls }: Recording, struck: ApiCall, { first }: Observation): ApiCall | null {
  if (!isOneAtATime(first) || struck.answeredAtMs === null) return null;
  const fromMs = struck.answeredAtMs;
  const untilMs = fromMs + (retryAfterMs(struck) ?? 0) - slackMs;
  const next = calls.find(
    ({ site, operation, atMs, struck: why }) =>
      operation !== 'issueToken' &&
      site !== struck.site &&
      why !== null &&
      atMs > fromMs &&
      atMs < untilMs,
  );
  return next ?? null;
}

/** Each call came when all before it were answered. */
function isOneAtATime({ calls }: Recording): boolean {
  let answeredAtMs = 0;
  return calls.every((call) => {
    const isAfter = answeredAtMs <= call.atMs;
    answeredAtMs = Math.max(answeredAtMs, call.answeredAtMs ?? 0);
    return isAfter;
  });
}

/** The first call of that credential that should have waited. */
function findEarly({ calls, lagMs }: Recording, struck: ApiCall): ApiCall | null {
  const waitMs = retryAfterMs(struck);
  if (waitMs === null || struck.answeredAtMs === null) return null;
  const fromMs = struck.answeredAtMs;
  const untilMs = fromMs + waitMs - slackMs;
  const early = calls.find(({ n, atMs, site, operation, struck: why }) => {
    if (n <= struck.n || operation === 'issueToken' || atMs >= untilMs || why === null)
      return false;
    return site === struck.site || atMs > fromMs + onItsWayMs + lagMs;
  });
  return early ?? null;
}

function retryAfterMs({ response }: ApiCall): number | null {
  const text = response?.headers.find(([name]) => name === 'retry-after')?.[1];
  return text === undefined ? null : Number(text) * 1000;
}

const patienceMs = 40_000;
const mostASecond = 5;
/** IDEM-14a: "wait a few seconds". Less than this is none. */
const shortestWaitMs = 500;

const inFlight: Check = {
  id: 'CLT-in-flight',
  title: 'the first attempt is still running',
  orders:
    'The response to each write in turn is lost while the attempt runs for 3 more seconds: repeats are answered 409 idempotency_in_flight until it ends.',
  expected: 'waits a little, repeats the identical request, and succeeds within 40 s',
  atStake:
    'The money is on its way: a client that treats "still running" as "refused" reports a payment as failed that succeeds a second later.',
  mend: {
    words:
      'Tell the two 409 apart by `code`: on idempotency_in_flight wait a few seconds and send the identical request under the same key, until it is answered.',
    example: `POST /api/v1/transactions
Idempotency-Key: 6f1c2a9e

409 Conflict                       {"code": "idempotency_in_flight", …}

(2 s)

POST /api/v1/transactions
Idempotency-Key: 6f1c2a9e

201 Created`,
  },
  rules: ['IDEM-14a'],
  aims: ({ sites }) => aimsAt(sites),
  atOnce: 3,
  fault: (aims) => runOn(siteIds(aims)),
  judge: judgeInFlight,
  // A client with a single repeat has used it up when the 409 arrives. If the first response is the
  // 409, it can be told from a client that treats 409 as final.
  instead: ({ kind }, aims) =>
    kind === 'gave-up' || kind === 'gave-up-at-409' ? meetInFlight(siteIds(aims)) : null,
};

function judgeInFlight(recording: Recording, aim: Aim, seen: Observation): Outcome {
  const then = aim.site === null ? null : followUp(recording, aim.site, seen);
  if (then === null) return missed(aim);
  const after = 'the response to the write was lost while it was still running';
  const wrong = wrongRepeat(then, after);
  if (wrong !== null) return wrong;
  const { struck, repeats, last } = then;
  const waited = [struck, ...repeats].filter(({ response }) => response?.status === 409);
  const crowd = crowdIn(waited, mostASecond, recording.lagMs);
  if (crowd !== null) {
    const again = `sent again ${crowd.calls.length - 1} times within a second`;
    const words = `the write was answered 409 idempotency_in_flight, and ${again}`;
    return crowd.isDoubtful ? tooBusy(words, crowd.calls) : fail('hammers', words, crowd.calls);
  }
  const shown = [struck, ...repeats];
  if (repeats.length > 0 && !isSuccess(last)) return judgeGivenUp(recording, then, shown);
  const took = (repeats.at(-1)?.atMs ?? 0) - struck.atMs;
  if (took > patienceMs) {
    return advise('too-patient', `the write was repeated, but only after ${seconds(took)}`, shown);
  }
  if (isSuccess(last) && succeeded(recording)) {
    const met = waited.length === 0 ? `, when the ${runsOnMs / 1000} s were over` : '';
    return pass(`repeated until it was answered, after ${seconds(took)}${met}`, shown);
  }
  return judgeRepeats(recording, aim, seen, { after, givingUp: 'fails', mustSucceed: true });
}

function judgeGivenUp(recording: Recording, { repeats }: FollowUp, shown: readonly ApiCall[]) {
  const end = endingWords(recording.ending);
  const tries =
    repeats.length === 1 ? 'one repeat that was' : `${repeats.length} repeats that were`;
  const told = `after ${tries} answered 409 idempotency_in_flight the client gave up`;
  const longestMs = Math.max(
    ...repeats.map(({ atMs }, n) => atMs - (repeats[n - 1]?.atMs ?? atMs)),
  );
  // More than one, and no wait between them that deserves the name: not the first 409 was the end.
  if (repeats.length > 1 && longestMs + recording.lagMs < shortestWaitMs) {
    const waits = `${told}, with ${seconds(longestMs)} between them`;
    return fail('hasty-at-409', `${waits}, and the command ${end}`, shown);
  }
  return fail('gave-up-at-409', `${told}, and the command ${end}`, shown);
}

export const waitingChecks: readonly Check[] = [limited, inFlight];
