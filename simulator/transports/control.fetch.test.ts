// The plane without a socket respects the caller's abort signal, with or without garbage
// collection.
import { getEventListeners } from 'node:events';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { countFollowers, createTestPlane } from '../control/testing/plane.ts';
import { collectGarbage, watch } from '../host/testing/garbage-collection.ts';

const fetching = suite('control: without a socket');
const url = 'http://any/_sandbox/stream';

fetching('an abort after a garbage collection ends a stream, read or not', async () => {
  const testPlane = await createTestPlane();
  const following = countFollowers(testPlane);
  const abort = new AbortController();
  // The caller keeps only the signal, and not the request.
  const open = () => testPlane.plane.fetch(new Request(url, { signal: abort.signal }));
  const reader = ((await open()).body as ReadableStream<Uint8Array>).getReader();
  const state = watch(reader.closed);
  // This stream is never read.
  await open();
  await collectGarbage();
  assert.is(following(), 2);
  abort.abort('enough');
  await collectGarbage();
  assert.equal([state(), following()], ['enough', 0]);
  await testPlane.sandbox.close();
});

fetching('an aborted signal rejects the request, before it and during it', async () => {
  const { plane, sandbox } = await createTestPlane();
  const early = watch(plane.fetch(new Request(url, { signal: AbortSignal.abort('at once') })));
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
