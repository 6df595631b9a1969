// `sandbox start --forward-to`: the first minutes of the author of a receiver, as in the README.
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createSandbox, type SandboxOptions } from '../../simulator/index.ts';
import type { ReadyEvent } from '../commands/sandbox/ready.ts';
import { freePort, Program, startSandbox } from './testing/program.ts';

const forwarding = suite<{ children: Program[] }>('forward to');

forwarding.before.each((place) => {
  place.children = [];
});
forwarding.after.each(async ({ children }) => {
  for (const child of children) child.signal('SIGKILL');
  await Promise.all(children.map((child) => child.ended));
});

type Place = { children: Program[] };

function run({ children }: Place, args: readonly string[], env?: Record<string, string>): Program {
  const child = new Program(args, env && { env });
  children.push(child);
  return child;
}

async function start({ children }: Place, ...args: string[]) {
  const { program: child, ready } = await startSandbox(args);
  children.push(child);
  return { child, ready };
}

async function createAccount({ base_url, credentials }: ReadyEvent, name: string): Promise<void> {
  const response = await fetch(`${base_url}/api/v1/accounts`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${credentials.find((one) => one.name === 'brand-a')?.token}`,
      'idempotency-key': name,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ client_reference_id: name, email: `${name}@example.com` }),
  });
  assert.is(response.status, 201);
}

const control = async ({ control_url }: ReadyEvent, method: string, path: string, body?: unknown) =>
  (
    await fetch(`${control_url}/${path}`, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  ).json();

/** The receiver of the README. */
const receiver = `import { createServer } from 'node:http';
import { verifyWebhook } from 'trading-platform-sandbox/webhooks';

createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks); // the raw bytes, before any parsing
  const header = request.headers['x-webhook-signature'];
  const verdict = verifyWebhook({ header, body, secret: process.env.WEBHOOK_SECRET });
  if (verdict.ok) console.log(JSON.parse(body).kind); // do each \`id\` only once
  response.writeHead(verdict.ok ? 204 : 400).end();
}).listen(3000);
`;

forwarding('a receiver in ten lines verifies what it gets', async (place) => {
  const port = await freePort();
  const { child, ready } = await start(place, '--forward-to', `http://localhost:${port}/hooks`);
  const { subscription } = ready;
  assert.is(subscription?.forwards_to, `http://localhost:${port}/hooks`);
  assert.match(subscription?.secret ?? '', /^whsec_/);
  const program = receiver.replace('3000', `${port}, () => console.log('listens')`);
  const secret = { WEBHOOK_SECRET: subscription?.secret ?? '' };
  const local = run(place, ['--input-type=module', '--eval', program], secret);
  await local.says('listens');
  await createAccount(ready, 'ada');
  await local.says('account.created\n');
  await child.says('"outcome":"delivered"');
  const sent = child.out.split('\n').find((line) => line.includes('"phase":"sent"')) ?? '';
  const { kind, attempt, url } = JSON.parse(sent) as Record<string, unknown>;
  assert.equal([kind, attempt, url], ['account.created', 1, `http://localhost:${port}/hooks`]);

  // A reset keeps the subscription and its secret.
  await control(ready, 'POST', 'reset', {});
  await createAccount(ready, 'bob');
  await local.says('account.created\naccount.created\n');
});

/** The receiver and the forwards of an in-process sandbox. */
async function forwardsWith(options: SandboxOptions) {
  const sandbox = await createSandbox(options);
  const { subscription } = (await sandbox.control('GET', 'info')) as ReadyEvent;
  const { forwards } = (await sandbox.control('GET', 'forwards')) as { forwards: unknown };
  await sandbox.close();
  return { subscription, forwards };
}

forwarding('a kept world, and a receiver at another URL', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'forward-'));
  const state = join(folder, 'state.json');
  // Saved without a receiver, then with one, then with the same one at another URL.
  await forwardsWith({ state });
  const first = await forwardsWith({ state, forwardTo: 'http://127.0.0.1:9/one' });
  const to = 'http://127.0.0.1:9/two';
  assert.equal(await forwardsWith({ state, forwardTo: to }), {
    subscription: { ...first.subscription, forwards_to: to },
    forwards: [{ from: 'https://receiver.example', to }],
  });
  rmSync(folder, { recursive: true });
});

forwarding('forwards in the options apply to a kept world', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'forward-'));
  const forward = { from: 'https://hooks.example.com', to: 'http://127.0.0.1:9/in' };
  const state = join(folder, 'state.json');
  await forwardsWith({ state });
  assert.equal((await forwardsWith({ state, forwards: [forward] })).forwards, [forward]);
  rmSync(folder, { recursive: true });
});

forwarding('nothing listens: the log says so, and when it retries', async (place) => {
  const port = await freePort();
  const args = ['bin/sandbox.js', 'start', '--port', '0', '--clock', 'frozen', '--ready-file'];
  const file = join(mkdtempSync(join(tmpdir(), 'forward-')), 'ready.json');
  const child = run(place, [...args, file, '--forward-to', `http://127.0.0.1:${port}/in`]);
  await child.says('curl -i');
  assert.match(child.out, /Delivered to +http:\/\/127\.0\.0\.1:\d+\/in\n +Secret +whsec_/);
  const url = /http:\/\/127\.0\.0\.1:\d+/.exec(child.out)?.[0] ?? '';
  const token = / brand-a +(\S+)/.exec(child.out)?.[1];
  const ready = {
    base_url: url,
    control_url: `${url}/_sandbox`,
    credentials: [{ name: 'brand-a', token }],
  } as unknown as ReadyEvent;
  await createAccount(ready, 'joe');
  await child.says('again in');
  assert.match(
    child.out,
    /--> account\.created seq \d+ attempt 1 to http:\/\/127\.0\.0\.1:\d+\/in\n/,
  );
  assert.match(child.out, /<-- connection refused, again in 30 s \(seq \d+ attempt 1\)\n/);
  await control(ready, 'POST', 'clock/advance', { by_ms: 86_400_000 });
  await child.says('connection refused, the last attempt: delivery stops until it is resumed');
});

forwarding('a forward of an origin, and allowed local webhooks', async (place) => {
  const got: string[] = [];
  const server = createServer((request, response) => {
    got.push(request.url ?? '');
    request.resume();
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const local = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const forward = ['--forward', `https://hooks.example.com=${local}`, '--allow-local-webhooks'];
  const { child, ready } = await start(place, '--plan', 'pro', ...forward);
  assert.is(ready.subscription, null);
  const token = ready.credentials.find(({ name }) => name === 'brand-a')?.token;
  for (const url of ['https://hooks.example.com/forwarded', `${local}/local`]) {
    const response = await fetch(`${ready.base_url}/api/v1/webhooks`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ url, event_categories: ['account'] }),
    });
    assert.is(response.status, 201, url);
  }
  await createAccount(ready, 'zoe');
  await child.says('"outcome":"delivered"');
  const untilMs = performance.now() + 5000;
  while (got.length < 2 && performance.now() < untilMs) {
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  assert.equal(got.sort(), ['/forwarded', '/local']);
  server.close();
});

forwarding.run();
