// Calls that share a connection or a turn of the event loop are decided in order, whichever handler
// serves them; interrupted calls are neither answered nor waited for.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { connect, Socket } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { personOf } from '../../fixtures/testing/bodies.ts';
import { newestEntries } from '../core/journal.ts';
import { tokenOf } from '../host/testing/sandbox.ts';
import { RequestBatcher } from './request-batcher.ts';
import { exchange, type TestServer, withServer } from './testing/server.ts';

const test = suite<TestServer>('request batches');
withServer(test);

/** Texts of the same length. */
let count = 1000;

interface Sent {
  readonly method?: string;
  readonly path: string;
  readonly token?: string;
  readonly body?: string;
  readonly headers?: readonly string[];
}

function request({ method = 'GET', path, token, body = '', headers = [] }: Sent): string {
  count += 1;
  const lines = [`${method} ${path} HTTP/1.1`, 'host: localhost', `idempotency-key: turn-${count}`];
  if (token !== undefined) lines.push(`authorization: Bearer ${token}`);
  if (body !== '') lines.push('content-type: application/json', `content-length: ${body.length}`);
  return `${[...lines, ...headers].join('\r\n')}\r\n\r\n${body}`;
}

function create(token: string, more: object = {}): string {
  const text = JSON.stringify({ ...personOf(`turn-${count}`), ...more });
  return request({ method: 'POST', path: '/api/v1/accounts', token, body: text });
}

/** The statuses of the responses to bytes that are sent in one packet. */
async function statusesFor(port: number, bytes: string, until?: RegExp): Promise<number[]> {
  const text = await exchange(port, [bytes], until);
  return [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status));
}

const last = request({ path: '/_sandbox/health', headers: ['connection: close'] });

test('a reset is sent after earlier responses of its connection', async (place) => {
  const { sandbox, port, token } = place;
  const list = request({ path: '/api/v1/accounts?limit=1', token });
  for (const phase of ['before', 'after'] as const) {
    sandbox.first.execute('makeFault', {
      match: { operation: 'createAccount' },
      phase,
      effect: { kind: 'reset' },
      times: 1,
    });
    assert.equal(await statusesFor(port, list + list + create(token) + list), [200, 200]);
  }
});

test('calls of one connection are decided in order', async ({ sandbox, port, token }) => {
  const list = request({ path: '/api/v1/webhooks', token });
  const bytes = create(token) + list + create(token) + list + last;
  assert.equal(await statusesFor(port, bytes), [201, 200, 201, 200, 200]);
  const journal = [...newestEntries(sandbox.first.world.journal)].reverse();
  const operations = journal.map(({ operation }) => operation);
  assert.equal(operations, ['createAccount', 'listWebhooks', 'createAccount', 'listWebhooks']);
});

test('the control plane sees earlier calls of its connection', async ({ sandbox, port, token }) => {
  const accounts = request({ path: '/_sandbox/accounts' });
  const seen = await exchange(port, [create(token, { first_name: 'Seen' }) + accounts + last]);
  assert.is(seen.split('"first_name":"Seen"').length - 1, 2);

  await sandbox.addWorld({ name: 'going' });
  const [other] = [...(sandbox.worlds.get('going')?.world.tokens.keys() ?? [])];
  const drop = request({ method: 'DELETE', path: '/_sandbox/worlds/going' });
  assert.equal(await statusesFor(port, create(other ?? '') + drop + last), [201, 204, 200]);
});

test('a response precedes the handshake that was requested after it', async ({ port, token }) => {
  const handshake = request({
    path: '/api/v1/events',
    token,
    headers: [
      'connection: Upgrade',
      'upgrade: websocket',
      'sec-websocket-version: 13',
      'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==',
    ],
  });
  assert.equal(await statusesFor(port, create(token) + handshake, /HTTP\/1\.1 101/), [201, 101]);
});

test('a client that half-closes its connection gets its responses', async ({ port, token }) => {
  const bare = create(token, { comment: '' }).length;
  // One read returns 64 KiB, so the end of a body of this size is read in the same turn. The
  // length has three more digits.
  const bytes = create(token, { comment: 'x'.repeat(65_536 - bare - 3) });
  assert.is(bytes.length, 65_536);
  const client = `const s = require('node:net').connect(${port}, '127.0.0.1');
      s.end(${JSON.stringify(bytes)}); s.on('data', (d) => process.stdout.write(d));`;
  const child = spawn(process.execPath, ['-e', client], { stdio: ['ignore', 'pipe', 'inherit'] });
  // Nothing is read here until all bytes have arrived.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 800);
  let text = '';
  for await (const part of child.stdout) text += part;
  assert.match(text, /^HTTP\/1\.1 201/);
});

test('calls of a closed connection are not waited for', async ({ sandbox, port, token }) => {
  sandbox.first.execute('makeFault', { match: {}, effect: { kind: 'hang' } });
  const socket = connect({ port, host: '127.0.0.1' });
  socket.write(create(token) + create(token));
  while (sandbox.first.waiting < 2) await new Promise((resolve) => setTimeout(resolve, 5));
  socket.destroy();
  while (sandbox.first.waiting > 0) await new Promise((resolve) => setTimeout(resolve, 5));

  const gone = new Socket().destroy();
  const response = {} as ServerResponse;
  const own = new RequestBatcher(sandbox, {});
  const headers = { authorization: `Bearer ${token}` };
  const call = { method: 'GET', target: '/api/v1/accounts', headers, body: new Uint8Array() };
  own.take({ order: own.begin(), socket: gone, response, call });
  own.flush();
  assert.is(sandbox.first.waiting, 0);
});

test('a response that names its connection closes it as requested', async ({ port, token }) => {
  const bytes = request({ path: '/api/v1/events', token, headers: ['connection: close'] });
  assert.match(await exchange(port, [bytes]), /^connection: .*, close\r$/im);
});

test('work before responses ends before their first byte', async ({ sandbox, app, port }) => {
  const sockets: Socket[] = [];
  app.server.on('connection', (socket: Socket) => sockets.push(socket));
  const written = () => sockets.reduce((sum, { bytesWritten }) => sum + bytesWritten, 0);
  const atCalls: [accounts: number, bytes: number][] = [];
  const before = sandbox.first.world.accounts.size;
  sandbox.beforeAnswers.add(() => {
    atCalls.push([sandbox.first.world.accounts.size - before, written()]);
  });
  const socket = connect(port, '127.0.0.1');
  socket.write(create(tokenOf(sandbox, 'brand-a')));
  const [answer] = (await once(socket, 'data')) as [Buffer];
  assert.match(answer.toString(), /^HTTP\/1\.1 201 /);
  assert.equal(atCalls, [[1, 0]], 'the call was decided, and nothing was written');
  socket.destroy();
});

test.run();
