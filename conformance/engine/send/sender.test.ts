// A request ends when its time is over or its scenario ends, on a socket and in process.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Unreachable } from '../scenario-errors.ts';
import { withServer } from '../testing/http.ts';
import { fetchSender, type Sender, socketSender } from './sender.ts';

const sending = suite('the end of a request');

const inProcess = fetchSender(() => new Promise(() => {}));

/** Plays on a server that never answers `/silent`, and never ends its answer to any other path. */
const withSlowServer = (play: (origin: string, socket: Sender) => Promise<void>) =>
  withServer(
    (request, response) => {
      if (request.url !== '/silent') response.writeHead(200).write('{"a":');
    },
    async (origin) => {
      const socket = await socketSender();
      await play(origin, socket);
      await socket.close();
    },
  );

async function reasonOf(sender: Sender, url: string, timeoutMs: number, signal?: AbortSignal) {
  const wire = { method: 'GET', url, headers: [], body: undefined, timeoutMs };
  // A timer that the sender would leave to the event loop, which must not end before it.
  const awake = setTimeout(() => {}, 5_000);
  const failure = await sender.send({ ...wire, signal }).catch((error: unknown) => error);
  clearTimeout(awake);
  return failure instanceof Unreachable ? failure.reason : failure;
}

sending('when its time is over, before the answer and in the middle of it', () =>
  withSlowServer(async (origin, socket) => {
    assert.is(await reasonOf(socket, `${origin}/silent`, 50), 'timeout');
    assert.is(await reasonOf(socket, `${origin}/endless`, 50), 'timeout');
    assert.is(await reasonOf(inProcess, `${origin}/silent`, 50), 'timeout');
  }),
);

sending('when its scenario ends, before it is sent and while it runs', () =>
  withSlowServer(async (origin, socket) => {
    for (const sender of [socket, inProcess]) {
      const ended = AbortSignal.abort();
      assert.is(await reasonOf(sender, `${origin}/silent`, 4_000, ended), 'aborted');
      const scenario = new AbortController();
      setTimeout(() => scenario.abort(), 50);
      assert.is(await reasonOf(sender, `${origin}/silent`, 4_000, scenario.signal), 'aborted');
    }
  }),
);

sending.run();
