// Several worlds in one process: twenty that share nothing, and a world that is dropped while calls
// are in progress.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { personOf } from '../../fixtures/testing/bodies.ts';
import { errorOf } from '../host/testing/error-of.ts';
import { createTestSandbox } from '../host/testing/sandbox.ts';
import { createSandbox, type SandboxHandle } from '../index.ts';
import { SandboxClient } from './sandbox-client.ts';

const worlds = suite('worlds');
const count = 20;

// biome-ignore lint/suspicious/noExplicitAny: responses of any row, compared unchanged.
type Any = any;

const make = (sandbox: SandboxHandle, name?: string): Promise<Any> =>
  sandbox.control('POST', 'worlds', { name, world: 'default' });

function call(sandbox: SandboxHandle, token: string, path: string, body?: object) {
  const headers = { authorization: `Bearer ${token}` };
  const method = body === undefined ? 'GET' : 'POST';
  return new SandboxClient(sandbox).call(method, path, { as: null, key: 'same', body, headers });
}

const person = personOf('one');

worlds('changes in one of twenty worlds do not show in the others', async () => {
  const sandbox = await createSandbox({ clock: '2030-01-01T00:00:00Z' });
  const control = (method: string, path: string, body?: object): Promise<Any> =>
    sandbox.control(method, path, body);
  const made = await Promise.all(Array.from({ length: count }, () => make(sandbox)));
  /** All of a world: its state, and the counts of its calls. */
  const look = async (path: string): Promise<Any> => {
    const { counts } = await control('GET', `${path}info`);
    return { state: await control('GET', `${path}state`), counts };
  };
  const paths = ['', ...made.map(({ name }) => `worlds/${name}/`)];
  const before = await Promise.all(paths.map(look));
  const origin = 'https://a.example.com';
  const secrets = new Set<string>();
  const change = async (at: string, index: number) => {
    const { token } = made[index - 1].credentials[0];
    // The same key and person everywhere: a first attempt in each world, all concurrent.
    const created = await call(sandbox, token, 'accounts', person);
    assert.equal([created.status, created.body.id], [201, '1007'], JSON.stringify(created.body));
    await control('PUT', `${at}forwards`, { from: origin, to: 'http://127.0.0.1:1' });
    const hook = { url: `${origin}/`, event_categories: ['account'] };
    const subscribed = await call(sandbox, token, 'webhooks', hook);
    assert.is(subscribed.status, 201);
    secrets.add(subscribed.body.secret);
    await control('POST', `${at}events`, { category: 'account', brand_id: '10' });
    await control('POST', `${at}faults`, { match: {}, effect: { kind: 'hang' } });
    await control('PATCH', `${at}firms/1`, { permissions: { createAccount: false } });
    await control('POST', `${at}clock/advance`, { by_ms: 1000 * index });
  };
  const isBusy = (index: number) => index % 2 === 1;
  await Promise.all(paths.map((path, index) => isBusy(index) && change(path, index)));
  for (const [index, path] of paths.entries()) {
    const { state, counts } = await look(path);
    const earlier = before[index];
    if (!isBusy(index)) {
      assert.equal({ state, counts }, earlier, path);
      continue;
    }
    assert.is(state.clock.now_ms - earlier.state.clock.now_ms, 1000 * index);
    assert.is(state.world.forwards.length - earlier.state.world.forwards.length, 1);
    assert.is(state.world.firms[0].permissions.createAccount, false);
    const added = { accounts: 1, requests: 2, faults: 1, last_seq: 2, deliveries: 1 };
    for (const [name, difference] of Object.entries(added)) {
      assert.is(counts[name] - earlier.counts[name], difference, name);
    }
  }
  assert.is(secrets.size, count / 2);
  for (const { name } of made) await control('DELETE', `worlds/${name}`);
  const { worlds: left } = await control('GET', 'worlds');
  assert.equal([left.length, left[0].name], [1, 'default']);
  await sandbox.close();
});

worlds('dropping a world aborts its calls at every stage', async () => {
  const sandbox = await createSandbox({ clock: 'frozen' });
  const [{ token: gone }] = (await make(sandbox, 'gone')).credentials;
  const fault = { match: { operation: 'createAccount' }, effect: { kind: 'hang' } };
  await sandbox.control('POST', 'worlds/gone/faults', fault);
  const { base_url } = await sandbox.listen();
  const headers = {
    authorization: `Bearer ${gone}`,
    'idempotency-key': 'socket',
    'content-type': 'application/json',
  };
  const terms = { method: 'POST', headers, body: JSON.stringify(person) };
  const underWay = [
    errorOf(call(sandbox, gone, 'accounts', person)),
    errorOf(fetch(`${base_url}/api/v1/accounts`, terms)),
  ];
  const held = async () => ((await sandbox.control('GET', 'worlds/gone/info')) as Any).counts.held;
  for (let tries = 0; (await held()) < 2; tries += 1) {
    assert.ok(tries < 500, 'both calls are held back');
    await new Promise((next) => setTimeout(next, 2));
  }
  await sandbox.control('DELETE', 'worlds/gone');
  for (const error of await Promise.all(underWay)) assert.instance(error, TypeError);
  // The other worlds still work.
  const { token } = sandbox.credential('firm');
  assert.is((await call(sandbox, token ?? '', 'accounts', person)).status, 201);
  await sandbox.close();
});

worlds('dropping a world aborts a call whose webhook name is being resolved', async () => {
  let found: (addresses: readonly string[]) => void = () => undefined;
  let sent = 0;
  const sandbox = await createTestSandbox({
    deliverer: {
      deliver: async () => {
        sent += 1;
        return { status: 204, error: null };
      },
      resolve: () =>
        new Promise((resolve) => {
          found = resolve;
        }),
      close: async () => undefined,
    },
  });
  const host = await sandbox.addWorld({ name: 'gone', seed: 'gone' });
  const token = [...host.world.tokens.values()][0]?.token;
  const before = host.world.subscriptions.size;
  const answers: string[] = [];
  host.call(
    {
      method: 'POST',
      target: '/api/v1/webhooks',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: Buffer.from('{"url":"https://slow.example.com/","event_categories":["account"]}'),
    },
    ({ kind }) => answers.push(kind),
  );
  assert.equal(answers, []);
  sandbox.dropWorld('gone');
  found(['93.184.216.34']);
  await new Promise((next) => setImmediate(next));
  assert.equal(answers, ['reset']);
  assert.equal([host.world.subscriptions.size, sent], [before, 0]);
  await sandbox.close();
});

worlds('a wrong secret counts against its client, in the client’s world', async () => {
  const sandbox = await createSandbox();
  const created = await make(sandbox);
  const minted = (await sandbox.control('POST', `worlds/${created.name}/credentials`, {
    scopes: ['accounts:write'],
  })) as Any;
  const ask = async (client_secret: string) => {
    const body = { grant_type: 'client_credentials', client_id: minted.client_id, client_secret };
    return (await new SandboxClient(sandbox).post('oauth/token', body, { as: null })).status;
  };
  for (let n = 0; n < 10; n += 1) assert.is(await ask('wrong'), 401);
  assert.is(await ask(minted.client_secret), 429);
  await sandbox.close();
});

worlds.run();
