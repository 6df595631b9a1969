// EVT-9: a receiver that hangs, drips, resets, floods or does not speak HTTP fails one attempt
// only.
import { createServer } from 'node:http';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { CancelToken, type Deliverer } from './deliverer.ts';
import { listen, rawReceiver, requestTo, withDeliverer } from './testing/receivers.ts';
import { undiciDeliverer } from './undici-deliverer.ts';

const hostile = suite<{ deliverer: Deliverer }>('hostile receivers');
withDeliverer(hostile);

type Raw = Parameters<typeof rawReceiver>[0];

/** Delivers once to a receiver with this behaviour. */
async function deliverTo(onRequest: Raw, answerLimitMs = 2000) {
  const receiver = await rawReceiver(onRequest);
  const deliverer = undiciDeliverer();
  const request = requestTo(`http://127.0.0.1:${receiver.port}/in?a=b`, { answerLimitMs });
  const beganMs = performance.now();
  const outcome = await deliverer.deliver(request);
  const tookMs = performance.now() - beganMs;
  await deliverer.close();
  return { ...outcome, tookMs };
}

hostile('a delivery is one POST with the exact body, and returns the response status', async () => {
  let request = '';
  const outcome = await deliverTo((socket, head) => {
    request += head;
    socket.write('HTTP/1.1 202 Accepted\r\ncontent-length: 2\r\n\r\nok');
  });
  assert.is(outcome.status, 202);
  assert.is(outcome.error, null);
  assert.ok(request.startsWith('POST /in?a=b HTTP/1.1\r\n'), request);
  assert.match(request, /\r\nhost: 127\.0\.0\.1:\d+\r\n/);
  assert.match(request, '\r\nx-webhook-signature: t=1,v1=00\r\n');
  assert.match(request, '\r\ncontent-length: 9\r\n');
  assert.ok(request.endsWith('\r\n\r\n{"seq":1}'), request);
});

/** Sends a text, and then one letter after another without an end. */
function dripAfter(text: string): Raw {
  let isDripping = false;
  return (socket) => {
    if (isDripping) return;
    isDripping = true;
    socket.write(text);
    const timer = setInterval(() => socket.write('x'), 10);
    socket.on('close', () => clearInterval(timer));
  };
}

hostile('a response that does not come in time, or not whole, is aborted', async () => {
  for (const [onRequest, words] of [
    [() => undefined, 'no response within 1 s'],
    [dripAfter('HTTP/1.1 200 OK\r\nx-slow: yes'), 'no response within 1 s'],
    [
      dripAfter('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n'),
      'the response was not complete within 1 s',
    ],
  ] as const) {
    const { status, error, tookMs } = await deliverTo(onRequest, 150);
    assert.equal([status, error], [null, words]);
    assert.ok(tookMs >= 149 && tookMs < 1500, `${tookMs}`);
  }
});

const ok = 'HTTP/1.1 200 OK\r\n';
const half = `${ok}content-length: 100\r\n\r\nhalf`;
const endless = `${ok}x: ${'y'.repeat(100_000)}`;
const interim = 'HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n';
const switched = 'HTTP/1.1 101 Switching\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n';

// [what the receiver does, the status, the error]
const answers: readonly (readonly [Raw, number | null, RegExp])[] = [
  [(socket) => socket.resetAndDestroy(), null, /^the connection was reset$/],
  [(socket) => socket.end(), null, /^the connection was closed before a response$/],
  [
    (socket) => socket.end(half),
    null,
    /^the connection was closed before the response was complete$/,
  ],
  [(socket) => socket.write(endless), null, /^Headers Overflow Error$/],
  [(socket) => socket.write('SSH-2.0-OpenSSH_9.2\r\n'), null, /^the response is not valid HTTP/],
  [(socket) => socket.write('HTTP/9.9 what\r\n\r\n'), null, /^the response is not valid HTTP/],
  [(socket) => socket.write('\0\0\0\0\0'), null, /^the response is not valid HTTP/],
  [(socket) => socket.write(switched), null, /./],
  [(socket) => socket.write(interim), 204, /^null$/],
];

