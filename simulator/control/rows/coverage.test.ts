// Coverage: the hint line of every rule covers that rule, and counts survive resets and restores.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { rules as catalogue, type RuleId } from '../../../fixtures/rules.ts';
import {
  fillIn,
  type SampleCall,
  type SampleCalls,
  sampleCalls,
  unreachable,
} from '../../../fixtures/sample-calls.ts';
import { tokenOf } from '../../host/testing/sandbox.ts';
import { type TestPlane, withPlane } from '../testing/plane.ts';

const test = suite<TestPlane>('coverage');
withPlane(test);

const coveredRules = async ({ ask }: TestPlane): Promise<Readonly<Record<string, number>>> =>
  (await ask('GET', 'coverage')).body.rules.ids;

/** Replays an interleaving from its line. */
async function play(
  testPlane: TestPlane,
  id: RuleId,
  { steps, receiver }: SampleCalls,
): Promise<void> {
  testPlane.receiver = () =>
    receiver === 'silent'
      ? { status: null, error: 'no response within 15 seconds' }
      : { status: receiver === 'fails' ? 404 : 204, error: null };
  let createdId = '';
  for (const [index, step] of steps.entries()) {
    for (let n = 0; n < (step.times ?? 1); n += 1) {
      const isPaged = step.line.startsWith('GET ') && (step.times ?? 1) > 1;
      const paged = isPaged ? { ...step, line: `${step.line}?limit=${n + 1}` } : step;
      const answered = playStep(testPlane, id, paged, { index, made: createdId });
      if (step.isBackground === true) continue;
      const { body } = await answered;
      if (step.keepsId === true) createdId = String(body.id);
    }
  }
  // No test waits for these deliveries.
  await testPlane.sandbox.first.inFlight.waitUntilIdle(1000);
}

function playStep(
  testPlane: TestPlane,
  id: RuleId,
  step: SampleCall,
  { index, made }: { index: number; made: string },
) {
  const { world } = testPlane.sandbox.first;
  const secrets: Record<string, string> = { id: made, base: 'http://127.0.0.1:9' };
  for (const { name, client_secret } of world.credentials.values()) {
    secrets[`secret:${name}`] = client_secret;
  }
  const fill = (text: string) => fillIn(text, id, secrets);
  const [method = '', path = ''] = step.line.split(' ');
  const isText = step.body === undefined || typeof step.body === 'string';
  const text = isText ? (step.body as string | undefined) : fill(JSON.stringify(step.body));
  if (step.isControl === true) return testPlane.ask(method, fill(path), text);
  const tag = world.accounts.get(step.tagOf ?? '')?.revision;
  const key = step.key === null || method === 'GET' ? null : `${id}-${step.key ?? index}`;
  const token = step.as === '' ? null : tokenOf(testPlane.sandbox, step.as ?? 'firm');
  const headers: Record<string, string> = {
    ...(text === undefined ? {} : { 'content-type': 'application/json' }),
    ...(token === null ? {} : { authorization: `Bearer ${token}` }),
    ...(key === null ? {} : { 'idempotency-key': key }),
    ...(tag === undefined ? {} : { 'if-match': `"${tag}"` }),
  };
  for (const [name, value] of Object.entries(step.headers ?? {}))
    headers[name.toLowerCase()] = value;
  const target = `/api/v1/${fill(path)}`;
  const call = { method, target, headers, body: new TextEncoder().encode(text) };
  return new Promise<{ readonly body: { readonly id?: unknown } }>((resolve) => {
    const upgrade = headers.upgrade === undefined ? {} : { upgrade: true };
    testPlane.sandbox.call({ ...call, ...upgrade }, (answer) => {
      const isJson = answer.kind === 'answer' && answer.reply.body.startsWith('{');
      resolve({ body: isJson ? JSON.parse(answer.reply.body) : {} });
    });
  });
}

