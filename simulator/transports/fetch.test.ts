// A URL with options is read as the request that the platform's own fetch would make, and an
// aborted call is released.
import { getEventListeners } from 'node:events';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { eachWith } from '../host/testing/each-with.ts';
import { collectGarbage, watch } from '../host/testing/garbage-collection.ts';
import { createTestSandbox, tokenOf } from '../host/testing/sandbox.ts';
import type { Sandbox } from '../host/world/sandbox.ts';
import { fetchCall } from './fetch.ts';

const fetching = suite<{ sandbox: Sandbox }>('fetch without a socket');
eachWith(fetching, 'sandbox', () => createTestSandbox());
const url = 'http://any/api/v1/accounts?x=1#part';

/** Status and body, or the name of the error. */
async function outcome(work: () => Promise<Response>): Promise<string> {
  try {
    const response = await work();
    const body = await response.text();
    return `${response.status} ${body.replace(/req_\w+/g, 'req_…')}`;
  } catch (error) {
    return (error as Error).name;
  }
}

fetching('a URL with options gets the same response as its Request', async ({ sandbox }) => {
  const token = tokenOf(sandbox, 'brand-a');
  const headers = { authorization: `Bearer ${token}`, 'idempotency-key': 'one' };
  const json = { ...headers, 'content-type': 'application/json' };
  const body = JSON.stringify({ client_reference_id: 'one', email: 'one@example.com' });
  const cases: readonly (readonly [string, RequestInit, RegExp])[] = [
    [url, { method: 'POST', headers: json, body }, /^201 /],
    [url, { method: 'post', headers: json, body }, /^201 /],
    [url, { method: 'POST', headers, body }, /^4\d\d /],
    [url, { method: 'POST', headers: [['Content-Type', ' text/html ']], body }, /^4\d\d /],
    [url, { method: 'POST', headers: { 'bad name': 'x' }, body }, /^TypeError$/],
    [url, { method: 'GET', body }, /^TypeError$/],
    ['http://user:word@any/api/v1/accounts', { method: 'POST', body }, /^TypeError$/],
    ['http://', { method: 'POST', body }, /^TypeError$/],
    [url, { method: 'POST', body, signal: AbortSignal.abort() }, /^AbortError$/],
  ];
  for (const [input, init, expected] of cases) {
    const standard = await outcome(async () => fetchCall(sandbox, new Request(input, init)));
    const plain = await outcome(() => fetchCall(sandbox, input, init));
    assert.match(standard, expected, JSON.stringify([input, init]));
    assert.is(plain, standard, JSON.stringify([input, init]));
  }
});

type Ask = (signal: AbortSignal, headers: Record<string, string>) => Parameters<typeof fetch>;

const account = '{"client_reference_id":"one","email":"one@example.com"}';
const text = (): RequestInit => ({ method: 'POST', body: account });
const bytes = (): RequestInit => ({ method: 'POST', body: new TextEncoder().encode(account) });
const headersOf = (sandbox: Sandbox) => ({
  authorization: `Bearer ${tokenOf(sandbox, 'brand-a')}`,
  'idempotency-key': 'one',
  'content-type': 'application/json',
});

// Each request leaves the caller only the signal.
const asks: Readonly<Record<string, Ask>> = {
  GET: (signal, headers) => [url, { headers, signal }],
  text: (signal, headers) => [url, { ...text(), headers, signal }],
  bytes: (signal, headers) => [url, { ...bytes(), headers, signal }],
  Request: (signal, headers) => [new Request(url, { headers, signal })],
  'Request of bytes': (signal, headers) => [new Request(url, { ...bytes(), headers, signal })],
  'Request and options': (signal, headers) => [new Request(url, { signal }), { headers }],
  'signal in the options': (signal, headers) => [
    new Request(url, { headers, signal: new AbortController().signal }),
    { signal },
  ],
};

fetching('every kind of call can be aborted after a garbage collection', async ({ sandbox }) => {
  sandbox.first.execute('makeFault', { match: {}, effect: { kind: 'hang' } });
  const headers = headersOf(sandbox);
  const abort = new AbortController();
  const states = Object.entries(asks).map(([name, ask]) => {
    const own = { ...headers, 'idempotency-key': name };
    return [name, watch(fetchCall(sandbox, ...ask(abort.signal, own)))] as const;
  });
  await collectGarbage();
  for (const [name, state] of states) assert.is(state(), 'pending', name);
  assert.is(sandbox.first.waiting, states.length);
  abort.abort('enough');
  await collectGarbage();
  for (const [name, state] of states) assert.is(state(), 'enough', name);
  assert.is(sandbox.first.waiting, 0);
});

fetching('an abort during the upload of the body cancels the call', async ({ sandbox }) => {
  let calls = 0;
  sandbox.first.keepInputs({
    done: () => {
      calls += 1;
    },
  });
  const abort = new AbortController();
  const init = { ...bytes(), signal: abort.signal };
  const early = watch(fetchCall(sandbox, url, init));
  const endless = { ...init, body: new ReadableStream(), duplex: 'half' } as RequestInit;
  const stuck = watch(fetchCall(sandbox, url, endless));
  abort.abort('enough');
  await collectGarbage();
  assert.equal([early(), stuck()], ['enough', 'enough']);
  assert.is(calls, 0);
});

fetching('signal: null in the options detaches a Request from its signal', async ({ sandbox }) => {
  const request = new Request(url, { signal: AbortSignal.abort() });
  assert.is((await fetchCall(sandbox, request, { signal: null })).status, 401);
});

fetching('no listener stays on a signal that outlives its calls', async () => {
  const sandbox = await createTestSandbox();
  const { signal } = new AbortController();
  const headers = headersOf(sandbox);
  sandbox.first.execute('makeFault', { match: {}, effect: { kind: 'hang' }, times: 2 });
  const held = [
    watch(fetchCall(sandbox, url, { headers, signal })),
    watch(fetchCall(sandbox, url, { ...text(), headers, signal })),
  ];
  await fetchCall(sandbox, url, { ...text(), headers, signal });
  await fetchCall(sandbox, url, { ...bytes(), headers, signal });
  assert.is(sandbox.first.waiting, 2);
  await sandbox.close();
  await collectGarbage();
  for (const state of held) assert.instance(state(), TypeError);
  assert.is(getEventListeners(signal, 'abort').length, 0);
});

fetching.run();
