// The operations of the API as one credential calls them: bodies and paths written as the
// specification has them.
import { randomUUID } from 'node:crypto';
import type { Answer } from './answer.ts';
import type { HeaderLine } from './headers.ts';
import { type Json, writeJson } from './json.ts';

/** What a scenario may change about a call. */
export interface CallOptions {
  /** The Idempotency-Key; a fresh one when absent, none when null. */
  readonly key?: string | null;
  readonly ifMatch?: string | null;
  /** Headers to add, or with null to leave out; an array sends the header several times. */
  readonly headers?: Readonly<Record<string, string | readonly string[] | null>>;
  /** Query parameters to add, or with null to leave out. */
  readonly query?: Readonly<Record<string, string | null>>;
  /** Bytes to send in place of the body. */
  readonly raw?: string | Uint8Array;
  /** Leaves the token out (null) or sends another Authorization header. */
  readonly authorization?: string | null;
  readonly timeoutMs?: number;
  /** Leaves at once, whatever the plan allows: for scenarios that exhaust a rate on purpose. */
  readonly unpaced?: boolean;
}

/** A call that is ready but for its credential. */
export interface RequestDraft {
  readonly method: string;
  /** Path and query, from `/api/v1`. */
  readonly target: string;
  readonly headers: readonly HeaderLine[];
  readonly body: Uint8Array | undefined;
  readonly authorization: string | null | undefined;
  readonly timeoutMs: number | undefined;
  readonly unpaced: boolean;
}

/** IDEM-1: whether sent twice it comes to the same as sent once. */
export function isRepeatable({ method, headers }: RequestDraft): boolean {
  return method === 'GET' || headers.some(([name]) => name === 'idempotency-key');
}

/** An id as a scenario has it; one beyond 2^53 is a bigint. */
export type RecordId = string | number | bigint;

export type RequestBody = { readonly [name: string]: Json | undefined };

export interface RawCall extends CallOptions {
  readonly method: string;
  /** Path with its query, from the base URL: `/api/v1/accounts`. */
  readonly path: string;
  readonly body?: RequestBody;
}

/** A client by its id and secret, as the token endpoint knows it. */
export interface ClientSecret {
  readonly id: string;
  readonly secret: string;
}

/**
 * How a client says who it is at the token endpoint, which the specification leaves open (NS-8).
 */
export type TokenForm = 'basic' | 'form' | 'json';

type Dispatch = (draft: RequestDraft) => Promise<Answer>;

export class ApiClient {
  readonly #dispatch: Dispatch;

  constructor(dispatch: Dispatch) {
    this.#dispatch = dispatch;
  }

  createAccount(body: RequestBody, options: CallOptions = {}): Promise<Answer> {
    return this.#write('POST', '/api/v1/accounts', body, options);
  }

  /** Sends `If-Match` only when `options.ifMatch` is given. */
  updateAccount(id: string, body: RequestBody, options: CallOptions = {}): Promise<Answer> {
    return this.#write('PATCH', `/api/v1/accounts/${encodeURIComponent(id)}`, body, options);
  }

  bulkCreateAccounts(rows: readonly RequestBody[], options: CallOptions = {}): Promise<Answer> {
    return this.#write('POST', '/api/v1/accounts/bulk', { accounts: rows as Json[] }, options);
  }

  openPosition(body: RequestBody, options: CallOptions = {}): Promise<Answer> {
    return this.#write('POST', '/api/v1/positions/open', body, options);
  }

  closePosition(body: RequestBody, options: CallOptions = {}): Promise<Answer> {
    return this.#write('POST', '/api/v1/positions/close', body, options);
  }

  createTransaction(body: RequestBody, options: CallOptions = {}): Promise<Answer> {
    return this.#write('POST', '/api/v1/transactions', body, options);
  }

  approveTransaction(id: string, accountId: string, options: CallOptions = {}): Promise<Answer> {
    return this.#decide(id, accountId, 'approve', undefined, options);
  }

  /** `body` is `{reason}`; pass `{}` to leave the reason out. */
  rejectTransaction(
    id: string,
    accountId: string,
    body: RequestBody = { reason: 'conformance check' },
    options: CallOptions = {},
  ): Promise<Answer> {
    return this.#decide(id, accountId, 'reject', body, options);
  }

  cancelTransaction(
    id: string,
    accountId: string,
    body: RequestBody = { reason: 'conformance check' },
    options: CallOptions = {},
  ): Promise<Answer> {
    return this.#decide(id, accountId, 'cancel', body, options);
  }

