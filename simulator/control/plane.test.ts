// The plane itself: routing, body parsing and access. In process, through `handle`.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createTestPlane } from './testing/plane.ts';

const plane = suite('control: plane');

type Headers = Readonly<Record<string, string>>;
const json = { 'content-type': 'application/json' };
const shown = { ...json, authorization: 'Bearer open-sesame' };

/** A request as a socket delivers it: with a Host header, and with bytes. */
async function openPlane(token?: string) {
  const testPlane = await createTestPlane({ plane: { token } });
  const loaded = await testPlane.plane.load();
  const send = async (
    method: string,
    path: string,
    { body = '', headers = {} }: { body?: string | Uint8Array; headers?: Headers } = {},
  ) => {
    const reply = await loaded.handle({
      method,
      target: `/_sandbox/${path}`,
      headers,
      base: 'http://127.0.0.1:7420',
      read: async () => (typeof body === 'string' ? Buffer.from(body) : body),
    });
    const text = typeof reply.body === 'string' ? reply.body : '{}';
    return { ...reply, json: text === '' ? null : JSON.parse(text) };
  };
  return { ...testPlane, send, loaded };
}

plane('the plane is ready, and reports the address that the client used', async () => {
  const { send } = await openPlane();
  const { status, json: body, headers } = await send('GET', 'health');
  assert.equal([status, body], [200, { status: 'ready' }]);
  assert.match(headers['content-type'] ?? '', /^application\/json/);
  const { json: info } = await send('GET', 'info');
  const base = 'http://127.0.0.1:7420';
  const { base_url, control_url, openapi_url } = info;
  assert.equal([base_url, control_url], [base, `${base}/_sandbox`]);
  assert.is(openapi_url, `${base}/openapi.json`);
});

const unknown = ['', 'nothing', 'clock/', 'clock/advance/more', '%', 'worlds/none/clock'];
// [method, path, status]
const places = [
  ...[...unknown, 'constructor', '__proto__'].map((path) => ['GET', path, 404] as const),
  ['POST', 'health', 405],
  ['DELETE', 'clock', 405],
  ['GET', 'clock/advance', 405],
  ['OPTIONS', 'credentials', 405],
  ['HEAD', 'health', 405],
] as const;

plane('an unknown path is a problem document, and a 405 lists the allowed methods', async () => {
  const { send } = await openPlane();
  for (const [method, path, status] of places) {
    const reply = await send(method, path, { headers: json });
    assert.equal([reply.status, reply.json.status], [status, status], `${method} ${path}`);
    assert.match(reply.headers['content-type'] ?? '', /^application\/problem\+json/);
    assert.type(reply.json.detail, 'string');
  }
  assert.is((await send('DELETE', 'clock', { headers: json })).headers.allow, 'GET, PUT');
  assert.is((await send('PUT', 'faults', { headers: json })).headers.allow, 'DELETE, GET, POST');
});

const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;

// [headers, body, status]
const bodies = [
  [json, '{"by_ms":5}', 200],
  [{ 'content-type': 'application/json; charset=utf-8' }, '{"by_ms":5}', 200],
  [{ 'content-type': 'APPLICATION/JSON' }, '{"by_ms":5}', 200],
  [{}, '{"by_ms":5}', 415],
  [{ 'content-type': 'text/plain' }, '{"by_ms":5}', 415],
  [{ 'content-type': 'text/plain' }, '', 415],
  [{ 'content-type': 'application/x-www-form-urlencoded' }, 'by_ms=5', 415],
  [{ 'content-type': 'multipart/form-data; boundary=x' }, '--x--', 415],
  [{ 'content-type': 'application/jsonx' }, '{"by_ms":5}', 415],
  [json, '', 422],
  [json, '{"by_ms":5', 400],
  [json, 'by_ms', 400],
  [json, new Uint8Array([0x22, 0xff, 0x22]), 400],
  [json, '{"__proto__":{"by_ms":5}}', 422],
  [json, '{"by_ms":5,"constructor":1}', 422],
  [json, 'null', 422],
  [json, '5', 422],
  [json, '[{"by_ms":5}]', 422],
] as const;

// [name, body, too deep]: only brackets outside strings count.
const depths = [
  ['200 deep', nested(200), false],
  ['201 deep', nested(201), true],
  ['many beside each other', `[${Array(500).fill('[]').join(',')}]`, false],
  ['in a string', `"${'['.repeat(201)}"`, false],
  ['in a string behind a quote', `"\\"${'['.repeat(201)}"`, false],
  ['behind a string that ends in a backslash', `["\\\\",${'['.repeat(201)}`, true],
  ['behind an empty string', `["",${'{"a":'.repeat(201)}`, true],
  ['in a member name', `{"${'{'.repeat(201)}":1}`, false],
  ['a million that never end', '['.repeat(1_000_000), true],
] as const;

