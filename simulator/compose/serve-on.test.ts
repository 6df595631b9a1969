// A server at its end knows when the last request has gone.
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Busy } from './serve-on.ts';

const ending = suite('shut down');

ending('it waits for requests that are under way, and no longer', async () => {
  let held: ServerResponse | undefined;
  const server = createServer((_request, response) => {
    held = response;
  });
  const busy = new Busy(server);
  await busy.idleWithin(60_000);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const answer = fetch(`http://127.0.0.1:${port}/`);
  while (held === undefined) await new Promise((resolve) => setTimeout(resolve, 5));
  let isIdle = false;
  // Far beyond this file's time limit: only the end of the request can end it.
  const idle = busy.idleWithin(60_000).then(() => {
    isIdle = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  assert.not(isIdle, 'a request is under way');
  held.end('done');
  assert.is(await (await answer).text(), 'done');
  await idle;
  server.close();
  server.closeAllConnections();
});

ending.run();
