// Checks of what a client does when the platform is in trouble: 500 and 503, for a moment and
// without end.
import { endingWords } from '../call.ts';
import { breakFor, refuseFirst } from '../faults/refusing.ts';
import { callsAt, chosen, type Site } from '../observation.ts';
import { aimsAt, type Check, fail, missed, pass, seconds, siteIds, tooBusy } from './check.ts';
import { crowdIn } from './crowd.ts';
import { judgeRepeats } from './sent-again.ts';

const serverError: Check = {
  id: 'CLT-500',
  title: 'a write is answered 500',
  orders: 'Each write in turn is answered 500 internal_error once; the next try is served.',
  expected: 'repeats with the same key, and succeeds',
  atStake:
    'The platform fails for a second, and the payment is lost, or made twice if it is repeated as something new.',
  mend: {
    words:
      'A 500 is not recorded under the key: wait a little, and send the identical request with the same key.',
    example: `POST /api/v1/accounts
Idempotency-Key: 8a40d1

500 Internal Server Error          {"code": "internal_error", …}

(half a second later)

POST /api/v1/accounts
Idempotency-Key: 8a40d1

201 Created`,
  },
  rules: ['IDEM-6c'],
  aims: ({ sites }) => aimsAt(sites),
  atOnce: 20,
  fault: (aims) => refuseFirst('internal_error', siteIds(aims)),
  judge: (recording, aim, seen) =>
    judgeRepeats(recording, aim, seen, {
      after: 'the write was answered 500',
      givingUp: 'fails',
      mustSucceed: true,
    }),
};

const contention: Check = {
  ...serverError,
  id: 'CLT-503',
  title: 'a write is answered 503',
  orders: 'Each write in turn is answered 503 write_contention once; the next try is served.',
  atStake:
    'Two people change one record at the same moment: without a retry the work of one of them is lost.',
  mend: {
    words:
      'A 503 write_contention is temporary: wait a little, and send the identical request with the same key.',
    example: serverError.mend.example
      .replace('500 Internal Server Error  ', '503 Service Unavailable    ')
      .replace('internal_error', 'write_contention'),
  },
  rules: ['IDEM-6b'],
  fault: (aims) => refuseFirst('write_contention', siteIds(aims)),
  judge: (recording, aim, seen) =>
    judgeRepeats(recording, aim, seen, {
      after: 'the write was answered 503',
      givingUp: 'fails',
      mustSucceed: true,
    }),
};

const mostTries = 10;
const mostASecond = 3;

/** A test that sends one thing twice on purpose may try each so often. */
function mostTriesAt(site: Site | null): number {
  return mostTries * (site?.calls ?? 1);
}

const givesUp: Check = {
  id: 'CLT-gives-up',
  title: 'every retry is answered 500',
  orders: 'One write after the other is answered 500, no matter how often it is sent.',
  expected:
    'tries one request at most 10 times, no more than 3 times in any second, and then ends with an error (an exit code that is not 0)',
  atStake:
    'When the platform is down, a client that retries for ever helps to keep it down, and no one learns that the payment was never made.',
  mend: {
    words:
      'Count the tries, double the wait after each, add some jitter, and report the error to the caller after a handful of tries.',
    example: `POST /api/v1/transactions        500
(0.5 s)  POST …  same key          500
(1 s)    POST …  same key          500
(2 s)    POST …  same key          500
then an error, with the key, so that a person can try it again later`,
  },
  rules: ['IDEM-6c'],
  aims: ({ sites }) => aimsAt(chosen(sites)),
  atOnce: 1,
  fault: ([aim]) => (aim?.site ? breakFor(aim.site, mostTriesAt(aim.site)) : {}),
  judge: (recording, aim) => {
    const tries = callsAt(recording, aim.site?.id ?? '').filter(({ struck }) => struck !== null);
    if (tries.length === 0) return missed(aim);
    const { ending } = recording;
    const within = seconds(tries.at(-1)!.atMs - tries[0]!.atMs);
    const told = tries.length === 1 ? 'tried once' : `tried ${tries.length} times within ${within}`;
    const most = mostTriesAt(aim.site);
    const crowd = crowdIn(tries, mostASecond * (aim.site?.calls ?? 1), recording.lagMs);
    if (crowd !== null) {
      const words = `${told}, ${crowd.calls.length} of them within ${seconds(crowd.withinMs)}`;
      if (!crowd.isDoubtful) return fail('hammers', words, crowd.calls);
      if (tries.length <= most) return tooBusy(words, crowd.calls);
    }
    if (tries.length > most) return fail('never-gives-up', `${told}, and went on`, tries);
    const end = endingWords(ending);
    if (ending.killed) return fail('still-at-it', `${told}, was still at it, and ${end}`, tries);
    if (ending.code === 0) {
      const answered = tries.length === 1 ? 'answered 500' : 'all answered 500';
      return fail('taken-for-done', `${told}, ${answered}; yet the command ${end}`, tries);
    }
    return pass(`${told}, then it ${end}`, tries);
  },
};

export const brokenChecks: readonly Check[] = [serverError, contention, givesUp];
