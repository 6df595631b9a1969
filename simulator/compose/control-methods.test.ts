// The control plane as methods: one method for each row, and a generic form for each listed path.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { rows } from '../control/all-rows.ts';
import { eachWith } from '../host/testing/each-with.ts';
import { errorOf } from '../host/testing/error-of.ts';
import { ControlError, createSandbox, type SandboxHandle } from '../index.ts';

const methods = suite<{ sandbox: SandboxHandle }>('control methods');

eachWith(methods, 'sandbox', () => createSandbox({ clock: 'frozen' }));

methods('every row is a method, and no row has two parts of one name', ({ sandbox }) => {
  for (const { name, params, query, body } of rows) {
    assert.type((sandbox.control as unknown as Record<string, unknown>)[name], 'function', name);
    const all = [params, query.properties, body?.properties ?? {}].flatMap((part) =>
      Array.isArray(part) ? part : Object.keys(part),
    );
    assert.is(new Set(all).size, all.length, name);
  }
});

methods('parts of path, query and body are members of one object', async ({ sandbox }) => {
  const { control } = sandbox;
  const { accounts, next_after } = await control.listAccounts({ brand_id: '10', limit: 1 });
  assert.equal([accounts.length, accounts[0]?.brand_id, typeof next_after], [1, '10', 'number']);
  const made = await control.createTradingAccount({ id: accounts[0]?.id ?? '', currency: 'EUR' });
  const same = await control.getTradingAccount({ id: made.id });
  assert.equal([same.currency, same.entries], ['EUR', []]);
  const named = await control.setName({ hostname: 'a.example.com', addresses: ['93.184.216.34'] });
  assert.is(named.hostname, 'a.example.com');
  assert.is(await control.forgetName({ hostname: 'a.example.com' }), null);
  await control.setForward({ from: 'https://a.example.com', to: 'http://127.0.0.1:9' });
  await control.removeForward({ from: 'https://a.example.com' });
  assert.equal((await control.listForwards()).forwards, []);
});

methods('an invalid argument is refused by name', async ({ sandbox }) => {
  const { control } = sandbox;
  const odd = { limit: 1, brand: '10' };
  const [unknown, missing, wrong] = [
    await errorOf(control.listAccounts(odd)),
    await errorOf(control.getAccount({ id: 'none' })),
    await errorOf(control.createSnapshot({ name: '/' })),
  ];
  const fault = { match: { operation: 'none' }, effect: { kind: 'hang' } } as never;
  for (const error of [unknown, missing, wrong, await errorOf(sandbox.faults.add(fault))])
    for (const kind of [ControlError, TypeError]) assert.instance(error, kind);
  assert.match(unknown.message, /^brand: /);
  assert.equal([(missing as ControlError).status, (wrong as ControlError).status], [404, 422]);
});

methods('the generic form accepts each path as the description lists it', async ({ sandbox }) => {
  const { paths } = (await sandbox.control.getDocument()) as {
    paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  };
  const fork = await sandbox.fork();
  for (const { control } of [sandbox, fork]) {
    for (const [path, item] of Object.entries(paths)) {
      for (const method of Object.keys(item)) {
        // No row has this member, so the request changes nothing.
        const body = method === 'get' ? undefined : { no: 1 };
        const promise = control(method.toUpperCase(), path.replace(/\{\w+\}/, 'none'), body);
        const result = await promise.then(
          () => '',
          ({ message }: Error) => message,
        );
        assert.not.match(result, /There is nothing at|takes [A-Z, ]+, not/, `${method} ${path}`);
      }
    }
  }
  const requests = await sandbox.control('GET', '/requests?limit=1');
  assert.equal(await sandbox.control('GET', '/_sandbox/requests?limit=1'), requests);
});

methods('the methods of a copy act on the copy, except those for worlds', async ({ sandbox }) => {
  const fork = await sandbox.fork('copy');
  await fork.control.createFault({ match: {}, effect: { kind: 'hang' } });
  assert.is((await fork.control.listFaults()).faults.length, 1);
  assert.is((await sandbox.control.listFaults()).faults.length, 0);
  const { worlds } = await fork.control.listWorlds();
  const names = worlds.map(({ name }) => name);
  assert.equal(names, ['default', 'copy']);
});

methods('the stream is an iterable, and ends when the sandbox closes', async ({ sandbox }) => {
  const seen: string[] = [];
  for await (const { event, data } of await sandbox.control.followStream()) {
    seen.push(event);
    if (event === 'clock') await sandbox.control.createEvent({ category: 'account' });
    if (event === 'event') {
      assert.is((data as { kind: string }).kind, 'account.custom');
      await sandbox.close();
    }
  }
  assert.equal(seen.slice(0, 2), ['clock', 'event']);
  assert.is((await errorOf(sandbox.control.getClock())).message, 'the sandbox is closed');
});

methods.run();
