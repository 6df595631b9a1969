// Correct receivers, each as a partner would write it with a different library: the judge must not
// report anything about them. Those in Python, Go and shell are in the README.
import { createHmac, timingSafeEqual, webcrypto } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { createRequire } from 'node:module';
import { getRequestListener } from '@hono/node-server';
import fastify from 'fastify';
import { Hono } from 'hono';
import Stripe from 'stripe';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { withServer } from '../engine/testing/http.ts';
import { receiverChecks } from './checks.ts';
import { runReceiver } from './run.ts';

const secret = 'whsec_of_a_partner_0123456789';
const signatureHeader = 'x-webhook-signature';
const fiveMinutesMs = 300_000;

const correct = suite('correct receivers');

/** The ids of the checks that deviate, and of those with advice. */
async function judge(url: string) {
  const names = { signature: signatureHeader, subscription: 'x-webhook-subscription-id' };
  const signing = { secret, previousSecret: null, names, mark: `fine${process.pid}` };
  const { refused, results } = await runReceiver({ url, signing, effects: null });
  assert.is(refused, null);
  assert.ok(results.length > receiverChecks.length, `${results.length} results`);
  const idsOf = (verdict: string) =>
    results.filter(({ judgement }) => judgement.verdict === verdict).map(({ check }) => check.id);
  const [deviating, advice] = [idsOf('deviates').sort(), idsOf('advisory').sort()];
  assert.is(idsOf('passed').length + advice.length + deviating.length, results.length);
  return { deviating, advice };
}

const nothing = { deviating: [], advice: [] };

const judgeListener = (listener: RequestListener) =>
  withServer(listener, (origin) => judge(`${origin}/hooks`));

/** t and every v1 of a timely header, as partners typically read it; null for any other header. */
function partsOf(header = ''): { readonly t: string; readonly digests: readonly Buffer[] } | null {
  const parts = header.split(',').map((part) => part.trim().split('='));
  const valuesOf = (name: string) =>
    parts.filter(([key]) => key === name).map(([, value = '']) => value);
  const [t = '', ...more] = valuesOf('t');
  const isTimely = /^\d+$/.test(t) && Math.abs(Date.now() - Number(t)) <= fiveMinutesMs;
  if (!isTimely || more.length > 0) return null;
  const hex = valuesOf('v1').filter((value) => /^[0-9a-f]{64}$/.test(value));
  return { t, digests: hex.map((value) => Buffer.from(value, 'hex')) };
}

function isGenuine(header: string | undefined, body: Buffer): boolean {
  const signed = partsOf(header);
  if (signed === null) return false;
  const right = createHmac('sha256', secret).update(`${signed.t}.`).update(body).digest();
  return signed.digests.some((digest) => timingSafeEqual(digest, right));
}

/** What is used of a request of express, which has no types. */
interface ExpressRequest {
  readonly body: Buffer;
  readonly get: (name: string) => string | undefined;
}

correct('on express, with the raw body', async () => {
  const express = createRequire(import.meta.url)('express');
  const app = express();
  const raw = express.raw({ type: 'application/json', limit: '1mb' });
  app.post('/hooks', raw, (request: ExpressRequest, response: { sendStatus(n: number): void }) => {
    // A request without a body has no Buffer.
    const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
    response.sendStatus(isGenuine(request.get(signatureHeader), body) ? 204 : 400);
  });
  assert.equal(await judgeListener(app), nothing);
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
    assert.equal(await judge(`${await app.listen({ port: 0, host: '127.0.0.1' })}/hooks`), nothing);
  } finally {
    await app.close();
  }
});

correct('on hono, with Web Crypto', async () => {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const { subtle } = webcrypto;
  const key = await subtle.importKey('raw', Buffer.from(secret), algorithm, false, ['verify']);
  const app = new Hono();
  app.post('/hooks', async (c) => {
    const body = Buffer.from(await c.req.arrayBuffer());
    const signed = partsOf(c.req.header(signatureHeader));
    const message = Buffer.concat([Buffer.from(`${signed?.t}.`), body]);
    for (const digest of signed?.digests ?? []) {
      if (await subtle.verify('HMAC', key, digest, message)) return c.body(null, 204);
    }
    return c.body(null, 401);
  });
  const listener = getRequestListener(app.fetch, { overrideGlobalObjects: false });
  assert.equal(await judgeListener(listener), nothing);
});

/** Stripe's verifier treats t as seconds, so its clock runs a thousand times faster. */
function isGenuineToStripe(header: string, body: Buffer): boolean {
  const { webhooks } = new Stripe('sk_test_of_nobody');
  try {
    const clock = Date.now() * 1000;
    // The types of some versions omit the clock.
    const signature = webhooks.signature as unknown as {
      verifyHeader: (...given: unknown[]) => boolean;
    };
    signature.verifyHeader(body, header, secret, fiveMinutesMs, undefined, clock);
    return true;
  } catch {
    return false;
  }
}

correct('with the verifier of stripe, and a separate check of t', async () => {
  const stripe: RequestListener = async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const header = String(request.headers[signatureHeader] ?? '');
    const isTimely = partsOf(header) !== null;
    const genuine = isTimely && isGenuineToStripe(header, Buffer.concat(chunks));
    response.writeHead(genuine ? 204 : 400).end();
  };
  // It decodes the body to text, and rejects spaces in the header.
  assert.equal(await judgeListener(stripe), {
    deviating: [],
    advice: ['RCV-advises-byte-order-mark', 'RCV-tolerates-white-space-in-header'],
  });
});

correct.run();
