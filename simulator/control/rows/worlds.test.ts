// Worlds, states and snapshots over the control plane: isolation, copy, save, restore, reset.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { depositOf, personOf } from '../../../fixtures/testing/bodies.ts';
import { startMs, type TestPlane, withPlane } from '../testing/plane.ts';

const worlds = suite<TestPlane>('control: worlds, states and snapshots');
withPlane(worlds);

// biome-ignore lint/suspicious/noExplicitAny: documents are broken here on purpose.
type Loose = any;

const create = ({ call }: TestPlane, n: number, as = 'firm') =>
  call(as, 'POST', 'accounts', { body: personOf(`p-${n}`), key: `key-of-${n}` });
const countAccounts = async ({ ask }: TestPlane, at = '') =>
  (await ask('GET', `${at}accounts`)).body.accounts.length;
const namesOf = async ({ ask }: TestPlane): Promise<string[]> =>
  (await ask('GET', 'worlds')).body.worlds.map(({ name }: { name: string }) => name);
/** The world as a document; a restored world assigns its own new ids. */
const documentOf = async ({ ask }: TestPlane) => ({
  ...(await ask('GET', 'state')).body.world,
  idEras: 0,
});

worlds('a world is created once, by name, as a document or from a seed', async (plane) => {
  const { ask } = plane;
  const created = await ask('POST', 'worlds', { name: 'mine', clock: 'frozen' });
  assert.is(created.status, 201);
  assert.is(created.body.control_url, 'http://sandbox/_sandbox/worlds/mine');
  const empty = await ask('POST', 'worlds', { world: 'empty', seed: 7 });
  assert.is(await countAccounts(plane, `worlds/${empty.body.name}/`), 0);
  const written = await ask('POST', 'worlds', {
    world: {
      firms: [{ id: '7', name: 'Own', brands: [{ id: '70', name: 'Own brand' }] }],
      credentials: [{ name: 'me', firm_id: '7', scopes: ['accounts:write'] }],
    },
  });
  const [{ name, firm_id }] = written.body.credentials;
  assert.equal([name, firm_id], ['me', '7']);
  const tokenOf = async (seed: string | number) => {
    const { credentials } = (await ask('POST', 'worlds', { name: 'w', seed })).body;
    await ask('DELETE', 'worlds/w');
    return credentials[0].token as string;
  };
  const one = await tokenOf(5);
  assert.is(await tokenOf('5'), one);
  assert.is.not(await tokenOf(6), one);
  const both = await Promise.all([1, 2, 3].map(() => ask('POST', 'worlds', { name: 'one' })));
  assert.equal(both.map(({ status }) => status).sort(), [201, 409, 409]);
});

worlds('a dropped world loses its tokens, and a world has no rows for worlds', async (plane) => {
  const { ask, call } = plane;
  const { name, credentials } = (await ask('POST', 'worlds', {})).body;
  assert.equal(await namesOf(plane), ['default', name]);
  assert.is((await ask('GET', `worlds/${name}`)).status, 200);
  assert.is((await ask('GET', `worlds/${name}/worlds`)).status, 404);
  assert.is((await ask('DELETE', `worlds/${name}`)).status, 204);
  assert.is((await ask('GET', `worlds/${name}/clock`)).status, 404);
  assert.equal(await namesOf(plane), ['default']);
  assert.is((await call(credentials[0].token, 'GET', 'accounts')).status, 401);
});

worlds('a world that would begin before 1970 is refused by its clock', async ({ ask }) => {
  for (const clock of ['1970-01-02T00:00:00Z', { mode: 'frozen', now_ms: 86_400_000 }]) {
    const { status, body } = await ask('POST', 'worlds', { name: 'old', clock });
    assert.equal([status, body.errors[0].field], [422, 'clock']);
    const earliest = /^must be (\S+Z) or later/.exec(body.errors[0].message)?.[1] ?? '';
    assert.is((await ask('POST', 'worlds', { name: 'old', clock: earliest })).status, 201);
    await ask('DELETE', 'worlds/old');
    const justBefore = new Date(Date.parse(earliest) - 1).toISOString();
    assert.is((await ask('POST', 'worlds', { name: 'b', clock: justBefore })).status, 422);
  }
  const empty = { name: 'empty', world: 'empty', clock: '1970-01-01T00:00:00Z' };
  assert.is((await ask('POST', 'worlds', empty)).status, 201);
});

