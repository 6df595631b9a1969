// The handlers for Mock Service Worker: an aborted request releases its call, with or without
// garbage collection, and is not reported as an error.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { errorOf } from './host/testing/error-of.ts';
import { collectGarbage } from './host/testing/garbage-collection.ts';
import { createTestSandbox, tokenOf } from './host/testing/sandbox.ts';
import { sandboxHandlers } from './msw.ts';
import { fetchCall } from './transports/fetch.ts';

const handlers = suite('msw handlers');
const baseUrl = 'https://api.example.com';

handlers('an abort is delivered after a garbage collection, as a failed request', async () => {
  const sandbox = await createTestSandbox();
  sandbox.first.execute('makeFault', { match: {}, effect: { kind: 'hang' }, times: 1 });
  const headers = { authorization: `Bearer ${tokenOf(sandbox, 'brand-a')}` };
  const [handler] = sandboxHandlers({ fetch: (call) => fetchCall(sandbox, call) }, { baseUrl });
  const abort = new AbortController();
  let type = 'none';
  const resolved = handler
    ?.run({
      request: new Request(`${baseUrl}/api/v1/accounts`, { headers, signal: abort.signal }),
      requestId: 'one',
    })
    .then((result) => {
      type = result?.response?.type ?? 'none';
    });
  await collectGarbage();
  assert.is(sandbox.first.waiting, 1);
  abort.abort();
  await collectGarbage();
  assert.equal([type, sandbox.first.waiting], ['error', 0]);
  await resolved;
  await sandbox.close();
});

handlers('an error of the sandbox is passed on unchanged', async () => {
  const broken = { fetch: () => Promise.reject(new RangeError('broken')) };
  const [handler] = sandboxHandlers(broken, { baseUrl });
  const request = new Request(`${baseUrl}/api/v1/accounts`);
  assert.instance(await errorOf(() => handler?.run({ request, requestId: 'one' })), RangeError);
});

handlers('an invalid argument is refused when passed, with its remedy', () => {
  const untyped = sandboxHandlers as unknown as (sandbox: unknown, options?: object) => unknown;
  const sandbox = { fetch: async () => new Response() };
  for (const [first, options, words] of [
    [Promise.resolve(), { baseUrl }, /await createSandbox\(\) first/],
    [{}, { baseUrl }, /the first argument is not a sandbox/],
    [sandbox, { baseUrl: `${baseUrl}/v0/api/v1/` }, /leave \/api\/v1 out.* Use "\S+\.com\/v0"/],
    [sandbox, { baseUrl, baseURL: baseUrl }, /no option "baseURL"/],
    [sandbox, undefined, /baseUrl: 'https:\/\/api/],
  ] as const) {
    assert.throws(() => untyped(first, options), words);
  }
});

handlers.run();
