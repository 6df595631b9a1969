// Checks of habits, judged on runs without faults: keys, amounts, tokens, secrets.
import { decodePercent } from '../../../fixtures/lenient.ts';
import { shortKey } from '../../reports/exchanges.ts';
import { HOUR_MS, KEY_KEPT_MS, LONGEST } from '../../spec/literals.ts';
import { type ApiCall, isUnheard, type Recording } from '../recording.ts';
import { canonical, isWrite, membersOf, referencesOf, subjectOf } from '../requests.ts';
import { advise, type Check, fail, habit, notMet, type Outcome, pass } from './check.ts';

const writesOf = ({ calls }: Recording) => calls.filter(({ operation }) => isWrite(operation));

const keyKept = `${KEY_KEPT_MS / HOUR_MS} hours`;

/** Members of requests that hold an amount, a volume or a price. */
const amountNames = ['amount', 'volume', 'price', 'size', 'quantity', 'stop_loss', 'take_profit'];

const keySent = habit({
  id: 'CLT-key-sent',
  title: 'every write has a key (no fault)',
  expected: `sends an Idempotency-Key of 1 to ${LONGEST} characters with each of the nine write operations`,
  atStake:
    'Without a key the platform cannot tell a repeat from a second payment, and refuses the call.',
  mend: 'Make a key for each thing that you want done, a UUID say, and send it as a header.',
  rules: ['IDEM-1a', 'IDEM-1b'],
  isMet: ({ first }) => writesOf(first).length > 0,
  judge: (recording) => {
    const writes = writesOf(recording);
    const without = writes.filter(({ key }) => key === null || key === '');
    if (without.length > 0) {
      const words = `${without.length} of ${writes.length} writes came without a key`;
      return fail('no-key', words, without.slice(0, 5));
    }
    const long = writes.filter(({ key }) => [...(key ?? '')].length > LONGEST);
    if (long.length > 0) {
      return fail('long-key', `a key is longer than ${LONGEST} characters`, long.slice(0, 3));
    }
    return pass(`${writes.length} writes, each with a key`, writes.slice(0, 3));
  },
});

const oneIntent = habit({
  id: 'CLT-key-one-intent',
  title: 'one key, one intent (no fault)',
  expected:
    'never uses one key twice for the same operation and subject with another body; better not for two subjects either',
  atStake:
    'The second of two payments under one key is never made: the platform answers with the first one, and all looks well.',
  mend: 'Make the key from everything that makes this operation this one, or draw a new one for each; use it again only to repeat the identical request.',
  rules: ['IDEM-8', 'IDEM-10'],
  isMet: ({ first }) => writesOf(first).length > 0,
  judge: judgeOneIntent,
});

/** The content of a key beyond its subject, including the transaction (IDEM-10). */
function contentOf({ path, json, body }: ApiCall): string {
  return `${path} ${json === undefined ? body : canonical(json)}`;
}

function judgeOneIntent(recording: Recording): Outcome {
  const writes = writesOf(recording).filter(({ key }) => key !== null);
  const pairs = writes.flatMap((call, at) =>
    writes.slice(0, at).flatMap((earlier) => (earlier.key === call.key ? [[earlier, call]] : [])),
  ) as [ApiCall, ApiCall][];
  const twice = pairs.find(
    ([a, b]) =>
      a.operation === b.operation && subjectOf(a) === subjectOf(b) && contentOf(a) !== contentOf(b),
  );
  if (twice !== undefined) {
    const [a, b] = twice;
    const same = `calls ${a.n} and ${b.n} have the key ${shortKey(a.key)} and the same subject`;
    const so = 'the second is answered with what was made of the first';
    return fail('two-bodies', `${same}, and want different things: ${so}`, twice);
  }
  const shared = pairs.find(([a, b]) => contentOf(a) !== contentOf(b));
  if (shared !== undefined) {
    const [a, b] = shared;
    const same = `calls ${a.n} and ${b.n} share the key ${shortKey(a.key)}`;
    const so = 'their subjects differ, so both run, but a key for each thing is safer';
    return advise('two-subjects', `${same}; ${so}`, shared);
  }
  return pass(`${new Set(writes.map(({ key }) => key)).size} keys, each for one thing`);
}

