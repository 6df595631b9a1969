// Checks how a client repeats a write: after a lost response, 429, 500, 503, an attempt in flight,
// an expired token. All require the same key, the same request, and no second record.
import { parseJson } from '../../../fixtures/lenient.ts';
import { Headers } from '../../engine/send/headers.ts';
import { shortKey } from '../../reports/exchanges.ts';
import {
  answerInFlight,
  breakFor,
  expireToken,
  limit,
  loseFirst,
  refuseFirst,
  runOn,
  runsOnMs,
} from '../faults.ts';
import {
  type ApiCall,
  callsAt,
  chosen,
  endingWords,
  type FollowUp,
  followUp,
  isSuccess,
  type Observation,
  type Recording,
  type Site,
  succeeded,
} from '../recording.ts';
import { isWrite, membersOf } from '../requests.ts';
import {
  type Aim,
  advise,
  aimsAt,
  type Check,
  fail,
  judgeCrowd,
  missed,
  type Outcome,
  pass,
  seconds,
  unclear,
} from './check.ts';

interface RepeatRule {
  /** The fault: `the write was answered 500`. */
  readonly after: string;
  /** The verdict on a client that ends with an error instead of repeating. */
  readonly givingUp: 'passed' | 'advisory' | 'deviates';
  /** Whether a command that fails after its repeat was served is wrong. */
  readonly mustSucceed: boolean;
  /** A special condition of the check, tested before the rest is judged. */
  readonly special?: (then: FollowUp, recording: Recording) => Outcome | null;
}

const lost = (after: string): RepeatRule => ({ after, givingUp: 'advisory', mustSucceed: false });
const trouble = (after: string): RepeatRule => ({ after, givingUp: 'deviates', mustSucceed: true });

/** The first call of each write fails in one way, and its repeat is served. */
const repeated = (rule: RepeatRule): Pick<Check, 'aimsPerRun' | 'aims' | 'judge'> => ({
  aimsPerRun: 20,
  aims: ({ sites }) => aimsAt(sites),
  judge: (recording, aim, seen) => judgeRepeats(recording, aim, seen, rule),
});

/** A wrong way to repeat; null if there is none in this run. */
function wrongRepeat({ failed, ...then }: FollowUp, after: string): Outcome | null {
  const key = shortKey(failed.key);
  const [rekeyed] = then.rekeyed;
  if (rekeyed !== undefined) {
    const how =
      rekeyed.key === null ? 'without a key' : `under a new key, ${shortKey(rekeyed.key)}`;
    const later = seconds(rekeyed.atMs - failed.atMs);
    const first = `${after} (call ${failed.n}, key ${key})`;
    const words = `${first}, and ${later} later it was sent again ${how}`;
    return withDouble(fail('new-key', words, [failed, rekeyed]), failed, rekeyed);
  }
  const [changed] = then.changed;
  if (changed !== undefined) {
    const words = `${after} (call ${failed.n}), and its key ${key} came again with another body`;
    return fail('changed-body', words, [failed, changed]);
  }
  const [renamed] = then.renamed;
  if (renamed !== undefined) {
    const words = `${after} (call ${failed.n}), and it was sent again under another reference`;
    return withDouble(fail('new-reference', words, [failed, renamed]), failed, renamed);
  }
  return null;
}

/** Adds the record of the second call, if both have run. */
function withDouble(outcome: Outcome, failed: ApiCall, again: ApiCall): Outcome {
  const name = failed.operation === 'openPosition' ? 'position_id' : 'id';
  const [first, second] = [failed, again].map((call) => idMade(call, name));
  if (first === undefined || second === undefined || first === second) return outcome;
  const actual = `${outcome.actual}: now there are two of it, ${first} and ${second}`;
  return { ...outcome, actual, doubled: true };
}

