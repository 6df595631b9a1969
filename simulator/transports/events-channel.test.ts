// EVT-10b, NS-12: the events channel over real sockets: handshake, replay, live events, reach,
// close.
import { once } from 'node:events';
import { createServer, request as httpRequest, type IncomingMessage } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { WebSocket } from 'ws';
import { DeliveryTestHarness } from '../host/delivery/testing/delivery-test-harness.ts';
import { tokenOf as findToken } from '../host/testing/sandbox.ts';
import { Guard } from './access-guard.ts';
import { ApiMessage, serveEventsChannel } from './events-channel.ts';
import { createHttp, type HttpServer } from './http.ts';
import { RequestBatcher } from './request-batcher.ts';
import { exchange } from './testing/server.ts';

const day = 24 * 3600 * 1000;

interface Place {
  readonly harness: DeliveryTestHarness;
  readonly port: number;
  readonly app: HttpServer;
  /** Connects with a query as a credential, or with a token; closed at the end of the test. */
  readonly follow: (query?: string, who?: string) => Client;
  readonly close: () => Promise<void>;
}

const test = suite<Place>('events channel');

test.before.each(async (place) => {
  const harness = await DeliveryTestHarness.begin();
  const app = createHttp({ sandbox: harness.sandbox, headers: { 'x-extra': 'yes' } });
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  const clients: Client[] = [];
  const follow: Place['follow'] = (query = '', who = 'firm') => {
    const client = new Client(`${urlOf(port)}${query}`, tokenOf(harness, who));
    clients.push(client);
    return client;
  };
  const close = async () => {
    for (const { socket } of clients) socket.close();
    await app.close();
    await harness.close();
  };
  Object.assign(place, { harness, port, app, follow, close });
});
test.after.each(({ close }) => close());

const urlOf = (port: number) => `ws://127.0.0.1:${port}/api/v1/events`;

const tokenOf = ({ sandbox }: DeliveryTestHarness, who = 'firm') =>
  who.startsWith('tok_') ? who : findToken(sandbox, who);

const from = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, n) => first + n);

const tick = (ms = 1) => new Promise((resolve) => setTimeout(resolve, ms));

/** A reader that stores its messages. */
class Client {
  readonly seqs: number[] = [];
  readonly messages: string[] = [];
  readonly socket: WebSocket;
  readonly opened: Promise<unknown>;
  readonly ended: Promise<{ code: number; reason: string }>;
  headers: Readonly<Record<string, string | string[] | undefined>> = {};

  constructor(url: string, token: string, options: WebSocket.ClientOptions = {}) {
    const headers = { authorization: `Bearer ${token}` };
    this.socket = new WebSocket(url, { headers, ...options });
    this.socket.on('upgrade', (response) => {
      this.headers = response.headers;
    });
    this.socket.on('message', (message) => {
      this.messages.push(String(message));
      this.seqs.push((JSON.parse(String(message)) as { seq: number }).seq);
    });
    this.opened = once(this.socket, 'open');
    this.ended = new Promise((resolve) => {
      this.socket.on('close', (code, reason) => resolve({ code, reason: String(reason) }));
    });
    this.socket.on('error', () => undefined);
  }

  async until(count: number): Promise<void> {
    const untilMs = performance.now() + 5000;
    while (this.seqs.length < count) {
      if (performance.now() > untilMs) throw new Error(`${this.seqs.length} of ${count} came`);
      await tick();
    }
  }
}

const handshake = {
  connection: 'upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
};

/** The response over plain HTTP to a handshake that is refused. */
async function refusal(port: number, path: string, token: string | null) {
  const authorization = token === null ? {} : { authorization: `Bearer ${token}` };
  const request = httpRequest({ port, path, headers: { ...handshake, ...authorization } }).end();
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  const { code } = JSON.parse(await text(response)) as { code: string };
  return { status: response.statusCode, headers: response.headers, code };
}

test('live events arrive at once, in the envelope of deliveries', async ({ harness, follow }) => {
  await harness.subscribe();
  harness.emit(2);
  const client = follow();
  await client.opened;
  assert.match(String(client.headers['x-request-id']), /^req_/);
  assert.is(client.headers['x-extra'], 'yes');
  harness.emit(3);
  await client.until(3);
  assert.equal(client.seqs, [3, 4, 5]);
  await harness.waitUntilIdle();
  const delivered = harness.arrivals.slice(2).map(({ body }) => body);
  assert.equal(client.messages, delivered);
});

