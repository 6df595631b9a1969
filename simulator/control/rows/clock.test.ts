// The clock over the control plane: set, advanced, refused, and two advances at once.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createTestPlane, startMs } from '../testing/plane.ts';

const clock = suite('control: clock');

clock('shows a clock that stands', async () => {
  const { ask } = await createTestPlane();
  const { body } = await ask('GET', 'clock');
  assert.equal(body, { mode: 'frozen', speed: 1, now_ms: startMs, next_due_ms: null });
});

clock('what is due shows, and advancing to it makes it happen', async () => {
  const { ask, call } = await createTestPlane();
  const made = await call('brand-a', 'POST', 'transactions', {
    body: {
      client_reference_id: 'clock-1',
      account_id: '1001',
      trading_account_id: '5001',
      currency: 'USD',
      amount: '10.00',
      transaction_type: 'Deposit',
    },
  });
  assert.is(made.status, 201);
  await call('brand-a', 'POST', `transactions/${made.body.id}/approve?account_id=1001`);
  const waiting = await ask('GET', 'clock');
  assert.is(waiting.body.next_due_ms, startMs + 2000);
  const { body } = await ask('POST', 'clock/advance', { to_next: true });
  assert.equal(body, {
    from_ms: startMs,
    to_ms: startMs + 2000,
    fired: [{ at_ms: startMs + 2000, kind: 'settle', ref: made.body.id, outcome: 'settled' }],
  });
  const settled = await ask('GET', `transactions/${made.body.id}`);
  assert.is(settled.body.status, 'settled');
  assert.is((await ask('GET', 'clock')).body.next_due_ms, null);
});

clock('advances by, to and to the next thing when there is none', async () => {
  const { ask } = await createTestPlane();
  const by = await ask('POST', 'clock/advance', { by_ms: 86_400_000 });
  assert.is(by.body.to_ms, startMs + 86_400_000);
  const to = await ask('POST', 'clock/advance', { to_ms: startMs + 86_400_001 });
  assert.equal([to.body.from_ms, to.body.to_ms], [startMs + 86_400_000, startMs + 86_400_001]);
  const next = await ask('POST', 'clock/advance', { to_next: true });
  assert.equal(next.body, {
    from_ms: startMs + 86_400_001,
    to_ms: startMs + 86_400_001,
    fired: [],
  });
  const none = await ask('POST', 'clock/advance', { by_ms: 0 });
  assert.is(none.body.to_ms, startMs + 86_400_001);
});

// [body, the field that is named]
const wrongAdvances = [
  [{ by_ms: -1 }, 'by_ms'],
  [{ by_ms: 0.5 }, 'by_ms'],
  [{ by_ms: '5' }, 'by_ms'],
  [{ by_ms: 1e300 }, 'by_ms'],
  [{ by_ms: null }, 'by_ms'],
  [{ to_ms: startMs - 1 }, 'to_ms'],
  [{ to_ms: 1e18 }, 'to_ms'],
  [{ to_next: false }, 'to_next'],
  [{ by: 5 }, 'by'],
  [{ by_ms: 1, to_ms: startMs + 1 }, 'body'],
  [{}, 'body'],
  [[], 'body'],
  ['5', 'body'],
] as const;

for (const [body, field] of wrongAdvances) {
  clock(`refuses to advance by ${JSON.stringify(body)}, naming ${field}`, async () => {
    const { ask } = await createTestPlane();
    const refused = await ask('POST', 'clock/advance', JSON.stringify(body));
    assert.is(refused.status, 422);
    assert.is(refused.body.errors[0].field, field);
    assert.is((await ask('GET', 'clock')).body.now_ms, startMs);
  });
}

clock('does not go beyond the year 9999, however often it is advanced', async () => {
  const { ask } = await createTestPlane();
  await ask('POST', 'clock/advance', { to_ms: 253_402_300_799_999 });
  const refused = await ask('POST', 'clock/advance', { by_ms: 1 });
  assert.is(refused.status, 422);
  assert.is(refused.body.errors[0].field, 'by_ms');
  assert.is((await ask('GET', 'clock')).status, 200);
});

clock('is set forwards, never backwards', async () => {
  const { ask } = await createTestPlane();
  const set = await ask('PUT', 'clock', { mode: 'frozen', now_ms: startMs + 5 });
  assert.equal(set.body, {
    mode: 'frozen',
    speed: 1,
    now_ms: startMs + 5,
    next_due_ms: null,
  });
  const back = await ask('PUT', 'clock', { mode: 'frozen', now_ms: startMs });
  assert.is(back.status, 422);
  assert.is(back.body.errors[0].field, 'now_ms');
  for (const body of [{ now_ms: startMs }, { mode: 'fast' }, { mode: 'real', speed: 0 }]) {
    assert.is((await ask('PUT', 'clock', body)).status, 422, JSON.stringify(body));
  }
});

clock('runs from where it stood, and can be frozen again', async () => {
  let wallMs = startMs;
  const { ask } = await createTestPlane({ options: { wallMs: () => wallMs } });
  await ask('PUT', 'clock', { mode: 'real', now_ms: startMs + 1000 });
  wallMs += 50;
  assert.is((await ask('GET', 'clock')).body.now_ms, startMs + 1050);
  await ask('PUT', 'clock', { mode: 'frozen' });
  wallMs += 50;
  assert.is((await ask('GET', 'clock')).body.now_ms, startMs + 1050);
});

clock('runs so many times as fast, and with its own speed again', async () => {
  let wallMs = startMs;
  const { ask } = await createTestPlane({ options: { wallMs: () => wallMs } });
  await ask('PUT', 'clock', { mode: 'real', now_ms: startMs, speed: 60 });
  wallMs += 1000;
  const fast = (await ask('GET', 'clock')).body;
  assert.equal([fast.now_ms, fast.speed], [startMs + 60_000, 60]);
  // An advance goes on from where the clock is, and leaves it as fast as it was.
  await ask('POST', 'clock/advance', { by_ms: 5000 });
  wallMs += 10;
  assert.is((await ask('GET', 'clock')).body.now_ms, startMs + 65_600);
  const slow = (await ask('PUT', 'clock', { mode: 'real', speed: 0.5 })).body;
  wallMs += 100;
  assert.is((await ask('GET', 'clock')).body.now_ms, slow.now_ms + 50);
  assert.is((await ask('PUT', 'clock', { mode: 'real' })).body.speed, 1);
  const stands = await ask('PUT', 'clock', { mode: 'frozen', speed: 2 });
  assert.equal([stands.status, stands.body.errors[0].field], [422, 'speed']);
});

clock('a fast clock is kept with the state', async () => {
  const { ask } = await createTestPlane();
  await ask('PUT', 'clock', { mode: 'real', speed: 60 });
  const state = (await ask('GET', 'state')).body;
  await ask('PUT', 'clock', { mode: 'frozen' });
  assert.is((await ask('PUT', 'state', state)).body.clock.speed, 60);
  const broken = { ...state, clock: { ...state.clock, speed: 0 } };
  const refused = await ask('PUT', 'state', broken);
  assert.equal([refused.status, refused.body.errors[0].field], [422, 'clock.speed']);
});

clock('two advances at once go one after the other', async () => {
  const { ask } = await createTestPlane();
  const both = await Promise.all([
    ask('POST', 'clock/advance', { by_ms: 10 }),
    ask('POST', 'clock/advance', { by_ms: 5 }),
  ]);
  assert.equal(
    both.map(({ body }) => [body.from_ms - startMs, body.to_ms - startMs]),
    [
      [0, 10],
      [10, 15],
    ],
  );
});

clock.run();
