// States that are not whole, over the control plane: refused by their place, while the world that
// runs goes on as before.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createTestPlane } from '../testing/plane.ts';

const states = suite('control: states that are not whole');

// biome-ignore lint/suspicious/noExplicitAny: documents are broken here on purpose.
type Loose = any;

const broken: readonly (readonly [string, (document: Loose) => void, string])[] = [
  [
    'timers of null and no accounts',
    ({ world }) => Object.assign(world, { accounts: [], timers: [null] }),
    'world.timers[0]',
  ],
  ['firms', ({ world }) => Object.assign(world, { firms: [{ id: '1' }] }), 'world.firms[0].name'],
  [
    'subscriptions',
    ({ world }) => Object.assign(world, { subscriptions: [{ id: 1 }] }),
    'world.subscriptions[0].url',
  ],
  [
    'deliveries',
    ({ world }) => Object.assign(world, { deliveries: [{ id: '1' }] }),
    'world.deliveries[0].subscription_id',
  ],
  ['buckets', ({ world }) => Object.assign(world, { buckets: [{}] }), 'world.buckets[0].key'],
  ['names', ({ world }) => Object.assign(world, { names: [{}] }), 'world.names[0].key'],
  ['forwards', ({ world }) => Object.assign(world, { forwards: [{}] }), 'world.forwards[0].key'],
  ['a time', ({ world }) => Object.assign(world, { nowMs: -5 }), 'world.nowMs'],
  ['a clock of text', (document) => Object.assign(document, { clock: 'frozen' }), 'clock'],
  [
    'a clock of no date',
    (document) => Object.assign(document, { clock: { mode: 'frozen', now_ms: 9e15 } }),
    'clock.now_ms',
  ],
  [
    'a clock that runs away',
    ({ clock }) => Object.assign(clock, { mode: 'real', speed: 1e300 }),
    'clock.speed',
  ],
];

states('a document does not say that deliveries may stay on this machine', async () => {
  const { ask, sandbox } = await createTestPlane();
  const { body: document } = await ask('GET', 'state');
  document.world.options.allowLocalWebhooks = true;
  assert.is((await ask('PUT', 'state', document)).status, 200);
  assert.is(sandbox.first.world.options.allowLocalWebhooks, false);
  await sandbox.close();
});

for (const [name, spoil, field] of broken) {
  states(`${name}: 422 by the field, and the world before it still works`, async () => {
    const { ask, call, sandbox } = await createTestPlane();
    const { body: whole } = await ask('GET', 'state');
    const before = sandbox.first.world;
    const document = structuredClone(whole);
    spoil(document);
    const refused = await ask('PUT', 'state', document);
    assert.is(refused.status, 422, JSON.stringify(refused.body));
    assert.is(refused.body.errors[0].field, field);
    assert.not.match(refused.body.detail, 'Cannot read');
    assert.is(sandbox.first.world, before);
    assert.equal((await ask('GET', 'state')).body, whole);
    for (const path of ['accounts', 'firms', 'subscriptions', 'deliveries', 'clock']) {
      assert.is((await ask('GET', path)).status, 200, path);
    }
    const person = { client_reference_id: 'after', email: 'after@example.com', brand_id: '10' };
    assert.is((await call('firm', 'POST', 'accounts', { body: person })).status, 201);
    assert.is((await ask('PUT', 'state', whole)).status, 200);
    await sandbox.close();
  });
}

states('a world that would begin before 1970 is refused by its clock', async () => {
  const { ask, sandbox } = await createTestPlane();
  for (const clock of ['1970-01-02T00:00:00Z', { mode: 'frozen', now_ms: 86_400_000 }]) {
    const { status, body } = await ask('POST', 'worlds', { name: 'old', clock });
    assert.is(status, 422);
    assert.is(body.errors[0].field, 'clock');
    const earliest = /^must be (\S+Z) or later/.exec(body.errors[0].message)?.[1] ?? '';
    const made = await ask('POST', 'worlds', {
      name: `at-${earliest}`.slice(0, 13),
      clock: earliest,
    });
    assert.is(made.status, 201, JSON.stringify(made.body));
    assert.is((await ask('DELETE', `worlds/${made.body.name}`)).status, 204);
    const justBefore = new Date(Date.parse(earliest) - 1).toISOString();
    assert.is((await ask('POST', 'worlds', { name: 'b', clock: justBefore })).status, 422);
  }
  const empty = { name: 'empty', world: 'empty', clock: '1970-01-01T00:00:00Z' };
  assert.is((await ask('POST', 'worlds', empty)).status, 201);
  await sandbox.close();
});

states.run();
