// Throws made-up bytes at a socket: every request is answered or cut off in good order, nothing is
// half done, and the world is sound afterwards.
import { once } from 'node:events';
import { connect } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { findWrongReply, Invariants } from '../core/testing/invariants.ts';
import { drawFrom, makeCall, pick } from '../core/testing/random-inputs.ts';
import type { Sandbox } from '../host/world/sandbox.ts';
import { startTestServer } from '../transports/testing/server.ts';

const socket = suite('socket: made-up requests');

interface Heard {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

/** Writes bytes on a connection of their own; null when it was cut without an answer. */
async function say(port: number, chunks: readonly (string | Uint8Array)[]): Promise<Heard | null> {
  const client = connect(port, '127.0.0.1');
  const heard: Buffer[] = [];
  client.on('data', (chunk: Buffer) => heard.push(chunk));
  client.on('error', () => undefined);
  // A server that says nothing fails the test, and does not hold it up.
  client.setTimeout(5000, () => client.destroy());
  for (const chunk of chunks) client.write(chunk);
  await new Promise((resolve) => client.once('close', resolve));
  const text = Buffer.concat(heard).toString();
  const status = /^HTTP\/1\.1 (\d{3})/.exec(text)?.[1];
  if (status === undefined) return null;
  const contentType = /^content-type: (.*?)\r$/im.exec(text)?.[1] ?? '';
  return { status: Number(status), contentType, body: text.slice(text.indexOf('\r\n\r\n') + 4) };
}

function printHead(method: string, target: string, headers: Record<string, unknown>): string {
  const lines = Object.entries(headers)
    .flatMap(([name, value]) => (Array.isArray(value) ? value : [value]).map((one) => [name, one]))
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}: ${value}`);
  const head = [`${method} ${target} HTTP/1.1`, 'host: localhost', 'connection: close', ...lines];
  return `${head.join('\r\n')}\r\n\r\n`;
}

function holdAnswer(heard: Heard, method: string): void {
  const [contentType = ''] = heard.contentType.split(';');
  assert.is.not(Math.floor(heard.status / 100), 1);
  // What is no HTTP never becomes a request, and has a word in plain text.
  if (heard.status === 431 || method === 'HEAD') return;
  const reply = { ...heard, contentType: contentType as 'text/plain' };
  assert.is(findWrongReply(reply), null, `${heard.status} ${heard.body.slice(0, 300)}`);
}

function holdWorld(sandbox: Sandbox, invariants: Invariants): void {
  for (const problem of invariants.problems(sandbox.first.world)) assert.unreachable(problem);
}

socket('hundreds of requests, right and odd, one by one', async () => {
  const { sandbox, port, close } = await startTestServer();
  const invariants = new Invariants();
  const statuses = new Set<number>();
  for (let seed = 1; seed <= 400; seed += 1) {
    const call = makeCall(drawFrom(seed), sandbox.first.world, '{"odd": [1e999]}');
    if (call.method === 'BREW') continue;
    const headers = { ...call.headers, 'content-length': call.body.byteLength };
    const heard = await say(port, [printHead(call.method, call.target, headers), call.body]);
    if (heard === null) throw new Error(`no answer to ${call.method} ${call.target}`);
    statuses.add(heard.status);
    holdAnswer(heard, call.method);
    holdWorld(sandbox, invariants);
  }
  for (const status of [200, 201, 400, 401, 404, 405, 422])
    assert.ok(statuses.has(status), `${status}`);
  await close();
});

socket('uploads that break off do nothing', async () => {
  const { sandbox, port, token, close } = await startTestServer();
  const before = sandbox.first.world.accounts.size;
  const body = JSON.stringify({
    client_reference_id: 'cut-off',
    email: 'cut-off@example.com',
    brand_id: '10',
  });
  const head = (more: Record<string, unknown>) =>
    printHead('POST', '/api/v1/accounts', {
      authorization: `Bearer ${token}`,
      'idempotency-key': 'cut',
      'content-type': 'application/json',
      ...more,
    });
  for (let cut = 0; cut < body.length; cut += 7) {
    const client = connect(port, '127.0.0.1');
    client.on('error', () => undefined);
    const framed = cut % 2 === 0;
    const part = body.slice(0, cut);
    client.write(
      head(framed ? { 'content-length': body.length } : { 'transfer-encoding': 'chunked' }),
    );
    client.write(framed ? part : `${part.length.toString(16)}\r\n${part}`);
    await once(client, 'connect');
    client.resetAndDestroy();
    await once(client, 'close');
  }
  const good = await say(port, [head({ 'content-length': body.length }), body]);
  assert.is(good?.status, 201);
  assert.is(sandbox.first.world.accounts.size, before + 1);
  await close();
});

const noHttp: readonly (string | Uint8Array)[] = [
  '\r\n\r\n\r\nhello\r\n\r\n',
  new Uint8Array([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00]),
  'BREW /api/v1/accounts HTTP/1.1\r\nhost: localhost\r\n\r\n',
  'GET /api/v1/accounts HTTP/9.9\r\nhost: localhost\r\n\r\n',
  'GET /api/v1/ accounts HTTP/1.1\r\nhost: localhost\r\n\r\n',
  'POST /api/v1/accounts HTTP/1.1\r\nhost: localhost\r\ncontent-length: x\r\n\r\n',
  'POST /api/v1/accounts HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab',
  'POST /api/v1/accounts HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n',
  `GET /${'a'.repeat(70_000)} HTTP/1.1\r\nhost: localhost\r\n\r\n`,
  `GET / HTTP/1.1\r\nhost: localhost\r\nx: ${'a'.repeat(70_000)}\r\n\r\n`,
];

socket('what is no HTTP is told so, and the next request is served', async () => {
  const { port, token, close } = await startTestServer();
  for (const bytes of noHttp) {
    const heard = await say(port, [bytes]);
    if (heard !== null) {
      assert.ok(
        [400, 431].includes(heard.status),
        `${heard.status} to ${String(bytes).slice(0, 60)}`,
      );
    }
    const headers = { authorization: `Bearer ${token}` };
    const next = await say(port, [printHead('GET', '/api/v1/accounts?limit=1', headers)]);
    assert.is(next?.status, 200);
  }
  await close();
});

socket('a huge body is refused without being kept, a huge path answered', async () => {
  const { port, token, close } = await startTestServer();
  const megabyte = Buffer.alloc(1024 * 1024, 0x20);
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    'idempotency-key': 'huge',
  };
  const declared = { ...headers, 'content-length': 12 * megabyte.length };
  const pieces = Array.from({ length: 12 }, () => megabyte);
  const heard = await say(port, [printHead('POST', '/api/v1/accounts', declared), ...pieces]);
  assert.is(heard?.status, 413);
  assert.match(heard?.contentType ?? '', /^text\/plain/);
  const path = `/api/v1/accounts/${pick(drawFrom(1), ['9', '%41'])}${'9'.repeat(10_000)}`;
  assert.is((await say(port, [printHead('GET', path, headers)]))?.status, 405);
  await close();
});

socket.run();
