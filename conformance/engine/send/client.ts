// The operations of the API as one credential calls them: bodies and paths written as the
// specification has them.
import { randomUUID } from 'node:crypto';
import { OPERATIONS, type OperationName } from '../../spec/operations.ts';
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
  /** Bytes to send instead of the body. */
  readonly raw?: string | Uint8Array;
  /** Leaves the token out (null) or sends another Authorization header. */
  readonly authorization?: string | null;
  readonly timeoutMs?: number;
  /** Sends at once, even beyond the plan: for scenarios that exhaust a rate on purpose. */
  readonly unpaced?: boolean;
}

/** A request without its credential. */
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

/** IDEM-1: whether sending it twice has the same effect as sending it once. */
export function isRepeatable({ method, headers }: RequestDraft): boolean {
  return method === 'GET' || headers.some(([name]) => name === 'idempotency-key');
}

/** The path from `/api/v1` on, without the query; the whole path of any other URL. */
export function apiPathOf(url: string): string {
  const path = url.replace(/^https?:\/\/[^/]*/, '').split('?')[0]!;
  return /\/api\/v1(\/.*)?$/.exec(path)?.[0] ?? path;
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

/** How a client names itself at the token endpoint, which the specification leaves open (NS-8). */
export type TokenForm = 'basic' | 'form' | 'json';

interface Subject {
  readonly id?: RecordId;
  readonly body?: RequestBody;
}

const REASON = { reason: 'conformance check' };

export class ApiClient {
  readonly #dispatch: (draft: RequestDraft) => Promise<Answer>;

  constructor(dispatch: (draft: RequestDraft) => Promise<Answer>) {
    this.#dispatch = dispatch;
  }

  createAccount(body: RequestBody, options?: CallOptions): Promise<Answer> {
    return this.#call('createAccount', { body }, options);
  }

  /** Sends `If-Match` only when `options.ifMatch` is given. */
  updateAccount(id: string, body: RequestBody, options?: CallOptions): Promise<Answer> {
    return this.#call('updateAccount', { id, body }, options);
  }

  bulkCreateAccounts(rows: readonly RequestBody[], options?: CallOptions): Promise<Answer> {
    return this.#call('bulkCreateAccounts', { body: { accounts: rows as Json[] } }, options);
  }

  openPosition(body: RequestBody, options?: CallOptions): Promise<Answer> {
    return this.#call('openPosition', { body }, options);
  }

  closePosition(body: RequestBody, options?: CallOptions): Promise<Answer> {
    return this.#call('closePosition', { body }, options);
  }

  createTransaction(body: RequestBody, options?: CallOptions): Promise<Answer> {
    return this.#call('createTransaction', { body }, options);
  }

  approveTransaction(id: string, accountId: string, options?: CallOptions): Promise<Answer> {
    return this.#call('approveTransaction', { id }, ofAccount(accountId, options));
  }

  /** `body` is `{reason}`; pass `{}` to leave the reason out. */
  rejectTransaction(
    id: string,
    accountId: string,
    body: RequestBody = REASON,
    options?: CallOptions,
  ): Promise<Answer> {
    return this.#call('rejectTransaction', { id, body }, ofAccount(accountId, options));
  }

  cancelTransaction(
    id: string,
    accountId: string,
    body: RequestBody = REASON,
    options?: CallOptions,
  ): Promise<Answer> {
    return this.#call('cancelTransaction', { id, body }, ofAccount(accountId, options));
  }

  createWebhook(body: RequestBody, options?: CallOptions): Promise<Answer> {
    return this.#call('createWebhook', { body }, options);
  }

  listWebhooks(options?: CallOptions): Promise<Answer> {
    return this.#call('listWebhooks', {}, options);
  }

  getWebhook(id: RecordId, options?: CallOptions): Promise<Answer> {
    return this.#call('getWebhook', { id }, options);
  }

  rotateWebhookSecret(id: RecordId, options?: CallOptions): Promise<Answer> {
    return this.#call('rotateWebhookSecret', { id }, options);
  }

  disableWebhook(id: RecordId, options?: CallOptions): Promise<Answer> {
    return this.#call('disableWebhook', { id }, options);
  }

  listAccounts(options?: CallOptions): Promise<Answer> {
    return this.#call('listAccounts', {}, options);
  }

  listTransactions(options?: CallOptions): Promise<Answer> {
    return this.#call('listTransactions', {}, options);
  }

  /** Asks for a token as OAuth's client credentials do. Its allowance is its own (AUTH-3c). */
  issueToken(client: ClientSecret, form: TokenForm, options?: CallOptions): Promise<Answer> {
    return this.send({ unpaced: true, ...tokenCall(client, form), ...options });
  }

  /** Any call at all. No key is added: give it in `key`. */
  send(call: RawCall): Promise<Answer> {
    return this.#dispatch(requestDraftOf(call));
  }

  /** The nine writes get a fresh key unless the options have one. */
  #call(name: OperationName, { id, body }: Subject, options: CallOptions = {}): Promise<Answer> {
    const { method, path: pattern, keyed } = OPERATIONS[name];
    const path = id === undefined ? pattern : pattern.replace(':id', encodeURIComponent(`${id}`));
    const key = keyed && options.key === undefined ? { key: `key-${randomUUID()}` } : {};
    return this.send({ ...options, ...key, method, path, ...(body === undefined ? {} : { body }) });
  }
}

function ofAccount(accountId: string, options: CallOptions = {}): CallOptions {
  return { ...options, query: { account_id: accountId, ...options.query } };
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
  return {
    method: call.method,
    target: call.path + queryOf(call.query ?? {}),
    headers: [...headers].flatMap(([name, value]) =>
      value === null ? [] : [value].flat().map((each): HeaderLine => [name, each]),
    ),
    body,
    authorization: call.authorization,
    timeoutMs: call.timeoutMs,
    unpaced: call.unpaced ?? false,
  };
}

function bodyOf({ raw, body }: RawCall): Uint8Array | undefined {
  if (raw !== undefined) return typeof raw === 'string' ? Buffer.from(raw) : raw;
  return body === undefined ? undefined : Buffer.from(writeJson(body));
}

function queryOf(query: Readonly<Record<string, string | null>>): string {
  const parts = Object.entries(query).flatMap(([name, value]) =>
    value === null ? [] : [`${encodeURIComponent(name)}=${encodeURIComponent(value)}`],
  );
  return parts.length === 0 ? '' : `?${parts.join('&')}`;
}