hostile('each kind of incomplete response has its own error message', async ({ deliverer }) => {
  for (const [onRequest, expected, words] of answers) {
    const { status, error } = await deliverTo(onRequest);
    assert.is(status, expected, String(error));
    assert.match(String(error), words);
  }
  // https to a port that speaks http, and a port without a listener.
  const receiver = await rawReceiver((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
  const errorOf = async (scheme: string) =>
    (await deliverer.deliver(requestTo(`${scheme}://127.0.0.1:${receiver.port}/`))).error;
  assert.match(String(await errorOf('https')), 'TLS failed');
  receiver.close();
  assert.is(await errorOf('http'), 'connection refused');
});

hostile('a response of a gigabyte is not read to its end', async () => {
  const piece = Buffer.alloc(64 * 1024, 'x');
  let sentBytes = 0;
  const { status, error } = await deliverTo((socket) => {
    socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${1024 ** 3}\r\n\r\n`);
    const flood = () => {
      while (!socket.destroyed && sentBytes < 1024 ** 3) {
        sentBytes += piece.length;
        if (!socket.write(piece)) break;
      }
    };
    socket.on('drain', flood);
    flood();
  });
  assert.is(status, 200);
  assert.is(error, null);
  assert.ok(sentBytes < 64 * 1024 * 1024, `${sentBytes} bytes were taken`);
});

hostile('a receiver that hangs does not delay other receivers', async ({ deliverer }) => {
  const hangs = await rawReceiver(() => undefined);
  const server = createServer((_request, response) => response.end());
  const port = await listen(server);
  const url = `http://127.0.0.1:${hangs.port}/`;
  // Only as many connections as the first deliveries hold; the others wait and never get one.
  const slow = Array.from({ length: 200 }, (_, n) =>
    deliverer.deliver(requestTo(url, { answerLimitMs: n < 128 ? 1000 : 200 })),
  );
  const { status } = await deliverer.deliver(requestTo(`http://127.0.0.1:${port}/`));
  assert.is(status, 200);
  const errors = new Set((await Promise.all(slow)).map(({ error }) => error));
  assert.equal([...errors].sort(), ['no connection within 1 s', 'no response within 1 s']);
});

hostile('a delivery without a connection in time is never sent', async ({ deliverer }) => {
  let arrived = 0;
  const receiver = await rawReceiver((socket) => {
    arrived += 1;
    setTimeout(() => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'), 150);
  });
  const url = `http://127.0.0.1:${receiver.port}/`;
  const first = Array.from({ length: 128 }, () => deliverer.deliver(requestTo(url)));
  const late = deliverer.deliver(requestTo(url, { answerLimitMs: 50 }));
  assert.match((await late).error ?? '', 'no connection');
  await Promise.all(first);
  await new Promise((resolve) => setTimeout(resolve, 50));
  assert.is(arrived, 128);
});

hostile('keep-alive: consecutive deliveries share connections', async ({ deliverer }) => {
  const receiver = await rawReceiver((socket) =>
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'),
  );
  for (let n = 0; n < 20; n += 1) {
    await deliverer.deliver(requestTo(`http://127.0.0.1:${receiver.port}/${n}`));
  }
  // Undici has not released the first connection yet if the second delivery follows immediately.
  assert.ok(receiver.connections() <= 2, `${receiver.connections()} connections`);
});

hostile('closing aborts deliveries in flight, and sends no more', async ({ deliverer }) => {
  const receiver = await rawReceiver(() => undefined);
  const cancelToken = new CancelToken();
  const url = `http://127.0.0.1:${receiver.port}/`;
  const aborted = deliverer.deliver(requestTo(url, { cancelToken }));
  const closed = deliverer.deliver(requestTo(url));
  await new Promise((resolve) => setTimeout(resolve, 50));
  cancelToken.cancel();
  assert.is((await aborted).error, 'cut off by the sandbox');
  await deliverer.close();
  assert.is((await closed).status, null);
  assert.is((await deliverer.deliver(requestTo(url))).error, 'the sandbox is closing');
});

hostile.run();
