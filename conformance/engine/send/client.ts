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

/** An id as a scenario has it; one beyond 2^53 is a bigint. */
export type RecordId = string | number | bigint;

export type RequestBody = { readonly [name: string]: Json | undefined };

/** A request without its credential. */
export interface RawCall extends CallOptions {
  readonly method: string;
  /** Path with its query, from the base URL: `/api/v1/accounts`. */
  readonly path: string;
  readonly body?: RequestBody;
}

/** How a client names itself at the token endpoint, which the specification leaves open (NS-8). */
export type TokenForm = 'basic' | 'form' | 'json';

type Send = (call: RawCall) => Promise<Answer>;

const REASON: RequestBody = { reason: 'conformance check' };

export class ApiClient {
  readonly createAccount = this.#withBody('createAccount');
  readonly openPosition = this.#withBody('openPosition');
  readonly closePosition = this.#withBody('closePosition');
  readonly createTransaction = this.#withBody('createTransaction');
  readonly createWebhook = this.#withBody('createWebhook');
  readonly rejectTransaction = this.#withReason('rejectTransaction');
  readonly cancelTransaction = this.#withReason('cancelTransaction');
  readonly listAccounts = this.#plain('listAccounts');
  readonly listTransactions = this.#plain('listTransactions');
  readonly listWebhooks = this.#plain('listWebhooks');
  readonly getWebhook = this.#withId('getWebhook');
  readonly rotateWebhookSecret = this.#withId('rotateWebhookSecret');
  readonly disableWebhook = this.#withId('disableWebhook');
  /** Any call at all. No key is added: give it in `key`. */
  readonly send: Send;

  constructor(send: Send) {
    this.send = send;
  }

  /** Sends `If-Match` only when `options.ifMatch` is given. */
  updateAccount(id: string, body: RequestBody, options?: CallOptions): Promise<Answer> {
    return this.#call('updateAccount', { ...options, body }, id);
  }

  bulkCreateAccounts(rows: readonly RequestBody[], options?: CallOptions): Promise<Answer> {
    return this.#call('bulkCreateAccounts', { ...options, body: { accounts: rows as Json[] } });
  }

  approveTransaction(id: string, accountId: string, options?: CallOptions): Promise<Answer> {
    return this.#call('approveTransaction', ofAccount(accountId, options), id);
  }

  #plain(name: OperationName) {
    return (options?: CallOptions) => this.#call(name, { ...options });
  }

  #withBody(name: OperationName) {
    return (body: RequestBody, options?: CallOptions) => this.#call(name, { ...options, body });
  }

  /** `body` is `{reason}`; pass `{}` to leave the reason out. */
  #withReason(name: OperationName) {
    return (id: string, accountId: string, body: RequestBody = REASON, options?: CallOptions) =>
      this.#call(name, { ...ofAccount(accountId, options), body }, id);
  }

  #withId(name: OperationName) {
    return (id: RecordId, options?: CallOptions) => this.#call(name, { ...options }, id);
  }

  /** The nine writes get a fresh key unless the options have one. */
  #call(name: OperationName, options: Partial<RawCall>, id: RecordId = ''): Promise<Answer> {
    const { method, path, keyed } = OPERATIONS[name];
    const key = keyed && options.key === undefined ? { key: `key-${randomUUID()}` } : {};
    const target = path.replace(':id', encodeURIComponent(`${id}`));
    return this.send({ ...options, ...key, method, path: target });
  }
}

function ofAccount(accountId: string, options: CallOptions = {}): CallOptions {
  return { ...options, query: { account_id: accountId, ...options.query } };
}

/** Asks for a token as OAuth's client credentials do. Its allowance is its own (AUTH-3c). */
export function tokenCall(id: string, secret: string, form: TokenForm): RawCall {
  const grant = { grant_type: 'client_credentials' };
  const named = { ...grant, client_id: id, client_secret: secret };
  const basic = Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`);
  const isJson = form === 'json';
  const pairs = new URLSearchParams(form === 'basic' ? grant : named).toString();
  return {
    method: 'POST',
    path: OPERATIONS.issueToken.path,
    raw: isJson ? JSON.stringify(named) : pairs,
    authorization: form === 'basic' ? `Basic ${basic.toString('base64')}` : null,
    headers: {
      'content-type': isJson ? 'application/json' : 'application/x-www-form-urlencoded',
    },
    unpaced: true,
  };
}

/** The path from `/api/v1` on, without the query; the whole path of any other URL. */
export function apiPathOf(url: string): string {
  const path = url.replace(/^https?:\/\/[^/]*/, '').split('?')[0]!;
  return /\/api\/v1(\/.*)?$/.exec(path)?.[0] ?? path;
}

/** IDEM-1: whether sending it twice has the same effect as sending it once. */
export function isRepeatable({ method, key }: RawCall): boolean {
  return method === 'GET' || typeof key === 'string';
}

/** What a call sends: its path with the query, its headers without a credential, its bytes. */
export function encodeCall(call: RawCall): {
  readonly target: string;
  readonly headers: readonly HeaderLine[];
  readonly body: Uint8Array | undefined;
} {
  const body = bodyOf(call);
  const named: Record<string, string | readonly string[] | null | undefined> = {
    'content-type': body && 'application/json',
    'idempotency-key': call.key,
    'if-match': call.ifMatch,
  };
  for (const [name, value] of Object.entries(call.headers ?? {})) named[name.toLowerCase()] = value;
  const headers = Object.entries(named).flatMap(([name, value]) =>
    [value ?? []].flat().map((each): HeaderLine => [name, each]),
  );
  return { target: call.path + queryOf(call.query ?? {}), headers, body };
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
