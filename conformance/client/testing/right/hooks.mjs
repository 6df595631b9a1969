// Driven by webhooks: it has its own receiver, and continues when an event says that its deposit
// was approved.
import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

const env = process.env;
const heard = [];
let secret = '';

function isSigned(header, body) {
  const at = /t=(\d+)/.exec(header)?.[1];
  const own = createHmac('sha256', secret).update(`${at}.`).update(body).digest();
  const signatures = [...header.matchAll(/v1=([0-9a-f]{64})/g)];
  return signatures.some(([, hex]) => timingSafeEqual(Buffer.from(hex, 'hex'), own));
}

async function wasApproved(id) {
  for (let n = 0; n < 300; n += 1) {
    if (heard.some((each) => each.includes(`"${id}"`) && each.includes('.approved'))) return;
    await sleep(50);
  }
  throw new Error('nobody said that it was approved');
}

const server = createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  const isGood = isSigned(String(request.headers['x-webhook-signature']), body);
  response.writeHead(isGood ? 204 : 401).end();
  if (isGood) heard.push(body.toString());
});

async function post(path, json, key) {
  for (let n = 1; ; n += 1) {
    const response = await fetch(`${env.SANDBOX_BASE_URL}/api/v1/${path}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${env.SANDBOX_TOKEN}`,
        'content-type': 'application/json',
        ...(key === undefined ? {} : { 'idempotency-key': key }),
      },
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
      signal: AbortSignal.timeout(2_000),
    }).catch(() => null);
    const text = (await response?.text().catch(() => null)) ?? 'no answer';
    if (response?.ok) return JSON.parse(text);
    const passes = [undefined, 429, 500, 502, 503].includes(response?.status);
    if (n === 6 || !(passes || text.includes('"idempotency_in_flight"'))) throw new Error(text);
    await sleep(1_000 * Number(response?.headers.get('retry-after') ?? 0) || 400 * n);
  }
}

await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
try {
  const from = 'https://hooks.shop.example';
  await fetch(`${env.SANDBOX_CONTROL_URL}/forwards`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ from, to: `http://127.0.0.1:${server.address().port}` }),
  });
  const categories = ['transaction'];
  const hook = await post('webhooks', { url: `${from}/in`, event_categories: categories });
  secret = hook.secret;
  const deposit = await post(
    'transactions',
    {
      client_reference_id: randomUUID(),
      account_id: env.SANDBOX_ACCOUNT_ID,
      trading_account_id: env.SANDBOX_TRADING_ACCOUNT_ID,
      currency: 'USD',
      amount: '33.00',
      transaction_type: 'Deposit',
    },
    randomUUID(),
  );
  const target = `transactions/${deposit.id}/approve?account_id=${deposit.account_id}`;
  await post(target, undefined, randomUUID());
  await wasApproved(deposit.id);
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
} finally {
  server.close();
  server.closeAllConnections();
}