worlds('an exported state is imported unchanged', async (plane) => {
  const { ask } = plane;
  await ask('POST', 'faults', { match: { method: 'PATCH' }, effect: { kind: 'hang' }, times: 3 });
  const first = await create(plane, 1);
  const saved = (await ask('GET', 'state')).body;
  await create(plane, 2);
  await ask('POST', 'clock/advance', { by_ms: 86_400_000 });
  assert.is((await ask('PUT', 'state', saved)).body.clock.now_ms, startMs);
  assert.equal((await ask('GET', 'state')).body, saved);
  assert.equal((await create(plane, 1)).body, first.body);
  assert.is(await countAccounts(plane), 7);
});

const broken: readonly (readonly [string, (document: Loose) => unknown])[] = [
  ['world.timers[0]', ({ world }) => Object.assign(world, { accounts: [], timers: [null] })],
  ['world.nowMs', ({ world }) => (world.nowMs = -5)],
  ['colour', (document) => (document.colour = 'red')],
  ['clock.colour', ({ clock }) => Object.assign(clock, { colour: 'red' })],
  ['clock', (document) => (document.clock = 'frozen')],
  ['clock.mode', (document) => (document.clock = {})],
  ['clock.mode', (document) => (document.clock = { mode: 'slow', now_ms: 1 })],
  ['clock.now_ms', (document) => (document.clock = { mode: 'frozen', now_ms: 9e15 })],
  ['clock.speed', ({ clock }) => Object.assign(clock, { mode: 'real', speed: 1e300 })],
];

worlds('an invalid state is refused by its field, and the world is unchanged', async (plane) => {
  const { ask, call, sandbox } = plane;
  await ask('POST', 'faults', { match: {}, effect: { kind: 'hang' }, times: 1 });
  void call('firm', 'GET', 'accounts').catch(() => null);
  while (sandbox.first.waiting === 0) await new Promise((resolve) => setImmediate(resolve));
  const whole = (await ask('GET', 'state')).body;
  const before = sandbox.first.world;
  for (const [field, spoil] of broken) {
    const document = structuredClone(whole);
    spoil(document);
    const { status, body } = await ask('PUT', 'state', document);
    assert.equal([status, body.errors?.[0].field], [422, field], body.detail);
    assert.not.match(body.detail, 'Cannot read');
    assert.is(sandbox.first.world, before);
  }
  assert.is(sandbox.first.waiting, 1, 'the caller goes on waiting');
  assert.equal((await ask('GET', 'state')).body, whole);
  for (const path of ['accounts', 'firms', 'subscriptions', 'deliveries', 'clock']) {
    assert.is((await ask('GET', path)).status, 200, path);
  }
  assert.is((await create(plane, 1)).status, 201);
  // A document does not say whether deliveries to loopback are allowed.
  whole.world.options.allowLocalWebhooks = true;
  assert.is((await ask('PUT', 'state', whole)).status, 200);
  assert.is(sandbox.first.world.options.allowLocalWebhooks, false);
});

worlds('a reset removes new records and keeps the tokens', async (plane) => {
  const { ask } = plane;
  const before = (await ask('GET', 'credentials')).body;
  await ask('POST', 'credentials', { scopes: [] });
  await create(plane, 1);
  await ask('POST', 'reset', {});
  assert.equal((await ask('GET', 'credentials')).body, before);
  assert.equal((await ask('GET', 'requests')).body.requests, []);
  assert.is((await create(plane, 1)).status, 201);
});

worlds('a snapshot can restore clock, keys, money and journal repeatedly', async (p) => {
  const { ask, call } = p;
  const first = await create(p, 1);
  const { id } = (await call('firm', 'POST', 'transactions', { body: depositOf('d-1') })).body;
  await call('firm', 'POST', `transactions/${id}/approve?account_id=1001`);
  const taken = await ask('POST', 'snapshots', { name: 'before' });
  assert.equal([taken.status, taken.body.name, taken.body.accounts], [201, 'before', 7]);
  const before = await documentOf(p);
  const { balance } = (await ask('GET', 'trading-accounts/5001')).body;
  for (let round = 0; round < 2; round += 1) {
    await ask('POST', 'clock/advance', { by_ms: 86_400_000 });
    await create(p, 2);
    assert.is((await ask('GET', `transactions/${id}`)).body.status, 'settled');
    assert.is.not((await ask('GET', 'trading-accounts/5001')).body.balance, balance);
    const back = await ask('POST', 'snapshots/before/restore', {});
    assert.equal([back.status, back.body.clock.now_ms], [200, startMs]);
    assert.equal(await documentOf(p), before);
  }
  assert.is((await ask('GET', 'requests')).body.requests.length, 3);
  assert.equal((await create(p, 1)).body, first.body);
});

