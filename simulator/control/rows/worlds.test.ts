// Worlds and states over the control plane: isolated, dropped, saved, restored, begun again.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createTestPlane, startMs } from '../testing/plane.ts';

const worlds = suite('control: worlds and state');

const person = { client_reference_id: 'p-1', email: 'p-1@example.com', brand_id: '10' };

worlds('makes a world whose token reaches only it', async () => {
  const { ask, call } = await createTestPlane();
  const made = await ask('POST', 'worlds', { name: 'mine', clock: 'frozen' });
  assert.is(made.status, 201);
  assert.is(made.body.control_url, 'http://sandbox/_sandbox/worlds/mine');
  const { token } = made.body.credentials[0];
  const first = (await ask('GET', 'credentials')).body.credentials[0];
  assert.is.not(token, first.token);
  assert.is((await call(token, 'POST', 'accounts', { body: person })).status, 201);
  const here = (await ask('GET', 'worlds/mine/accounts')).body.accounts;
  const there = (await ask('GET', 'accounts')).body.accounts;
  assert.equal([here.length, there.length], [7, 6]);
  assert.is((await ask('GET', 'requests')).body.requests.length, 0);
  assert.is((await ask('GET', 'worlds/mine/requests')).body.requests.length, 1);
});

worlds('takes the name of a world, or one written out', async () => {
  const { ask } = await createTestPlane();
  const empty = await ask('POST', 'worlds', { world: 'empty', seed: 7 });
  assert.is(empty.status, 201);
  assert.is((await ask('GET', `worlds/${empty.body.name}/accounts`)).body.accounts.length, 0);
  const written = await ask('POST', 'worlds', {
    world: {
      firms: [{ id: '7', name: 'Own', brands: [{ id: '70', name: 'Own brand' }] }],
      credentials: [{ name: 'me', firm_id: '7', scopes: ['accounts:write'] }],
    },
  });
  assert.equal(
    written.body.credentials.map(({ name, firm_id }: Record<string, string>) => [name, firm_id]),
    [['me', '7']],
  );
});

worlds('the same name and seed make the same tokens, another seed others', async () => {
  const { ask } = await createTestPlane();
  const tokens = async (seed: string | number) => {
    const made = await ask('POST', 'worlds', { name: 'w', seed });
    await ask('DELETE', 'worlds/w');
    return made.body.credentials[0].token as string;
  };
  const one = await tokens(5);
  assert.is(await tokens('5'), one);
  assert.is.not(await tokens(6), one);
});

worlds('lists and drops; the first one stays', async () => {
  const { ask, call } = await createTestPlane();
  const made = await ask('POST', 'worlds', {});
  const names = async () =>
    (await ask('GET', 'worlds')).body.worlds.map(({ name }: { name: string }) => name);
  assert.equal(await names(), ['default', made.body.name]);
  assert.is((await ask('GET', `worlds/${made.body.name}`)).status, 200);
  assert.is((await ask('DELETE', `worlds/${made.body.name}`)).status, 204);
  assert.is((await ask('DELETE', `worlds/${made.body.name}`)).status, 404);
  assert.is((await ask('GET', `worlds/${made.body.name}/clock`)).status, 404);
  assert.is((await ask('DELETE', 'worlds/default')).status, 409);
  assert.equal(await names(), ['default']);
  const { token } = made.body.credentials[0];
  assert.is((await call(token, 'GET', 'accounts')).status, 401);
});

worlds('a world is not made twice, not even at once', async () => {
  const { ask } = await createTestPlane();
  const made = await Promise.all([1, 2, 3].map(() => ask('POST', 'worlds', { name: 'one' })));
  assert.equal(made.map(({ status }) => status).sort(), [201, 409, 409]);
  assert.is((await ask('POST', 'worlds', { name: 'default' })).status, 409);
});

