// Several worlds in one process: twenty that share nothing, and a world that is dropped while calls
// are in progress.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createTestSandbox } from '../host/testing/sandbox.ts';
import { createSandbox, type SandboxHandle } from '../index.ts';
import { SandboxClient } from './sandbox-client.ts';

const worlds = suite('worlds');
const count = 20;

// biome-ignore lint/suspicious/noExplicitAny: responses of any row, compared unchanged.
type Any = any;

interface TestWorld {
  readonly name: string;
  readonly token: string;
  readonly clientId: string;
}

async function make(sandbox: SandboxHandle, name?: string): Promise<TestWorld> {
  const world = (await sandbox.control('POST', 'worlds', { name, world: 'default' })) as Any;
  const { token, client_id } = world.credentials[0];
  return { name: world.name, token, clientId: client_id };
}

const reader =
  (sandbox: SandboxHandle, { name }: TestWorld) =>
  async (path: string) =>
    (await sandbox.control('GET', `worlds/${name}/${path}`)) as Any;

function call(sandbox: SandboxHandle, token: string, path: string, body?: object) {
  const headers = { authorization: `Bearer ${token}` };
  const method = body === undefined ? 'GET' : 'POST';
  return new SandboxClient(sandbox).call(method, path, { as: null, key: 'same', body, headers });
}

const person = { client_reference_id: 'one', email: 'one@example.com', brand_id: '10' };

/** Everything about a world that a call, an operator or time could change. */
async function stateOf(sandbox: SandboxHandle, created: TestWorld) {
  const read = reader(sandbox, created);
  const { counts } = await read('info');
  return {
    accounts: (await read('accounts')).accounts.length,
    requests: (await read('requests')).requests.length,
    levels: (await read('buckets')).buckets.map(({ level }: Any) => level),
    faults: (await read('faults')).faults.length,
    forwards: (await read('forwards')).forwards.length,
    now: (await read('clock')).now_ms,
    permissions: (await read('firms/1')).permissions.createAccount,
    events: (await read('events')).last_seq,
    deliveries: (await read('deliveries')).deliveries.length,
    counts,
  };
}

worlds('changes in one of twenty worlds do not show in the others', async () => {
  const sandbox = await createSandbox({ clock: '2030-01-01T00:00:00Z' });
  const made = await Promise.all(Array.from({ length: count }, () => make(sandbox)));
  assert.is(new Set(made.map(({ token }) => token)).size, count);
  const untouched = await stateOf(sandbox, made[0] as TestWorld);
  const busy = made.filter((_, index) => index % 2 === 1);
  const origin = 'https://a.example.com';
  const secrets = new Set<string>();
  await Promise.all(
    busy.map(async ({ name, token }, index) => {
      // The same key and person everywhere: a first attempt in each world, all concurrent.
      const created = await call(sandbox, token, 'accounts', person);
      assert.equal([created.status, created.body.id], [201, '1007'], JSON.stringify(created.body));
      const at = (path: string) => `worlds/${name}/${path}`;
      await sandbox.control('PUT', at('forwards'), { from: origin, to: 'http://127.0.0.1:1' });
      const hook = { url: `${origin}/`, event_categories: ['account'] };
      const subscribed = await call(sandbox, token, 'webhooks', hook);
      assert.is(subscribed.status, 201);
      secrets.add(subscribed.body.secret);
      await sandbox.control('POST', at('events'), { category: 'account', brand_id: '10' });
      await sandbox.control('POST', at('faults'), { match: {}, effect: { kind: 'hang' } });
      await sandbox.control('PATCH', at('firms/1'), { permissions: { createAccount: false } });
      await sandbox.control('POST', at('clock/advance'), { by_ms: 1000 * (index + 1) });
    }),
  );
  for (const [index, world] of made.entries()) {
    const seen = await stateOf(sandbox, world);
    if (index % 2 === 0) assert.equal(seen, untouched, world.name);
    else {
      assert.is(seen.now, untouched.now + 1000 * ((index + 1) / 2));
      assert.equal(
        [seen.accounts, seen.requests, seen.faults, seen.forwards, seen.permissions],
        [untouched.accounts + 1, 2, 1, 1, false],
      );
      assert.equal(
        [seen.events - untouched.events, seen.deliveries - untouched.deliveries],
        [2, 1],
      );
    }
  }
  assert.is(secrets.size, busy.length);
  // The first world has not seen it either.
  assert.is(((await sandbox.control('GET', 'requests')) as Any).requests.length, 0);
  for (const { name } of made) await sandbox.control('DELETE', `worlds/${name}`);
  const { worlds: left } = (await sandbox.control('GET', 'worlds')) as Any;
  assert.equal(
    left.map(({ name }: Any) => name),
    ['default'],
  );
  await sandbox.close();
});

worlds('dropping a world aborts its calls at every stage', async () => {
  const sandbox = await createSandbox({ clock: 'frozen' });
  const created = await make(sandbox, 'gone');
  const fault = { match: { operation: 'createAccount' }, effect: { kind: 'hang' } };
  await sandbox.control('POST', 'worlds/gone/faults', fault);
  const cut = (work: Promise<unknown>) =>
    work.then(
      () => 'answered',
      (error: Error) => error.name,
    );
  const { base_url } = await sandbox.listen();
  const headers = {
    authorization: `Bearer ${created.token}`,
    'idempotency-key': 'socket',
    'content-type': 'application/json',
  };
  const terms = { method: 'POST', headers, body: JSON.stringify(person) };
  const underWay = [
    cut(call(sandbox, created.token, 'accounts', person)),
    cut(fetch(`${base_url}/api/v1/accounts`, terms)),
  ];
  const read = reader(sandbox, created);
  for (let tries = 0; (await read('info')).counts.held < 2; tries += 1) {
    assert.ok(tries < 500, 'both calls are held back');
    await new Promise((next) => setTimeout(next, 2));
  }
  await sandbox.control('DELETE', 'worlds/gone');
  assert.equal(await Promise.all(underWay), ['TypeError', 'TypeError']);
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
