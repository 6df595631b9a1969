// EVT-8a by the wall's clock: the first retry comes 30 seconds after the attempt that failed.
// time limit: 60 s
import { createServer } from 'node:http';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { verifyWebhook } from '../signing/verify.ts';
import { DeliveryTestHarness } from './testing/delivery-test-harness.ts';
import { listen } from './testing/receivers.ts';
import { undiciDeliverer } from './undici-deliverer.ts';

const wallTime = suite('wall time');

interface Seen {
  readonly atMs: number;
  readonly body: string;
  readonly header: string;
}

wallTime('the first retry, over real sockets and in real time', async () => {
  const seen: Seen[] = [];
  let arrived: () => void = () => undefined;
  const both = new Promise<void>((resolve) => {
    arrived = () => seen.length === 2 && resolve();
  });
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      const header = String(request.headers['x-webhook-signature']);
      seen.push({ atMs: performance.now(), body, header });
      response.writeHead(seen.length === 1 ? 500 : 200).end();
      arrived();
    });
  });
  const to = `http://127.0.0.1:${await listen(server)}/in`;
  const harness = await DeliveryTestHarness.begin({
    clock: 'real',
    deliverer: undiciDeliverer(),
    forwards: [{ from: 'https://hooks.example.com', to }],
  });
  const id = await harness.subscribe();
  harness.emit();
  // The wake-up of the sandbox holds nobody's program up; here the test does.
  const alive = setInterval(() => undefined, 1000);
  await both;
  clearInterval(alive);
  await harness.waitUntilIdle();
  const [first, second] = seen as [Seen, Seen];
  const waitedMs = second.atMs - first.atMs;
  assert.ok(waitedMs > 29_900 && waitedMs < 40_000, `${waitedMs} ms`);
  assert.is(second.body, first.body);
  assert.is.not(second.header, first.header, 'EVT-5b: signed anew');
  const { secret } = harness.subscription(id);
  for (const { body, header } of seen) {
    assert.ok(verifyWebhook({ body, header, secret }).ok);
  }
  assert.is(harness.sole(id).status, 'delivered');
  await harness.close();
  server.close();
});

wallTime.run();
