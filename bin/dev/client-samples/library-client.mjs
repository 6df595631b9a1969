// Three writes by way of a library that many use, set up as its name says and not otherwise: an
// account, a deposit, its approval, each with one key of its own. The library is looked for from
// the folder it is run in, since this package does not bring it.
import { randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const environment = process.env;
const require = createRequire(join(process.cwd(), 'here.js'));
const load = (name) => import(pathToFileURL(require.resolve(name)).href);

const urlOf = (path) => `${environment.SANDBOX_BASE_URL}/api/v1/${path}`;
const headersOf = (key, json) => ({
  authorization: `Bearer ${environment.SANDBOX_TOKEN}`,
  'idempotency-key': key,
  ...(json === undefined ? {} : { 'content-type': 'application/json' }),
});

async function withGot(options) {
  const { got } = await load('got');
  return (path, json, key) => {
    const body = json === undefined ? {} : { json };
    return got.post(urlOf(path), { ...body, headers: headersOf(key), ...options }).json();
  };
}

async function withKy(options) {
  const { default: ky } = await load('ky');
  return (path, json, key) => {
    const body = json === undefined ? {} : { json };
    return ky.post(urlOf(path), { ...body, headers: headersOf(key), ...options }).json();
  };
}

async function withAxios(optionsOf) {
  const { default: axios } = await load('axios');
  const { default: loaded } = await load('axios-retry');
  const axiosRetry = loaded.default ?? loaded;
  axiosRetry(axios, optionsOf(axiosRetry.isRetryableError));
  return async (path, json, key) => {
    const { data } = await axios.post(urlOf(path), json, { headers: headersOf(key) });
    return data;
  };
}

async function withUndici(options) {
  const { Agent, RetryAgent, request } = await load('undici');
  const dispatcher = new RetryAgent(new Agent(), options);
  return async (path, json, key) => {
    const sent = { method: 'POST', dispatcher, headers: headersOf(key, json) };
    const response = await request(urlOf(path), { ...sent, body: json && JSON.stringify(json) });
    const text = await response.body.text();
    if (response.statusCode >= 400) throw new Error(`${response.statusCode} ${text}`);
    return JSON.parse(text);
  };
}

function withFetch() {
  return async (path, json, key) => {
    const sent = {
      method: 'POST',
      headers: headersOf(key, json),
      body: json && JSON.stringify(json),
    };
    const response = await fetch(urlOf(path), sent);
    const answer = await response.json();
    if (!response.ok) throw new Error(`${response.status} ${answer.detail}`);
    return answer;
  };
}

const ways = {
  fetch: () => withFetch(),
  got: () => withGot({}),
  'got-post': () => withGot({ retry: { methods: ['POST'] } }),
  ky: () => withKy({}),
  'ky-post': () => withKy({ retry: { methods: ['post'] } }),
  'axios-retry': () => withAxios(() => ({})),
  'axios-retry-errors': () => withAxios((isRetryable) => ({ retryCondition: isRetryable })),
  'undici-retry': () => withUndici({}),
  'undici-retry-post': () => withUndici({ methods: ['POST'] }),
};

const post = await ways[process.argv[2]]();
const reference = randomUUID();
await post(
  'accounts',
  {
    client_reference_id: reference,
    email: `${reference}@example.com`,
    brand_id: environment.SANDBOX_BRAND_ID,
  },
  randomUUID(),
);
const account = environment.SANDBOX_ACCOUNT_ID;
const deposit = await post(
  'transactions',
  {
    client_reference_id: `t-${reference}`,
    account_id: account,
    trading_account_id: environment.SANDBOX_TRADING_ACCOUNT_ID,
    currency: 'USD',
    amount: '10.00',
    transaction_type: 'Deposit',
  },
  randomUUID(),
);
await post(`transactions/${deposit.id}/approve?account_id=${account}`, undefined, randomUUID());