test('after_seq: missed, then live events, each exactly once', async ({ harness, follow }) => {
  harness.emit(2000);
  const client = follow('?after_seq=500');
  // More events happen during the replay.
  const more = setInterval(() => harness.emit(5), 1);
  await client.until(1600);
  clearInterval(more);
  const { lastSeq } = harness.host.world.events;
  await client.until(lastSeq - 500);
  assert.equal(client.seqs, from(501, lastSeq));
});

test('after_seq older than seven days closes with that reason', async ({ harness, follow }) => {
  harness.emit(2);
  await harness.advance(7 * day);
  const inside = follow('?after_seq=0');
  await inside.until(2);
  await harness.advance(1);
  const outside = follow('?after_seq=0');
  const { code, reason } = await outside.ended;
  assert.is(code, 4410);
  assert.match(reason, 'use the bulk reads');
  assert.equal(outside.seqs, []);
  // A client that has seen the last event has missed nothing.
  const current = follow('?after_seq=2');
  await current.opened;
  harness.emit();
  await current.until(1);
  assert.equal(current.seqs, [3]);
});

test('EVT-12, AUTH-6, AUTH-7: clients see what they reach', async ({ harness, follow }) => {
  harness.emit(1, 'account', '10'); // 1
  harness.emit(1, 'order', '11'); // 2
  harness.emit(1, 'account', '20'); // 3, firm 2
  harness.emit(1, 'position'); // 4, firm 1 and no brand
  const expected = { firm: [1, 2, 4], 'brand-a': [1], 'brand-b': [2], 'other-firm': [3] };
  for (const [name, seqs] of Object.entries(expected)) {
    const client = follow('?after_seq=0', name);
    await client.until(seqs.length);
    await tick(10);
    assert.equal(client.seqs, seqs, name);
  }
});

test('NS-12: any number up to the newest is accepted', async ({ harness, follow }) => {
  harness.emit(1, 'account', '10'); // 1
  harness.emit(1, 'account', '11'); // 2
  const client = follow('?after_seq=2', 'brand-a');
  await client.opened;
  harness.emit(1, 'account', '10'); // 3
  await client.until(1);
  assert.equal(client.seqs, [3]);
});

test('a refusal before the upgrade is a problem of the API', async ({ harness, port }) => {
  const token = tokenOf(harness);
  const cases = [
    ['api/v1/events', null, 401, 'unauthorized'],
    ['api/v1/events', 'nonsense', 401, 'unauthorized'],
    ['api/v1/events?after_seq=x', token, 422, 'validation_failed'],
    ['api/v1/events?after_seq=-1', token, 422, 'validation_failed'],
    ['api/v1/events?after_seq=1e3', token, 422, 'validation_failed'],
    ['api/v1/events?after_seq=', token, 422, 'validation_failed'],
    ['api/v1/events?after_seq=7', token, 422, 'validation_failed'],
    ['api/v1/nowhere', token, 404, 'not_found'],
    ['', token, 404, 'not_found'],
  ] as const;
  for (const [path, caller, status, code] of cases) {
    const { headers, ...answer } = await refusal(port, `/${path}`, caller);
    assert.equal(answer, { status, code }, path);
    assert.match(headers['content-type'] ?? '', 'application/problem+json');
    assert.match(String(headers['x-request-id']), /^req_/);
  }
  const entries = harness.host.world.journal.newest;
  assert.is(entries, cases.length, 'each is in the journal');
});

