// A sandbox for tests, with helpers to send requests.
import { depositOf, personOf } from '../../fixtures/testing/bodies.ts';
import {
  createSandbox,
  type SandboxHandle,
  type SandboxOptions,
  type SandboxWorld,
} from '../index.ts';

export interface RequestOptions {
  /** Name of a credential; null sends no token. */
  readonly as?: string | null;
  /** If omitted, a new key each time. */
  readonly key?: string;
  readonly body?: unknown;
  /** The raw body, instead of `body`. */
  readonly text?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The URL of a server; if omitted, the request is sent without a socket. */
  readonly base?: string | undefined;
}

export interface ApiAnswer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: responses of any operation, compared unchanged.
  readonly body: any;
}

interface JournalRow {
  readonly key: string | null;
  readonly response: object | null;
}

export class SandboxClient<W extends SandboxWorld = SandboxHandle> {
  readonly sandbox: W;
  #count = 0;

  constructor(sandbox: W) {
    this.sandbox = sandbox;
  }

  send(method: string, path: string, options: RequestOptions = {}): Promise<Response> {
    const { as = 'firm', key = `key-${++this.#count}`, body, text, headers, base } = options;
    const sent = text ?? (body === undefined ? undefined : JSON.stringify(body));
    const request = new Request(`${base ?? 'http://sandbox'}/api/v1/${path}`, {
      method,
      headers: {
        ...(as === null ? {} : { authorization: `Bearer ${this.sandbox.credential(as).token}` }),
        ...(method === 'GET' ? {} : { 'idempotency-key': key }),
        ...(sent === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(sent === undefined ? {} : { body: sent }),
    });
    return base === undefined ? this.sandbox.fetch(request) : fetch(request);
  }

  async call(method: string, path: string, options: RequestOptions = {}): Promise<ApiAnswer> {
    const response = await this.send(method, path, options);
    const answer = await response.text();
    const isJson = /json/.test(response.headers.get('content-type') ?? '');
    const { status } = response;
    return { status, headers: response.headers, body: isJson ? JSON.parse(answer) : answer };
  }

  post(path: string, body: unknown, options: RequestOptions = {}): Promise<ApiAnswer> {
    return this.call('POST', path, { body, ...options });
  }

  /** A person at brand 10, by default a new person each time. */
  person(fields: object = {}, options: RequestOptions = {}): Promise<ApiAnswer> {
    return this.post('accounts', { ...personOf(`person-${++this.#count}`), ...fields }, options);
  }

  /** A transaction of trading account 5002 of account 1002, new each time. */
  transaction(fields: object = {}, options: RequestOptions = {}): Promise<ApiAnswer> {
    const place = { account_id: '1002', trading_account_id: '5002', method: 'Deposit' };
    const whole = { ...depositOf(`transaction-${++this.#count}`), ...place, ...fields };
    return this.post('transactions', whole, options);
  }

  // biome-ignore lint/suspicious/noExplicitAny: responses of any row, compared unchanged.
  control(method: string, path: string, body?: unknown): Promise<any> {
    return this.sandbox.control(method, path, body);
  }

  /** Waits until the first call with this key, or any call without one, is in progress. */
  async inFlight(key: string | null = null): Promise<void> {
    for (let tries = 0; tries < 500; tries += 1) {
      const { requests } = await this.control('GET', 'requests');
      if (requests.some((each: JournalRow) => each.key === key && each.response === null)) return;
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    throw new Error(`no call with the key ${key} is in progress`);
  }

  async advance(byMs: number): Promise<void> {
    await this.sandbox.clock.advance({ by_ms: byMs });
  }

  /** How the journal classifies the last call: first, replayed, converged, in_flight or null. */
  async idempotency(): Promise<string | null> {
    const { requests } = await this.control('GET', 'requests?limit=1');
    return requests[0].idempotency;
  }

  async close(): Promise<void> {
    await this.sandbox.close();
  }
}

/** A sandbox with a frozen clock and generous limits, unless the options override them. */
export const openClient = async (options: SandboxOptions = {}): Promise<SandboxClient> =>
  new SandboxClient(await createSandbox({ clock: 'frozen', plan: 'pro', ...options }));

export const statusOf = async (answer: Promise<{ readonly status: number }>): Promise<number> =>
  (await answer).status;
