// `sandbox start` for people and scripts: output, exit codes, and shutdown.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ReadyEvent } from '../commands/sandbox/ready.ts';
import { Program, ready, SANDBOX } from './testing/program.ts';

const starts = suite<{ folder: string; children: Program[] }>('sandbox start');

starts.before.each((place) => {
  place.folder = mkdtempSync(join(tmpdir(), 'start-'));
  place.children = [];
});
starts.after.each(async ({ folder, children }) => {
  for (const child of children) child.signal('SIGKILL');
  await Promise.all(children.map((child) => child.ended));
  rmSync(folder, { recursive: true, force: true });
});

type Place = { folder: string; children: Program[] };

function start({ folder, children }: Place, ...args: string[]): Program {
  const child = new Program([SANDBOX, 'start', ...args], { cwd: folder });
  children.push(child);
  return child;
}

const create = (event: ReadyEvent) =>
  fetch(`${event.base_url}/api/v1/accounts`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${event.credentials.find(({ name }) => name === 'brand-a')?.token}`,
      'idempotency-key': 'one',
      'content-type': 'application/json',
    },
    body: '{"client_reference_id":"one","email":"one@example.com"}',
  });

starts('serves after its ready event, and logs each request without its token', async (place) => {
  const child = start(place, '--port', '0', '--json', '--ready-file', 'ready.json');
  const event = await ready(child);
  assert.is((await create(event)).status, 201);
  assert.is((await create(event)).status, 201);
  await child.says('"idempotency":"replayed"');
  await fetch(`${event.base_url}/api/v1/events?access_token=tok_s3cret&a=1`);
  await child.says('&a=1');
  assert.not.match(child.out, 's3cret');
  assert.equal(JSON.parse(readFileSync(join(place.folder, 'ready.json'), 'utf8')), event);
  const names = event.credentials.map(({ name }) => name).slice(0, 3);
  assert.equal(names, ['firm', 'brand-a', 'brand-b']);
  const info = await fetch(`${event.control_url}/info`);
  assert.is(((await info.json()) as ReadyEvent).base_url, event.base_url);
  assert.is((await fetch(event.openapi_url)).status, 200);
  child.signal('SIGTERM');
  assert.is((await child.ended).code, 0);
  assert.is(child.err, '');
});

starts('the requested files are readable by their owner only', async (place) => {
  const options = ['--state', 'state.json', '--record', 'bug.jsonl', '--ready-file', 'ready.json'];
  const keeping = start(place, '--port', '0', '--json', ...options);
  await create(await ready(keeping));
  // A closed terminal shuts it down gracefully too.
  keeping.signal('SIGHUP');
  assert.is((await keeping.ended).code, 0);
  const files = readdirSync(place.folder).sort();
  for (const file of ['bug.jsonl', 'ready.json', 'state.json'])
    assert.ok(files.includes(file), file);
  for (const file of files) {
    const { mode } = statSync(join(place.folder, file));
    assert.is((mode & 0o777).toString(8), '600', file);
  }
});

starts(
  'the curl line of the banner works as printed, twice, and the log shows no token',
  async (place) => {
    const child = start(place, '--port', '0');
    await child.says('curl -i');
    await child.says("}'");
    const line = child.out.split('\n').find((one) => one.includes('curl -i')) ?? '';
    const first = execFileSync('sh', ['-c', line], { encoding: 'utf8', stdio: 'pipe' });
    assert.match(first, /^HTTP\/1\.1 201 /);
    const second = execFileSync('sh', ['-c', line], { encoding: 'utf8', stdio: 'pipe' });
    const bodyOf = (answer: string) => answer.slice(answer.indexOf('\r\n\r\n'));
    assert.is(bodyOf(second), bodyOf(first));
    await child.says('201 replayed');
    await fetch(`${/http:\S+:\d+/.exec(line)?.[0]}/api/v1/events?access_token=tok_s3cret&a=1`);
    await child.says('&a=1');
    assert.not.match(child.out, 's3cret');
    child.signal('SIGINT');
    assert.is((await child.ended).code, 0);
  },
);

starts('quiet shows the banner only', async (place) => {
  const child = start(place, '--port', '0', '--quiet');
  await child.says("}'");
  const url = /http:\/\/127\.0\.0\.1:\d+/.exec(child.out)?.[0];
  const before = child.out.length;
  assert.is((await fetch(`${url}/api/v1/accounts`)).status, 401);
  child.signal('SIGTERM');
  await child.ended;
  assert.is(child.out.slice(before).trim(), '');
});

starts('a config file in the folder counts, and is refused by its field', async (place) => {
  writeFileSync(join(place.folder, 'sandbox.config.json'), '{"settings": {"no_such": 1}}');
  const { code, out, err } = await start(place, '--port', '0').ended;
  assert.equal([code, out], [2, ''], 'nothing says that it runs');
  assert.match(err, 'sandbox.config.json: settings.no_such');
  assert.not.match(err, / at .*:\d+:\d+/);
});

const LATE = '{"client_reference_id":"late","email":"late@example.com"}';

/** A create whose headers the server has received, and whose body it has requested. */
async function beginCreate({ base_url, credentials }: ReadyEvent) {
  const socket = connect(Number(new URL(base_url).port), '127.0.0.1');
  const seen = { answer: '', closed: new Promise((resolve) => socket.once('close', resolve)) };
  socket.on('data', (chunk) => {
    seen.answer += chunk;
  });
  socket.on('error', () => socket.destroy());
  const token = credentials.find(({ name }) => name === 'brand-a')?.token;
  socket.write(
    `POST /api/v1/accounts HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n` +
      `Idempotency-Key: late\r\nContent-Type: application/json\r\n` +
      `Expect: 100-continue\r\nContent-Length: ${LATE.length}\r\n\r\n`,
  );
  await new Promise<void>((resolve) => socket.once('data', () => resolve()));
  return Object.assign(seen, { socket });
}

/** Waits until no new connection is accepted. */
async function untilRefused({ base_url }: ReadyEvent): Promise<void> {
  const isOpen = () =>
    fetch(base_url).then(
      () => true,
      () => false,
    );
  while (await isOpen());
}

starts('a request whose body is still arriving is finished before the shutdown', async (place) => {
  const child = start(place, '--port', '0', '--json');
  const event = await ready(child);
  const create = await beginCreate(event);
  child.signal('SIGTERM');
  await untilRefused(event);
  create.socket.write(LATE);
  assert.is((await child.ended).code, 0);
  await create.closed;
  assert.match(create.answer, 'HTTP/1.1 201 Created');
  assert.equal(readdirSync(place.folder), [], 'no file was requested');
});

starts('a body that never arrives does not delay the shutdown', async (place) => {
  const child = start(place, '--port', '0', '--json');
  const { socket } = await beginCreate(await ready(child));
  child.signal('SIGTERM');
  assert.is((await child.ended).code, 0);
  socket.destroy();
});

starts('a second signal ends it immediately', async (place) => {
  const child = start(place, '--port', '0', '--json');
  const event = await ready(child);
  const { socket } = await beginCreate(event);
  child.signal('SIGTERM');
  await untilRefused(event);
  child.signal('SIGTERM');
  assert.is((await child.ended).code, 1);
  socket.destroy();
});

starts.run();
