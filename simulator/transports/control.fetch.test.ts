// The plane without a socket respects the caller's abort signal, with or without garbage
// collection.
import { getEventListeners } from 'node:events';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createTestPlane } from '../control/testing/plane.ts';
import { collectGarbage, watch } from '../host/testing/garbage-collection.ts';
import { standardRequest } from './fetch.ts';

const fetching = suite('control: without a socket');
const url = 'http://any/_sandbox/stream';

type Ask = (signal: AbortSignal) => Parameters<typeof fetch>;

// The caller keeps only the signal, and not the request.
const asks: Readonly<Record<string, Ask>> = {
  url: (signal) => [url, { signal }],
  Request: (signal) => [new Request(url, { signal })],
  'Request and options': (signal) => [new Request(url, { signal }), { headers: { a: 'b' } }],
};

async function rejection(settling: Promise<unknown>): Promise<unknown> {
  try {
    await settling;
    return 'none';
  } catch (reason) {
    return reason;
  }
}

fetching('an abort after a garbage collection ends a stream, read or not', async () => {
  const { plane, sandbox } = await createTestPlane();
  const { first } = sandbox;
  const { listen } = first;
  let following = 0;
  first.listen = (listener) => {
    const stop = listen.call(first, listener);
    following += 1;
    return () => {
      following -= 1;
      return stop();
    };
  };
  const abort = new AbortController();
  const open = (ask: Ask) => plane.fetch(standardRequest(...ask(abort.signal)));
  const ended = [];
  for (const [name, ask] of Object.entries(asks)) {
    const reader = ((await open(ask)).body as ReadableStream<Uint8Array>).getReader();
    ended.push([name, watch(reader.closed)] as const);
    // This stream is never read.
    await open(ask);
  }
  await collectGarbage();
  assert.is(following, 2 * ended.length);
  abort.abort('enough');
  await collectGarbage();
  for (const [name, state] of ended) assert.is(state(), 'enough', name);
  assert.is(following, 0);
  await sandbox.close();
});

fetching('an aborted signal rejects the request, before it and during it', async () => {
  const { plane, sandbox } = await createTestPlane();
  const early = plane.fetch(new Request(url, { signal: AbortSignal.abort('at once') }));
  assert.is(await rejection(early), 'at once');
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
  assert.is(state(), 'enough');
  await sandbox.close();
});

fetching('no listener stays on the signal after a response is read or cancelled', async () => {
  const { plane, sandbox } = await createTestPlane();
  const request = new Request(url, { signal: new AbortController().signal });
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
  await sandbox.close();
});

fetching.run();
