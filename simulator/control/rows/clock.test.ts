// The clock over the control plane: advance, set, speed up, and save with the state.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { depositOf } from '../../../fixtures/testing/bodies.ts';
import { createTestPlane, startMs, type TestPlane, withPlane } from '../testing/plane.ts';

const clock = suite<TestPlane>('control: clock');
withPlane(clock);

clock('due work is listed, and happens when the clock advances to it', async ({ ask, call }) => {
  const stands = (await ask('GET', 'clock')).body;
  assert.equal(stands, { mode: 'frozen', speed: 1, now_ms: startMs, next_due_ms: null });
  const body = depositOf('clock-1');
  const { id } = (await call('brand-a', 'POST', 'transactions', { body })).body;
  await call('brand-a', 'POST', `transactions/${id}/approve?account_id=1001`);
  assert.is((await ask('GET', 'clock')).body.next_due_ms, startMs + 2000);
  const advanced = await ask('POST', 'clock/advance', { to_next: true });
  assert.equal(advanced.body, {
    from_ms: startMs,
    to_ms: startMs + 2000,
    fired: [{ at_ms: startMs + 2000, kind: 'settle', ref: id, outcome: 'settled' }],
  });
  assert.is((await ask('GET', `transactions/${id}`)).body.status, 'settled');
});

clock('the clock advances by, to, and to the next due time', async ({ ask }) => {
  const day = startMs + 86_400_000;
  for (const [body, from_ms, to_ms] of [
    [{ by_ms: 86_400_000 }, startMs, day],
    [{ to_ms: day + 1 }, day, day + 1],
    [{ to_next: true }, day + 1, day + 1],
    [{ by_ms: 0 }, day + 1, day + 1],
    [{ to_ms: 253_402_300_799_999 }, day + 1, 253_402_300_799_999],
  ] as const) {
    assert.equal((await ask('POST', 'clock/advance', body)).body, { from_ms, to_ms, fired: [] });
  }
  assert.is((await ask('POST', 'clock/advance', { by_ms: 1 })).status, 422, 'the year 10000');
});

clock('the clock runs from its time at a given speed, and can be frozen', async () => {
  let wallMs = startMs;
  const { ask, sandbox } = await createTestPlane({ options: { wallMs: () => wallMs } });
  const now = async (elapsedMs: number) => {
    wallMs += elapsedMs;
    return (await ask('GET', 'clock')).body.now_ms - startMs;
  };
  await ask('PUT', 'clock', { mode: 'real', now_ms: startMs + 1000, speed: 60 });
  assert.is(await now(1000), 61_000);
  // An advance starts at the current time of the clock, and keeps its speed.
  await ask('POST', 'clock/advance', { by_ms: 5000 });
  assert.is(await now(10), 66_600);
  await ask('PUT', 'clock', { mode: 'real', speed: 0.5 });
  assert.is(await now(100), 66_650);
  assert.is((await ask('PUT', 'clock', { mode: 'real' })).body.speed, 1);
  await ask('PUT', 'clock', { mode: 'frozen' });
  assert.is(await now(50), 66_650);
  await sandbox.close();
});

clock('the speed of the clock is saved with the state', async ({ ask }) => {
  await ask('PUT', 'clock', { mode: 'real', speed: 60 });
  const state = (await ask('GET', 'state')).body;
  await ask('PUT', 'clock', { mode: 'frozen' });
  assert.is((await ask('PUT', 'state', state)).body.clock.speed, 60);
});

clock.run();
