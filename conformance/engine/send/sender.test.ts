// A request ends when its time is over or its scenario ends, on a socket and in process.
import type { RequestListener } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Unreachable } from '../scenario-errors.ts';
import { withServer } from '../testing/http.ts';
import { openEventsChannel } from './events-channel.ts';
import { fetchSender, type Sender, socketSender, withLimit } from './sender.ts';

const sending = suite('the end of a request');

const inProcess = fetchSender(() => new Promise(() => {}));

async function reasonOf(sender: Sender, url: string, timeoutMs: number, signal?: AbortSignal) {
  const wire = { method: 'GET', url, headers: [], body: undefined, timeoutMs };
  // A timer that the sender would leave to the event loop, which must not end before it.
  const awake = setTimeout(() => {}, 5_000);
  const failure = await sender.send({ ...wire, signal }).catch((error: unknown) => error);
  clearTimeout(awake);
  return failure instanceof Unreachable ? failure.reason : failure;
}

/** A server that never answers `/silent`, and never ends its answer to any other path. */
const slow: RequestListener = (request, response) => {
  if (request.url !== '/silent') response.writeHead(200).write('{"a":');
};

sending('when its time is over, or when its scenario ends', () =>
  withServer(slow, async (origin) => {
    const [socket, silent] = [await socketSender(), `${origin}/silent`];
    for (const [sender, url] of [
      [socket, silent],
      [socket, `${origin}/endless`],
      [inProcess, silent],
    ] as const) {
      assert.is(await reasonOf(sender, url, 50), 'timeout');
      const scenario = new AbortController();
      setTimeout(() => scenario.abort(), 50);
      assert.is(await reasonOf(sender, url, 4_000, scenario.signal), 'aborted');
      assert.is(await reasonOf(sender, url, 4_000, AbortSignal.abort()), 'aborted');
    }
    await socket.close();
  }),
);

sending('when its time is over, even after garbage collection', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const stop = new AbortController();
  const signals = Array.from({ length: 20 }, () => withLimit(stop.signal, 50));
  let aborted = 0;
  for (const each of signals) each.addEventListener('abort', () => (aborted += 1), { once: true });
  collect();
  await sleep(1);
  collect();
  await sleep(100);
  assert.equal([aborted, signals.filter((each) => each.aborted).length], [20, 20]);
});

sending('an events channel is absent if no WebSocket answers, or if nothing listens', async () => {
  await withServer(
    (_, response) => response.writeHead(404).end(),
    async (origin) => {
      for (const each of [origin, 'http://127.0.0.1:1']) {
        const opened = openEventsChannel(`${each}/api/v1/events`, { token: 'tok_1' });
        assert.is(await opened, undefined);
      }
    },
  );
});

sending.run();
