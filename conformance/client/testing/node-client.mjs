// A client of the API as a partner would write it in Node, with room for one mistake: each mistake
// replaces one decision, and everything else stays correct.
import { randomUUID } from 'node:crypto';
import { request as httpRequest } from 'node:http';

const base = process.env.SANDBOX_BASE_URL;

/** The correct decisions; a mistake replaces some of them. */
export const right = {
  tries: 5,
  timeLimitMs: 1_500,
  asksForTokens: true,
  /** How long to wait before attempt `n` + 1. */
  waitMs: (n) => 400 * 1.5 ** n + Math.random() * 100,
  keyOf: (request) => request.key,
  bodyOf: (request) => request.body,
  headersOf: (headers) => headers,
  targetOf: (target) => target,
  mayRepeat: (status, code) =>
    status === 429 || (status >= 500 && status !== 501) || code === 'idempotency_in_flight',
  repeatsBroken: true,
  retryAfterMs: (headers) => Number(headers['retry-after']) * 1000,
  inFlightMs: 1_200,
  countsInFlight: true,
  isSuccess: (status) => status >= 200 && status < 300,
  read: (text) => JSON.parse(text),
  refreshes: true,
  keepsToken: true,
  idOf: (id) => id,
  amountOf: (amount) => amount,
  onStale: 'read',
  reference: (name) => `${name}-${randomUUID()}`,
  newKey: () => randomUUID(),
  onGivenUp: (error) => {
    throw error;
  },
};

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** One request without `fetch`, which takes as long to load as everything else together. */
function exchange(url, { body, ...options }) {
  return new Promise((resolve, reject) => {
    const sent = httpRequest(url, options, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk) => {
        text += chunk;
      });
      response.once('error', reject);
      response.once('end', () =>
        resolve({ status: response.statusCode, headers: response.headers, text }),
      );
    });
    sent.once('error', reject);
    sent.end(body);
  });
}

class ApiError extends Error {
  constructor(status, code, text) {
    super(`${status} ${code ?? ''} ${text.slice(0, 120)}`);
    this.status = status;
    this.code = code;
  }
}

export class Client {
  constructor(ways = {}) {
    this.ways = { ...right, ...ways };
    this.token = this.ways.asksForTokens ? null : process.env.SANDBOX_TOKEN;
    this.pausedUntilMs = 0;
  }