/** The id of the created record; undefined if the call did not run. */
function idMade(call: ApiCall, name = 'id'): string | undefined {
  if (call.fate === 'request_lost' || call.fate === 'refused' || !isSuccess(call)) return undefined;
  const { [name]: id } = membersOf(parseJson(call.response?.body ?? ''));
  return typeof id === 'string' ? id : undefined;
}

function judgeRepeats(
  recording: Recording,
  aim: Aim,
  seen: Observation,
  rule: RepeatRule,
): Outcome {
  const then = followUp(recording, aim.site, seen);
  if (then === null) return missed(aim);
  const found = wrongRepeat(then, rule.after) ?? rule.special?.(then, recording) ?? null;
  if (found !== null) return found;
  const { failed, repeats, isServed } = then;
  if (repeats.length === 0) return judgeLeft(recording, failed, rule);
  const shown = [failed, ...repeats];
  const later = seconds(repeats[0]!.atMs - failed.atMs);
  const again = `repeated after ${later} with the same key and the same body`;
  const wentOn = recording.calls.some(
    ({ n, site }) => n > repeats.at(-1)!.n && site !== null && site !== failed.site,
  );
  if (isServed && (succeeded(recording) || wentOn)) return pass(again, shown);
  const end = endingWords(recording.ending);
  if (recording.ending.killed) {
    return unclear('killed', `${again}; the command ${end} before it could show more`, shown);
  }
  const words = `${again}, which was answered ${then.last ?? 'nothing'}; yet the command ${end}`;
  return rule.mustSucceed ? fail('no-success', words, shown) : advise('no-success', words, shown);
}

/** The write was not repeated. */
function judgeLeft(recording: Recording, failed: ApiCall, rule: RepeatRule): Outcome {
  const { ending } = recording;
  const end = endingWords(ending);
  const left = `${rule.after}; it was not repeated, and the command ${end}`;
  if (ending.killed) return unclear('killed', left.replace(';', ','), [failed]);
  const read = findRead(recording, failed);
  if (read !== null) {
    const words = `${rule.after}; it was not repeated, for a read showed that it had run`;
    const isFirst = recording.calls
      .slice(failed.n, read.n)
      .every(({ operation }) => !isWrite(operation));
    // A later list may show it by chance.
    return isFirst ? pass(words, [failed, read]) : advise('read-later', words, [failed, read]);
  }
  if (ending.code === 0) {
    const words = `${rule.after}; it was never repeated, and yet the command ${end}`;
    return fail('taken-for-done', `${words} as if everything had succeeded`, [failed]);
  }
  if (rule.givingUp === 'deviates') {
    return fail('gave-up', `${left}, although a repeat would have succeeded`, [failed]);
  }
  const so = `${left}: nothing is lost, since nothing was sent twice`;
  if (rule.givingUp === 'passed') return pass(so, [failed]);
  return advise('gave-up', `${so}; but its caller does not know whether it ran`, [failed]);
}

/** A read that shows the created record, so that the client need not repeat the write. */
function findRead({ calls }: Recording, failed: ApiCall): ApiCall | null {
  const id = failed.fate === 'request_lost' ? undefined : idMade(failed);
  if (id === undefined) return null;
  const shown = new RegExp(`"id"\\s*:\\s*"${id}"`);
  const isShown = (call: ApiCall) =>
    call.n > failed.n &&
    call.method === 'GET' &&
    isSuccess(call) &&
    shown.test(call.response?.body ?? '');
  return calls.find(isShown) ?? null;
}

const mendLost =
  'Make the key before the first try, keep it with the request, and send both again unchanged after a short wait: the platform sends the first response again, and nothing runs twice.';

/** A longer wait leads to advice: callers rarely wait that long. */
const longWaitMs = 55_000;

function isStillWaitedFor({ fate, abandonedAtMs }: ApiCall): boolean {
  return fate === 'silent' && abandonedAtMs === null;
}

