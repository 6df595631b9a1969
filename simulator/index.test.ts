// The public entry point names an invalid option and its remedy, and a port that is not available
// leaves the sandbox unchanged.
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { errorOf } from './host/testing/error-of.ts';
import { createSandbox, type Deviation, type ListenOptions, type SandboxOptions } from './index.ts';
import { exchange } from './transports/testing/server.ts';

const entryPoint = suite('public entry point');

const own: Deviation = {
  id: 'odd',
  breaks: ['CONV-1a'],
  story: 'For this test.',
  override: (behaviour) => behaviour,
};

// [options, the start of the message, the remedy in it]
const refused: readonly (readonly [unknown, string, string])[] = [
  ['default', 'options', 'an object'],
  [null, 'options', 'an object'],
  [{ wrld: 1 }, 'wrld', 'did you mean "world"?'],
  [{ allow_local_webhooks: true }, 'allow_local_webhooks', 'did you mean "allowLocalWebhooks"?'],
  [{ quite: 1 }, 'quite', '"controlToken"'],
  [{ world: 'nope' }, 'world', 'default, empty, busy'],
  [{ world: 5 }, 'world', 'a string or an object'],
  [{ world: { firms: [] } }, 'world.credentials', 'missing'],
  [{ clock: 'yesterday' }, 'clock', '2026-01-31T12:00:00Z'],
  [{ clock: 5 }, 'clock', 'a string'],
  [{ seed: {} }, 'seed', 'whole number'],
  [{ seed: 1.5 }, 'seed', 'whole number'],
  [{ seed: 1n }, 'seed', 'not a bigint'],
  [{ seed: ' ' }, 'seed', 'not be empty'],
  [{ plan: 'x' }, 'plan', '"sandbox", "standard", "pro"'],
  [{ settings: 5 }, 'settings must', 'an object'],
  [{ settings: { abandon_after: 5 } }, 'settings.abandon_after', '"abandon_after_ms"'],
  [{ forwardTo: 'localhost:3000' }, 'forwardTo', 'http://localhost:3000/hooks'],
  [{ forwardTo: 'http://a:b@localhost/' }, 'forwardTo', 'without a user name'],
  [{ state: 5 }, 'state', 'a string'],
  [{ record: ' ' }, 'record', 'not be empty'],
  [{ forwards: 'x' }, 'forwards', 'a list, not a string'],
  [{ forwards: [{ from: 'x', to: 'y' }] }, 'forwards[0].from', 'an https origin'],
  [{ forwards: [{ from: 'https://a.example', to: 'y' }] }, 'forwards[0].to', 'http://127.0.0.1'],
  [{ allowLocalWebhooks: 'yes' }, 'allowLocalWebhooks', 'true or false'],
  [{ deviations: 'x' }, 'deviations', 'a list'],
  [{ deviations: ['replay-answer-200'] }, 'deviations[0]', '"replay-answers-200"?'],
  [{ deviations: [own, 5] }, 'deviations[1]', 'an object'],
  [{ deviations: [{ ...own, breaks: ['CONV-1'] }] }, 'deviations[0].breaks', 'CONV-1'],
  [{ deviations: [{ ...own, override: null }] }, 'deviations[0].override', 'a function'],
  [{ deviations: [{ ...own, breaks: 'x' }] }, 'deviations[0].breaks', 'a list'],
  [{ controlToken: 'a b' }, 'controlToken', 'without spaces'],
  [{ controlToken: 5 }, 'controlToken', 'a string'],
];

for (const [options, start, remedy] of refused) {
  const named = typeof options === 'object' && options !== null ? Object.entries(options) : options;
  entryPoint(`refuses ${start}: ${String(named)}`, async () => {
    const { name, message } = await errorOf(createSandbox(options as SandboxOptions));
    assert.is(name, 'TypeError');
    assert.ok(message.startsWith(start), message);
    assert.ok(message.includes(remedy), message);
  });
}

entryPoint('all errors are named together, and a secret is never repeated', async () => {
  const options = { plan: 'x', seed: {}, controlToken: 'se cret' } as unknown as SandboxOptions;
  const { message } = await errorOf(createSandbox(options));
  for (const name of ['plan', 'seed', 'controlToken']) assert.match(message, name);
  assert.not.match(message, 'se cret');
});

entryPoint('every option is accepted, and undefined is the same as omitted', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'entry-point-'));
  const every: Required<SandboxOptions> = {
    world: 'empty',
    clock: '2026-01-31',
    seed: 'seven',
    plan: 'pro',
    settings: { abandon_after_ms: 45_000 },
    forwards: [{ from: 'https://Hooks.example.com/', to: 'http://127.0.0.1:9/hooks' }],
    allowLocalWebhooks: true,
    allowPublicDeliveries: true,
    deviations: ['replay-answers-200', own],
    controlToken: 's3cret',
    forwardTo: 'http://127.0.0.1:9/all',
    state: join(folder, 'state.json'),
    stateSync: true,
    record: join(folder, 'record.jsonl'),
  };
  const full = await createSandbox(every);
  assert.is(full.clock.nowMs(), Date.UTC(2026, 0, 31));
  const info = (await full.control('GET', 'info')) as Record<string, unknown>;
  assert.equal(info.settings_changed, ['abandon_after_ms']);
  assert.equal(info.deviations, ['replay-answers-200', 'odd']);
  assert.is((info.subscription as { forwards_to: string }).forwards_to, every.forwardTo);
  await full.close();
  for (const file of [every.state, every.record]) assert.ok(readFileSync(file).length > 0);
  const left = Object.fromEntries(Object.keys(every).map((name) => [name, undefined]));
  await (await createSandbox(left as SandboxOptions)).close();
  rmSync(folder, { recursive: true });
});