  async fetchToken() {
    const { status, text } = await exchange(`${base}/api/v1/oauth/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        grant_type: 'client_credentials',
        client_id: process.env.SANDBOX_CLIENT_ID,
        client_secret: process.env.SANDBOX_CLIENT_SECRET,
      }),
    });
    if (status !== 200) throw new Error(`no token: ${status}`);
    this.token = JSON.parse(text).access_token;
  }

  /** One attempt: the answer, or how the connection broke. */
  async attempt(request, n, last) {
    const { ways } = this;
    if (this.token === null || !ways.keepsToken) await this.fetchToken();
    await sleep(Math.max(0, this.pausedUntilMs - Date.now()));
    const body = ways.bodyOf(request, n, last);
    const key = ways.keyOf(request, n, last.status, last.code);
    const { method, ifMatch } = request;
    const headers = ways.headersOf({
      authorization: `Bearer ${this.token}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(key === undefined ? {} : { 'idempotency-key': key }),
      ...(ifMatch === undefined ? {} : { 'if-match': ifMatch }),
    });
    try {
      const limit = ways.timeLimitMs;
      return await exchange(base + ways.targetOf(request.target, this), {
        method,
        headers,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        ...(limit === null ? {} : { signal: AbortSignal.timeout(limit) }),
      });
    } catch (error) {
      if (!ways.repeatsBroken) throw error;
      return { broken: error.name === 'AbortError' ? 'timeout' : 'cut' };
    }
  }

  async send(request) {
    const { ways } = this;
    let refreshed = false;
    let last = new Error('the connection broke');
    for (let n = 0; n < ways.tries; n += 1) {
      const answer = await this.attempt(request, n, last);
      if (answer.broken !== undefined) {
        if (ways.onBroken === 'done') return { json: { id: '1', revision: 1 }, etag: '"1"' };
        last = new ApiError(0, answer.broken, 'the connection broke');
        await sleep(ways.waitMs(n));
        continue;
      }
      const { status, headers, text } = answer;
      const isJson = (headers['content-type'] ?? '').includes('json');
      const json = isJson || ways.parsesAnything ? ways.read(text) : undefined;
      if (ways.isSuccess(status, request)) return { json, etag: headers.etag };
      last = new ApiError(status, json?.code, text);
      if (status === 401 && this.ways.asksForTokens && ways.refreshes && !refreshed) {
        refreshed = true;
        await this.fetchToken();
        continue;
      }
      if (!ways.mayRepeat(status, json?.code)) break;
      if (status === 429) this.pausedUntilMs = Date.now() + ways.retryAfterMs(headers);
      else if (json?.code !== 'idempotency_in_flight') await sleep(ways.waitMs(n));
      else {
        await sleep(ways.inFlightMs);
        if (!ways.countsInFlight) n -= 1;
      }
    }
    return ways.onGivenUp(last);
  }

  write(method, target, body, more = {}) {
    return this.send({
      method,
      target: `/api/v1/${target}`,
      body,
      key: this.ways.newKey(target, body),
      ...more,
    });
  }

  read(target) {
    return this.send({ method: 'GET', target: `/api/v1/${target}` });
  }

  async createAccount(name) {
    const reference = this.ways.reference(name);
    const body = {
      client_reference_id: reference,
      email: `${reference}@example.com`,
      first_name: 'Ada',
      brand_id: process.env.SANDBOX_BRAND_ID,
    };
    const made = await this.write('POST', 'accounts', body);
    return { ...made.json, etag: made.etag };
  }

  /** Reads the account again after a stale tag. */
  async tagOf(id) {
    const { json } = await this.read(`accounts?limit=1&after=${BigInt(id) - 1n}`);
    const found = json.accounts.find((each) => String(each.id ?? each.record_id) === id);
    return `"${found.revision}"`;
  }

  async updateAccount(account, change) {
    const { ways } = this;
    const id = ways.idOf(account.id);
    const update = (ifMatch, key) =>
      this.write('PATCH', `accounts/${id}`, change, { ifMatch, ...(key ? { key } : {}) });
    const keyFor = (tag) => this.ways.newKey(`accounts/${id}`, change, tag);
    const key = keyFor(account.etag);
    try {
      return await update(account.etag, key);
    } catch (error) {
      if (error.status !== 412 || ways.onStale === 'fail') throw error;
      if (ways.onStale === 'done') return undefined;
      if (ways.onStale === 'same-tag') return update(account.etag, keyFor(account.etag));
      if (ways.onStale === 'same-key') return update(await this.tagOf(account.id), key);
      if (ways.onStale === 'guess') {
        const next = Number(account.etag.replaceAll('"', '')) + 1;
        return update(`"${next}"`, keyFor(`"${next}"`));
      }
      const tag = await this.tagOf(account.id);
      return update(tag, keyFor(tag));
    }
  }

  async createTransaction(name, amount) {
    const { ways } = this;
    const { SANDBOX_ACCOUNT_ID: account, SANDBOX_TRADING_ACCOUNT_ID: trading } = process.env;
    const { json } = await this.write('POST', 'transactions', {
      client_reference_id: ways.reference(name),
      account_id: ways.idOf(account),
      trading_account_id: ways.idOf(trading),
      currency: 'USD',
      amount: ways.amountOf(amount),
      transaction_type: 'Deposit',
    });
    return json;
  }

  move(transaction, verb, body) {
    const { ways } = this;
    const id = ways.idOf(transaction.id);
    const owner = ways.idOf(process.env.SANDBOX_ACCOUNT_ID);
    return this.write('POST', `transactions/${id}/${verb}?account_id=${owner}`, body);
  }

  bulkCreate(names) {
    const accounts = names.map((name) => {
      const reference = this.ways.reference(name);
      const brand = process.env.SANDBOX_BRAND_ID;
      return { client_reference_id: reference, email: `${reference}@example.com`, brand_id: brand };
    });
    return this.write('POST', 'accounts/bulk', { accounts });
  }

  async trade() {
    const trading = this.ways.idOf(process.env.SANDBOX_TRADING_ACCOUNT_ID);
    const { json } = await this.write('POST', 'positions/open', {
      trading_account_id: trading,
      instrument: 'EURUSD',
      side: 'buy',
      volume: '0.10',
    });
    return this.write('POST', 'positions/close', {
      trading_account_id: trading,
      position_id: this.ways.idOf(json.position_id),
    });
  }
}