worlds('refuses what is no world, by field', async () => {
  const { ask } = await createTestPlane();
  const firm = { id: '7', name: 'Own', brands: [{ id: '70', name: 'Own brand' }] };
  const cases = [
    [{ name: 'a/b' }, 'name'],
    [{ name: '' }, 'name'],
    [{ name: 5 }, 'name'],
    [{ world: 'nowhere' }, 'world'],
    [{ world: 5 }, 'world'],
    [{ world: {} }, 'world.firms'],
    [{ world: { firms: [firm], credentials: [], rules: 1 } }, 'world.rules'],
    [
      { world: { firms: [firm], credentials: [{ name: 'a', firm_id: '9', scopes: [] }] } },
      'world.credentials[0].firm_id',
    ],
    [{ clock: 'fast' }, 'clock'],
    [{ clock: {} }, 'clock.mode'],
    [{ clock: { mode: 'frozen', now_ms: -1 } }, 'clock.now_ms'],
    [{ seed: true }, 'seed'],
    [{ plan: 'pro' }, 'plan'],
  ] as const;
  for (const [body, field] of cases) {
    const refused = await ask('POST', 'worlds', body);
    assert.equal([refused.status, refused.body.errors[0].field], [422, field], refused.body.detail);
  }
  assert.is((await ask('GET', 'worlds')).body.worlds.length, 1);
});

worlds('rows of worlds are not in a world', async () => {
  const { ask } = await createTestPlane();
  await ask('POST', 'worlds', { name: 'a' });
  assert.is((await ask('GET', 'worlds/a/worlds')).status, 404);
  assert.is((await ask('GET', 'worlds/b/clock')).status, 404);
});

worlds('a state goes out and comes back exactly', async () => {
  const { ask, call } = await createTestPlane();
  await ask('POST', 'faults', { match: { method: 'PATCH' }, effect: { kind: 'hang' }, times: 3 });
  const first = await call('firm', 'POST', 'accounts', { body: person, key: 'k' });
  const saved = (await ask('GET', 'state')).body;
  await call('firm', 'POST', 'accounts', {
    body: { ...person, client_reference_id: 'p-2', email: 'p-2@example.com' },
  });
  await ask('POST', 'clock/advance', { by_ms: 86_400_000 });
  const put = await ask('PUT', 'state', saved);
  assert.equal(put.body.clock.now_ms, startMs);
  assert.equal((await ask('GET', 'state')).body, saved);
  const again = await call('firm', 'POST', 'accounts', { body: person, key: 'k' });
  assert.equal(again.body, first.body);
  assert.is((await ask('GET', 'accounts')).body.accounts.length, 7);
  assert.is((await ask('GET', 'faults')).body.faults.length, 1);
});

worlds('a reset ends an advance that waits for a receiver', async () => {
  const testPlane = await createTestPlane();
  const { ask, call, sent } = testPlane;
  testPlane.receiver = (request) =>
    new Promise((resolve) => {
      request.cancelToken.onCancel(() => resolve({ status: null, error: 'cut off' }));
    });
  const body = { url: 'https://hooks.partner.example/in', event_categories: ['account'] };
  await call('firm', 'POST', 'webhooks', { body });
  await ask('POST', 'faults', {
    match: { webhook: true },
    effect: { kind: 'delay', ms: 1000 },
  });
  await ask('POST', 'events', { category: 'account' });
  const advance = ask('POST', 'clock/advance', { by_ms: 86_400_000 });
  while (sent.length === 0) await new Promise((resolve) => setImmediate(resolve));
  assert.is((await ask('POST', 'reset')).body.clock.now_ms, startMs);
  assert.is((await advance).status, 200);
  assert.is((await ask('GET', 'clock')).body.now_ms, startMs);
  assert.is((await ask('GET', 'faults')).body.faults.length, 0);
});

worlds('a reset takes back what was made, and keeps the tokens', async () => {
  const { ask, call } = await createTestPlane();
  const before = (await ask('GET', 'credentials')).body;
  await ask('POST', 'credentials', { scopes: [] });
  await call('firm', 'POST', 'accounts', { body: person });
  await ask('POST', 'reset', {});
  assert.equal((await ask('GET', 'credentials')).body, before);
  assert.is((await ask('GET', 'requests')).body.requests.length, 0);
  assert.is((await call('firm', 'POST', 'accounts', { body: person })).status, 201);
});

worlds.run();
