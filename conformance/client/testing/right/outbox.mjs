// An outbox: each operation is stored with its key first, and retried until it is done.
// References and keys are derived from the business's own numbers.
import { createHash } from 'node:crypto';

const { env } = process;
const auth = { authorization: `Bearer ${env.SANDBOX_TOKEN}` };
const keyOf = (words) => createHash('sha256').update(words).digest('base64url');

const outbox = [101, 102].map((invoice) => ({
  path: 'transactions',
  key: keyOf(`pay invoice ${invoice}`),
  body: {
    client_reference_id: `invoice-${invoice}`,
    account_id: env.SANDBOX_ACCOUNT_ID,
    trading_account_id: env.SANDBOX_TRADING_ACCOUNT_ID,
    currency: 'USD',
    amount: `${invoice}.25`,
    transaction_type: 'Deposit',
  },
}));

class Refused extends Error {}

/** The answer; null if it has to be retried later. */
async function work({ path, key, body }) {
  try {
    const response = await fetch(`${env.SANDBOX_BASE_URL}/api/v1/${path}`, {
      method: 'POST',
      headers: {
        ...auth,
        'idempotency-key': key,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(2_000),
    });
    const text = await response.text();
    if (response.ok) return { done: JSON.parse(text) };
    const wait = Number(response.headers.get('retry-after') ?? 0);
    const isLater = [429, 500, 502, 503].includes(response.status);
    if (isLater || text.includes('"idempotency_in_flight"')) return { again: wait };
    throw new Refused(`${path}: ${response.status} ${text.split('\n')[0]}`);
  } catch (error) {
    if (error instanceof Refused) throw error;
    return { again: 0 };
  }
}

const retries = [0.6, 1, 2, 4, 8];
async function settle(item) {
  for (const [n, seconds] of [...retries.entries(), [retries.length, null]]) {
    const { done, again } = await work(item);
    if (done !== undefined) return done;
    if (seconds === null) throw new Error(`${item.path} is left in the outbox after ${n} retries`);
    await new Promise((next) => setTimeout(next, Math.max(seconds, again) * 1000 + 50));
  }
}

for (const item of outbox) {
  const { id } = await settle(item);
  const owner = new URLSearchParams({ account_id: env.SANDBOX_ACCOUNT_ID });
  await settle({ path: `transactions/${id}/approve?${owner}`, key: keyOf(`approve ${id}`) });
}
