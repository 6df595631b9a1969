// The gateway between a client and its world: what it records, cuts, delays and forwards.
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Fault, loseFirst } from './faults.ts';
import { type Gateway, openGateway } from './gateway.ts';
import { play, type SandboxWorld } from './play.ts';
import { isUnheard } from './recording.ts';

const gateway = suite('gateway');

const world = (fetch: SandboxWorld['fetch']): SandboxWorld => ({
  ...{ fetch, listen: async () => ({ host: '127.0.0.1', port: 1 }), variables: {} },
  ...{ secrets: [{ value: 'token', clientId: 'cl' }], otherToken: 'other' },
  close: async () => undefined,
});

async function behind(
  fetch: SandboxWorld['fetch'],
  fault: Fault,
  play: (base: string, own: Gateway) => Promise<void>,
): Promise<void> {
  const own = await openGateway(world(fetch), fault, ['createAccount#1']);
  try {
    await play(own.url, own);
  } finally {
    await own.close();
  }
}

const post = (base: string, key = 'a') =>
  fetch(`${base}/api/v1/accounts`, {
    method: 'POST',
    headers: { authorization: 'Bearer token', 'idempotency-key': ` ${key} ` },
    body: '{"client_reference_id":"r"}',
  });

const isAnswered = (base: string) =>
  post(base).then(
    () => true,
    () => false,
  );

const created = async () => Response.json({ id: '1' }, { status: 201, headers: { etag: '"1"' } });

gateway('a call gets the answer of the platform, and is recorded', async () => {
  await behind(created, {}, async (base, own) => {
    const response = await post(base);
    assert.is(response.status, 201);
    assert.is(response.headers.get('etag'), '"1"');
    assert.equal(await response.json(), { id: '1' });
    const [call] = own.calls;
    assert.is(call?.key, 'a');
    assert.is(call?.site, 'createAccount#1');
    assert.is(call?.response?.status, 201);
    assert.ok(call?.answeredAtMs !== null);
  });
});

gateway('a command ends after its last call, even if it started late', async () => {
  const sends = "fetch(process.env.SANDBOX_BASE_URL + '/api/v1/accounts', { method: 'POST' })";
  const { calls, ending } = await play({
    ...{ command: [process.execPath, '-e', sends], cwd: '.', env: process.env, seed: 's' },
    ...{ timeoutMs: 30_000, signal: new AbortController().signal },
    openWorld: async () => world(created),
    fault: {
      // Other runs occupy this program between the start of the gateway and of the command.
      variables: () => {
        const untilMs = performance.now() + 1_000;
        while (performance.now() < untilMs);
        return {};
      },
    },
  });
  assert.is(calls.length, 1);
  assert.ok(ending.durationMs >= calls[0]!.atMs, `${ending.durationMs}, ${calls[0]!.atMs}`);
});

/** A call as a client without a library sends it. */
function sendRaw(base: string, path: string, ...more: readonly string[]) {
  const socket = connect(Number(new URL(base).port), '127.0.0.1');
  socket.on('error', () => undefined);
  const lines = [`POST /api/v1/${path} HTTP/1.1`, 'host: localhost', 'content-length: 2', ...more];
  socket.write(`${lines.join('\r\n')}\r\n\r\n{}`);
  return socket;
}

gateway('an answer that was not waited for is distinguished from one that was read', async () => {
  await behind(created, {}, async (base, own) => {
    await (await post(base)).text();
    const socket = sendRaw(base, 'accounts');
    while (typeof own.calls[1]?.answeredAtMs !== 'number') await pause(1);
    // The operating system does this for a program that closes a socket with unread data.
    socket.resetAndDestroy();
    while (own.calls[1].abandonedAtMs === null) await pause(1);
    assert.equal(own.calls.map(isUnheard), [false, true]);
  });
});

gateway('a client that disconnected before the answer has not read it', async () => {
  await behind(created, {}, async (base, own) => {
    // The connection ends with the call.
    sendRaw(base, 'accounts').end();
    while (own.calls[0]?.response == null) await pause(1);
    await pause(1);
    assert.equal(own.calls.map(isUnheard), [true]);
  });
});

gateway('a client that offers HTTP/2 is served and recorded like any other', async () => {
  const upgrade = [
    'connection: Upgrade, HTTP2-Settings',
    'upgrade: h2c',
    'http2-settings: AAEAAEAA',
  ];
  await behind(created, {}, async (base, own) => {
    const socket = sendRaw(base, 'accounts', ...upgrade);
    const [answer] = await once(socket, 'data');
    assert.match(String(answer), /^HTTP\/1\.1 201 /);
    const [call] = own.calls;
    assert.equal([call?.body, call?.response?.status], ['{}', 201]);
    socket.destroy();
  });
});

gateway('the platform gets the raw bytes of a body, not decoded text', async () => {
  const latin1 = Buffer.from('{"first_name":"José"}', 'latin1');
  let received = Buffer.alloc(0);
  const keep = async (request: Request) => {
    received = Buffer.from(await request.arrayBuffer());
    return created();
  };
  await behind(keep, {}, async (base) => {
    await (await fetch(`${base}/api/v1/accounts`, { method: 'POST', body: latin1 })).text();
    assert.equal([...received], [...latin1]);
  });
});

gateway('an answer is lost once, after the platform has run the call', async () => {
  let ran = 0;
  const count = async () => {
    ran += 1;
    return created();
  };
  await behind(count, loseFirst('answer_lost'), async (base, own) => {
    assert.is(await isAnswered(base), false);
    assert.is(ran, 1);
    assert.is((await post(base)).status, 201);
    const fates = own.calls.map(({ fate, site }) => `${site} ${fate}`);
    assert.equal(fates, ['createAccount#1 answer_lost', 'createAccount#1 answered']);
  });
});

gateway('a call that the sandbox cuts off ends its connection and no more', async () => {
  const cut = async (): Promise<Response> => {
    throw new TypeError('fetch failed: the connection was reset');
  };
  await behind(cut, {}, async (base) => {
    assert.is(await isAnswered(base), false);
    const socket = sendRaw(base, '%%%?a=%zz');
    await new Promise((resolve) => socket.once('close', resolve).resume());
    assert.is(await isAnswered(base), false);
  });
});

gateway('no answer is sent until the client disconnects, and that time is recorded', async () => {
  await behind(created, loseFirst('silent'), async (base, own) => {
    const signal = AbortSignal.timeout(200);
    await fetch(`${base}/api/v1/accounts`, { method: 'POST', body: '{}', signal }).catch(
      () => null,
    );
    while (own.calls[0]?.abandonedAtMs === null) await pause(10);
    const [call] = own.calls;
    assert.is(call?.fate, 'silent');
    assert.is(call?.answeredAtMs, null);
    assert.ok((call?.abandonedAtMs ?? 0) > 100);
  });
});

gateway.run();
