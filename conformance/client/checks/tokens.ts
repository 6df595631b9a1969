// Checks of tokens: an expired token is renewed, a valid one is kept.
import { type ApiCall, endingWords, isUnheard, type Recording, succeeded } from '../call.ts';
import { expireAt } from '../faults/expiring.ts';
import { followUp } from '../follow-up.ts';
import { chosen, isSuccess, type Observation } from '../observation.ts';
import {
  type Aim,
  advise,
  aimsAt,
  type Check,
  everywhere,
  fail,
  missed,
  type Outcome,
  pass,
} from './check.ts';
import { judgeRepeats, wrongRepeat } from './sent-again.ts';

const expires: Check = {
  id: 'CLT-token-expires',
  title: 'the token expires between two calls',
  orders: 'The token of a write is no longer valid when the write arrives: 401.',
  expected: 'gets one new token, and repeats with the same key',
  atStake:
    'It works in every test, and stops after an hour in production, in the middle of a batch.',
  mend: {
    words:
      'On 401 ask for one new token, all calls that wait sharing it, and send the identical request once more with the same key.',
    example: `POST /api/v1/accounts
Authorization: Bearer old
Idempotency-Key: 8a40d1

401 Unauthorized

POST /api/v1/oauth/token           one, for everybody who waits

POST /api/v1/accounts
Authorization: Bearer new
Idempotency-Key: 8a40d1            the same

201 Created`,
  },
  rules: ['AUTH-1', 'AUTH-3a'],
  aims: ({ sites, asksForTokens }) => (asksForTokens ? aimsAt(chosen(sites)) : []),
  atOnce: 1,
  fault: ([aim]) => expireAt(aim?.site?.id ?? ''),
  judge: judgeExpired,
};

function isTokenRequest({ operation }: ApiCall): boolean {
  return operation === 'issueToken';
}

function judgeExpired(recording: Recording, aim: Aim, seen: Observation): Outcome {
  const then = aim.site === null ? null : followUp(recording, aim.site, seen);
  if (then === null) return missed(aim);
  const after = 'the write was answered 401, as its token had expired';
  const wrong = wrongRepeat(then, after);
  if (wrong !== null) return wrong;
  const { struck, repeats } = then;
  const served = repeats.find(({ response }) => isSuccess(response?.status ?? null));
  const untilN = served?.n ?? Number.POSITIVE_INFINITY;
  const between = recording.calls.filter(({ n }) => n > struck.n && n < untilN);
  const asked = between.filter(isTokenRequest);
  // Concurrent calls may each have been answered 401.
  const told = recording.calls.filter((call) => call.struck !== null && call.n < untilN);
  const enough = Math.max(1, told.length);
  if (asked.length > enough + 1) {
    const words = `${after}, and ${asked.length} new ones were requested`;
    return fail('many-tokens', words, [struck, ...asked]);
  }
  if (served === undefined && asked.length === 0 && repeats.length > 0) {
    const again = `sent again ${repeats.length} times with the same token`;
    const words = `${after}, and it was ${again}; the command ${endingWords(recording.ending)}`;
    return fail('same-token', words, [struck, ...repeats]);
  }
  if (served !== undefined && asked.length > enough) {
    const words = `${after}, and ${asked.length} new ones were requested: one is enough`;
    return advise('many-tokens', words, [struck, ...asked, served]);
  }
  if (served !== undefined && succeeded(recording)) {
    return pass('one new token was requested, and the write repeated', [struck, ...asked, served]);
  }
  return judgeRepeats(recording, aim, seen, { after, givingUp: 'fails', mustSucceed: true });
}

const kept: Check = {
  id: 'CLT-token-kept',
  title: 'a token is used more than once (nothing goes wrong)',
  orders: 'Nothing.',
  expected: 'does not ask for a token for each call',
  atStake:
    'Ten tokens a minute are issued: a client that requests one for each call is blocked after the tenth.',
  mend: {
    words: 'Keep the token, and ask for another one shortly before it expires or after a 401.',
    example: `POST /api/v1/oauth/token           200: expires_in 3600
POST /api/v1/accounts              Bearer …
POST /api/v1/transactions          Bearer …   the same token`,
  },
  rules: ['AUTH-3b'],
  aims: ({ asksForTokens }) => (asksForTokens ? [everywhere] : []),
  atOnce: 0,
  fault: () => ({}),
  judge: ({ calls }) => {
    // A token that it did not hear of it could not keep.
    const asked = calls.filter((call) => isTokenRequest(call) && !isUnheard(call));
    const others = calls.length - asked.length;
    const words = `${asked.length} tokens for ${others} calls`;
    if (asked.length >= 2 && others >= 2 && asked.length >= others * 0.8 && isSpread(calls)) {
      return fail('token-a-call', words, asked);
    }
    return pass(words, asked.slice(0, 3));
  },
};

/** Not all at the beginning, as a crowd does that starts together and then shares. */
function isSpread(calls: readonly ApiCall[]): boolean {
  const firstUse = calls.find((call) => !isTokenRequest(call));
  const later = calls.filter((call) => isTokenRequest(call) && call.n > (firstUse?.n ?? 0));
  return later.length > 0;
}

export const tokenChecks: readonly Check[] = [expires, kept];