const amounts = habit({
  id: 'CLT-amounts',
  title: 'amounts in requests (no fault)',
  expected: 'sends amounts as decimal strings',
  atStake:
    'Most programs round the numbers that they read: 0.1 + 0.2 becomes 0.30000000000000004, and someone pays the difference.',
  mend: 'A number in JSON is a double in most languages: compute with decimals or whole cents, and send the amount as a string of digits.',
  rules: ['CONV-2b', 'TXN-5'],
  isMet: ({ first }) => amountsIn(first).length > 0,
  judge: (recording) => {
    const all = amountsIn(recording);
    const numbers = all.filter(({ value }) => typeof value !== 'string');
    const [number] = numbers;
    if (number !== undefined) {
      const words = `${number.name} is sent as ${JSON.stringify(number.value)}, not as a string`;
      return fail('number', words, numbers.map(({ call }) => call).slice(0, 3));
    }
    const odd = all.find(({ value }) => !/^-?\d+(\.\d+)?$/.test(`${value}`));
    if (odd !== undefined) {
      const words = `${odd.name} is sent as "${odd.value}", which is no decimal`;
      return fail('no-decimal', words, [odd.call]);
    }
    const long = all.find(({ value }) => /\.\d{11,}$/.test(`${value}`));
    if (long !== undefined) {
      const looks = 'which looks as if it had been computed as a double';
      const words = `${long.name} is sent as "${long.value}", ${looks}`;
      return advise('double', words, [long.call]);
    }
    return all.length === 0
      ? notMet('it sent no amount')
      : pass(`${all.length} amounts, each a decimal string`);
  },
});

function amountsIn(recording: Recording) {
  return writesOf(recording).flatMap((call) =>
    Object.entries(membersOf(call.json))
      .filter(([name, value]) => amountNames.includes(name) && value !== null)
      .map(([name, value]) => ({ call, name, value })),
  );
}

const secretPlaces = habit({
  id: 'CLT-secret-places',
  title: 'tokens and secrets stay private (no fault)',
  expected: 'puts no token and no secret in a path, a query or a reference',
  atStake:
    'URLs are kept in the logs of every proxy on the way, and references in every export: anyone who reads them can move money.',
  mend: 'A token belongs in the Authorization header and nowhere else.',
  rules: ['AUTH-1'],
  isMet: ({ first }) => first.calls.length > 0,
  judge: ({ calls, secrets }) => {
    const holds = (text: string) => secrets.some((secret) => text.includes(secret));
    for (const call of calls) {
      if (holds(decoded(call.target))) {
        return fail('in-url', `call ${call.n} has a token or a secret in its URL`, [call]);
      }
      if (referencesOf(call).some(holds)) {
        return fail('in-reference', `call ${call.n} has a token or a secret in a reference`, [
          call,
        ]);
      }
    }
    const inKey = calls.find(({ key }) => key !== null && holds(key));
    if (inKey === undefined) return pass(`${calls.length} calls, no secret out of place`);
    const words = `the key of call ${inKey.n} holds a token or a secret; keys are kept for ${keyKept}`;
    return advise('in-key', words, [inKey]);
  },
});

const decoded = (target: string) => decodePercent(target.replaceAll('+', ' ')) ?? target;

const isTokenRequest = ({ operation }: ApiCall) => operation === 'issueToken';

const tokenKept = habit({
  id: 'CLT-token-kept',
  title: 'a token is kept (no fault)',
  expected: 'does not ask for a token for each call',
  atStake:
    'Ten tokens a minute are issued: a client that requests one for each call is blocked after the tenth.',
  mend: 'Keep the token, and ask for another one shortly before it expires or after a 401.',
  rules: ['AUTH-3b'],
  isMet: ({ asksForTokens }) => asksForTokens,
  judge: ({ calls }) => {
    // A client cannot keep a token whose response it did not read.
    const requests = calls.filter((call) => isTokenRequest(call) && !isUnheard(call));
    const others = calls.length - requests.length;
    const words = `${requests.length} tokens for ${others} calls`;
    if (requests.length >= 2 && others >= 2 && requests.length >= others * 0.8 && isSpread(calls)) {
      return fail('token-a-call', words, requests);
    }
    return pass(words, requests.slice(0, 3));
  },
});

/** Not only at the start, as with clients that start at the same time and then share a token. */
function isSpread(calls: readonly ApiCall[]): boolean {
  const firstUse = calls.find((call) => !isTokenRequest(call));
  const later = calls.filter((call) => isTokenRequest(call) && call.n > (firstUse?.n ?? 0));
  return later.length > 0;
}

export const habitChecks: readonly Check[] = [keySent, oneIntent, amounts, secretPlaces, tokenKept];
