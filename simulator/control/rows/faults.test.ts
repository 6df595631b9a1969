// Faults over the control plane: added, counted, removed, and shown in the journal.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startMs, type TestPlane, withPlane } from '../testing/plane.ts';

const faults = suite<TestPlane>('control: faults');
withPlane(faults);

function create({ call }: TestPlane, n: number) {
  const body = { client_reference_id: `p-${n}`, email: `p-${n}@example.com` };
  return call('brand-a', 'POST', 'accounts', { body, key: `k-${n}` });
}

/** Resolves when that many calls have been accepted, including delayed ones. */
async function taken({ ask }: TestPlane, count: number): Promise<void> {
  while ((await ask('GET', 'info')).body.counts.requests < count) {
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** The checks of a call that did not simply pass it. */
async function stepsOf({ ask }: TestPlane, id: number): Promise<string[]> {
  const { steps } = (await ask('GET', `requests/${id}`)).body;
  return steps
    .map(({ name, outcome }: Record<string, string>) => `${name} ${outcome}`)
    .filter((step: string) => !step.endsWith('passed'));
}

faults('a fault is shown as it is stored, and is reported after its removal', async (plane) => {
  const { ask } = plane;
  const order = { match: { operation: 'createAccount' }, effect: { kind: 'status', status: 503 } };
  const added = await ask('POST', 'faults', { ...order, times: 1 });
  const { id } = added.body;
  const usual = { phase: 'before', times: 1, nth: null, probability: null, hits: 0, spent: false };
  assert.equal([added.status, added.body], [201, { id, ...order, ...usual }]);
  assert.is((await create(plane, 1)).headers.get('x-sandbox-fault'), id);
  const [{ hits, spent }] = (await ask('GET', 'faults')).body.faults;
  assert.equal([hits, spent, (await ask('GET', 'info')).body.counts.faults], [1, true, 0]);
  await ask('DELETE', 'faults');
  const { fault } = (await ask('GET', 'requests/1')).body;
  assert.equal(fault, { id, phase: 'before', effect: order.effect });
});

faults('a lost response is in the journal', async (plane) => {
  const { ask } = plane;
  await ask('POST', 'faults', { match: {}, phase: 'after', effect: { kind: 'reset' }, times: 1 });
  assert.is(await create(plane, 1).catch(({ name }: Error) => name), 'TypeError');
  const { body } = await ask('GET', 'requests/1');
  assert.equal([body.reset, body.response, body.fault.phase], [true, null, 'after']);
  assert.equal(await stepsOf(plane, 1), ['operation ran', 'fault decided']);
});

faults('a fault that only delays or truncates does not decide the call', async (plane) => {
  const { ask } = plane;
  const delay = (ms: number, more: object) =>
    ask('POST', 'faults', { match: {}, effect: { kind: 'delay', ms }, times: 1, ...more });
  await delay(5000, {});
  const slow = create(plane, 1);
  const meanwhile = await create(plane, 1);
  assert.equal([meanwhile.status, meanwhile.body.code], [409, 'idempotency_in_flight']);
  assert.equal(await stepsOf(plane, 1), ['fault held']);
  const { fired } = (await ask('POST', 'clock/advance', { by_ms: 5000 })).body;
  assert.equal([fired.length, fired[0].kind, (await slow).status], [1, 'wake', 201]);
  assert.equal(await stepsOf(plane, 1), ['fault held', 'operation ran']);
  const { at_ms, answered_at_ms, allowance } = (await ask('GET', 'requests/1')).body;
  assert.equal([at_ms, answered_at_ms, allowance.left], [startMs, startMs + 5000, 4]);
  await delay(5000, { phase: 'after', times: 2 });
  const both = [create(plane, 2), create(plane, 2)];
  await taken(plane, 4);
  await ask('POST', 'clock/advance', { by_ms: 5000 });
  for (const answer of both) assert.is((await answer).status, 201);
  assert.equal(await stepsOf(plane, 3), ['operation ran', 'fault held']);
  assert.equal(await stepsOf(plane, 4), ['replay decided', 'fault held']);
  // A call that timed out before it ran was decided by its fault alone.
  await delay(45_000, {});
  const givenUp = create(plane, 3);
  await taken(plane, 5);
  await ask('POST', 'clock/advance', { by_ms: 45_000 });
  assert.is((await givenUp).status, 500);
  assert.equal(await stepsOf(plane, 5), ['fault decided']);
  await ask('POST', 'faults', { match: {}, effect: { kind: 'truncate', bytes: 5 }, times: 1 });
  await create(plane, 4).catch(() => undefined);
  assert.equal(await stepsOf(plane, 6), ['operation ran', 'fault cut']);
});

faults('faults are removed one by one and all together', async ({ ask }) => {
  const order = { match: {}, effect: { kind: 'hang' } };
  const first = await ask('POST', 'faults', order);
  await ask('POST', 'faults', order);
  assert.is((await ask('DELETE', `faults/${first.body.id}`)).status, 204);
  assert.is((await ask('GET', 'faults')).body.faults.length, 1);
  assert.is((await ask('DELETE', 'faults')).status, 204);
  assert.equal((await ask('GET', 'faults')).body, { faults: [] });
});

faults('a fault can name a subscription by number or by text', async ({ ask }) => {
  for (const webhook of [2, '2']) {
    const fault = await ask('POST', 'faults', { match: { webhook }, effect: { kind: 'drop' } });
    assert.equal([fault.status, fault.body.match], [201, { webhook }]);
  }
  const match = { webhook: false, method: 'GET' };
  const calls = await ask('POST', 'faults', { match, effect: { kind: 'hang' } });
  assert.equal(calls.body.match, match);
});

faults.run();
