// The plane as such: what is found, what is read, who is let in. In process, through `handle`.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createTestPlane, type TestPlaneOptions } from './testing/plane.ts';

const plane = suite('control: plane');

type Headers = Readonly<Record<string, string>>;

interface Sent {
  readonly body?: string | Uint8Array;
  readonly headers?: Headers;
}

/** As a socket would bring it: with a Host, and with bytes. */
async function openPlane(options: TestPlaneOptions = {}) {
  const testPlane = await createTestPlane(options);
  return async (method: string, path: string, { body = '', headers = {} }: Sent = {}) => {
    const reply = await (await testPlane.plane.load()).handle({
      method,
      target: `/_sandbox/${path}`,
      headers: { host: '127.0.0.1:7420', ...headers },
      body: typeof body === 'string' ? Buffer.from(body) : body,
    });
    const text = typeof reply.body === 'string' ? reply.body : '{}';
    return { ...reply, json: text === '' ? null : JSON.parse(text) };
  };
}

const json = { 'content-type': 'application/json' };
const shown = { authorization: 'Bearer open-sesame' };

plane('is ready', async () => {
  const send = await openPlane();
  const { status, json: body, headers } = await send('GET', 'health');
  assert.equal([status, body], [200, { status: 'ready' }]);
  assert.match(headers['content-type'] ?? '', /^application\/json/);
});

plane('tells all at a glance', async () => {
  const { ask } = await createTestPlane();
  await ask('POST', 'faults', { match: {}, effect: { kind: 'hang' } });
  const { body } = await ask('GET', 'info');
  assert.is(body.control_url, 'http://sandbox/_sandbox');
  assert.is(body.credentials.length, 9);
  assert.is(body.settings.abandon_after_ms, 30_000);
  assert.equal([body.settings_changed, body.deviations, body.subscription], [[], [], null]);
  assert.equal([body.counts.accounts, body.counts.faults, body.counts.worlds], [6, 1, 1]);
});

plane('says which settings differ, and which deviations are on', async () => {
  const { defaultSettings } = await import('../../fixtures/settings.ts');
  const settings = { ...defaultSettings, abandon_after_ms: 45_000 };
  const deviation = { id: 'odd', breaks: [], story: 'For this test.', override: <B>(b: B) => b };
  const { ask } = await createTestPlane({ options: { settings, deviations: [deviation] } });
  const { body } = await ask('GET', 'info');
  assert.equal([body.settings_changed, body.deviations], [['abandon_after_ms'], ['odd']]);
});

plane('calls itself by the name its caller used', async () => {
  const send = await openPlane();
  const { json: body } = await send('GET', 'info', { headers: { host: 'localhost:81' } });
  assert.equal(
    [body.base_url, body.control_url, body.openapi_url],
    ['http://localhost:81', 'http://localhost:81/_sandbox', 'http://localhost:81/openapi.json'],
  );
});

// [method, path, status]
const places = [
  ['GET', '', 404],
  ['GET', 'nothing', 404],
  ['GET', 'clock/', 404],
  ['GET', 'clock/advance/more', 404],
  ['GET', '%', 404],
  ['GET', 'worlds/none/clock', 404],
  ['GET', 'constructor', 404],
  ['GET', '__proto__', 404],
  ['POST', 'health', 405],
  ['DELETE', 'clock', 405],
  ['GET', 'clock/advance', 405],
  ['OPTIONS', 'credentials', 405],
  ['HEAD', 'health', 405],
] as const;

for (const [method, path, status] of places) {
  plane(`${method} ${path || '(nothing)'} is ${status}`, async () => {
    const send = await openPlane();
    const reply = await send(method, path, { headers: json });
    assert.is(reply.status, status);
    assert.match(reply.headers['content-type'] ?? '', /^application\/problem\+json/);
    assert.equal([reply.json.status, typeof reply.json.detail], [status, 'string']);
  });
}

plane('a 405 says what there is', async () => {
  const send = await openPlane();
  assert.is((await send('DELETE', 'clock', { headers: json })).headers.allow, 'GET, PUT');
  assert.is((await send('PUT', 'faults', { headers: json })).headers.allow, 'DELETE, GET, POST');
});