function judgeNoAnswer(recording: Recording, aim: Aim, seen: Observation): Outcome {
  const silent = callsAt(recording, aim.site?.id).find(({ fate }) => fate === 'silent');
  const { ending } = recording;
  if (silent !== undefined && isStillWaitedFor(silent) && ending.killed) {
    const waited = `had waited ${seconds(ending.durationMs - silent.atMs)} for a response`;
    const words = `the client ${waited} to call ${silent.n} when it ${endingWords(ending)}`;
    return fail('waits-for-ever', words, [silent]);
  }
  const rule: RepeatRule = { ...lost('the write got no response'), givingUp: 'passed' };
  const outcome = judgeRepeats(recording, aim, seen, rule);
  const waitedMs = (silent?.abandonedAtMs ?? ending.durationMs) - (silent?.atMs ?? 0);
  if (outcome.verdict !== 'passed' || silent === undefined || waitedMs < longWaitMs) return outcome;
  const words = `it gave up waiting, but only after ${seconds(waitedMs)}: ten seconds are enough`;
  return advise('waits-long', `${words}; ${outcome.actual}`, [silent]);
}

/** The limits of CLT-gives-up; a test that sends one request twice on purpose has twice as many. */
const limitsAt = (site: Site | null) => {
  const times = site?.calls ?? 1;
  return { maxTries: 10 * times, maxASecond: 3 * times };
};

function judgeGivesUp(recording: Recording, aim: Aim): Outcome {
  const tries = callsAt(recording, aim.site?.id).filter(({ fault }) => fault !== null);
  if (tries.length === 0) return missed(aim);
  const { ending, lagMs } = recording;
  const { maxTries, maxASecond } = limitsAt(aim.site);
  const within = seconds(tries.at(-1)!.atMs - tries[0]!.atMs);
  const summary =
    tries.length === 1 ? 'tried once' : `tried ${tries.length} times within ${within}`;
  const crowd = judgeCrowd(tries, maxASecond, lagMs, (calls, withinMs) => {
    return `${summary}, ${calls.length} of them within ${seconds(withinMs)}`;
  });
  const isTooMany = tries.length > maxTries;
  if (crowd !== null && (crowd.verdict === 'deviates' || !isTooMany)) return crowd;
  if (isTooMany) return fail('never-gives-up', `${summary}, and went on`, tries);
  const end = endingWords(ending);
  if (ending.killed) return fail('still-at-it', `${summary}, was still at it, and ${end}`, tries);
  if (ending.code === 0) {
    const answered = tries.length === 1 ? 'answered 500' : 'all answered 500';
    return fail('taken-for-done', `${summary}, ${answered}; yet the command ${end}`, tries);
  }
  return pass(`${summary}, then it ${end}`, tries);
}

/** Timers fire a little early, and calls are noticed a little late. */
const slackMs = 50;
/** How long a call that was sent before the 429 was read may take to arrive. */
const onItsWayMs = 250;

function judgeLimited(recording: Recording, aim: Aim, seen: Observation): Outcome {
  const then = followUp(recording, aim.site, seen);
  if (then === null) return missed(aim);
  const { failed } = then;
  const { calls, lagMs } = recording;
  const waitMs = Number(new Headers(failed.response?.headers).get('retry-after') ?? 0) * 1000;
  const fromMs = failed.answeredAtMs ?? Number.POSITIVE_INFINITY;
  // Calls that were limited during the wait; token requests have a separate limit.
  const during = calls.filter(
    ({ atMs, operation, fault: why }) =>
      operation !== 'issueToken' && why !== null && atMs < fromMs + waitMs - slackMs,
  );
  const isEarly = ({ n, site, atMs }: ApiCall) =>
    n > failed.n && (site === failed.site || atMs > fromMs + onItsWayMs + lagMs);
  const early = failed.answeredAtMs === null ? undefined : during.find(isEarly);
  if (early !== undefined) {
    const other = `call ${early.n}, ${early.method} ${early.path}, came`;
    const what = early.site === failed.site ? 'it was sent again' : other;
    const summary = `the write was answered 429 with Retry-After: ${waitMs / 1000}`;
    const words = `${summary}, and ${seconds(early.atMs - fromMs)} later ${what}`;
    return fail('too-early', words, [failed, early]);
  }
  const outcome = judgeRepeats(recording, aim, seen, trouble('the write was answered 429'));
  // A client that sends one call at a time cannot have sent the next one already, unless it was
  // queued for the only connection of a pool.
  const next = during.find(({ site, atMs }) => site !== failed.site && atMs > fromMs);
  if (outcome.verdict !== 'passed' || next === undefined || !isOneAtATime(seen.first))
    return outcome;
  const other = `call ${next.n}, of the same credential, did not wait`;
  const unless = 'which is right only if it was already queued for the connection';
  return advise('next-not-held', `${outcome.actual}; but ${other}, ${unless}`, [failed, next]);
}

