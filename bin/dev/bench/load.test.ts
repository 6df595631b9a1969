// The load counts whole answers by status, however they are cut into packets.

import type { AddressInfo } from 'node:net';
import { createServer, type Server, type Socket } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { drive } from './load.ts';
import { createAccountRequests } from './requests.ts';

type Answer = (socket: Socket) => void;

async function served<T>(answer: Answer, use: (port: number) => Promise<T>): Promise<T> {
  const server: Server = createServer((socket) => {
    socket.on('error', () => socket.destroy());
    socket.on('data', () => answer(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    return await use((server.address() as AddressInfo).port);
  } finally {
    server.close();
  }
}

const next = () => 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';
const load = suite('load');

load('every answer counts once', async () => {
  let asked = 0;
  const answer: Answer = (socket) => {
    asked += 1;
    socket.write('HTTP/1.1 201 Created\r\nContent-Length: 2\r\n\r\nok');
  };
  await served(answer, async (port) => {
    const { statuses, perSecond } = await drive({ port, next, durationMs: 30, connections: 3 });
    assert.is(statuses.get(201), asked);
    assert.ok(asked >= 3 && perSecond > 0);
  });
});

load('an answer in pieces is one answer', async () => {
  const answer: Answer = (socket) => {
    socket.write('HTTP/1.1 429 Too Many Requests\r\nconte');
    setTimeout(() => socket.write('nt-length: 10\r\n\r\n12345'), 5);
    setTimeout(() => socket.write('67890'), 10);
  };
  await served(answer, async (port) => {
    const { statuses } = await drive({ port, next, durationMs: 0, connections: 2 });
    assert.equal([...statuses], [[429, 2]]);
  });
});

load('a server that hangs up fails the measurement', async () => {
  await served(
    (socket) => socket.end(),
    async (port) => {
      const failed = await drive({ port, next, durationMs: 30 }).then(
        () => '',
        (error: Error) => error.message,
      );
      assert.match(failed, 'closed a connection');
    },
  );
});

load('requests differ in key and reference alone, and say their length', () => {
  const make = createAccountRequests({ port: 1, token: 't' });
  const [first, second] = [make(), make()];
  const keyOf = (request: string) => /Idempotency-Key: (\S+)/.exec(request)?.[1];
  assert.is.not(keyOf(first), keyOf(second));
  for (const request of [first, second]) {
    const [head = '', body = ''] = request.split('\r\n\r\n');
    assert.match(head, `Content-Length: ${Buffer.byteLength(body)}`);
    assert.is(JSON.parse(body).brand_id, '10');
  }
  const repeat = createAccountRequests({ port: 1, token: 't', sameKey: true });
  assert.is(repeat(), repeat());
});

load.run();
