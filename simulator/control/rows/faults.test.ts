// Faults over the control plane: ordered, met, counted, removed, and refused when they make no
// sense.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createTestPlane, startMs, type TestPlane } from '../testing/plane.ts';

const faults = suite('control: faults');

const person = (n: number) => ({ client_reference_id: `p-${n}`, email: `p-${n}@example.com` });

function create({ call }: TestPlane, n: number, key = `k-${n}`) {
  return call('brand-a', 'POST', 'accounts', { body: person(n), key });
}

/** Resolves once so many calls have been taken: those that are held among them. */
async function taken({ ask }: TestPlane, count: number): Promise<void> {
  while ((await ask('GET', 'info')).body.counts.requests < count) {
    await new Promise((resolve) => setImmediate(resolve));
  }
}

faults('strikes as often as it says and counts', async () => {
  const testPlane = await createTestPlane();
  const { ask } = testPlane;
  const made = await ask('POST', 'faults', {
    match: { operation: 'createAccount' },
    effect: { kind: 'status', status: 503 },
    times: 1,
  });
  assert.is(made.status, 201);
  assert.equal(made.body, {
    id: made.body.id,
    match: { operation: 'createAccount' },
    phase: 'before',
    effect: { kind: 'status', status: 503 },
    times: 1,
    nth: null,
    probability: null,
    hits: 0,
    spent: false,
  });
  const struck = await create(testPlane, 1);
  assert.equal([struck.status, struck.body.code], [503, 'write_contention']);
  assert.is(struck.headers.get('x-sandbox-fault'), made.body.id);
  assert.is((await create(testPlane, 1)).status, 201);
  const [{ hits, spent }] = (await ask('GET', 'faults')).body.faults;
  assert.equal([hits, spent], [1, true]);
  assert.is((await ask('GET', 'info')).body.counts.faults, 0);
});

faults('a lost answer is in the journal, and the key replays it', async () => {
  const testPlane = await createTestPlane();
  const { ask } = testPlane;
  await ask('POST', 'faults', { match: {}, phase: 'after', effect: { kind: 'reset' }, times: 1 });
  const lost = await create(testPlane, 1).then(
    () => 'answered',
    (error: Error) => error.name,
  );
  assert.is(lost, 'TypeError');
  const { body } = await ask('GET', 'requests/1');
  assert.equal([body.reset, body.response, body.fault.phase], [true, null, 'after']);
  const outcomes = body.steps.map(({ name, outcome }: Record<string, string>) => [name, outcome]);
  assert.equal(outcomes.slice(-2), [
    ['operation', 'ran'],
    ['fault', 'decided'],
  ]);
  const again = await create(testPlane, 1);
  assert.is(again.status, 201);
  assert.is((await ask('GET', 'requests/2')).body.idempotency, 'replayed');
});

faults('what only held a call back is not said to have decided it', async () => {
  const testPlane = await createTestPlane();
  const { ask } = testPlane;
  const stepsOf = async (id: number) => {
    const { body } = await ask('GET', `requests/${id}`);
    return body.steps
      .map(({ name, outcome }: Record<string, string>) => `${name} ${outcome}`)
      .filter((step: string) => !step.endsWith('passed'));
  };
  await ask('POST', 'faults', { match: {}, effect: { kind: 'delay', ms: 5000 }, times: 1 });
  const slow = create(testPlane, 1);
  await create(testPlane, 1);
  assert.equal(await stepsOf(1), ['fault held']);
  await ask('POST', 'clock/advance', { by_ms: 5000 });
  await slow;
  assert.equal(await stepsOf(1), ['fault held', 'operation ran']);
  const late = { match: {}, phase: 'after', effect: { kind: 'delay', ms: 5000 }, times: 2 };
  await ask('POST', 'faults', late);
  const [first, repeat] = [create(testPlane, 2), create(testPlane, 2)];
  await taken(testPlane, 4);
  await ask('POST', 'clock/advance', { by_ms: 5000 });
  assert.equal([(await first).status, (await repeat).status], [201, 201]);
  assert.equal(await stepsOf(3), ['operation ran', 'fault held']);
  assert.equal(await stepsOf(4), ['replay decided', 'fault held']);
  // One that was given up before it ran was decided by its fault alone.
  await ask('POST', 'faults', { match: {}, effect: { kind: 'delay', ms: 45_000 }, times: 1 });
  const given = create(testPlane, 3);
  await taken(testPlane, 5);
  await ask('POST', 'clock/advance', { by_ms: 45_000 });
  assert.is((await given).status, 500);
  assert.equal(await stepsOf(5), ['fault decided']);
});

faults('what a fault was is told after it has been removed', async () => {
  const testPlane = await createTestPlane();
  const { ask } = testPlane;
  await ask('POST', 'faults', { match: {}, effect: { kind: 'status', status: 500 } });
  await create(testPlane, 1);
  await ask('DELETE', 'faults');
  const { fault } = (await ask('GET', 'requests/1')).body;
  assert.equal(fault, { id: '1', phase: 'before', effect: { kind: 'status', status: 500 } });
});