/** Each call arrived after all earlier ones were answered. */
function isOneAtATime({ calls }: Recording): boolean {
  let answeredAtMs = 0;
  return calls.every((call) => {
    const isAfter = answeredAtMs <= call.atMs;
    answeredAtMs = Math.max(answeredAtMs, call.answeredAtMs ?? 0);
    return isAfter;
  });
}

const patienceMs = 40_000;
/** IDEM-14a: "wait a few seconds". A shorter wait does not count. */
const shortestWaitMs = 500;

const stillRunning = 'the response to the write was lost while it was still running';
const answered409 = 'the write was answered 409 idempotency_in_flight';

function judgeInFlight(
  { failed, repeats, isServed }: FollowUp,
  recording: Recording,
): Outcome | null {
  const shown = [failed, ...repeats];
  const waited = shown.filter(({ response }) => response?.status === 409);
  const crowd = judgeCrowd(waited, 5, recording.lagMs, (calls) => {
    const again = `sent again ${calls.length - 1} times within a second`;
    return `${answered409}, and ${again}`;
  });
  if (crowd !== null) return crowd;
  if (repeats.length > 0 && !isServed) return judgeGivenUp(recording, repeats, shown);
  const took = (repeats.at(-1)?.atMs ?? 0) - failed.atMs;
  if (took > patienceMs) {
    const words = `the write was repeated, but only after ${seconds(took)}`;
    return advise('too-patient', words, shown);
  }
  if (!isServed || !succeeded(recording)) return null;
  const suffix = waited.length === 0 ? `, when the ${runsOnMs / 1000} s were over` : '';
  return pass(`repeated until it was answered, after ${seconds(took)}${suffix}`, shown);
}

function judgeGivenUp(
  recording: Recording,
  repeats: readonly ApiCall[],
  shown: readonly ApiCall[],
): Outcome {
  const end = endingWords(recording.ending);
  const tries =
    repeats.length === 1 ? 'one repeat that was' : `${repeats.length} repeats that were`;
  const summary = `after ${tries} answered 409 idempotency_in_flight the client gave up`;
  const longestMs = Math.max(
    ...repeats.map(({ atMs }, n) => atMs - (repeats[n - 1]?.atMs ?? atMs)),
  );
  // Several repeats with hardly any wait: the client did not give up at the first 409.
  if (repeats.length > 1 && longestMs + recording.lagMs < shortestWaitMs) {
    const waits = `${summary}, with ${seconds(longestMs)} between them`;
    return fail('hasty-at-409', `${waits}, and the command ${end}`, shown);
  }
  return fail('gave-up-at-409', `${summary}, and the command ${end}`, shown);
}

const tokenExpired = 'the write was answered 401, as its token had expired';