entryPoint('a saved world continues from its state, and takes no other world', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'entry-point-'));
  const state = join(folder, 'state.json');
  const first = await createSandbox({ state, clock: '2030-01-01', plan: 'pro' });
  await first.clock.advance({ by_ms: 5000 });
  await first.webhooks.collect({ categories: ['order'] });
  await first.close();
  const again = await createSandbox({ state });
  assert.is(again.clock.nowMs(), Date.UTC(2030, 0, 1) + 5000);
  assert.is(again.credential('firm').plan, 'pro');
  const sink = await again.webhooks.collect({ categories: ['account'] });
  await again.control.createEvent({ category: 'account' });
  await sink.waitFor({ category: 'account' });
  await again.close();
  const { message } = await errorOf(createSandbox({ state, plan: 'standard' }));
  assert.match(message, /^plan standard contradicts .*state\.json, whose world began with pro/);
  writeFileSync(state, '{');
  assert.match((await errorOf(createSandbox({ state }))).message, 'state.json: is not whole JSON');
  rmSync(folder, { recursive: true });
});

entryPoint('a control token is required if other machines can connect', async () => {
  const open = await createSandbox({ clock: 'frozen' });
  for (const host of ['0.0.0.0', '::', '10.0.0.1', 'localhost.com']) {
    const { name, message } = await errorOf(open.listen({ host }));
    assert.is(name, 'TypeError');
    assert.match(message, /^host \S+ needs a control token, .*: give controlToken/);
  }
  await open.close();
  const guarded = await createSandbox({ clock: 'frozen', controlToken: 's3cret' });
  const { base_url } = await guarded.listen({ host: '0.0.0.0' });
  assert.is((await fetch(`${base_url}/_sandbox/health`)).status, 401);
  await guarded.close();
});

const badListening: readonly (readonly [unknown, RegExp])[] = [
  [{ port: '80' }, /^port must be a whole number, not a string/],
  [{ port: -1 }, /^port /],
  [{ port: 65_536 }, /^port /],
  [{ port: 1.5 }, /^port /],
  [{ host: '' }, /^host must not be empty/],
  [{ host: 5 }, /^host /],
  [{ allowHosts: 'sandbox' }, /^allowHosts must be a list/],
  [{ allowHosts: ['http://sandbox'] }, /^allowHosts\[0\] .* It is a name without scheme/],
  [{ allowOrigins: ['localhost'] }, /^allowOrigins\[0\] .* It is an origin/],
  [{ prot: 1 }, /^prot is not known here; did you mean "port"\?/],
  [8080, /^options /],
];

entryPoint('listen refuses invalid arguments, and can be called again', async () => {
  const sandbox = await createSandbox({ clock: 'frozen' });
  for (const [options, words] of badListening) {
    const { name, message } = await errorOf(sandbox.listen(options as ListenOptions));
    assert.is(name, 'TypeError');
    assert.match(message, words);
  }
  assert.match((await sandbox.listen()).base_url, /^http:\/\/127\.0\.0\.1:\d+$/);
  await sandbox.close();
});

entryPoint('allowed host names are accepted, and any name without a socket', async () => {
  const sandbox = await createSandbox({ clock: 'frozen' });
  const { base_url } = await sandbox.listen({ allowHosts: ['sandbox'] });
  const { port } = new URL(base_url);
  const statusAs = async (host: string) => {
    const head = `GET /_sandbox/health HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`;
    return (await exchange(Number(port), [head])).split(' ')[1];
  };
  assert.equal([await statusAs(`sandbox:${port}`), await statusAs('elsewhere')], ['200', '403']);
  assert.is((await sandbox.fetch('http://elsewhere/_sandbox/health')).status, 200);
  assert.is((await sandbox.fetch('http://elsewhere/api/v1/accounts')).status, 401);
  await sandbox.close();
});

entryPoint('a port in use leaves nothing behind', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  const sandbox = await createSandbox({ clock: 'frozen' });
  const stream = await sandbox.fetch('/_sandbox/stream');
  const ended = stream.body?.pipeTo(new WritableStream()).then(() => 'ended');
  for (let time = 0; time < 2; time += 1) {
    const { code } = (await errorOf(sandbox.listen({ port }))) as NodeJS.ErrnoException;
    assert.is(code, 'EADDRINUSE');
  }
  const open = new Promise((done) => setTimeout(done, 10, 'open'));
  assert.is(await Promise.race([ended, open]), 'open', 'a reader without a socket goes on');
  other.close();
  await once(other, 'close');
  const { base_url } = await sandbox.listen({ port });
  assert.is((await fetch(`${base_url}/_sandbox/health`)).status, 200);
  assert.match((await errorOf(sandbox.listen())).message, 'listens already');
  await sandbox.close();
  assert.match((await errorOf(fetch(base_url))).message, 'fetch failed');
});

entryPoint('a closed sandbox stops listening, even if it was about to start', async () => {
  const sandbox = await createSandbox({ clock: 'frozen' });
  const listening = sandbox.listen();
  const second = errorOf(sandbox.listen());
  const [{ base_url }] = await Promise.all([listening, sandbox.close()]);
  assert.match((await second).message, 'listens already');
  assert.match((await errorOf(fetch(base_url))).message, 'fetch failed');
  assert.match((await errorOf(sandbox.listen())).message, 'closed');
});

entryPoint.run();
