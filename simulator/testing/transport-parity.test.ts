// The same requests over HTTP, through `sandbox.fetch` and through Mock Service Worker get the same
// status, headers and body, malformed requests included.
import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { setupServer } from 'msw/node';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createTestSandbox, tokenOf } from '../host/testing/sandbox.ts';
import type { Sandbox } from '../host/world/sandbox.ts';
import { sandboxHandlers } from '../msw.ts';
import { fetchCall } from '../transports/fetch.ts';
import { startTestServer } from '../transports/testing/server.ts';

const parity = suite<{ ways: readonly Way[] }>('transport parity');
const mocked = 'https://api.example.com';

interface TestRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array<ArrayBuffer>;
}

interface TestResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
}

const compared = [
  'content-type',
  'etag',
  'allow',
  'www-authenticate',
  'retry-after',
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
  'cache-control',
  'x-sandbox-fault',
] as const;

function responseOf(
  status: number,
  header: (name: string) => string | undefined,
  body: string,
): TestResponse {
  assert.match(header('x-request-id') ?? 'none', /^req_/, `${status} ${body.slice(0, 500)}`);
  const headers = Object.fromEntries(compared.map((name) => [name, header(name)]));
  // Call ids differ between worlds only by the number of earlier calls, and hints name the port.
  return { status, headers, body: body.replace(/req_\w+| --port \d+/g, '') };
}

async function readResponse(response: Response): Promise<TestResponse> {
  const body = await response.text();
  return responseOf(response.status, (name) => response.headers.get(name) ?? undefined, body);
}

type Ask = (request: TestRequest) => Promise<TestResponse>;

interface Way {
  readonly name: string;
  readonly sandbox: Sandbox;
  readonly ask: Ask;
  readonly close: () => unknown;
}

function requestOf(origin: string, { method, path, headers, body }: TestRequest): Request {
  return new Request(`${origin}${path}`, {
    method,
    headers,
    ...(body === undefined ? {} : { body }),
  });
}

async function overHttp(): Promise<Way> {
  const { sandbox, port, close } = await startTestServer();
  // Not `fetch`, which would add a content type and other headers.
  const ask: Ask = async ({ method, path, headers, body }) => {
    const sent = httpRequest({ port, method, path, headers, agent: false }).end(body);
    const [response] = await once(sent, 'response').catch(() => {
      throw new TypeError('cut off');
    });
    const { statusCode = 0, headers: received } = response as IncomingMessage;
    return responseOf(statusCode, (name) => received[name] as string, await text(response));
  };
  return { name: 'http', sandbox, ask, close };
}

/** A transport that answers with a standard Response. */
async function withResponses(
  name: string,
  sendTo: (sandbox: Sandbox) => (asked: TestRequest) => Promise<Response>,
): Promise<Way> {
  const sandbox = await createTestSandbox();
  const send = sendTo(sandbox);
  const ask: Ask = async (asked) => readResponse(await send(asked));
  return { name, sandbox, ask, close: () => sandbox.close() };
}

function throughMsw(sandbox: Sandbox) {
  const answering = { fetch: (request: Request) => fetchCall(sandbox, request) };
  const server = setupServer(...sandboxHandlers(answering, { baseUrl: mocked }));
  server.listen({ onUnhandledRequest: 'bypass' });
  parity.after(() => server.close());
  return (asked: TestRequest) => fetch(requestOf(mocked, asked));
}

parity.before(async (place) => {
  place.ways = [
    await overHttp(),
    await withResponses('msw', throughMsw),
    await withResponses(
      'fetch of a request',
      (sandbox) => (asked) => fetchCall(sandbox, requestOf('http://any', asked)),
    ),
    await withResponses(
      'fetch of a url',
      (sandbox) =>
        ({ path, ...init }) =>
          fetchCall(sandbox, path, init),
    ),
  ];
});
parity.after(async ({ ways }) => {
  for (const { close } of ways) await close();
});

const json = { 'content-type': 'application/json' };
const person = JSON.stringify({
  client_reference_id: 'parity',
  email: 'parity@example.com',
  first_name: 'Žofie',
  brand_id: '10',
});

interface Case extends Partial<TestRequest> {
  readonly who?: string;
  /** A command of the operator before the request. */
  readonly before?: (sandbox: Sandbox) => unknown;
}

const write = (method: string, path: string, key: string, more: Case = {}): Case => ({
  method,
  path: `/api/v1/${path}`,
  ...more,
  headers: { ...json, 'idempotency-key': key, ...more.headers },
});
const create = (key: string, more: Case = {}): Case =>
  write('POST', 'accounts', key, { body: person, ...more });
const ofType = (key: string, type: string): Case =>
  create(key, { headers: { 'content-type': type } });