plane('only JSON is read, nested at most 200 levels deep', async () => {
  const { send } = await openPlane();
  for (const [headers, body, status] of bodies) {
    const reply = await send('POST', 'clock/advance', { headers, body });
    const words = `${JSON.stringify(headers)} ${String(body).slice(0, 40)}`;
    assert.is(reply.status, status, `${words}: ${JSON.stringify(reply.json).slice(0, 200)}`);
  }
  for (const [what, body, isTooDeep] of depths) {
    const { json: problem } = await send('POST', 'clock/advance', { headers: json, body });
    assert.is(/nested too deeply/.test(problem.detail), isTooDeep, what);
  }
  const mistake = '{"match": {"operation": "createAccount"},\n "times": }';
  const { json: problem } = await send('POST', 'faults', { headers: json, body: mistake });
  const detail = 'The body is not JSON: line 2, column 11: unexpected character.';
  assert.is(problem.detail, detail);
});

// Searching for the end of the string again at every quote would take minutes.
plane('a body of unterminated quotes is read in one pass', async () => {
  const { send } = await openPlane();
  for (const text of [`{"a":"${'\\"'.repeat(500_000)}`, `{"a":${'"'.repeat(500_001)}`]) {
    const { json: problem } = await send('PUT', 'state', { headers: json, body: text });
    assert.match(problem.detail, /^The body is not JSON/);
  }
});

plane('a row without input accepts an empty object, and nothing else', async () => {
  const { send } = await openPlane();
  for (const given of [{}, { headers: json }, { headers: json, body: '{}' }]) {
    assert.is((await send('POST', 'reset', given)).status, 200);
  }
  const refused = await send('POST', 'reset', { headers: json, body: '{"world":"x"}' });
  assert.equal([refused.status, refused.json.errors[0].field], [422, 'world']);
  assert.is((await send('DELETE', 'faults', { headers: json, body: '{}' })).status, 204);
});

// [method, path, headers, status]: the head alone decides, before any of the body arrives.
const heads = [
  ['PUT', 'state', json, 401],
  ['POST', 'evil/state', shown, 404],
  ['PATCH', 'state', shown, 405],
  ['PUT', 'state', { ...shown, 'content-type': 'text/plain' }, 415],
  ['PUT', 'state?x=1', shown, 422],
  ['POST', 'reset', { ...shown, 'content-length': '2000000' }, 413],
] as const;

plane('a request is refused before its body is read; a row reads what it needs', async () => {
  const { loaded, send } = await openPlane('open-sesame');
  const ask = async (method: string, path: string, headers: Headers) => {
    let most: number | null = null;
    const { status } = await loaded.handle({
      method,
      target: `/_sandbox/${path}`,
      headers,
      base: 'http://localhost',
      read: async (maxBytes) => {
        most = maxBytes;
        return null;
      },
    });
    return [status, most];
  };
  for (const [method, path, headers, status] of heads) {
    assert.equal(await ask(method, path, headers), [status, null], `${method} ${path}`);
  }
  for (const [method, path, mebibytes] of [
    ['POST', 'credentials', 1],
    ['POST', 'worlds', 32],
    ['PUT', 'state', 500],
    ['PUT', 'worlds/default/state', 500],
    ['PUT', 'dns/state', 1],
  ] as const) {
    assert.equal(await ask(method, path, shown), [413, mebibytes * 1024 * 1024], path);
  }
  const body = new Uint8Array(1024 * 1024 + 1);
  const large = await send('POST', 'credentials', { headers: shown, body });
  assert.is(large.status, 413);
  assert.match(large.json.detail, 'larger than the 1 MiB that credentials takes');
});

plane('a token is required if one is configured', async () => {
  const { send } = await openPlane('open-sesame');
  for (const [authorization, status] of [
    ['', 401],
    ['Bearer wrong', 401],
    ['Bearer open-sesame-too', 401],
    ['Basic open-sesame', 401],
    ['Bearer', 401],
    ['Bearer open-sesame', 200],
    ['bearer open-sesame', 200],
  ] as const) {
    const reply = await send('GET', 'health', { headers: { authorization } });
    assert.is(reply.status, status, authorization);
    if (status === 401) assert.match(reply.headers['www-authenticate'] ?? '', /^Bearer/);
  }
  assert.is((await send('GET', 'nothing')).status, 401);
});

plane('requests to the plane skip the journal and the rate limits of the API', async () => {
  const { ask } = await createTestPlane();
  for (let n = 0; n < 50; n += 1) assert.is((await ask('GET', 'health')).status, 200);
  assert.equal((await ask('GET', 'requests')).body.requests, []);
});

plane.run();