function judgeNewToken({ failed, repeats }: FollowUp, recording: Recording): Outcome | null {
  const served = repeats.find(isSuccess);
  const before = recording.calls.filter(({ n }) => served === undefined || n < served.n);
  const asked = before.filter(({ n, operation }) => n > failed.n && operation === 'issueToken');
  // Concurrent calls may each have been answered 401.
  const enough = Math.max(1, before.filter((call) => call.fault !== null).length);
  const many = `${tokenExpired}, and ${asked.length} new ones were requested`;
  if (asked.length > enough + 1) return fail('many-tokens', many, [failed, ...asked]);
  if (served === undefined) {
    if (asked.length > 0 || repeats.length === 0) return null;
    const again = `sent again ${repeats.length} times with the same token`;
    const end = endingWords(recording.ending);
    const words = `${tokenExpired}, and it was ${again}; the command ${end}`;
    return fail('same-token', words, [failed, ...repeats]);
  }
  const shown = [failed, ...asked, served];
  if (asked.length > enough) return advise('many-tokens', `${many}: one is enough`, shown);
  if (!succeeded(recording)) return null;
  return pass('one new token was requested, and the write repeated', shown);
}

export const repeatChecks: readonly Check[] = [
  {
    id: 'CLT-answer-lost',
    title: 'the response to a write is lost',
    orders: 'Each write in turn runs, and its connection is cut instead of sending the response.',
    expected: 'repeats with the same key and the same body, so that there is one effect',
    atStake:
      'The write has run and the client does not know it: a client that sends it again as something new may do it twice, and move money twice.',
    mend: mendLost,
    rules: ['IDEM-4b', 'IDEM-4c'],
    ...repeated(lost('the write ran, and its response was lost')),
    fault: () => loseFirst('answer_lost'),
  },
  {
    id: 'CLT-request-lost',
    title: 'a write is lost before it runs',
    orders: 'The connection of each write in turn is cut before anything has run.',
    expected: 'repeats with the same key and the same body',
    atStake:
      'To the client this looks exactly like a lost response: a client that guesses wrong loses a payment, or makes it twice.',
    mend: mendLost,
    rules: ['IDEM-4b', 'IDEM-4c'],
    ...repeated(lost('the write was cut off before it ran')),
    fault: () => loseFirst('request_lost'),
  },
  {
    id: 'CLT-no-answer',
    waitS: 10,
    title: 'no response arrives',
    orders: 'Each write in turn runs, and the connection stays open without a response.',
    expected:
      'gives up waiting in time, and repeats with the same key or ends with an error; never a new key',
    atStake:
      'A client without a time limit blocks everything behind it: after one call without a response, no payment of that day is made.',
    mend: 'Set a time limit for every call, ten seconds say, and treat a timeout as a lost response: repeat the identical request under the same key.',
    rules: ['IDEM-4b', 'IDEM-4c'],
    aims: ({ sites }) => aimsAt(chosen(sites)),
    aimsPerRun: 1,
    fault: () => ({
      ...loseFirst('silent'),
      // Many libraries give up after one minute, or after 100 s.
      needsMoreTime: (calls) => calls.some(isStillWaitedFor),
    }),
    judge: judgeNoAnswer,
  },
  {
    id: 'CLT-500',
    title: 'a write is answered 500',
    orders: 'Each write in turn is answered 500 internal_error once; the next try is served.',
    expected: 'repeats with the same key, and succeeds',
    atStake:
      'The platform fails for a second, and the payment is lost, or made twice if it is repeated as something new.',
    mend: 'A 500 is not recorded under the key: wait a little, and send the identical request with the same key.',
    rules: ['IDEM-6c'],
    ...repeated(trouble('the write was answered 500')),
    fault: () => refuseFirst('internal_error'),
  },
  {
    id: 'CLT-503',
    title: 'a write is answered 503',
    orders: 'Each write in turn is answered 503 write_contention once; the next try is served.',
    expected: 'repeats with the same key, and succeeds',
    atStake:
      'Two people change one record at the same moment: without a retry the work of one of them is lost.',
    mend: 'A 503 write_contention is temporary: wait a little, and send the identical request with the same key.',
    rules: ['IDEM-6b'],
    ...repeated(trouble('the write was answered 503')),
    fault: () => refuseFirst('write_contention'),
  },
  {
    id: 'CLT-gives-up',
    waitS: 8,
    title: 'every retry is answered 500',
    orders: 'One write after the other is answered 500, no matter how often it is sent.',
    expected:
      'tries one request at most 10 times, no more than 3 times in any second, and then ends with an error (an exit code that is not 0)',
    atStake:
      'When the platform is down, a client that retries for ever helps to keep it down, and no one learns that the payment was never made.',
    mend: 'Count the tries, double the wait after each, add some jitter, and report the error to the caller after a handful of tries.',
    rules: ['IDEM-6c'],
    aims: ({ sites }) => aimsAt(chosen(sites)),
    aimsPerRun: 1,
    fault: ({ site }) => (site === null ? {} : breakFor(site, limitsAt(site).maxTries)),
    judge: judgeGivesUp,
  },
  {
    id: 'CLT-429',
    waitS: 3,
    title: 'the client is told to wait (429)',
    orders:
      'Each write in turn is answered 429 with a Retry-After of a few seconds; until they are over, every call of that credential is answered 429.',
    expected:
      'sends nothing of that credential before Retry-After is over, then repeats with the same key, and succeeds',
    atStake:
      'A client that goes on sending is limited for longer, and so is everything else that uses the same credential.',
    mend: 'Read Retry-After, in seconds, hold back every call of that credential until it is over, add some jitter, then send the identical request with the same key.',
    rules: ['LIM-6', 'LIM-7', 'IDEM-6a'],
    aims: ({ sites }) => aimsAt(sites),
    aimsPerRun: 4,
    // A different wait the second time: a client with a fixed wait passes the first by chance.
    fault: (_, again) => limit(again === 0 ? 2 : 4),
    twice: true,
    judge: judgeLimited,
  },
  {
    id: 'CLT-in-flight',
    waitS: 4,
    title: 'the first attempt is still running',
    orders:
      'The response to each write in turn is lost while the attempt runs for 3 more seconds: repeats are answered 409 idempotency_in_flight until it ends.',
    expected: 'waits a little, repeats the identical request, and succeeds within 40 s',
    atStake:
      'The money is on its way: a client that treats "still running" as "refused" reports a payment as failed that succeeds a second later.',
    mend: 'Repeat after a lost response, and after a 409 with code `idempotency_in_flight`: wait a few seconds and send the identical request under the same key, until it is answered. Any other 409 is final.',
    rules: ['IDEM-14a'],
    judge: (recording, aim, seen) => {
      const isRefused = followUp(recording, aim.site, seen)?.failed.fate === 'refused';
      const rule = trouble(isRefused ? answered409 : stillRunning);
      return judgeRepeats(recording, aim, seen, { ...rule, special: judgeInFlight });
    },
    aims: ({ sites }) => aimsAt(sites),
    aimsPerRun: 3,
    fault: () => runOn(),
    // A client with a single retry has used it up when the 409 arrives. If the first response is
    // the 409, this client can be told apart from one that treats 409 as final.
    instead: ({ kind }) =>
      kind === 'gave-up' || kind === 'gave-up-at-409' ? answerInFlight() : null,
  },
  {
    id: 'CLT-token-expires',
    title: 'the token expires between two calls',
    orders: 'The token of a write is no longer valid when the write arrives: 401.',
    expected: 'gets one new token, and repeats with the same key',
    atStake:
      'It works in every test, and stops after an hour in production, in the middle of a batch.',
    mend: 'On 401 ask for one new token, all calls that wait sharing it, and send the identical request once more with the same key.',
    rules: ['AUTH-1', 'AUTH-3a'],
    ...repeated({ ...trouble(tokenExpired), special: judgeNewToken }),
    aims: ({ sites, asksForTokens }) => (asksForTokens ? aimsAt(chosen(sites)) : []),
    aimsPerRun: 1,
    fault: () => expireToken(),
  },
];