const nested = `{"by_ms":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;

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
  [json, nested, 400],
  [json, '{"__proto__":{"by_ms":5}}', 422],
  [json, '{"by_ms":5,"constructor":1}', 422],
  [json, 'null', 422],
  [json, '5', 422],
  [json, '[{"by_ms":5}]', 422],
] as const;

plane('reads JSON and nothing else', async () => {
  const send = await openPlane();
  for (const [headers, body, status] of bodies) {
    const reply = await send('POST', 'clock/advance', { headers, body });
    const words = `${JSON.stringify(headers)} ${String(body).slice(0, 40)}`;
    assert.is(reply.status, status, `${words}: ${JSON.stringify(reply.json).slice(0, 200)}`);
  }
});

plane('a row that takes nothing takes an empty object, and nothing else', async () => {
  const send = await openPlane();
  assert.is((await send('POST', 'reset')).status, 200);
  assert.is((await send('POST', 'reset', { headers: json })).status, 200);
  assert.is((await send('POST', 'reset', { headers: json, body: '{}' })).status, 200);
  const refused = await send('POST', 'reset', { headers: json, body: '{"world":"x"}' });
  assert.equal([refused.status, refused.json.errors[0].field], [422, 'world']);
  assert.is((await send('DELETE', 'faults', { headers: json, body: '{}' })).status, 204);
});

plane('a body that was too large is said to be so', async () => {
  const { plane: tried } = await createTestPlane();
  const reply = await (await tried.load()).handle({
    method: 'POST',
    target: '/_sandbox/credentials',
    headers: { host: 'localhost', ...json },
    body: new Uint8Array(1024 * 1024 + 1),
  });
  assert.is(reply.status, 413);
  assert.match(String(reply.body), 'larger than the 1 MiB that credentials takes');
});

// What is wrong with each can be seen before any of the body is there.
const heads = [
  ['a caller without the token', 'PUT', 'state', json, 401],
  ['a path that is none', 'POST', 'evil/state', { ...json, ...shown }, 404],
  ['a method that is none', 'PATCH', 'state', { ...json, ...shown }, 405],
  ['a form', 'PUT', 'state', { 'content-type': 'text/plain', ...shown }, 415],
  ['a query that is not known', 'PUT', 'state?x=1', { ...json, ...shown }, 422],
  [
    'a body announced as too large',
    'POST',
    'reset',
    { 'content-length': '2000000', ...shown },
    413,
  ],
] as const;

for (const [what, method, path, headers, status] of heads) {
  plane(`is refused by its head: ${what}`, async () => {
    const { plane: tried } = await createTestPlane({ plane: { token: 'open-sesame' } });
    const target = `/_sandbox/${path}`;
    const judged = (await tried.load()).admit({ method, target, headers });
    assert.is('status' in judged && judged.status, status);
  });
}

plane('each row reads as much as it has use for', async () => {
  const { plane: tried } = await createTestPlane();
  const most = async (method: string, path: string) => {
    const judged = (await tried.load()).admit({
      method,
      target: `/_sandbox/${path}`,
      headers: json,
    });
    return 'mostBytes' in judged ? judged.mostBytes / 1024 / 1024 : judged.status;
  };
  assert.is(await most('POST', 'credentials'), 1);
  assert.is(await most('POST', 'worlds'), 32);
  assert.is(await most('PUT', 'state'), 500);
  assert.is(await most('PUT', 'worlds/default/state'), 500);
  assert.is(await most('PUT', 'dns/state'), 1);
});

plane('wants its token where it was given one', async () => {
  const send = await openPlane({ plane: { token: 'open-sesame' } });
  const attempts = [
    [undefined, 401],
    ['Bearer wrong', 401],
    ['Bearer open-sesame-too', 401],
    ['Basic open-sesame', 401],
    ['Bearer', 401],
    ['Bearer open-sesame', 200],
    ['bearer open-sesame', 200],
  ] as const;
  for (const [authorization, status] of attempts) {
    const headers: Headers = authorization === undefined ? {} : { authorization };
    const reply = await send('GET', 'health', { headers });
    assert.is(reply.status, status, authorization);
    if (status === 401) assert.match(reply.headers['www-authenticate'] ?? '', /^Bearer/);
  }
  assert.is((await send('GET', 'nothing')).status, 401);
});

plane('is outside the journal and the limits of the API', async () => {
  const { ask } = await createTestPlane();
  for (let n = 0; n < 50; n += 1) assert.is((await ask('GET', 'health')).status, 200);
  assert.equal((await ask('GET', 'requests')).body.requests, []);
});

plane.run();
