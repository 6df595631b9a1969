// Idempotency keys and allowances over the control plane.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createTestPlane, startMs } from '../testing/plane.ts';

const limits = suite('control: keys and buckets');

const dayMs = 86_400_000;

limits('shows a key with its subject, age and end, until it is over', async () => {
  const { ask, call } = await createTestPlane();
  const body = { client_reference_id: 'Ref-1', email: 'a@example.com' };
  await call('brand-a', 'POST', 'accounts', { body, key: 'mine' });
  await ask('POST', 'clock/advance', { by_ms: 1000 });
  const { keys } = (await ask('GET', 'keys')).body;
  assert.equal(keys, [
    {
      client_id: 'cl_brand_a',
      operation: 'createAccount',
      key: 'mine',
      subject: 'ref-1',
      state: 'recorded',
      status: 201,
      first_attempt: 1,
      recorded_at_ms: startMs,
      age_ms: 1000,
      expires_at_ms: startMs + dayMs,
    },
  ]);
  await ask('POST', 'clock/advance', { by_ms: dayMs - 1001 });
  assert.is((await ask('GET', 'keys')).body.keys.length, 1);
  await ask('POST', 'clock/advance', { by_ms: 1 });
  assert.equal((await ask('GET', 'keys')).body.keys, []);
});

limits('lists the newest first and filters', async () => {
  const { ask, call } = await createTestPlane();
  for (const [who, key] of [
    ['brand-a', 'one'],
    ['brand-b', 'two'],
    ['brand-a', 'three'],
  ] as const) {
    const body = { client_reference_id: key, email: `${key}@example.com` };
    await call(who, 'POST', 'accounts', { body, key });
  }
  const names = async (query: string) =>
    (await ask('GET', `keys?${query}`)).body.keys.map(({ key }: { key: string }) => key);
  assert.equal(await names(''), ['three', 'two', 'one']);
  assert.equal(await names('limit=1'), ['three']);
  assert.equal(await names('client_id=cl_brand_a'), ['three', 'one']);
  assert.equal(await names('key=two'), ['two']);
  assert.equal(await names('operation=createTransaction'), []);
});

limits('knows a very long key by its journal entry', async () => {
  const { ask, call } = await createTestPlane();
  const reference = 'r'.repeat(255);
  const body = { client_reference_id: reference, email: 'a@example.com' };
  await call('brand-a', 'POST', 'accounts', { body, key: 'k'.repeat(255) });
  const [shown] = (await ask('GET', 'keys')).body.keys;
  assert.equal([shown.key.length, shown.subject], [255, reference]);
});

limits('shows what is left of every allowance', async () => {
  const { ask, call } = await createTestPlane();
  for (let n = 0; n < 3; n += 1) await call('brand-a', 'GET', 'accounts');
  const buckets = async () => (await ask('GET', 'buckets')).body.buckets;
  const mine = (all: { client_ids: string[]; of: string; firm_id: string }[]) => [
    all.find((each) => each.of === 'credential' && each.client_ids.includes('cl_brand_a')),
    all.find((each) => each.of === 'firm' && each.firm_id === '1'),
  ];
  const levels = (all: unknown[]) =>
    (all as { rate_per_second: number; level: number; full: number }[]).map(
      ({ rate_per_second, level, full }) => [rate_per_second, level, full],
    );
  assert.equal(levels(mine(await buckets())), [
    [5, 2, 5],
    [20, 17, 20],
  ]);
  await ask('POST', 'clock/advance', { by_ms: 100 });
  assert.equal(levels(mine(await buckets())), [
    [5, 2.5, 5],
    [20, 19, 20],
  ]);
});

limits('delegated credentials of one minter share a bucket', async () => {
  const { ask } = await createTestPlane();
  const { buckets } = (await ask('GET', 'buckets')).body;
  const shared = buckets.find(
    ({ of, client_ids: ids }: { of: string; client_ids: string[] }) =>
      of === 'credential' && ids.includes('cl_delegated'),
  );
  assert.equal(
    [shared.client_ids, shared.rate_per_second],
    [['cl_delegated', 'cl_delegated_read_only'], 5],
  );
});

limits.run();
