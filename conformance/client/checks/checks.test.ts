// Every check on handwritten runs: mistakes and correct behaviour, one line per case.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Ending, observe, type Recording } from '../recording.ts';
import { recorded, type Written } from '../testing/recorded.ts';
import { checks } from './all.ts';
import { judgeCrowd } from './check.ts';

const judged = suite('checks');

const deposit = { client_reference_id: 'r', amount: '1.00', currency: 'USD' };
const create: Written = { line: 'POST transactions', key: 'a', json: deposit };
const anotherKey: Written = { ...create, key: 'c' };
const approve: Written = {
  line: 'POST transactions/9/approve?account_id=1',
  key: 'b',
  status: 200,
};
const failed = { code: 1 };
const killed = { code: null, signal: 'SIGTERM', killed: true, durationMs: 60_000 };

const plain = recorded([create, approve]);
const failing = (what: Partial<Written>): Written => ({ ...create, fault: 'a fault', ...what });

type Case = readonly [
  name: string,
  calls: readonly Written[],
  expected: string,
  ending?: Partial<Ending>,
];

function outcomeOf(id: string, first: Recording, run: Recording): string {
  const check = checks.find((each) => each.id === id);
  if (check === undefined) throw new Error(`no check ${id}`);
  const seen = observe(first);
  const [aim] = check.aims(seen);
  if (aim === undefined) return 'not_tested';
  const { verdict, kind } = check.judge(run, aim, seen);
  return verdict === kind ? verdict : `${verdict} ${kind}`;
}

function table(id: string, first: Recording, cases: readonly Case[]): void {
  for (const [name, calls, expected, ending] of cases) {
    judged(`${id}: ${name}`, () => {
      assert.is(outcomeOf(id, first, recorded(calls, ending)), expected);
    });
  }
}

const lost = failing({ fate: 'answer_lost', status: 201 });

const lost9: Written = { ...lost, answer: { id: '9' } };
const listOf = (id: string): Written => {
  return { line: 'GET transactions', status: 200, answer: { transactions: [{ id }] } };
};

const renamed: Written = { ...anotherKey, json: { ...deposit, client_reference_id: 's' } };
const changed: Written = { ...create, json: { ...deposit, amount: '2.00' } };
table('CLT-answer-lost', plain, [
  ['repeated as it was', [lost, create, approve], 'passed'],
  ['repeated late', [lost, { ...create, atMs: 30_000 }, approve], 'passed'],
  ['under a new key', [lost, anotherKey], 'deviates new-key'],
  ['without a key', [lost, { ...create, key: null }], 'deviates new-key'],
  ['once right and then under a new key', [lost, create, anotherKey], 'deviates new-key'],
  ['another body', [lost, changed], 'deviates changed-body'],
  ['a new reference', [lost, renamed], 'deviates new-reference'],
  ['given up with an error', [lost], 'advisory gave-up', failed],
  ['taken for done', [lost, approve], 'deviates taken-for-done'],
  ['found by a read, and so not repeated', [lost9, listOf('9')], 'passed'],
  ['found by a read after something else', [lost9, approve, listOf('9')], 'advisory read-later'],
  ['looked for, and not found', [lost9, listOf('99')], 'deviates taken-for-done'],
  ['ended before it could repeat', [lost], 'inconclusive killed', killed],
  ['never came so far', [approve], 'inconclusive fault-not-met', failed],
  ['repeated, then failed for another reason', [lost, create], 'advisory no-success', failed],
]);

// Two equal intents, each under its own key: neither repeats the other.
const twice = recorded([
  { line: 'POST positions/open', key: 'a', json: { trading_account_id: '5', volume: '1' } },
  { line: 'POST positions/open', key: 'b', json: { trading_account_id: '5', volume: '1' } },
]);
const open: Written = {
  line: 'POST positions/open',
  key: 'a',
  json: { trading_account_id: '5', volume: '1' },
};
const openLost: Written = { ...open, fault: 'a fault', status: null };
const [openB, openC] = ['b', 'c'].map((key): Written => ({ ...open, key })) as [Written, Written];
table('CLT-request-lost', twice, [
  ['what is wanted twice is no repeat under a new key', [openLost, open, openB], 'passed'],
  ['a third key is one', [openLost, openC, openB], 'deviates new-key'],
]);

