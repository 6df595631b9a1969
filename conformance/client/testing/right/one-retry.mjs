// A small script that only uses fetch: one retry for everything that may be repeated, a fixed
// wait, a static token.
const { SANDBOX_BASE_URL: base, SANDBOX_TOKEN: token, SANDBOX_BRAND_ID: brand } = process.env;

const pause = (ms) => new Promise((done) => setTimeout(done, ms));

async function once(url, options) {
  const response = await fetch(url, { ...options, signal: AbortSignal.timeout(2_000) });
  return { response, text: await response.text() };
}

async function post(path, key, body) {
  const options = {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'idempotency-key': key,
      'content-type': 'application/json',
    },
    body: JSON.stringify(body),
  };
  const url = `${base}/api/v1/${path}`;
  let answer = await once(url, options).catch(() => null);
  const status = answer?.response.status ?? 0;
  const inFlight = status === 409 && answer.text.includes('idempotency_in_flight');
  if ([0, 429, 500, 502, 503].includes(status) || inFlight) {
    const asked = Number(answer?.response.headers.get('retry-after') ?? 0);
    await pause(asked > 0 ? asked * 1000 + 100 : 4_000);
    answer = await once(url, options);
  }
  if (!answer.response.ok) throw new Error(`${answer.response.status}: ${answer.text}`);
  return JSON.parse(answer.text);
}

const stamp = `${Date.now()}-${process.pid}`;
const { id } = await post('accounts', `account-${stamp}`, {
  client_reference_id: `account-${stamp}`,
  email: `${stamp}@example.com`,
  brand_id: brand,
});
console.log(`account ${id}`);
