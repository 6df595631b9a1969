// Receivers that are right, each as a partner would write it with another library: the judge has
// nothing to say against any of them. Those in Python, Go and a shell stand in the README.
// time limit: 60 s
import { createHmac, timingSafeEqual, webcrypto } from 'node:crypto';
import { createServer, type RequestListener } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import fastify from 'fastify';
import { Hono } from 'hono';
import Stripe from 'stripe';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { receiverChecks, runReceiver } from './run.ts';

const secret = 'whsec_of_a_partner_0123456789';
const signatureHeader = 'x-webhook-signature';
const fiveMinutesMs = 300_000;

const correct = suite('correct receivers');

/** Judges what listens there; the advice it raises, by the ids of the checks. */
async function judge(url: string): Promise<string[]> {
  const names = { signature: signatureHeader, subscription: 'x-webhook-subscription-id' };
  const terms = { secret, previousSecret: null, names, mark: `fine${process.pid}` };
  const { refused, results } = await runReceiver({ url, terms, effects: null });
  assert.is(refused, null);
  assert.ok(results.length > receiverChecks.length, `${results.length} results`);
  const by = (verdict: string) => results.filter(({ judgement }) => judgement.verdict === verdict);
  assert.equal(
    by('deviates').map(({ check, judgement }) => `${check.id}: ${judgement.actual}`),
    [],
  );
  const advice = by('advisory').map(({ check }) => check.id);
  assert.is(by('passed').length + advice.length, results.length);
  return advice;
}

async function judgeListener(listener: RequestListener): Promise<string[]> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    return await judge(`http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`);
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

/** What most partners write. */
function isGenuine(header: string | undefined, body: Buffer): boolean {
  const parts = (header ?? '').split(',').map((part) => part.trim().split('='));
  const times = parts.filter(([key]) => key === 't').map(([, value = '']) => value);
  const [t = ''] = times;
  if (times.length !== 1 || !/^\d+$/.test(t)) return false;
  if (Math.abs(Date.now() - Number(t)) > fiveMinutesMs) return false;
  const right = createHmac('sha256', secret).update(`${t}.`).update(body).digest();
  return parts.some(([key, value = '']) => {
    if (key !== 'v1' || !/^[0-9a-f]{64}$/.test(value)) return false;
    return timingSafeEqual(Buffer.from(value, 'hex'), right);
  });
}

correct('on raw node:http', async () => {
  const advice = await judgeListener(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const header = request.headers[signatureHeader];
    const genuine = typeof header === 'string' && isGenuine(header, Buffer.concat(chunks));
    response.writeHead(genuine ? 204 : 400).end();
  });
  assert.equal(advice, []);
});

/** The part of express that is used here; it brings no types. */
interface Express {
  (): RequestListener & { post: (path: string, ...handlers: unknown[]) => void };
  readonly raw: (options: { type: string; limit: string }) => unknown;
}

interface ExpressRequest {
  readonly body: Buffer;
  readonly get: (name: string) => string | undefined;
}

correct('on express, with the raw body', async () => {
  const express = createRequire(import.meta.url)('express') as Express;
  const app = express();
  const raw = express.raw({ type: 'application/json', limit: '1mb' });
  app.post('/hooks', raw, (request: ExpressRequest, response: { sendStatus(n: number): void }) => {
    // A request without a body has none.
    const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
    response.sendStatus(isGenuine(request.get(signatureHeader), body) ? 204 : 400);
  });
  assert.equal(await judgeListener(app), []);
});

correct('on fastify, with the raw body', async () => {
  const app = fastify();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => {
    done(null, body);
  });
  app.post('/hooks', (request, reply) => {
    const header = request.headers[signatureHeader];
    const genuine = typeof header === 'string' && isGenuine(header, request.body as Buffer);
    return reply.code(genuine ? 204 : 400).send();
  });
  try {
    assert.equal(await judge(`${await app.listen({ port: 0, host: '127.0.0.1' })}/hooks`), []);
  } finally {
    await app.close();
  }
});

correct('on hono, with Web Crypto', async () => {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await webcrypto.subtle.importKey('raw', Buffer.from(secret), algorithm, false, [
    'verify',
  ]);
  const app = new Hono();
  app.post('/hooks', async (c) => {
    const body = Buffer.from(await c.req.arrayBuffer());
    const header = c.req.header(signatureHeader) ?? '';
    const fields = header.split(',').map((part) => part.trim().split('=') as [string, string?]);
    const times = fields.filter(([name]) => name === 't').map(([, value]) => value ?? '');
    const t = times.length === 1 && /^\d+$/.test(times[0] ?? '') ? Number(times[0]) : 0;
    if (Math.abs(Date.now() - t) > fiveMinutesMs) return c.body(null, 401);
    const message = Buffer.concat([Buffer.from(`${times[0]}.`), body]);
    for (const [name, value = ''] of fields) {
      if (name !== 'v1' || !/^[0-9a-f]{64}$/.test(value)) continue;
      const digest = Buffer.from(value, 'hex');
      if (await webcrypto.subtle.verify('HMAC', key, digest, message)) return c.body(null, 204);
    }
    return c.body(null, 401);
  });
  assert.equal(await judgeListener(getRequestListener(app.fetch)), []);
});

correct('with the verifier of stripe, adapted to milliseconds', async () => {
  const { webhooks } = new Stripe('sk_test_of_nobody');
  const advice = await judgeListener(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const header = String(request.headers[signatureHeader] ?? '');
    try {
      // It reads t as seconds: told a clock a thousand times faster, its seconds are milliseconds.
      const clock = Date.now() * 1000;
      const payload = Buffer.concat(chunks);
      webhooks.signature?.verifyHeader(payload, header, secret, fiveMinutesMs, undefined, clock);
      response.writeHead(204).end();
    } catch {
      response.writeHead(400).end();
    }
  });
  // It knows no future, decodes the body to text, and reads no blanks in the header.
  assert.equal(advice.sort(), [
    'RCV-advises-byte-order-mark',
    'RCV-advises-future-t',
    'RCV-tolerates-white-space-in-header',
  ]);
});

correct.run();
