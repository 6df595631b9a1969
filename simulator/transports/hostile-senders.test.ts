// Untrusted and slow clients: a foreign Host is refused everywhere, and no connection stays open
// for bytes that are never sent or never read.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
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

const end = 'connection: close\r\n';
const upgrade =
  'connection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\n' +
  'sec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n';
const statusOf = (answer: string) => answer.slice(9, 12);

test('a foreign Host is refused on every path', async ({ exchange, token, sandbox }) => {
  const as = `authorization: Bearer ${token}\r\n`;
  for (const path of ['/api/v1/accounts', '/_sandbox/info', '/openapi.json', '/', '/nowhere']) {
    const ask = (host: string) =>
      exchange(`GET ${path} HTTP/1.1\r\nhost: ${host}\r\n${as}${end}\r\n`);
    assert.is(statusOf(await ask('evil.example')), '403', path);
    assert.match(await ask('evil.example'), '--allow-host evil.example');
    const known = path === '/' || path === '/nowhere' ? '404' : '200';
    for (const host of ['localhost', 'sandbox:7420']) {
      assert.is(statusOf(await ask(host)), known, path);
    }
  }
  const shake = `GET /api/v1/events HTTP/1.1\r\nhost: evil.example\r\n${as}${upgrade}\r\n`;
  assert.is(statusOf(await exchange(shake)), '403');
  const names = [...sandbox.first.world.accounts.values()].length;
  const body = '{"client_reference_id":"x","email":"x@example.com","brand_id":"10"}';
  const create =
    `POST /api/v1/accounts HTTP/1.1\r\nhost: evil.example\r\n${as}${end}idempotency-key: a\r\n` +
    `content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
  assert.is(statusOf(await exchange(create)), '403');
  assert.is([...sandbox.first.world.accounts.values()].length, names);
});

test('a guard sees every header, however many precede it', async ({ exchange }) => {
  const many = Array.from({ length: 2100 }, (_, n) => `${n.toString(36)}:\r\n`).join('');
  const reset = (last: string) =>
    exchange(
      `POST /_sandbox/reset HTTP/1.1\r\nhost: localhost\r\ncontent-length: 0\r\n${end}` +
        `${many}${last}\r\n\r\n`,
    );
  assert.is(statusOf(await reset('x: y')), '200');
  assert.is(statusOf(await reset('origin: http://evil.example')), '403');
  assert.is(statusOf(await reset('sec-fetch-site: cross-site')), '403');
});

test('a request with two Host headers is refused, in either order', async ({ exchange, token }) => {
  const as = `authorization: Bearer ${token}\r\n`;
  for (const hosts of ['localhost\r\nhost: evil.example', 'localhost\r\nHOST: localhost']) {
    for (const [path, more] of [
      ['/api/v1/accounts', end],
      ['/_sandbox/info', end],
      ['/api/v1/events', upgrade],
    ]) {
      const head = `GET ${path} HTTP/1.1\r\nhost: ${hosts}\r\n${as}${more}\r\n`;
      assert.is(statusOf(await exchange(head)), '400', path);
    }
  }
});

test('a page of another origin follows events only if allowed', async (place) => {
  const { exchange, open, token } = place;
  const shake = (origin: string) =>
    `GET /api/v1/events?access_token=${token} HTTP/1.1\r\nhost: localhost\r\n` +
    `origin: ${origin}\r\n${upgrade}\r\n`;
  const refused = await exchange(shake('http://evil.example'));
  assert.is(statusOf(refused), '403');
  assert.match(refused, '--allow-origin');
  const socket = open();
  socket.write(shake('http://localhost:3000'));
  const [chunk] = (await once(socket, 'data')) as [Buffer];
  assert.is(statusOf(chunk.toString()), '101');
  socket.destroy();
});

test('a refused connection is closed even if the client keeps sending', async ({ exchange }) => {
  const head = `GET /api/v1/events HTTP/1.1\r\nhost: localhost\r\n${upgrade}\r\n`;
  assert.is(statusOf(await exchange(head, Buffer.alloc(80_000))), '401');
  assert.is(statusOf(await exchange('GIBBERISH\r\n\r\n', Buffer.alloc(80_000, 'x'))), '400');
});

test('a refused handshake is closed even if the client stays', async ({ open, connections }) => {
  const socket = open();
  socket.write(`GET /api/v1/events HTTP/1.1\r\nhost: localhost\r\n${upgrade}\r\n`);
  socket.resume();
  await once(socket, 'end');
  while ((await connections()) > 0) await tick();
  assert.not(socket.destroyed, 'it was the server that ended it');
  socket.destroy();
});

test('a follower that breaks the protocol is disconnected', async (place) => {
  const { open, connections, token } = place;
  const socket = open();
  const handshake = `authorization: Bearer ${token}\r\n${upgrade}`;
  socket.write(`GET /api/v1/events HTTP/1.1\r\nhost: localhost\r\n${handshake}\r\n`);
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

const big = 'content-length: 400000000';
// [what is not sent to its end, the bytes that are sent, the status]
const slow = [
  ['headers', 'POST /api/v1/accounts HTTP/1.1\r\nhost: loc', 408],
  [
    'a body of the API',
    'POST /api/v1/accounts HTTP/1.1\r\nhost: localhost\r\ncontent-length: 9\r\n\r\n{',
    408,
  ],
  [
    'a body of the control plane',
    'PUT /_sandbox/state HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n' +
      'transfer-encoding: chunked\r\n\r\n1\r\n{\r\n',
    408,
  ],
  [
    'a body that is too large',
    `POST /_sandbox/credentials HTTP/1.1\r\nhost: localhost\r\n${big}\r\n` +
      'content-type: application/json\r\n\r\n',
    413,
  ],
  [
    'a body for an unknown path',
    `POST /_sandbox/evil/state HTTP/1.1\r\nhost: localhost\r\n${big}\r\n\r\n`,
    404,
  ],
  [
    'the body of an outsider',
    `PUT /_sandbox/state HTTP/1.1\r\nhost: evil.example\r\n${big}\r\n\r\n{`,
    403,
  ],
  [
    'the chunks of an outsider',
    'PUT /_sandbox/state HTTP/1.1\r\nhost: evil.example\r\ntransfer-encoding: chunked\r\n\r\n',
    403,
  ],
] as const;

for (const [what, text, status] of slow) {
  waiting(`the connection is closed if the rest is not sent: ${what}`, async ({ exchange }) => {
    assert.is(statusOf(await exchange(text)), String(status));
  });
}

waiting('a response may take longer than a request', async ({ sandbox, open, token }) => {
  sandbox.first.execute('makeFault', { match: {}, effect: { kind: 'hang' } });
  const socket = open();
  socket.write(
    `GET /api/v1/accounts HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${token}\r\n\r\n`,
  );
  const other = open();
  other.write('POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: 9\r\n\r\n');
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
  const text = 'GET /openapi.json HTTP/1.1\r\nhost: localhost\r\n\r\n'.repeat(20_000);
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
  const get = (path: string, more = '') => `GET ${path} HTTP/1.1\r\nhost: localhost\r\n${more}\r\n`;
  const text = get('/_sandbox/health').repeat(500) + get('/_sandbox/clock', end);
  const answers = (await exchange(text)).split('HTTP/1.1 200').slice(1);
  assert.is(answers.length, 501);
  assert.match(answers.at(-1) ?? '', 'now_ms');
});

test.run();
waiting.run();
