// A missing events channel is not an error.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openEventsChannel } from './events-channel.ts';

const channel = suite('events channel');

channel('is undefined if no WebSocket answers, or if nothing listens', async () => {
  const server = createServer((_, response) => response.writeHead(404).end());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  for (const each of [port, 1]) {
    const url = `http://127.0.0.1:${each}/api/v1/events`;
    assert.is(await openEventsChannel(url, { token: 'tok_1' }), undefined);
  }
  server.close();
});

channel.run();
