// The same requests over HTTP, through `sandbox.fetch` and through Mock Service Worker are answered
// alike: status, headers and body, odd requests included.
import { request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setupServer } from 'msw/node';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createTestSandbox, tokenOf } from '../host/testing/sandbox.ts';
import type { Sandbox } from '../host/world/sandbox.ts';
import { sandboxHandlers } from '../msw.ts';
import { fetchCall } from '../transports/fetch.ts';
import { createHttp } from '../transports/http.ts';

const parity = suite('parity of transports');
const mocked = 'https://api.example.com';

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array<ArrayBuffer>;
}

interface Heard {
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

function hear(status: number, header: (name: string) => string | undefined, body: string): Heard {
  assert.match(header('x-request-id') ?? 'none', /^req_/, `${status} ${body.slice(0, 500)}`);
  const headers = Object.fromEntries(compared.map((name) => [name, header(name)]));
  // Ids of calls differ from world to world only by the count of calls before them.
  return { status, headers, body: body.replace(/req_\w+/g, 'req_…') };
}

async function hearResponse(response: Response): Promise<Heard> {
  const body = await response.text();
  return hear(response.status, (name) => response.headers.get(name) ?? undefined, body);
}

interface Way {
  readonly name: string;
  readonly sandbox: Sandbox;
  readonly ask: (asked: Asked) => Promise<Heard>;
  readonly close: () => Promise<void>;
}

function requestOf(origin: string, { method, path, headers, body }: Asked): Request {
  return new Request(`${origin}${path}`, {
    method,
    headers,
    ...(body === undefined ? {} : { body }),
  });
}

async function overHttp(): Promise<Way> {
  const sandbox = await createTestSandbox();
  const app = createHttp({ sandbox });
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  // Not `fetch`, which would put a content type and more on what is to be sent as it is.
  const ask = ({ method, path, headers, body }: Asked) =>
    new Promise<Heard>((resolve, reject) => {
      const sent = httpRequest({ port, method, path, headers, agent: false }, (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => {
          text += chunk;
        });
        response.once('end', () => {
          const header = (name: string) => response.headers[name] as string | undefined;
          resolve(hear(response.statusCode ?? 0, header, text));
        });
      });
      sent.once('error', () => reject(new TypeError('cut off')));
      sent.end(body);
    });
  return {
    name: 'http',
    sandbox,
    ask,
    close: async () => {
      await app.close();
      await sandbox.close();
    },
  };
}

async function overFetch(): Promise<Way> {
  const sandbox = await createTestSandbox();
  return {
    name: 'fetch of a request',
    sandbox,
    ask: async (asked) => hearResponse(await fetchCall(sandbox, requestOf('http://any', asked))),
    close: () => sandbox.close(),
  };
}

async function overFetchOfUrl(): Promise<Way> {
  const sandbox = await createTestSandbox();
  return {
    name: 'fetch of a url',
    sandbox,
    ask: async ({ path, ...init }) => hearResponse(await fetchCall(sandbox, path, init)),
    close: () => sandbox.close(),
  };
}

async function overMsw(): Promise<Way> {
  const sandbox = await createTestSandbox();
  const answering = { fetch: (request: Request) => fetchCall(sandbox, request) };
  const server = setupServer(...sandboxHandlers(answering, { baseUrl: mocked }));
  server.listen({ onUnhandledRequest: 'bypass' });
  return {
    name: 'msw',
    sandbox,
    ask: async (asked) => hearResponse(await fetch(requestOf(mocked, asked))),
    close: async () => {
      server.close();
      await sandbox.close();
    },
  };
}

const json = { 'content-type': 'application/json' };
const person = JSON.stringify({
  client_reference_id: 'parity',
  email: 'parity@example.com',
  first_name: 'Žofie',
  brand_id: '10',
});

type Case = Partial<Asked> & { readonly who?: string };

const create = (more: Case = {}): Case => ({
  method: 'POST',
  path: '/api/v1/accounts',
  headers: { ...json, 'idempotency-key': 'one' },
  body: person,
  ...more,
});

const approve = '/api/v1/transactions/9001/approve';

