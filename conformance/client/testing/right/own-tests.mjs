// The tests of a client, in Node's test runner: some deliberately send a request twice, or one that is
// refused.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import test from 'node:test';

const { SANDBOX_BASE_URL, SANDBOX_TOKEN, SANDBOX_BRAND_ID } = process.env;
const pause = (ms) => new Promise((go) => setTimeout(go, ms));

async function write(method, path, body, { key = randomUUID(), tag } = {}) {
  const headers = {
    Authorization: `Bearer ${SANDBOX_TOKEN}`,
    'Content-Type': 'application/json',
    'Idempotency-Key': key,
    ...(tag === undefined ? {} : { 'If-Match': tag }),
  };
  const init = { method, headers, body: JSON.stringify(body) };
  for (let tries = 1; ; tries += 1) {
    const signal = AbortSignal.timeout(4_000);
    const response = await fetch(`${SANDBOX_BASE_URL}/api/v1/${path}`, { ...init, signal }).catch(
      () => null,
    );
    const text = response === null ? '' : await response.text();
    const status = response?.status ?? 0;
    const mayPass = [0, 429, 500, 502, 503].includes(status) || text.includes('_in_flight"');
    if (!mayPass || tries === 6) return { status, text, etag: response?.headers.get('etag') };
    const seconds = Number(response?.headers.get('retry-after')) || 0.25 * 2 ** tries;
    await pause(seconds * 1000);
  }
}

const person = (reference) => ({
  client_reference_id: reference,
  email: `${reference}@example.com`,
  brand_id: SANDBOX_BRAND_ID,
});

test('one key makes one account', async () => {
  const key = randomUUID();
  const first = await write('POST', 'accounts', person('twice'), { key });
  const second = await write('POST', 'accounts', person('twice'), { key });
  assert.ok(first.status === 200 || first.status === 201, first.text);
  assert.equal(second.text, first.text);
});

test('a blank reference is refused', async () => {
  const body = { ...person('blank'), client_reference_id: '' };
  assert.equal((await write('POST', 'accounts', body)).status, 422);
});

test('an old tag is refused', async () => {
  const made = await write('POST', 'accounts', person('tagged'));
  assert.ok(made.status < 300, made.text);
  const { id } = JSON.parse(made.text);
  const tag = made.etag;
  const first = await write('PATCH', `accounts/${id}`, { country: 'FR' }, { tag });
  assert.equal(first.status, 200, first.text);
  const second = await write('PATCH', `accounts/${id}`, { country: 'DE' }, { tag });
  assert.equal(second.status, 412);
});
