// The public webhooks entry point: its exports, and the receiver of its documentation with real
// deliveries.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import * as door from './webhooks.ts';

const test = suite('webhooks entry point');
const secret = 'whsec_of_a_test';

test('the module exports the documented names, and nothing else', () => {
  assert.equal(Object.keys(door).sort(), [
    'defaultToleranceMs',
    'diagnoseWebhook',
    'signWebhook',
    'verifyWebhook',
  ]);
  assert.is(door.defaultToleranceMs, 5 * 60 * 1000);
});

test('a receiver in ten lines answers 204 to valid signatures and 400 to invalid ones', async () => {
  const seen: string[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const header = request.headers['x-webhook-signature'];
    const verdict = door.verifyWebhook({ header, body, secret });
    seen.push(verdict.ok ? JSON.parse(body.toString()).id : verdict.reason);
    response.writeHead(verdict.ok ? 204 : 400).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`;
  try {
    const body = JSON.stringify({ id: 'evt_1', name: 'Zoë' });
    const { header } = door.signWebhook({ secret, body });
    const post = async (headers: Record<string, string>, sent = body) =>
      (await fetch(url, { method: 'POST', headers, body: sent })).status;
    assert.is(await post({ 'X-Webhook-Signature': header }), 204);
    assert.is(await post({}), 400);
    assert.is(await post({ 'X-Webhook-Signature': header }, `${body} `), 400);
    const repeated = new Headers([
      ['x-webhook-signature', header],
      ['x-webhook-signature', header],
    ]);
    assert.is(await post(Object.fromEntries(repeated)), 400);
    assert.equal(seen, ['evt_1', 'no_header', 'mismatch', 'duplicate_timestamp']);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

test.run();
