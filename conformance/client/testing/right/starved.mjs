// On a machine so busy that its own time limit often ends before it reads a response that has already
// arrived: it deliberately stalls for a while, at random.
import { randomUUID } from 'node:crypto';

const { SANDBOX_BASE_URL: base, SANDBOX_TOKEN: token } = process.env;
const limitMs = 500;
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function starve() {
  if (Math.random() > 0.15) return;
  await sleep(15);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, limitMs + 50);
}

async function attempt(path, body, key) {
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    'idempotency-key': key,
  };
  const signal = AbortSignal.timeout(limitMs);
  const sent = fetch(`${base}/api/v1/${path}`, { method: 'POST', headers, body, signal });
  await Promise.all([sent, starve()]);
  const response = await sent;
  return { response, text: await response.text() };
}

async function post(path, json) {
  const key = randomUUID();
  let said = 'no answer';
  for (let n = 0; n < 7; n += 1) {
    const answer = await attempt(path, JSON.stringify(json), key).catch(() => null);
    const status = answer?.response.status ?? 0;
    said = answer?.text ?? 'no answer';
    if (answer?.response.ok) return JSON.parse(said);
    const isRunning = said.includes('"idempotency_in_flight"');
    if (status === 429) await sleep(1_000 * Number(answer.response.headers.get('retry-after')));
    else if (isRunning) await sleep(1_200);
    else if ([0, 500, 502, 503].includes(status)) await sleep(400 + 200 * n);
    else break;
  }
  throw new Error(`given up: ${said.slice(0, 100)}`);
}

const deposit = await post('transactions', {
  client_reference_id: randomUUID(),
  account_id: process.env.SANDBOX_ACCOUNT_ID,
  trading_account_id: process.env.SANDBOX_TRADING_ACCOUNT_ID,
  currency: 'USD',
  amount: '1.00',
  transaction_type: 'Deposit',
});
await post(`transactions/${deposit.id}/approve?account_id=${deposit.account_id}`);
