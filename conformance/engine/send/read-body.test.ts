// A target that answers without end, or with brackets without end, costs its judge next to nothing.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ANSWER_LIMIT_BYTES, isTooDeep, readUpTo, readWhole } from './read-body.ts';
import { socketSender } from './sender.ts';

const bodies = suite('bodies of strangers');
const mebibyte = new Uint8Array(1024 * 1024);

async function* endless(count: { chunks: number }) {
  for (;;) {
    count.chunks += 1;
    yield mebibyte;
  }
}

bodies('the beginning of an endless one is kept, and no more is asked for', async () => {
  const count = { chunks: 0 };
  const { bytes, isWhole } = await readUpTo(endless(count));
  assert.equal([bytes.length, isWhole, count.chunks], [ANSWER_LIMIT_BYTES, false, 2]);
  const said = await readWhole(endless(count)).catch((error: Error) => error.message);
  assert.is(said, 'the answer is longer than 1024 KiB and was not read further');
});

bodies('one of the limit is whole', async () => {
  const { isWhole } = await readUpTo(
    (async function* () {
      yield mebibyte;
    })(),
  );
  assert.ok(isWhole);
});

bodies('a target that answers 200 MB is left after the first of them', async () => {
  let sent = 0;
  const server = createServer((_request, response) => {
    const more = (): void => {
      while (sent < 200 && response.writable && !response.destroyed) {
        sent += 1;
        if (!response.write(mebibyte)) {
          response.once('drain', more);
          return;
        }
      }
      response.end();
    };
    more();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const sender = await socketSender();
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const said = await sender
    .send({ method: 'GET', url, headers: [], body: undefined, timeoutMs: 20_000 })
    .catch((error: Error) => error.message);
  assert.match(String(said), 'longer than 1024 KiB');
  assert.ok(sent < 100, `${sent} MiB were sent`);
  await sender.close();
  server.closeAllConnections();
  server.close();
});

bodies('brackets are counted outside strings only', () => {
  assert.ok(isTooDeep('['.repeat(1_000_000)));
  assert.not(isTooDeep('['.repeat(200)));
  assert.not(isTooDeep(JSON.stringify({ text: '[{'.repeat(1000), quoted: '\\"[' })));
});

bodies.run();
