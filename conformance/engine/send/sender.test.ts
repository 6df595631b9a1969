// A request ends when its time is over or its scenario ends, on a socket and in process.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Unreachable } from '../scenario-errors.ts';
import { fetchSender, type Sender, socketSender } from './sender.ts';

const sending = suite('the end of a request');

/** A server that never answers `/silent`, and never ends its answer to any other path. */
const server = createServer((request, response) => {
  if (request.url !== '/silent') response.writeHead(200).write('{"a":');
});
let origin = '';
let socket: Sender;
sending.before(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  socket = await socketSender();
});
sending.after(async () => {
  await socket.close();
  server.closeAllConnections();
  server.close();
});

const inProcess = fetchSender(() => new Promise(() => {}));

async function reasonOf(sender: Sender, path: string, timeoutMs: number, signal?: AbortSignal) {
  const wire = { method: 'GET', url: `${origin}${path}`, headers: [], body: undefined, timeoutMs };
  // A timer that the sender would leave to the event loop, which must not end before it.
  const awake = setTimeout(() => {}, 5_000);
  const failure = await sender.send({ ...wire, signal }).catch((error: unknown) => error);
  clearTimeout(awake);
  return failure instanceof Unreachable ? failure.reason : failure;
}

sending('when its time is over, before the answer and in the middle of it', async () => {
  assert.is(await reasonOf(socket, '/silent', 50), 'timeout');
  assert.is(await reasonOf(socket, '/endless', 50), 'timeout');
  assert.is(await reasonOf(inProcess, '/silent', 50), 'timeout');
});

sending('when its scenario ends, before it is sent and while it runs', async () => {
  for (const sender of [socket, inProcess]) {
    assert.is(await reasonOf(sender, '/silent', 4_000, AbortSignal.abort()), 'aborted');
    const scenario = new AbortController();
    setTimeout(() => scenario.abort(), 50);
    assert.is(await reasonOf(sender, '/silent', 4_000, scenario.signal), 'aborted');
  }
});

sending.run();
