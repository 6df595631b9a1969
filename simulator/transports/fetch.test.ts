// A url with options is read as the request that the platform's own fetch would make of it, and an
// aborted call lets go.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { tokenOf, trySandbox } from '../host/sandbox-under-test.ts';
import { fetchCall } from './fetch.ts';

const fetching = suite('fetch without a socket');
const url = 'http://any/api/v1/accounts?x=1#part';

/** Status and body, or the name of the error. */
async function outcome(asked: () => Promise<Response>): Promise<string> {
  try {
    const response = await asked();
    const body = await response.text();
    return `${response.status} ${body.replace(/req_\w+/g, 'req_…')}`;
  } catch (error) {
    return (error as Error).name;
  }
}

fetching('a url with options is answered as its Request is', async () => {
  const sandbox = await trySandbox();
  const token = tokenOf(sandbox, 'brand-a');
  const headers = { authorization: `Bearer ${token}`, 'idempotency-key': 'one' };
  const json = { ...headers, 'content-type': 'application/json' };
  const body = JSON.stringify({ client_reference_id: 'one', email: 'one@example.com' });
  const asked: readonly (readonly [string, RequestInit, RegExp])[] = [
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
  for (const [input, init, expected] of asked) {
    const standard = await outcome(async () => fetchCall(sandbox, new Request(input, init)));
    const plain = await outcome(() => fetchCall(sandbox, input, init));
    assert.match(standard, expected, JSON.stringify([input, init]));
    assert.is(plain, standard, JSON.stringify([input, init]));
  }
  await sandbox.close();
});

fetching('a call that is aborted while it is held back rejects with the reason', async () => {
  const sandbox = await trySandbox();
  sandbox.first.act('makeFault', { match: {}, effect: { kind: 'hang' }, times: 1 });
  const headers = { authorization: `Bearer ${tokenOf(sandbox, 'brand-a')}` };
  const abort = new AbortController();
  const pending = fetchCall(sandbox, url, { headers, signal: abort.signal });
  const failed = pending.then(
    () => 'answered',
    (reason) => reason,
  );
  await new Promise((done) => setImmediate(done));
  assert.is(sandbox.first.waiting, 1);
  abort.abort('enough');
  assert.is(await failed, 'enough');
  assert.is(sandbox.first.waiting, 0);
  await sandbox.close();
});

fetching('a path alone is one of the sandbox', async () => {
  const sandbox = await trySandbox();
  assert.is((await fetchCall(sandbox, '/api/v1/accounts')).status, 401);
  await sandbox.close();
});

fetching.run();