const update = (key: string, headers: TestRequest['headers'], country: string): Case =>
  write('PATCH', 'accounts/1001', key, { headers, body: JSON.stringify({ country }) });
/** A decision has no body. */
const approve = (key: string, id: string, query: string): Case => ({
  method: 'POST',
  path: `/api/v1/transactions/${id}/approve${query}`,
  headers: { 'idempotency-key': key },
});
const each = (method: string, ...paths: readonly string[]): readonly Case[] =>
  paths.map((path) => ({ method, path }));

const plain = new TextEncoder().encode(person);
const tokens = '/api/v1/oauth/token';

const cutOnce = ({ first }: Sandbox) =>
  first.execute('makeFault', { match: {}, effect: { kind: 'reset' }, times: 1 });
const limit = ({ first }: Sandbox) =>
  first.execute('changeCredential', { client_id: 'cl_firm', rate_per_second: 1 });

/** In order: a case may use the records of earlier cases. */
const cases: readonly Case[] = [
  create('one'),
  create('one'),
  create('two'),
  create(' one '),
  { ...create(''), headers: json },
  { ...create(''), headers: { 'idempotency-key': 'three' }, body: plain },
  ofType('four', 'text/plain'),
  ofType('x', 'application/json; charset=latin1'),
  ofType('y', 'APPLICATION/JSON;charset=utf-8'),
  create('five', { body: '' }),
  create('six', { body: '{"email":' }),
  create('six', { body: new Uint8Array([0x22, 0xff, 0x22]) }),
  create('seven', { body: ' '.repeat(1024 * 1024 + 1) }),
  create('eight', { body: ' '.repeat(9 * 1024 * 1024) }),
  create('k'.repeat(256)),
  create('nine', { headers: { accept: 'text/html' } }),
  create('one', { who: 'anonymous' }),
  create('ten', { who: 'no-scopes' }),
  create('a, b'),
  update('p1', { 'if-match': '"1"' }, 'PT'),
  update('p2', { 'if-match': '"1"' }, 'ES'),
  update('p3', {}, 'ES'),
  approve('t1', '9001', '?account_id=1001'),
  approve('t2', '9001', '?account_id=1001&account_id=2'),
  approve('t3', '9001', '?account_id=%zz'),
  approve('t4', '9001', ''),
  approve('t5', '%39001', '?account_id=1001'),
  approve('t6', '%E0%A4%A', '?account_id=1001'),
  ...each('GET', ...['2', '%', 'x'].map((limit) => `/api/v1/accounts?limit=${limit}`)),
  ...['HEAD', 'OPTIONS'].flatMap((method) => each(method, '/api/v1/accounts', '/api/v1/nothing')),
  ...each('DELETE', '/api/v1/accounts'),
  { method: 'PUT', path: '/api/v1/accounts', headers: json, body: '{}' },
  ...each('GET', '/api/v1/accounts/', '/api/v1//accounts', '/api/v1/Accounts'),
  ...each('GET', '/api/v1/accounts;a=1', '/api/v1/nothing', '/api/v1', '/api', '/nothing/here'),
  ...each('GET', '/%zz', '/api/v1/events', '/api/v1/webhooks'),
  {
    method: 'POST',
    path: tokens,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: 'grant_type=x',
  },
  { method: 'POST', path: tokens, headers: json, body: '{}' },
  { path: '/api/v1/webhooks', before: cutOnce },
  { path: '/api/v1/webhooks', before: limit },
  { path: '/api/v1/webhooks' },
];

function askedOf({ sandbox }: Way, { who = 'firm', ...given }: Case): TestRequest {
  const authorization = who === 'anonymous' ? 'Bearer unknown' : `Bearer ${tokenOf(sandbox, who)}`;
  const { method = 'GET', path = '/', headers, body } = given;
  return {
    ...{ method, path, headers: { authorization, ...headers } },
    ...(body === undefined ? {} : { body }),
  };
}

parity('every case gets the same response on each transport', async ({ ways }) => {
  const outcomes: (number | 'cut off')[] = [];
  for (const each of cases) {
    const responses: (TestResponse | null)[] = [];
    for (const way of ways) {
      each.before?.(way.sandbox);
      const response = await way.ask(askedOf(way, each)).catch((error: unknown) => {
        // As `fetch` reports a connection that is cut off.
        if (error instanceof TypeError) return null;
        throw error;
      });
      responses.push(response);
    }
    outcomes.push(responses[0]?.status ?? 'cut off');
    const what = `${each.method} ${each.path} ${JSON.stringify(each.headers)}`;
    for (const [at, way] of ways.entries()) {
      assert.equal(responses[at], responses[0], `${way.name} differs from http: ${what}`);
    }
  }
  assert.equal(outcomes.slice(-3), ['cut off', 200, 429]);
});

parity.run();