worlds('snapshots are listed, replaced and dropped, and survive a reset', async (plane) => {
  const { ask } = plane;
  await ask('POST', 'snapshots', { name: 'a' });
  await ask('POST', 'snapshots', { name: 'b' });
  await create(plane, 1);
  await ask('POST', 'snapshots', { name: 'a' });
  await ask('POST', 'reset', {});
  const { snapshots } = (await ask('GET', 'snapshots')).body;
  const listed = snapshots.map(({ name, accounts }: Loose) => `${name} ${accounts}`);
  assert.equal(listed, ['b 6', 'a 7']);
  await ask('POST', 'snapshots/a/restore', {});
  assert.is(await countAccounts(plane), 7);
  assert.is((await ask('DELETE', 'snapshots/a')).status, 204);
  assert.is((await ask('POST', 'snapshots/a/restore', {})).status, 404);
  await ask('POST', 'worlds', { name: 'w' });
  assert.equal((await ask('GET', 'worlds/w/snapshots')).body.snapshots, []);
});

worlds('a copy has the keys of its world, but its own tokens and secrets', async (plane) => {
  const { ask, call } = plane;
  const first = await create(plane, 1);
  await ask('POST', 'clock/advance', { by_ms: 1000 });
  const created = await ask('POST', 'worlds', { name: 'copy', from: 'default' });
  assert.equal([created.status, created.body.clock.now_ms], [201, startMs + 1000]);
  const { credentials } = (await ask('GET', 'credentials')).body;
  for (const [at, own] of created.body.credentials.entries()) {
    assert.is(own.name, credentials[at].name);
    assert.is.not(own.token, credentials[at].token);
    assert.is.not(own.client_secret, credentials[at].client_secret);
  }
  const { token, client_id, client_secret } = created.body.credentials[0];
  const again = await create(plane, 1, token);
  assert.equal([again.status, again.body], [201, first.body]);
  await create(plane, 2, token);
  for (const n of [3, 4]) await create(plane, n);
  const counts = [await countAccounts(plane, 'worlds/copy/'), await countAccounts(plane)];
  assert.equal(counts, [8, 9]);
  // A token issued by the copy reaches the copy too.
  const body = { grant_type: 'client_credentials', client_id, client_secret };
  const issued = await call('', 'POST', 'oauth/token', { body });
  const seen = await call(issued.body.access_token, 'GET', 'accounts');
  assert.is(seen.body.accounts.length, 7, 'those of its firm');
});

worlds('a copy of a copy starts at the given time, and resets to it', async (plane) => {
  const { ask, call } = plane;
  await create(plane, 1);
  await ask('POST', 'worlds', { name: 'a', from: 'default', clock: 'real' });
  const created = await ask('POST', 'worlds', { name: 'b', from: 'a', clock: 'frozen' });
  assert.is(created.body.clock.mode, 'frozen');
  const clock = { mode: 'frozen', now_ms: startMs + 5_000 };
  const set = await ask('POST', 'worlds', { name: 'c', from: 'default', clock });
  assert.is(set.body.clock.now_ms, clock.now_ms);
  const { token } = set.body.credentials[0];
  await create(plane, 2, token);
  await ask('POST', 'worlds/c/clock/advance', { by_ms: 5000 });
  await ask('POST', 'reset', {});
  await ask('POST', 'worlds/c/reset', {});
  assert.is(await countAccounts(plane, 'worlds/c/'), 7);
  assert.is((await ask('GET', 'worlds/c/clock')).body.now_ms, clock.now_ms);
  assert.is((await call(token, 'GET', 'accounts')).body.accounts.length, 6);
});

worlds('an event that is being delivered is being delivered in the copy too', async (plane) => {
  const { ask, call, sent } = plane;
  plane.receiver = () => ({ status: 500, error: null });
  const body = { url: 'https://hooks.example.com/in', event_categories: ['account'] };
  await call('firm', 'POST', 'webhooks', { body });
  await create(plane, 1);
  await ask('POST', 'clock/advance', { by_ms: 0 });
  await ask('POST', 'worlds', { name: 'copy', from: 'default' });
  const before = sent.length;
  await ask('POST', 'worlds/copy/clock/advance', { by_ms: 30_000 });
  assert.ok(sent.length > before, 'the copy retries');
  const seqs = sent.map((each) => JSON.parse(each.body).seq);
  assert.is(seqs.at(-1), seqs.at(before - 1));
});

worlds.run();