// One key for two intents is a separate mistake, not a repeat with another body.
const patched: Written = { line: 'PATCH accounts/1', key: 'k', status: 200, json: { status: 'A' } };
const patchedNext: Written = { ...patched, json: { status: 'B' } };
const patchedThird: Written = { ...patched, json: { status: 'C' } };
const patchLost: Written = { ...patched, fault: 'a fault', fate: 'answer_lost' };
table('CLT-answer-lost', recorded([patched, patchedNext]), [
  ['a key that stands for two things always', [patchLost, patched, patchedNext], 'passed'],
  [
    'and for a third after the loss',
    [patchLost, patchedThird, patchedNext],
    'deviates changed-body',
  ],
]);

judged('CLT-answer-lost: a duplicate record is reported', () => {
  const check = checks.find(({ id }) => id === 'CLT-answer-lost')!;
  const seen = observe(plain);
  const run = recorded([
    { ...lost, answer: { id: '9001' } },
    { ...create, key: 'c', answer: { id: '9002' } },
  ]);
  const { actual } = check.judge(run, check.aims(seen)[0]!, seen);
  assert.match(actual, 'now there are two of it, 9001 and 9002');
});

const silent = failing({ fate: 'silent', status: 201 });
const left = (abandonedAtMs: number): Written => ({ ...silent, abandonedAtMs });
table('CLT-no-answer', plain, [
  ['given up waiting, repeated', [left(50), create, approve], 'passed'],
  ['given up with an error', [left(50)], 'passed', failed],
  ['waits on', [silent], 'deviates waits-for-ever', killed],
  [
    'waits for 100 s, then repeats',
    [left(100_000), { ...create, atMs: 100_000 }, approve],
    'advisory waits-long',
  ],
  ['waits for 100 s, then a new key', [left(100_000), anotherKey], 'deviates new-key'],
  ['a new key', [left(50), anotherKey], 'deviates new-key'],
]);

const broken = failing({ status: 500, fate: 'refused' });
table('CLT-500', plain, [
  ['repeated as it was', [broken, create, approve], 'passed'],
  ['given up with an error', [broken], 'deviates gave-up', failed],
  ['repeated, and failed', [broken, create], 'deviates no-success', failed],
]);

const every = (ms: number, count: number) =>
  Array.from({ length: count }, (_, n) => ({ ...broken, atMs: n * ms }));
table('CLT-gives-up', plain, [
  ['three tries, an error', every(400, 3), 'passed', failed],
  ['ten tries, an error', every(400, 10), 'passed', failed],
  ['one try, an error', every(400, 1), 'passed', failed],
  ['eleven tries', every(400, 11), 'deviates never-gives-up', failed],
  ['four within a second', every(250, 4), 'deviates hammers', failed],
  ['three within a second', every(340, 6), 'passed', failed],
  ['no error in the end', every(400, 3), 'deviates taken-for-done'],
  ['still at it', every(9_000, 7), 'deviates still-at-it', killed],
]);

// A test that sends the same request twice, to see that the second gets the answer of the first.
table('CLT-gives-up', recorded([create, create]), [
  ['seven tries of each of two', every(400, 14), 'passed', failed],
  ['eleven tries of each of two', every(400, 22), 'deviates never-gives-up', failed],
]);

const limited = failing({
  status: 429,
  fate: 'refused',
  answerHeaders: { 'retry-after': '2' },
  atMs: 0,
});
const later: Written = { ...create, atMs: 2_100 };
const meanwhile = (atMs: number): Written => ({
  ...approve,
  status: 429,
  fault: 'a fault',
  fate: 'refused',
  atMs,
});
table('CLT-429', plain, [
  ['waited', [limited, { ...create, atMs: 2_010 }, approve], 'passed'],
  ['sent again too early', [limited, { ...limited, atMs: 1_000 }, later], 'deviates too-early'],
  ['something else too early', [limited, meanwhile(900), later], 'deviates too-early'],
  ['the next call, sent in sequence', [limited, meanwhile(90), later], 'advisory next-not-held'],
  ['never repeated', [limited], 'deviates gave-up', failed],
  ['under a new key', [limited, { ...later, key: 'c' }], 'deviates new-key'],
]);

table('CLT-429', recorded([create, { ...approve, atMs: 3 }]), [
  ['the next call, sent concurrently', [limited, meanwhile(90), later], 'passed'],
]);