faults('a delayed attempt is in flight until its time, and keeps when it came', async () => {
  const testPlane = await createTestPlane();
  const { ask } = testPlane;
  await ask('POST', 'faults', { match: {}, effect: { kind: 'delay', ms: 5000 }, times: 1 });
  const slow = create(testPlane, 1);
  const meanwhile = await create(testPlane, 1);
  assert.equal([meanwhile.status, meanwhile.body.code], [409, 'idempotency_in_flight']);
  assert.is((await ask('GET', 'keys')).body.keys[0].state, 'in_flight');
  const held = await ask('GET', 'requests/1');
  assert.equal([held.body.response, held.body.answered_at_ms], [null, null]);
  const { body } = await ask('POST', 'clock/advance', { by_ms: 5000 });
  assert.equal(
    body.fired.map(({ kind }: { kind: string }) => kind),
    ['wake'],
  );
  assert.is((await slow).status, 201);
  const told = (await ask('GET', 'requests/1')).body;
  assert.equal(
    [told.at_ms, told.answered_at_ms, told.allowance.left],
    [startMs, startMs + 5000, 4],
  );
});

faults('are removed one by one and all at once', async () => {
  const { ask } = await createTestPlane();
  const order = { match: {}, effect: { kind: 'hang' } };
  const first = await ask('POST', 'faults', order);
  await ask('POST', 'faults', order);
  assert.is((await ask('DELETE', `faults/${first.body.id}`)).status, 204);
  assert.is((await ask('DELETE', `faults/${first.body.id}`)).status, 404);
  assert.is((await ask('GET', 'faults')).body.faults.length, 1);
  assert.is((await ask('DELETE', 'faults')).status, 204);
  assert.equal((await ask('GET', 'faults')).body, { faults: [] });
});

faults('a subscription may be named by number or by text', async () => {
  const { ask } = await createTestPlane();
  for (const webhook of [2, '2']) {
    const made = await ask('POST', 'faults', { match: { webhook }, effect: { kind: 'drop' } });
    assert.equal([made.status, made.body.match], [201, { webhook: '2' }]);
  }
  const calls = await ask('POST', 'faults', {
    match: { webhook: false, method: 'GET' },
    effect: { kind: 'hang' },
  });
  assert.equal(calls.body.match, { method: 'GET' });
});

const hang = { kind: 'hang' };
// [body, the field that is named]
const wrong = [
  [{ effect: hang }, 'match'],
  [{ match: {} }, 'effect'],
  [{ match: {}, effect: {} }, 'effect.kind'],
  [{ match: {}, effect: { kind: 'explode' } }, 'effect.kind'],
  [{ match: {}, effect: { kind: 'status' } }, 'effect.status'],
  [{ match: {}, effect: { kind: 'status', status: 404 } }, 'effect.status'],
  [{ match: {}, effect: { kind: 'status', status: '500' } }, 'effect.status'],
  [{ match: {}, effect: { kind: 'hang', ms: 5 } }, 'effect.ms'],
  [{ match: {}, effect: { kind: 'hang', status: 500 } }, 'effect.status'],
  [{ match: {}, effect: { kind: 'delay' } }, 'effect.ms'],
  [{ match: {}, effect: { kind: 'delay', ms: -1 } }, 'effect.ms'],
  [{ match: {}, effect: { kind: 'drop' } }, 'effect.kind'],
  [{ match: { webhook: true }, effect: hang }, 'effect.kind'],
  [{ match: { webhook: true }, effect: { kind: 'drop' }, phase: 'after' }, 'phase'],
  [{ match: { webhook: 'x' }, effect: { kind: 'drop' } }, 'match.webhook'],
  [{ match: { webhook: true, method: 'POST' }, effect: { kind: 'drop' } }, 'match.method'],
  [{ match: { operation: 'createacount' }, effect: hang }, 'match.operation'],
  [{ match: { path: 'accounts' }, effect: hang }, 'match.path'],
  [{ match: { verb: 'GET' }, effect: hang }, 'match.verb'],
  [{ match: [], effect: hang }, 'match'],
  [{ match: {}, effect: hang, phase: 'during' }, 'phase'],
  [{ match: {}, effect: hang, times: 0 }, 'times'],
  [{ match: {}, effect: hang, hits: 1 }, 'hits'],
  [{ match: {}, effect: hang, nth: 0 }, 'nth'],
  [{ match: {}, effect: hang, probability: 1.5 }, 'probability'],
  [{ match: {}, effect: { kind: 'refuse' } }, 'effect.code'],
  [{ match: {}, effect: { kind: 'refuse', code: 'unknown' } }, 'effect.code'],
  [{ match: {}, effect: { kind: 'refuse', code: 'not_found' }, phase: 'after' }, 'phase'],
  [{ match: {}, effect: { kind: 'truncate' } }, 'effect.bytes'],
  [{ match: {}, effect: { kind: 'truncate', bytes: 1 }, phase: 'before' }, 'phase'],
  [{ match: {}, effect: { kind: 'slow_body' } }, 'effect.ms'],
  [{ match: {}, effect: { kind: 'slow_body', ms: 5, bytes: 5 } }, 'effect.bytes'],
  [{ match: { webhook: true }, effect: { kind: 'truncate', bytes: 1 } }, 'effect.kind'],
] as const;

faults('refuses what makes no sense, by the name of its field', async () => {
  const { ask } = await createTestPlane();
  for (const [body, field] of wrong) {
    const refused = await ask('POST', 'faults', body);
    assert.is(refused.status, 422, JSON.stringify(body));
    assert.is(refused.body.errors[0].field, field, JSON.stringify(refused.body));
  }
  assert.equal((await ask('GET', 'faults')).body.faults, []);
});

faults.run();
