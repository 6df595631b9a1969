// Checks of what a client does without a response: lost responses, lost requests, and silence.
import { type ApiCall, endingWords, type Recording } from '../call.ts';
import { loseFirst } from '../faults/lost.ts';
import { callsAt, chosen, type Observation } from '../observation.ts';
import {
  type Aim,
  advise,
  aimsAt,
  type Check,
  fail,
  type Outcome,
  seconds,
  siteIds,
} from './check.ts';
import { judgeRepeats, type RepeatRule } from './sent-again.ts';

const mend = {
  words:
    'Make the key before the first try, keep it with the request, and send both again unchanged after a short wait: the platform sends the first response again, and nothing runs twice.',
  example: `POST /api/v1/transactions
Idempotency-Key: 6f1c2a9e
{"client_reference_id": "order-77", "amount": "250.00", …}

(the connection breaks: did it run?)

POST /api/v1/transactions          the identical request again
Idempotency-Key: 6f1c2a9e          under the identical key
{"client_reference_id": "order-77", "amount": "250.00", …}

201 Created                        the first answer, replayed`,
};

const lost = (after: string): RepeatRule => ({ after, givingUp: 'advisory', mustSucceed: false });

const answerLost: Check = {
  id: 'CLT-answer-lost',
  title: 'the response to a write is lost',
  orders: 'Each write in turn runs, and its connection is cut instead of sending the response.',
  expected: 'repeats with the same key and the same body, so that there is one effect',
  atStake:
    'The money has moved and the client does not know it: a client that sends it again as something new moves it twice.',
  mend,
  rules: ['IDEM-4b', 'IDEM-4c'],
  aims: ({ sites }) => aimsAt(sites),
  atOnce: 20,
  fault: (aims) => loseFirst('lose_answer', siteIds(aims)),
  judge: (recording, aim, seen) =>
    judgeRepeats(recording, aim, seen, lost('the write ran, and its response was lost')),
};

const requestLost: Check = {
  ...answerLost,
  id: 'CLT-request-lost',
  title: 'a write is lost before it runs',
  orders: 'The connection of each write in turn is cut before anything has run.',
  expected: 'repeats with the same key and the same body',
  atStake:
    'To the client this looks exactly like a lost response: a client that guesses wrong loses a payment, or makes it twice.',
  fault: (aims) => loseFirst('lose_request', siteIds(aims)),
  judge: (recording, aim, seen) =>
    judgeRepeats(recording, aim, seen, lost('the write was cut off before it ran')),
};

const noAnswer: Check = {
  id: 'CLT-no-answer',
  title: 'no response arrives',
  orders: 'Each write in turn runs, and the connection stays open without a response.',
  expected:
    'gives up waiting in time, and repeats with the same key or ends with an error; never a new key',
  atStake:
    'A client without a time limit blocks everything behind it: after one call without a response, no payment of that day is made.',
  mend: {
    words:
      'Set a time limit for every call, ten seconds say, and treat a timeout as a lost response: repeat the identical request under the same key.',
    example: mend.example.replace('the connection breaks', 'no answer within 10 s'),
  },
  rules: ['IDEM-4b', 'IDEM-4c'],
  aims: ({ sites }) => aimsAt(chosen(sites)),
  atOnce: 1,
  fault: (aims) => ({
    ...loseFirst('stay_silent', siteIds(aims)),
    // Many libraries give up after one minute, or after 100 s: that has to be seen, not guessed.
    needsMoreTime: (calls) => calls.some(isStillWaitedFor),
  }),
  judge: judgeNoAnswer,
};

function isStillWaitedFor({ fate, abandonedAtMs }: ApiCall): boolean {
  return fate === 'silent' && abandonedAtMs === null;
}

/** A longer wait leads to advice: callers rarely have as much time. */
const longWaitMs = 55_000;

function judgeNoAnswer(recording: Recording, aim: Aim, seen: Observation): Outcome {
  const silent = callsAt(recording, aim.site?.id ?? '').find(({ fate }) => fate === 'silent');
  const { ending } = recording;
  if (silent !== undefined && isStillWaitedFor(silent) && ending.killed) {
    const waited = `had waited ${seconds(ending.durationMs - silent.atMs)} for a response`;
    const words = `the client ${waited} to call ${silent.n} when it ${endingWords(ending)}`;
    return fail('waits-for-ever', words, [silent]);
  }
  const outcome = judgeRepeats(recording, aim, seen, {
    after: 'the write got no response',
    givingUp: 'passed',
    mustSucceed: false,
  });
  const waitedMs = (silent?.abandonedAtMs ?? ending.durationMs) - (silent?.atMs ?? 0);
  if (outcome.verdict !== 'passed' || silent === undefined || waitedMs < longWaitMs) return outcome;
  const words = `it gave up waiting, but only after ${seconds(waitedMs)}: ten seconds are enough`;
  return advise('waits-long', `${words}; ${outcome.actual}`, [silent]);
}

export const lostChecks: readonly Check[] = [answerLost, requestLost, noAnswer];