/** In order: what one makes, the next may meet. */
const cases: readonly Case[] = [
  create(),
  create(),
  create({ headers: { ...json, 'idempotency-key': 'two' } }),
  create({ headers: { ...json, 'idempotency-key': ' one ' } }),
  create({ headers: json }),
  create({ headers: { 'idempotency-key': 'three' }, body: new TextEncoder().encode(person) }),
  create({ headers: { 'content-type': 'text/plain', 'idempotency-key': 'four' } }),
  create({
    headers: { 'content-type': 'application/json; charset=latin1', 'idempotency-key': 'x' },
  }),
  create({ headers: { 'content-type': 'APPLICATION/JSON;charset=utf-8', 'idempotency-key': 'y' } }),
  create({ headers: { ...json, 'idempotency-key': 'five' }, body: '' }),
  create({ headers: { ...json, 'idempotency-key': 'six' }, body: '{"email":' }),
  create({
    headers: { ...json, 'idempotency-key': 'six' },
    body: new Uint8Array([0x22, 0xff, 0x22]),
  }),
  create({ headers: { ...json, 'idempotency-key': 'seven' }, body: ' '.repeat(1024 * 1024 + 1) }),
  create({ headers: { ...json, 'idempotency-key': 'eight' }, body: ' '.repeat(9 * 1024 * 1024) }),
  create({ headers: { ...json, 'idempotency-key': 'k'.repeat(256) } }),
  create({ headers: { ...json, 'idempotency-key': 'nine', accept: 'text/html' } }),
  create({ who: 'anonymous' }),
  create({ who: 'no-scopes', headers: { ...json, 'idempotency-key': 'ten' } }),
  create({ headers: { ...json, 'idempotency-key': 'a, b' } }),
  {
    method: 'PATCH',
    path: '/api/v1/accounts/1001',
    headers: { ...json, 'idempotency-key': 'p1', 'if-match': '"1"' },
    body: '{"country":"PT"}',
  },
  {
    method: 'PATCH',
    path: '/api/v1/accounts/1001',
    headers: { ...json, 'idempotency-key': 'p2', 'if-match': '"1"' },
    body: '{"country":"ES"}',
  },
  {
    method: 'PATCH',
    path: '/api/v1/accounts/1001',
    headers: { ...json, 'idempotency-key': 'p3' },
    body: '{"country":"ES"}',
  },
  { method: 'POST', path: `${approve}?account_id=1001`, headers: { 'idempotency-key': 't1' } },
  {
    method: 'POST',
    path: `${approve}?account_id=1001&account_id=2`,
    headers: { 'idempotency-key': 't2' },
  },
  { method: 'POST', path: `${approve}?account_id=%zz`, headers: { 'idempotency-key': 't3' } },
  { method: 'POST', path: approve, headers: { 'idempotency-key': 't4' } },
  {
    method: 'POST',
    path: '/api/v1/transactions/%39001/approve?account_id=1001',
    headers: { 'idempotency-key': 't5' },
  },
  {
    method: 'POST',
    path: '/api/v1/transactions/%E0%A4%A/approve?account_id=1001',
    headers: { 'idempotency-key': 't6' },
  },
  { method: 'GET', path: '/api/v1/accounts?limit=2' },
  { method: 'GET', path: '/api/v1/accounts?limit=%' },
  { method: 'GET', path: '/api/v1/accounts?limit=x' },
  { method: 'HEAD', path: '/api/v1/accounts' },
  { method: 'HEAD', path: '/api/v1/nothing' },
  { method: 'OPTIONS', path: '/api/v1/accounts' },
  { method: 'OPTIONS', path: '/api/v1/nothing' },
  { method: 'DELETE', path: '/api/v1/accounts' },
  { method: 'PUT', path: '/api/v1/accounts', headers: json, body: '{}' },
  { method: 'GET', path: '/api/v1/accounts/' },
  { method: 'GET', path: '/api/v1//accounts' },
  { method: 'GET', path: '/api/v1/Accounts' },
  { method: 'GET', path: '/api/v1/accounts;a=1' },
  { method: 'GET', path: '/api/v1/nothing' },
  { method: 'GET', path: '/api/v1' },
  { method: 'GET', path: '/api' },
  { method: 'GET', path: '/nothing/here' },
  { method: 'GET', path: '/%zz' },
  { method: 'GET', path: '/api/v1/events' },
  { method: 'GET', path: '/api/v1/webhooks' },
  {
    method: 'POST',
    path: '/api/v1/oauth/token',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: 'grant_type=x',
  },
  { method: 'POST', path: '/api/v1/oauth/token', headers: json, body: '{}' },
];

async function withAll(run: (ways: readonly Way[]) => Promise<void>): Promise<void> {
  const ways = [await overHttp(), await overFetch(), await overFetchOfUrl(), await overMsw()];
  try {
    await run(ways);
  } finally {
    for (const way of ways) await way.close();
  }
}

function askedOf({ sandbox }: Way, { who = 'firm', ...given }: Case): Asked {
  const authorization = who === 'anonymous' ? 'Bearer unknown' : `Bearer ${tokenOf(sandbox, who)}`;
  const { method = 'GET', path = '/', headers, body } = given;
  return {
    method,
    path,
    headers: { authorization, ...headers },
    ...(body === undefined
      ? {}
      : {
          body:
            typeof body === 'string' && !headers?.['content-type']
              ? new TextEncoder().encode(body)
              : body,
        }),
  };
}

parity('every case is answered alike, one after another', () =>
  withAll(async (ways) => {
    for (const each of cases) {
      const heard: Heard[] = [];
      for (const way of ways) heard.push(await way.ask(askedOf(way, each)));
      const what = `${each.method} ${each.path} ${JSON.stringify(each.headers)}`;
      for (const [at, way] of ways.entries()) {
        assert.equal(heard[at], heard[0], `${way.name} differs from http: ${what}`);
      }
    }
  }),
);

parity('a refusal by rate says the same of the wait', () =>
  withAll(async (ways) => {
    const answers = await Promise.all(
      ways.map(async (way) => {
        way.sandbox.first.execute('changeCredential', { client_id: 'cl_firm', rate_per_second: 1 });
        const asked = askedOf(way, { method: 'GET', path: '/api/v1/webhooks' });
        return [await way.ask(asked), await way.ask(asked)];
      }),
    );
    assert.equal(
      answers.map(([first, second]) => [first?.status, second?.status]),
      ways.map(() => [200, 429]),
    );
    for (const answer of answers) assert.equal(answer[1], answers[0]?.[1]);
  }),
);

parity('an answer that a fault cuts off is a failed request everywhere', () =>
  withAll(async (ways) => {
    for (const way of ways) {
      const effect = { kind: 'reset' } as const;
      way.sandbox.first.execute('makeFault', { match: {}, effect, times: 1 });
      const asked = askedOf(way, { method: 'GET', path: '/api/v1/webhooks' });
      const cut = await way.ask(asked).then(
        () => 'answered',
        (error: unknown) => error as Error,
      );
      assert.instance(cut, TypeError, `${way.name}: ${cut}`);
      assert.is((await way.ask(asked)).status, 200, way.name);
    }
  }),
);

parity.run();
