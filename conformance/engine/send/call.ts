// One call of the API as a scenario writes it: an operation and its arguments, or any other request.

import type { Credential } from '../../providers/target.ts';
import { OPERATIONS, type OperationName } from '../../spec/operations.ts';
import type { Role } from '../capabilities.ts';
import type { HeaderLine } from './headers.ts';
import { type Json, writeJson } from './json.ts';

export type RequestBody = { readonly [name: string]: Json | undefined };

/** An id in a scenario; one beyond 2^53 is a bigint. */
export type RecordId = string | number | bigint;

/** The caller: a role of the target, or a credential that was created on demand. */
export type Who = Role | Credential;

export interface Call {
  /** The main credential by default. */
  readonly as?: Who | undefined;
  /** The id in the path. */
  readonly id?: RecordId | undefined;
  /** The account in the query of a decision. */
  readonly account_id?: string | null | undefined;
  readonly body?: RequestBody | undefined;
  /** The rows of a batch, as its body. */
  readonly rows?: readonly RequestBody[] | undefined;
  /** Bytes to send instead of the body. */
  readonly raw?: string | Uint8Array | undefined;
  /** The Idempotency-Key; by default a fresh one for a write, none if null. */
  readonly key?: string | null | undefined;
  readonly ifMatch?: string | null | undefined;
  /** Headers to add, or to remove (null); an array sends the header several times. */
  readonly headers?: Readonly<Record<string, string | readonly string[] | null>> | undefined;
  readonly query?: Readonly<Record<string, string>> | undefined;
  /** Removes the token (null) or sends another Authorization header. */
  readonly authorization?: string | null | undefined;
  readonly timeoutMs?: number | undefined;
  /** Sends without pacing, even beyond the plan: for scenarios that exhaust a rate on purpose. */
  readonly unpaced?: boolean | undefined;
}

/** A call with its operation, as data. */
export interface OperationCall extends Call {
  readonly operation: OperationName;
}

/** A request by its method and its path below the base URL: `/api/v1/accounts`. */
export interface ApiRequest extends Call {
  readonly method: string;
  readonly path: string;
}

/** A call: an operation by its name, a call as data, or a request of another kind. */
export type Called = OperationName | OperationCall | ApiRequest;

export function wordsOf(called: Called): string {
  if (typeof called === 'string') return OPERATIONS[called].words;
  return 'operation' in called
    ? OPERATIONS[called.operation].words
    : `${called.method} ${called.path}`;
}

/** The default bodies; `{}` omits the reason. */
const USUAL_BODIES: { readonly [Name in OperationName]?: RequestBody } = {
  rejectTransaction: { reason: 'conformance check' },
  cancelTransaction: { reason: 'conformance check' },
};

/** The request of a call; each of the nine writes gets a key unless the call has one. */
export function requestOf(called: Called, more: Call, newKey: () => string): ApiRequest {
  const call = typeof called === 'string' ? { operation: called, ...more } : { ...called, ...more };
  if (!('operation' in call)) return call;
  const { operation, id = '', rows } = call;
  const { method, path, keyed } = OPERATIONS[operation];
  return {
    ...call,
    method,
    path: path.replace(':id', encodeURIComponent(`${id}`)),
    body: rows ? { accounts: rows as Json[] } : (call.body ?? USUAL_BODIES[operation]),
    key: call.key === undefined && keyed ? newKey() : call.key,
  };
}

/** IDEM-1: whether sending it twice has the same effect as sending it once. */
export function isRepeatable({ method, key }: ApiRequest): boolean {
  return method === 'GET' || typeof key === 'string';
}

/** The content of a request: its path with the query, its headers without a credential, its bytes. */
export function encodeCall({ raw, body, ...call }: ApiRequest): {
  readonly target: string;
  readonly headers: readonly HeaderLine[];
  readonly body: Uint8Array | undefined;
} {
  const content = raw ?? (body && writeJson(body));
  const named: Record<string, string | readonly string[] | null | undefined> = {
    'content-type': content === undefined ? undefined : 'application/json',
    'idempotency-key': call.key,
    'if-match': call.ifMatch,
  };
  for (const [name, value] of Object.entries(call.headers ?? {})) named[name.toLowerCase()] = value;
  const headers = Object.entries(named).flatMap(([name, value]) =>
    [value ?? []].flat().map((each): HeaderLine => [name, each]),
  );
  const account = call.account_id == null ? {} : { account_id: call.account_id };
  const query = new URLSearchParams({ ...account, ...call.query }).toString();
  return {
    target: call.path + (query && `?${query}`),
    headers,
    body: content === undefined ? undefined : Buffer.from(content),
  };
}

/** How a client authenticates at the token endpoint, which the specification leaves open (NS-8). */
export type TokenForm = 'basic' | 'form' | 'json';

/** Requests a token with OAuth client credentials. It has a separate allowance (AUTH-3c). */
export function tokenCall(id: string, secret: string, form: TokenForm): ApiRequest {
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
