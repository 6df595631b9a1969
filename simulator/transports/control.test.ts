// The plane on a real socket (streams, large documents, interrupted uploads) and without one, where it
// respects the caller's abort signal, with or without garbage collection.
import { getEventListeners, once } from 'node:events';
import { type IncomingMessage, type RequestOptions, request } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { countFollowers, createTestPlane, type TestPlane } from '../control/testing/plane.ts';
import { collectGarbage, watch } from '../host/testing/garbage-collection.ts';
import { serve } from './serve.ts';

const mount = suite<{ port: number; trial: TestPlane; close: () => Promise<void> }>(
  'control: transports',
);

mount.before.each(async (place) => {
  place.trial = await createTestPlane();
  const { sandbox, plane } = place.trial;
  const app = serve({ sandbox, plane, version: '1' });
  await app.listen({ host: '127.0.0.1', port: 0 });
  place.port = (app.server.address() as AddressInfo).port;
  place.close = async () => {
    plane.close();
    await app.close();
    await sandbox.close();
  };
});
mount.after.each(({ close }) => close());

interface Got {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
}

async function send(port: number, options: RequestOptions, body?: string): Promise<Got> {
  const call = request({ host: '127.0.0.1', port, ...options });
  call.end(body);
  const [response] = (await once(call, 'response')) as [IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  const { statusCode = 0, headers } = response;
  return { status: statusCode, headers, text: Buffer.concat(chunks).toString() };
}

const streamUrl = 'http://any/_sandbox/stream';
const json = { 'content-type': 'application/json' };

mount('responses over HTTP equal those in process', async ({ port, trial }) => {
  for (const path of ['health', 'clock', 'credentials', 'firms/1', 'nothing', 'accounts?limit=x']) {
    const here = await trial.ask('GET', path);
    const there = await send(port, { path: `/_sandbox/${path}` });
    assert.is(there.status, here.status);
    assert.equal(JSON.parse(there.text), here.body);
    assert.is(Number(there.headers['content-length']), Buffer.byteLength(there.text));
  }
  const dropped = await send(port, { method: 'DELETE', path: '/_sandbox/faults' });
  assert.equal([dropped.status, dropped.text], [204, '']);
});

mount('a stream continues until the reader disconnects', async ({ port, trial }) => {
  const following = countFollowers(trial);
  const call = request({ host: '127.0.0.1', port, path: '/_sandbox/stream' });
  call.end();
  const [response] = (await once(call, 'response')) as [IncomingMessage];
  assert.match(response.headers['content-type'] ?? '', /^text\/event-stream/);
  response.setEncoding('utf8');
  let text = '';
  response.on('data', (chunk: string) => {
    text += chunk;
  });
  await trial.call('firm', 'GET', 'accounts');
  while (!text.includes('event: request\n')) await once(response, 'data');
  assert.is(following(), 1);
  call.destroy();
  while (following() > 0) await new Promise(setImmediate);
});

mount('the server can close while a client follows the stream', async ({ port, close }) => {
  const call = request({ host: '127.0.0.1', port, path: '/_sandbox/stream' });
  call.end();
  const [response] = (await once(call, 'response')) as [IncomingMessage];
  response.resume();
  const ended = once(response, 'close');
  await close();
  await ended;
});

mount('a large world is exported and imported', async ({ port, trial }) => {
  const accounts = Array.from({ length: 3000 }, (_, n) => ({
    brand_id: '10',
    client_reference_id: `many-${n}`,
    email: `many-${n}@example.com`,
    ago: '1d',
  }));
  const world = {
    firms: [{ id: '1', name: 'One', brands: [{ id: '10', name: 'Ten' }] }],
    credentials: [],
    accounts,
  };
  assert.is((await trial.ask('POST', 'worlds', { name: 'big', world })).status, 201);
  const path = '/_sandbox/worlds/big/state';
  const saved = await send(port, { path });
  assert.ok(saved.text.length > 500_000);
  const put = await send(port, { method: 'PUT', path, headers: json }, saved.text);
  assert.is(put.status, 200);
  assert.is((await send(port, { path })).text, saved.text);
});

mount('an interrupted upload is not a request', async ({ port, trial }) => {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  socket.write(
    'POST /_sandbox/credentials HTTP/1.1\r\nhost: localhost\r\n' +
      'content-type: application/json\r\ncontent-length: 500\r\n\r\n{"scopes":[]}',
  );
  await send(port, { path: '/_sandbox/health' });
  socket.destroy();
  await once(socket, 'close');
  assert.is((await send(port, { path: '/_sandbox/health' })).status, 200);
  assert.is((await trial.ask('GET', 'credentials')).body.credentials.length, 9);
});

mount('an abort after a garbage collection ends a stream, read or not', async ({ trial }) => {
  const following = countFollowers(trial);
  const abort = new AbortController();
  // The caller keeps only the signal, and not the request.
  const open = () => trial.plane.fetch(new Request(streamUrl, { signal: abort.signal }));
  const reader = ((await open()).body as ReadableStream<Uint8Array>).getReader();
  const state = watch(reader.closed);
  // This stream is never read.
  await open();
  await collectGarbage();
  assert.is(following(), 2);
  abort.abort('enough');
  await collectGarbage();
  assert.equal([state(), following()], ['enough', 0]);
});

mount(
  'an aborted signal rejects the request, before it and during it',
  async ({ trial: { plane } }) => {
    const early = watch(
      plane.fetch(new Request(streamUrl, { signal: AbortSignal.abort('at once') })),
    );
    const abort = new AbortController();
    const headers = { 'content-type': 'application/json' };
    const body = new ReadableStream();
    const endless = { method: 'POST', headers, body, duplex: 'half' } as RequestInit;
    const credentials = 'http://any/_sandbox/credentials';
    const pending = plane.fetch(new Request(credentials, { ...endless, signal: abort.signal }));
    const state = watch(pending);
    await collectGarbage();
    abort.abort('enough');
    await collectGarbage();
    assert.equal([early(), state()], ['at once', 'enough']);
  },
);

mount(
  'no listener stays on the signal after a response is read or cancelled',
  async ({ trial: { plane } }) => {
    const request = new Request(streamUrl, { signal: new AbortController().signal });
    const listeners = () => getEventListeners(request.signal, 'abort').length;
    const before = listeners();
    await plane.fetch(new Request('http://any/_sandbox/health', { signal: request.signal }));
    const response = await plane.fetch(request);
    assert.ok(listeners() > before);
    await response.body?.cancel();
    const ended = await plane.fetch(request);
    plane.close();
    await ended.text();
    await collectGarbage();
    assert.is(listeners(), before);
  },
);

mount.run();