const running = failing({ fate: 'answer_lost', status: 201, atMs: 0 });
const told = (atMs: number): Written => ({
  ...create,
  fault: 'a fault',
  status: 409,
  fate: 'refused',
  atMs,
});
const hasty = [1, 2, 3, 4, 5, 6].map((n) => told(n * 50));
table('CLT-in-flight', plain, [
  ['waited for it', [running, told(500), told(2_000), { ...create, atMs: 4_000 }], 'passed'],
  ['came when it was over', [running, { ...create, atMs: 5_000 }], 'passed'],
  ['left at the 409', [running, told(500)], 'deviates gave-up-at-409', failed],
  ['left after waits', [running, told(500), told(1_500)], 'deviates gave-up-at-409', failed],
  ['left in haste', [running, told(500), told(600), told(700)], 'deviates hasty-at-409', failed],
  ['a new key', [running, told(500), anotherKey], 'deviates new-key'],
  ['asked and asked', [running, ...hasty, { ...create, atMs: 3_100 }], 'deviates hammers'],
]);

const refused = failing({ status: 422, fate: 'refused' });
table('CLT-refused', plain, [
  ['left', [refused], 'passed', failed],
  ['corrected under a new key', [refused, { ...create, key: 'c', json: {} }], 'passed'],
  ['sent again', [refused, refused], 'deviates sent-again', failed],
  ['again under a new key', [refused, { ...refused, key: 'c' }], 'deviates sent-again', failed],
]);

const update = (tag: string | null, key: string, more: Partial<Written> = {}): Written => ({
  line: 'PATCH accounts/7',
  key,
  json: { first_name: 'A' },
  status: 200,
  ...(tag === null ? {} : { headers: { 'If-Match': tag } }),
  ...more,
});
const stale = update('"1"', 'a', { status: 412, fault: 'a fault' });
const list: Written = {
  line: 'GET accounts',
  status: 200,
  answer: { accounts: [{ revision: 2 }] },
};
const converging: Written = {
  line: 'POST accounts',
  key: 'x',
  json: {},
  status: 200,
  answerHeaders: { etag: '"2"' },
};
table('CLT-stale-tag', recorded([update('"1"', 'a')]), [
  ['read from a list', [stale, list, update('"2"', 'b')], 'passed'],
  ['read from a create that converges', [stale, converging, update('"2"', 'b')], 'passed'],
  ['ended with an error', [stale], 'passed', failed],
  ['left silently', [stale], 'deviates taken-for-done'],
  ['read again and left', [stale, list], 'advisory left'],
  ['the same tag', [stale, update('"1"', 'b')], 'deviates same-tag', failed],
  ['the same key', [stale, list, update('"2"', 'a')], 'deviates same-key'],
  ['a tag that no one showed', [stale, update('"2"', 'b')], 'deviates guessed-tag'],
  ['no tag at all', [stale, list, update(null, 'b')], 'deviates no-tag'],
]);

// A test that sends under a stale tag on purpose, to see that it is refused.
const provoked = update('"1"', 'z', { status: 412, json: { status: 'B' } });
table('CLT-stale-tag', recorded([update('"1"', 'a'), provoked]), [
  ['as often as without a fault', [stale, list, update('"2"', 'b'), provoked], 'passed'],
  [
    'once more than that',
    [stale, update('"1"', 'b'), list, update('"2"', 'c'), provoked],
    'deviates same-tag',
  ],
]);

const token: Written = { line: 'POST oauth/token', json: {}, status: 200 };
const expired = failing({ status: 401, fate: 'refused' });
table('CLT-token-expires', recorded([token, create]), [
  ['one new token', [token, expired, token, create], 'passed'],
  ['many new tokens', [token, expired, token, token, token, create], 'deviates many-tokens'],
  ['the old one again', [token, expired, expired], 'deviates same-token', failed],
  ['an error', [token, expired], 'deviates gave-up', failed],
  ['a new key', [token, expired, token, anotherKey], 'deviates new-key'],
]);
table('CLT-token-expires', plain, [['no token was asked for', [create], 'not_tested']]);

const reads: Written = { line: 'GET accounts', status: 200 };
table('CLT-token-kept', recorded([token, reads]), [
  ['one for all', [token, reads, reads, reads], 'passed'],
  ['one for each', [token, reads, token, reads, token, reads], 'deviates token-a-call'],
  ['a crowd at the start', [token, token, token, reads, reads, reads], 'passed'],
  ['one more on the way', [token, reads, reads, token, reads, reads], 'passed'],
]);

const large = '9007199254743003';
const named = (id: string): Written => ({ ...reads, line: `GET accounts/${id}/status` });
table('CLT-large-ids', recorded([reads]), [
  ['named as it was', [named(large)], 'passed'],
  ['rounded', [named(String(Number(large)))], 'deviates rounded'],
  ['as a double prints itself', [named('9.007199254743004e+15')], 'deviates rounded'],
  ['none named', [reads], 'not_tested not-met'],
  ['failed without naming one', [reads], 'advisory no-success', failed],
]);
table('CLT-large-ids', { ...recorded([reads]), followsEvents: true }, [
  ['waits for an event, which keeps its id', [named(large)], 'not_tested not-met', failed],
  ['rounded all the same', [named(String(Number(large)))], 'deviates rounded', failed],
]);

