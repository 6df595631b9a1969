// Untrusted and slow clients: a foreign Host is refused everywhere, and no connection stays open
// for bytes that are never sent or never read.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { personOf } from '../../fixtures/testing/bodies.ts';
import { Guard } from './access-guard.ts';
import { startTestServer, type TestServer } from './testing/server.ts';

interface Place extends TestServer {
  /** Sends this text and returns everything received until the connection ends. */
  readonly exchange: (text: string, more?: Uint8Array) => Promise<string>;
  readonly open: () => Socket;
  readonly ask: (path: string) => Promise<Response>;
  /** The number of connections of the server. */
  readonly connections: () => Promise<number>;
}

const tick = () => new Promise((resolve) => setTimeout(resolve, 5));

const test = suite<Place>('hostile clients');
serveEach(test, 30_000);
const waiting = suite<Place>('hostile clients that wait');
serveEach(waiting, 120);

/** Gives each test a server; no connection may be left at the end of it. */
function serveEach({ before, after }: typeof test, arrivalMs: number): void {
  const guard = new Guard({ allowHosts: ['sandbox'], allowOrigins: ['http://localhost:3000'] });
  const sockets = new Set<Socket>();
  before.each(async (place) => {
    const server = await startTestServer({ guard, arrivalMs });
    const { app, port } = server;
    const open = () => {
      // The server decides when the connection ends.
      const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
      socket.on('error', () => socket.destroy());
      sockets.add(socket);
      return socket;
    };
    const exchange = async (text: string, more: Uint8Array = Buffer.alloc(0)) => {
      const socket = open();
      let received = '';
      socket.on('data', (chunk) => {
        received += chunk;
      });
      socket.write(Buffer.concat([Buffer.from(text), more]));
      await once(socket, 'end');
      socket.destroy();
      return received;
    };
    const ask = (path: string) =>
      fetch(`http://127.0.0.1:${port}${path}`, { headers: { connection: 'close' } });
    const connections = () =>
      new Promise<number>((done) => app.server.getConnections((_, n) => done(n)));
    Object.assign(place, { ...server, exchange, open, ask, connections });
  });
  after.each(async ({ connections, close }) => {
    for (const socket of sockets) if (!socket.destroyed) await once(socket, 'close');
    sockets.clear();
    while ((await connections()) > 0) await tick();
    await close();
  });
}

/** The head of a request; its host is this machine, unless a header names another. */
function head(line: string, ...headers: readonly string[]): string {
  const host = headers.some((header) => header.startsWith('host:')) ? [] : ['host: localhost'];
  return `${[`${line} HTTP/1.1`, ...host, ...headers].join('\r\n')}\r\n\r\n`;
}

const end = 'connection: close';
const json = 'content-type: application/json';
const outside = 'host: evil.example';
const bearer = (token: string) => `authorization: Bearer ${token}`;
const upgrade = [
  ...['connection: upgrade', 'upgrade: websocket', 'sec-websocket-version: 13'],
  'sec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==',
];
/** A handshake of the events channel. */
const shake = (...headers: readonly string[]) => head('GET /api/v1/events', ...upgrade, ...headers);
const statusOf = (answer: string) => answer.slice(9, 12);

test('a foreign Host is refused on every path', async ({ exchange, token, sandbox }) => {
  const as = bearer(token);
  for (const path of ['/api/v1/accounts', '/_sandbox/info', '/openapi.json', '/', '/nowhere']) {
    const ask = (host: string) => exchange(head(`GET ${path}`, `host: ${host}`, as, end));
    assert.is(statusOf(await ask('evil.example')), '403', path);
    assert.match(await ask('evil.example'), '--allow-host evil.example');
    const known = path === '/' || path === '/nowhere' ? '404' : '200';
    for (const host of ['localhost', 'sandbox:7420']) {
      assert.is(statusOf(await ask(host)), known, path);
    }
  }
  assert.is(statusOf(await exchange(shake(outside, as))), '403');
  const before = sandbox.first.world.accounts.size;
  const body = JSON.stringify(personOf('x'));
  const more = [end, 'idempotency-key: a', json, `content-length: ${body.length}`];
  const create = head('POST /api/v1/accounts', outside, as, ...more);
  assert.is(statusOf(await exchange(create + body)), '403');
  assert.is(sandbox.first.world.accounts.size, before);
});

test('a guard sees every header, however many precede it', async ({ exchange }) => {
  const many = Array.from({ length: 2100 }, (_, n) => `${n.toString(36)}:`);
  const reset = (last: string) =>
    exchange(head('POST /_sandbox/reset', 'content-length: 0', end, ...many, last));
  assert.is(statusOf(await reset('x: y')), '200');
  assert.is(statusOf(await reset('origin: http://evil.example')), '403');
  assert.is(statusOf(await reset('sec-fetch-site: cross-site')), '403');
});