  createWebhook(body: RequestBody, options: CallOptions = {}): Promise<Answer> {
    return this.send({ ...options, method: 'POST', path: '/api/v1/webhooks', body });
  }

  listWebhooks(options: CallOptions = {}): Promise<Answer> {
    return this.send({ ...options, method: 'GET', path: '/api/v1/webhooks' });
  }

  getWebhook(id: RecordId, options: CallOptions = {}): Promise<Answer> {
    return this.send({ ...options, method: 'GET', path: `/api/v1/webhooks/${id}` });
  }

  rotateWebhookSecret(id: RecordId, options: CallOptions = {}): Promise<Answer> {
    return this.send({ ...options, method: 'POST', path: `/api/v1/webhooks/${id}/rotate-secret` });
  }

  disableWebhook(id: RecordId, options: CallOptions = {}): Promise<Answer> {
    return this.send({ ...options, method: 'POST', path: `/api/v1/webhooks/${id}/disable` });
  }

  listAccounts(options: CallOptions = {}): Promise<Answer> {
    return this.send({ ...options, method: 'GET', path: '/api/v1/accounts' });
  }

  listTransactions(options: CallOptions = {}): Promise<Answer> {
    return this.send({ ...options, method: 'GET', path: '/api/v1/transactions' });
  }

  /**
   * Asks for a token as OAuth's client credentials do. Its budget is its own (AUTH-3c), so it
   * leaves at once.
   */
  issueToken(client: ClientSecret, form: TokenForm, options: CallOptions = {}): Promise<Answer> {
    return this.send({ unpaced: true, ...tokenCall(client, form), ...options });
  }

  /** Any call at all. No key is added: give it in `key`. */
  send(call: RawCall): Promise<Answer> {
    return this.#dispatch(requestDraftOf(call));
  }

  #write(method: string, path: string, body: RequestBody | undefined, options: CallOptions) {
    const key = options.key === undefined ? `key-${randomUUID()}` : options.key;
    const call: RawCall = { ...options, method, path, key };
    return this.send(body === undefined ? call : { ...call, body });
  }

  #decide(
    id: string,
    accountId: string,
    verb: string,
    body: RequestBody | undefined,
    options: CallOptions,
  ) {
    const path = `/api/v1/transactions/${encodeURIComponent(id)}/${verb}`;
    const query = { account_id: accountId, ...options.query };
    return this.#write('POST', path, body, { ...options, query });
  }
}

function tokenCall({ id, secret }: ClientSecret, form: TokenForm): RawCall {
  const grant = { grant_type: 'client_credentials' };
  const named = { ...grant, client_id: id, client_secret: secret };
  const basic = Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`);
  const text = form === 'json' ? JSON.stringify(named) : undefined;
  return {
    method: 'POST',
    path: '/api/v1/oauth/token',
    raw: text ?? new URLSearchParams(form === 'basic' ? grant : named).toString(),
    authorization: form === 'basic' ? `Basic ${basic.toString('base64')}` : null,
    headers: {
      'content-type': form === 'json' ? 'application/json' : 'application/x-www-form-urlencoded',
    },
  };
}

function requestDraftOf(call: RawCall): RequestDraft {
  const body = bodyOf(call);
  const headers = new Map<string, string | readonly string[] | null>();
  if (body !== undefined) headers.set('content-type', 'application/json');
  if (typeof call.key === 'string') headers.set('idempotency-key', call.key);
  if (typeof call.ifMatch === 'string') headers.set('if-match', call.ifMatch);
  for (const [name, value] of Object.entries(call.headers ?? {})) {
    headers.set(name.toLowerCase(), value);
  }
  const lines: HeaderLine[] = [];
  for (const [name, value] of headers) {
    if (value === null) continue;
    for (const each of typeof value === 'string' ? [value] : value) lines.push([name, each]);
  }
  return {
    method: call.method,
    target: call.path + queryOf(call.query ?? {}),
    headers: lines,
    body,
    authorization: call.authorization,
    timeoutMs: call.timeoutMs,
    unpaced: call.unpaced ?? false,
  };
}

function bodyOf(call: RawCall): Uint8Array | undefined {
  if (call.raw !== undefined) {
    return typeof call.raw === 'string' ? Buffer.from(call.raw) : call.raw;
  }
  return call.body === undefined ? undefined : Buffer.from(writeJson(call.body));
}

function queryOf(query: Readonly<Record<string, string | null>>): string {
  const parts = Object.entries(query)
    .filter((pair): pair is [string, string] => pair[1] !== null)
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`);
  return parts.length === 0 ? '' : `?${parts.join('&')}`;
}