const amount = (value: unknown): Written => ({ ...create, json: { amount: value } });
table('CLT-amounts', plain, [
  ['strings', [create], 'passed'],
  ['a number', [amount(1)], 'deviates number'],
  ['an exponent', [amount('1e3')], 'deviates no-decimal'],
  ['a comma', [amount('1,5')], 'deviates no-decimal'],
  ['a double in a string', [amount('0.30000000000000004')], 'advisory double'],
]);

table('CLT-key-sent', plain, [
  ['each', [create, approve], 'passed'],
  ['none', [{ ...create, key: null }], 'deviates no-key'],
  ['a blank one', [{ ...create, key: '' }], 'deviates no-key'],
  ['too long', [{ ...create, key: 'k'.repeat(256) }], 'deviates long-key'],
  ['as long as it may be', [{ ...create, key: 'k'.repeat(255) }], 'passed'],
]);

const other = { ...approve, line: 'POST transactions/10/approve?account_id=1' };
table('CLT-key-one-intent', plain, [
  ['the identical call twice', [create, create], 'passed'],
  ['two transactions of one account', [approve, other], 'deviates two-bodies'],
  ['two references', [create, { ...renamed, key: 'a' }], 'advisory two-subjects'],
  ['two operations', [create, { ...approve, key: 'a' }], 'advisory two-subjects'],
]);

table('CLT-unknown-fields', plain, [
  ['as before', [create, approve], 'passed'],
  ['failed', [create], 'deviates no-success', failed],
  ['left something out', [create], 'deviates left-out'],
]);

table('CLT-converged', plain, [
  ['as before', [failing({ status: 200 }), approve], 'passed'],
  ['failed', [failing({ status: 200 })], 'deviates no-success', failed],
  ['made something else', [failing({ status: 201 }), approve], 'inconclusive fault-not-met'],
]);

const crash = { code: 1, output: 'SyntaxError: Unexpected end of JSON input' };
table('CLT-plain-text', plain, [
  ['told', [failing({ status: 422 })], 'passed', { code: 1, output: '422: a member is missing' }],
  ['broke', [failing({ status: 422 })], 'deviates parser-crash', crash],
  ['hangs', [failing({ status: 422 })], 'deviates endless', killed],
]);

judged('CLT-secret-places: where a secret appears', () => {
  const judge = (call: Written) =>
    outcomeOf('CLT-secret-places', plain, recorded([call], {}, ['s3cret/1']));
  assert.is(judge(create), 'passed');
  assert.is(judge({ ...reads, line: 'GET accounts?access_token=s3cret%2F1' }), 'deviates in-url');
  const reference = { client_reference_id: 'x-s3cret/1' };
  assert.is(judge({ ...create, json: reference }), 'deviates in-reference');
  assert.is(judge({ ...create, key: 's3cret/1' }), 'advisory in-key');
});

judged('CLT-refused: every refusal is played, where the platform returns it', () => {
  const check = checks.find(({ id }) => id === 'CLT-refused')!;
  const person: Written = { line: 'POST accounts', key: 'p', json: { client_reference_id: 'p' } };
  const aims = check.aims(observe(recorded([create, approve, person])));
  const labels = aims.map(({ site, variant }) => `${site?.operation} ${variant}`);
  assert.equal(labels, [
    'createTransaction validation_failed',
    'approveTransaction not_implemented',
    'createAccount invalid_state',
    'createTransaction not_found',
    'createTransaction forbidden',
  ]);
});

judged('more calls than allowed within a second are found, unless they may be noticed late', () => {
  const crowdAt = (times: readonly number[], lagMs: number) => {
    const { calls } = recorded(times.map((atMs) => ({ line: 'POST accounts', key: 'a', atMs })));
    const found = judgeCrowd(calls, 3, lagMs, (crowd, ms) => `${crowd.length} in ${ms}`);
    return `${found?.kind} ${found?.calls.join()} ${found?.actual.slice(0, 8)}`;
  };
  assert.is(crowdAt([0, 5_000, 5_100, 5_200, 5_300, 9_000], 20), 'hammers 2,3,4,5 4 in 300');
  assert.is(crowdAt([0, 100, 200, 600], 300), 'hammers 1,2,3,4 4 in 600');
  assert.is(crowdAt([0, 100, 200, 600], 500), 'too-busy 1,2,3,4 4 in 600');
});

judged.run();
