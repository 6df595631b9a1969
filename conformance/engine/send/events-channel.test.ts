// An events channel is listened to with the credential's token, and its absence is no error.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { WebSocketServer } from 'ws';
import type { Credential } from '../../providers/target.ts';
import { openEventsChannel } from './events-channel.ts';

const channel = suite('channel');

const credential: Credential = {
  ...{ name: 'firm', token: 'tok_1', brandId: '10', firmId: '1', rates: [] },
  ...{ accountId: undefined, tradingAccountId: undefined },
  ...{ clientId: undefined, clientSecret: undefined },
};

async function serving(
  play: (origin: string, seen: { target: string; token: string }[]) => Promise<void>,
): Promise<void> {
  const server = createServer((_, response) => response.writeHead(404).end());
  const sockets = new WebSocketServer({ server, path: '/api/v1/events' });
  const seen: { target: string; token: string }[] = [];
  sockets.on('connection', (socket, request) => {
    seen.push({ target: request.url ?? '', token: request.headers.authorization ?? '' });
    socket.send('{"id":"evt_1"}');
    socket.send('{"id":"evt_2"}');
    if (request.url?.endsWith('gone')) socket.close(4000, 'beyond the window');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    await play(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen);
  } finally {
    for (const socket of sockets.clients) socket.terminate();
    sockets.close();
    server.close();
  }
}

async function until(test: () => boolean): Promise<void> {
  for (let tries = 0; !test() && tries < 200; tries += 1) {
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  assert.ok(test());
}

channel('keeps every message in order', () =>
  serving(async (origin, seen) => {
    const opened = await openEventsChannel(`${origin}/api/v1/events?after_seq=3`, credential);
    assert.ok(opened);
    await until(() => opened.messages.length === 2);
    assert.equal(opened.messages, ['{"id":"evt_1"}', '{"id":"evt_2"}']);
    assert.equal(seen, [{ target: '/api/v1/events?after_seq=3', token: 'Bearer tok_1' }]);
    assert.is(opened.closed, false);
    opened.close();
    await until(() => opened.closed);
  }),
);

channel('tells when the other side has ended it', () =>
  serving(async (origin) => {
    const opened = await openEventsChannel(`${origin}/api/v1/events?gone`, credential);
    assert.ok(opened);
    await until(() => opened.closed);
  }),
);

channel('is not there where no WebSocket answers', async () => {
  await serving(async (origin) => {
    assert.is(await openEventsChannel(`${origin}/elsewhere`, credential), undefined);
  });
  assert.is(await openEventsChannel('http://127.0.0.1:1/api/v1/events', credential), undefined);
});

channel.run();