test('a client that offers another protocol gets a response', async ({ harness, port }) => {
  for (const n of [1, 2]) {
    const request = httpRequest(`http://127.0.0.1:${port}/api/v1/accounts`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${tokenOf(harness, 'brand-a')}`,
        'content-type': 'application/json',
        'idempotency-key': `k${n}`,
        // Java's client sends this with every request.
        connection: 'Upgrade, HTTP2-Settings',
        upgrade: 'h2c',
        'http2-settings': 'AAEAAEAAAAIAAAABAAMAAABkAAQBAAAAAAUAAEAA',
      },
    });
    request.end(JSON.stringify({ client_reference_id: `r${n}`, email: `e${n}@example.com` }));
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    assert.is(response.resume().statusCode, 201);
  }
});

test('an invalid handshake is refused, and the server continues', async (place) => {
  const { harness, port, follow } = place;
  const head =
    `GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\n` +
    `Connection: Upgrade\r\nUpgrade: websocket\r\n` +
    `Authorization: Bearer ${tokenOf(harness)}\r\n\r\n`;
  assert.match(await exchange(port, [head]), /^HTTP\/1\.1 400 /);
  await follow().opened;
});

test('an expired token closes the channel', async ({ harness, follow }) => {
  const [{ client_id, client_secret } = {}] = [...harness.host.world.credentials.values()];
  const grant = { grant_type: 'client_credentials', client_id, client_secret };
  const reply = await harness.call('POST', '/api/v1/oauth/token', grant);
  const { access_token: token } = JSON.parse(reply.body) as { access_token: string };
  const client = follow('', token);
  await client.opened;
  await harness.advance(3599 * 1000);
  harness.emit();
  await client.until(1);
  await harness.advance(1000);
  assert.is((await client.ended).code, 4401);
});

test('the end of the world or sandbox closes with a reason', async ({ harness, app, follow }) => {
  const replaced = follow();
  await replaced.opened;
  await harness.sandbox.reset('default');
  assert.is((await replaced.ended).code, 1012);

  const host = await harness.sandbox.addWorld({ name: 'beside', seed: '2' });
  const { token } = [...host.world.tokens.values()][0] ?? { token: '' };
  const dropped = follow('', token);
  await dropped.opened;
  host.execute('makeEvent', { category: 'account', firm_id: '1' });
  await dropped.until(1);
  harness.sandbox.dropWorld('beside');
  assert.is((await dropped.ended).code, 1001);

  const last = follow();
  await last.opened;
  await app.close();
  assert.is((await last.ended).code, 1001);
});

test('a slow reader limits what is sent, and gets every event', async (place) => {
  const { harness, app, follow } = place;
  const sockets = new Set<Socket>();
  app.server.on('connection', (socket: Socket) => sockets.add(socket));
  const unread = () => [...sockets].reduce((sum, { writableLength }) => sum + writableLength, 0);
  const data = { filling: 'x'.repeat(20_000) };
  for (let n = 0; n < 1500; n += 1) {
    harness.execute('makeEvent', { category: 'account', firm_id: '1', data });
  }
  const client = follow('?after_seq=0');
  await client.opened;
  client.socket.pause();
  for (let before = -1; before !== unread(); ) {
    before = unread();
    await tick(50);
  }
  assert.ok(client.seqs.length < 1500);
  assert.ok(unread() > 0 && unread() < 8_000_000, `${unread()} of 30,000,000 bytes are kept`);
  client.socket.resume();
  await client.until(1500);
  assert.equal(client.seqs, from(1, 1500));
});

test('a client that sends too much is disconnected', async ({ follow }) => {
  const quiet = follow();
  const receiving = follow();
  await Promise.all([quiet.opened, receiving.opened]);
  quiet.socket.send('x'.repeat(16 * 1024));
  receiving.socket.send('x'.repeat(16 * 1024 + 1));
  assert.is((await receiving.ended).code, 1009);
  assert.is(quiet.socket.readyState, WebSocket.OPEN);
});

test('a long replay yields to other requests', async ({ harness, follow }) => {
  harness.emit(30_000);
  // Events of another firm: each event is checked, and none is sent.
  const client = follow('?after_seq=0', 'other-firm');
  harness.execute('makeEvent', { category: 'account', firm_id: '2' });
  await client.opened;
  let turns = 0;
  const count = () => {
    turns += 1;
    if (client.seqs.length === 0) setImmediate(count);
  };
  count();
  await client.until(1);
  assert.equal(client.seqs, [30_001]);
  assert.ok(turns > 20, `${turns} turns`);
});

test('a client that does not answer pings is disconnected', async ({ harness }) => {
  const { sandbox } = harness;
  const server = createServer({ IncomingMessage: ApiMessage });
  const batcher = new RequestBatcher(sandbox, {});
  serveEventsChannel(server, { sandbox, guard: new Guard(), batcher, pingEveryMs: 20 });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = urlOf((server.address() as AddressInfo).port);
  const lively = new Client(url, tokenOf(harness));
  const dead = new Client(url, tokenOf(harness), { autoPong: false });
  assert.is((await dead.ended).code, 4408);
  assert.is(lively.socket.readyState, WebSocket.OPEN);
  lively.socket.close();
  server.close();
});

test.run();