test('every rule has a reason or a line that covers it', async (testPlane) => {
  assert.is(sampleCalls.size + unreachable.size, catalogue.length);
  const { coverage: counts } = testPlane.sandbox.first;
  const missed: string[] = [];
  await testPlane.ask('POST', 'snapshots', { name: 'begin' });
  for (const [id, order] of sampleCalls) {
    await testPlane.ask('POST', 'snapshots/begin/restore');
    await testPlane.ask('DELETE', 'coverage');
    assert.is(counts.rules.size, 0, id);
    await play(testPlane, id, order);
    if (!counts.rules.has(id)) missed.push(id);
  }
  assert.equal(missed, []);
});

test('each call counts once; counts survive resets and restores', async (testPlane) => {
  const { ask, call } = testPlane;
  await ask('POST', 'snapshots', { name: 'begin' });
  const person = { client_reference_id: 'a', email: 'a@example.com', brand_id: '10' };
  await call('firm', 'POST', 'accounts', { body: person, key: 'k' });
  await ask('POST', 'reset');
  await call('firm', 'POST', 'accounts', { body: person, key: 'k' });
  await ask('POST', 'snapshots/begin/restore');
  await call('firm', 'POST', 'accounts', { body: { ...person, nick: 'a' }, key: 'k' });
  const { body } = await ask('GET', 'coverage');
  assert.is(body.rules.ids['ACC-1'], 3);
  assert.is(body.rules.of, catalogue.length);
  assert.is(body.operations.createAccount, 3);
  assert.is(body.operations.createTransaction, 0);
  assert.is(body.events['account.created'], 3);
  assert.is(body.refusals['409 idempotency_in_flight'], 0);
  const [{ code, count }, ...others] = body.hints;
  assert.equal([code, count, others], ['unknown_member', 1, []]);
  assert.is(body.rules.met + body.not_met.length + body.not_reachable.length, catalogue.length);
  await ask('DELETE', 'coverage');
  assert.equal(await coveredRules(testPlane), {});
});

test('transitions and refusals count by name, also of dropped worlds', async (testPlane) => {
  const { ask, call } = testPlane;
  await call('firm', 'POST', 'transactions/9003/approve?account_id=1001');
  await call('firm', 'POST', 'transactions/9008/approve?account_id=1002');
  await call('no-amend', 'POST', 'transactions/9001/cancel?account_id=1001', {
    body: { reason: 'asked for' },
  });
  await ask('POST', 'worlds', { name: 'other' });
  await ask('POST', 'worlds/other/events', { category: 'account' });
  await ask('DELETE', 'worlds/other');
  const own = (await ask('GET', 'coverage')).body;
  assert.is(own.transitions['approved approve → approved'], 1);
  assert.is(own.transitions['rejected approve → 409'], 1);
  assert.is(own.transitions['settled cancel → 403'], 1);
  assert.is(own.transitions['pending approve → approved'], 0);
  assert.is(own.refusals['409 invalid_state'], 1);
  const sum = (counts: Record<string, number>) => Object.values(counts).reduce((a, b) => a + b);
  assert.is(sum(own.events), 0);
  assert.is(sum((await ask('GET', 'coverage?of=all')).body.events), 1);
  assert.equal((await ask('GET', 'coverage?of=all')).body.transitions, own.transitions);
});

test('a delayed call is counted once, when its response is sent', async (testPlane) => {
  const { ask, call } = testPlane;
  const match = { operation: 'approveTransaction' };
  await ask('POST', 'faults', { match, phase: 'after', effect: { kind: 'delay', ms: 500 } });
  const answered = call('firm', 'POST', 'transactions/9004/approve?account_id=1001');
  const { first } = testPlane.sandbox;
  for (let turn = 0; turn < 1000 && first.waiting === 0; turn += 1) {
    await new Promise((resolve) => setImmediate(resolve));
  }
  const before = (await ask('GET', 'coverage')).body;
  assert.is(before.operations.approveTransaction, 1);
  assert.is(before.rules.ids['TXS-1'], undefined);
  await ask('POST', 'clock/advance', { by_ms: 500 });
  assert.is((await answered).status, 200);
  const { body } = await ask('GET', 'coverage');
  assert.is(body.rules.ids['TXS-1'], 1);
  assert.is(body.operations.approveTransaction, 1);
  assert.is(body.transitions['pending approve → approved'], 1);
});

test.run();