test('a request with two Host headers is refused, in either order', async ({ exchange, token }) => {
  for (const other of [outside, 'HOST: localhost']) {
    const headers = ['host: localhost', other, bearer(token)];
    for (const text of [
      head('GET /api/v1/accounts', ...headers, end),
      head('GET /_sandbox/info', ...headers, end),
      shake(...headers),
    ]) {
      assert.is(statusOf(await exchange(text)), '400', text);
    }
  }
});

test('a page of another origin follows events only if allowed', async (place) => {
  const { exchange, open, token } = place;
  const from = (origin: string) =>
    head(`GET /api/v1/events?access_token=${token}`, `origin: ${origin}`, ...upgrade);
  const refused = await exchange(from('http://evil.example'));
  assert.is(statusOf(refused), '403');
  assert.match(refused, '--allow-origin');
  const socket = open();
  socket.write(from('http://localhost:3000'));
  const [chunk] = (await once(socket, 'data')) as [Buffer];
  assert.is(statusOf(chunk.toString()), '101');
  socket.destroy();
});

test('a refused connection is closed even if the client keeps sending', async ({ exchange }) => {
  assert.is(statusOf(await exchange(shake(), Buffer.alloc(80_000))), '401');
  assert.is(statusOf(await exchange('GIBBERISH\r\n\r\n', Buffer.alloc(80_000, 'x'))), '400');
});

test('a refused handshake is closed even if the client stays', async ({ open, connections }) => {
  const socket = open();
  socket.write(shake());
  socket.resume();
  await once(socket, 'end');
  while ((await connections()) > 0) await tick();
  assert.not(socket.destroyed, 'it was the server that ended it');
  socket.destroy();
});

test('a follower that breaks the protocol is disconnected', async (place) => {
  const { open, connections, token } = place;
  const socket = open();
  socket.write(shake(bearer(token)));
  const [answer] = await once(socket, 'data');
  assert.is(statusOf(answer.toString()), '101');
  const reservedOpcode = Buffer.from([0x8b, 0x80, 0, 0, 0, 0]);
  const beganMs = performance.now();
  socket.write(reservedOpcode);
  socket.resume();
  while ((await connections()) > 0) await tick();
  assert.ok(performance.now() - beganMs < 10_000, 'the library alone waits half a minute');
  assert.not(socket.destroyed, 'it was the server that ended it');
  socket.destroy();
});

const short = 'content-length: 9';
const large = 'content-length: 400000000';
const chunked = 'transfer-encoding: chunked';
// [what is not sent to its end, the bytes that are sent, the status]
const slow = [
  ['headers', 'POST /api/v1/accounts HTTP/1.1\r\nhost: loc', 408],
  ['a body of the API', `${head('POST /api/v1/accounts', short)}{`, 408],
  ['a body of the plane', `${head('PUT /_sandbox/state', json, chunked)}1\r\n{\r\n`, 408],
  ['a body that is too large', head('POST /_sandbox/credentials', json, large), 413],
  ['a body for an unknown path', head('POST /_sandbox/evil/state', large), 404],
  ['the body of an outsider', `${head('PUT /_sandbox/state', outside, large)}{`, 403],
  ['the chunks of an outsider', head('PUT /_sandbox/state', outside, chunked), 403],
] as const;

for (const [what, text, status] of slow) {
  waiting(`the connection is closed if the rest is not sent: ${what}`, async ({ exchange }) => {
    assert.is(statusOf(await exchange(text)), String(status));
  });
}

waiting('a response may take longer than a request', async ({ sandbox, open, token }) => {
  sandbox.first.execute('makeFault', { match: {}, effect: { kind: 'hang' } });
  const socket = open();
  socket.write(head('GET /api/v1/accounts', bearer(token)));
  const other = open();
  other.write(head('POST /', short));
  await once(other, 'data');
  other.destroy();
  assert.not(socket.readableEnded, 'the one that waits for its answer is still there');
  assert.is(sandbox.first.waiting, 1);
  socket.destroy();
});

test('if responses are not read, few pipelined requests are accepted', async (place) => {
  const { open, ask, app } = place;
  const accepted: Socket[] = [];
  app.server.on('connection', (socket: Socket) => accepted.push(socket));
  const bytesRead = () => accepted[0]?.bytesRead ?? 0;
  const socket = open();
  socket.pause();
  const text = head('GET /openapi.json').repeat(20_000);
  socket.write(text);
  const before = process.memoryUsage.rss();
  while (bytesRead() === 0) await tick();
  assert.is((await ask('/openapi.json')).status, 200);
  assert.ok(bytesRead() < text.length / 2, `${bytesRead()} bytes were read`);
  socket.destroy();
  assert.is((await ask('/_sandbox/health')).status, 200);
  assert.ok(process.memoryUsage.rss() - before < 100 * 1024 * 1024);
});

test('requests outside the API on one connection are answered in order', async ({ exchange }) => {
  const text = head('GET /_sandbox/health').repeat(500) + head('GET /_sandbox/clock', end);
  const answers = (await exchange(text)).split('HTTP/1.1 200').slice(1);
  assert.is(answers.length, 501);
  assert.match(answers.at(-1) ?? '', 'now_ms');
});

test.run();
waiting.run();
