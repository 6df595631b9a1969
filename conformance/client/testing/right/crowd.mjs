// Concurrent writes over node:http, with one queue for the whole credential: a rate limit pauses all of
// them. They share one token, requested once, however many wait for it.
import { randomUUID } from 'node:crypto';
import { Agent, request } from 'node:http';

const { env } = process;
const agent = new Agent({ keepAlive: true, maxSockets: 8 });
const pause = (ms) => new Promise((done) => setTimeout(done, ms));
const retryable = new Set([
  'idempotency_in_flight',
  'rate_limited',
  'internal_error',
  'write_contention',
]);

let openAt = 0;
let token = null;

function exchange(method, path, headers, body) {
  return new Promise((resolve, reject) => {
    const url = new URL(`/api/v1/${path}`, env.SANDBOX_BASE_URL);
    const call = request(url, { method, headers, agent, timeout: 2_500 }, (answer) => {
      let text = '';
      answer.setEncoding('utf8');
      answer.on('data', (part) => {
        text += part;
      });
      answer.on('end', () => resolve({ status: answer.statusCode, headers: answer.headers, text }));
      answer.on('error', reject);
    });
    call.on('timeout', () => call.destroy(new Error('no answer in time')));
    call.on('error', reject);
    call.end(body);
  });
}

/** All callers that need a new token wait for the same one. */
function newToken(old) {
  if (token !== null && token.of === old) return token.promise;
  const form = new URLSearchParams({ grant_type: 'client_credentials' }).toString();
  const basic = Buffer.from(`${env.SANDBOX_CLIENT_ID}:${env.SANDBOX_CLIENT_SECRET}`);
  const headers = {
    authorization: `Basic ${basic.toString('base64')}`,
    'content-type': 'application/x-www-form-urlencoded',
  };
  const promise = exchange('POST', 'oauth/token', headers, form).then(({ text }) =>
    JSON.parse(text),
  );
  token = { of: old, promise };
  return promise;
}

async function attempt(method, path, body, headers) {
  while (Date.now() < openAt) await pause(openAt - Date.now() + Math.random() * 200);
  const text = body === undefined ? undefined : JSON.stringify(body);
  return exchange(method, path, headers, text).catch((error) => ({ status: 0, error }));
}

function mayRepeat({ status, headers, text }) {
  if (status === 0 || status === 401 || status === 502) return true;
  const isJson = /json/.test(headers['content-type'] ?? '');
  return isJson && retryable.has(JSON.parse(text).code);
}

async function send(method, path, body, more = {}) {
  const key = randomUUID();
  let bearer = (await (token?.promise ?? newToken(null))).access_token;
  for (let n = 0; ; n += 1) {
    const answer = await attempt(method, path, body, {
      authorization: `Bearer ${bearer}`,
      'idempotency-key': key,
      'content-type': 'application/json',
      ...more,
    });
    const { status } = answer;
    if (status >= 200 && status < 300) return answer;
    if (!mayRepeat(answer) || n === 7 || (status === 401 && n > 2)) {
      throw answer.error ?? new Error(`${status} ${answer.text}`);
    }
    if (status === 401) {
      bearer = (await newToken(bearer)).access_token;
    } else if (status === 429) {
      openAt = Math.max(openAt, Date.now() + Number(answer.headers['retry-after']) * 1000);
    } else {
      await pause(500 * 2 ** Math.min(n, 3) * (1 + Math.random() / 4));
    }
  }
}

async function person(n) {
  const reference = `crowd-${n}-${randomUUID()}`;
  const made = await send('POST', 'accounts', {
    client_reference_id: reference,
    email: `${reference}@example.com`,
    brand_id: env.SANDBOX_BRAND_ID,
  });
  const { id } = JSON.parse(made.text);
  const change = { country: 'DE' };
  await send('PATCH', `accounts/${id}`, change, { 'if-match': made.headers.etag }).catch(
    async (error) => {
      if (!error.message.startsWith('412')) throw error;
      // The cheapest way to read it again: the same create converges and returns the newest tag.
      const again = await send('POST', 'accounts', {
        client_reference_id: reference,
        email: `${reference}@example.com`,
        brand_id: env.SANDBOX_BRAND_ID,
      });
      await send('PATCH', `accounts/${id}`, change, { 'if-match': again.headers.etag });
    },
  );
}

await Promise.all(Array.from({ length: 4 }, (_, n) => person(n)));
agent.destroy();
