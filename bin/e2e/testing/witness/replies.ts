// Replies, and how the style writes a refusal.
import type { Call, Credential, Reply } from './records.ts';
import type { Context } from './types.ts';
import { isObject, type Json, type JsonObject, print } from './values.ts';

export type Headers = readonly (readonly [string, string])[];

/** The credential of a request before its token is read. */
export const ANONYMOUS: Credential = {
  ...{ name: '', kind: 'server', client_id: '', client_secret: '', firm_id: '', brand_id: null },
  ...{ scopes: [], read_only: false, account_id: null, minted_by: null },
  ...{ plan: 'sandbox', rate_per_second: null },
};

export function headersOf({ headers }: Call, name: string): string[] {
  return headers.filter(([each]) => each.toLowerCase() === name).map(([, value]) => value);
}

export const headerOf = (call: Call, name: string): string | undefined => headersOf(call, name)[0];

export function replyWith(
  { requestId }: Context,
  status: number,
  body: Json,
  headers: Headers = [],
): Reply {
  const own = [['Content-Type', 'application/json'] as const, ['X-Request-Id', requestId] as const];
  return { status, headers: [...own, ...headers], body: print(body) };
}

/** ERR-1a */
export function refuse(
  context: Context,
  status: number,
  code: string,
  detail: string,
  field?: string,
): Reply {
  const { style } = context.world;
  const problem = {
    type: `${style.docsUrl}/errors/${code}`,
    title: style.titleOf(code),
    status,
    code,
    detail,
    request_id: context.requestId,
    errors: field === undefined ? [] : [style.entry(field, detail)],
  };
  return withHeader(
    replyWith(context, status, problem),
    'Content-Type',
    'application/problem+json',
  );
}

export function invalid(context: Context, detail: string, field?: string): Reply {
  return refuse(context, 422, 'validation_failed', detail, field);
}

export function notFound(context: Context): Reply {
  return refuse(context, 404, 'not_found', 'there is no such record');
}

/** ERR-2: what cannot be read is refused in plain text. */
export function inPlainText({ requestId }: Context, status: number, words: string): Reply {
  const type = ['Content-Type', 'text/plain; charset=utf-8'] as const;
  return { status, headers: [type, ['X-Request-Id', requestId]], body: words };
}

export function withHeader(reply: Reply, name: string, value: string): Reply {
  const { headers } = withoutHeader(reply, name);
  return { ...reply, headers: [...headers, [name, value]] };
}

function withoutHeader(reply: Reply, name: string): Reply {
  const isOther = ([each]: readonly [string, string]) => each.toLowerCase() !== name.toLowerCase();
  return { ...reply, headers: reply.headers.filter(isOther) };
}

/** The JSON object of a reply; empty if it has none. */
export function bodyOf({ body }: Reply): JsonObject {
  const read = /^\s*\{/.test(body) ? (JSON.parse(body) as Json) : {};
  return isObject(read) ? read : {};
}

export function withBody(reply: Reply, body: Json): Reply {
  return { ...reply, body: print(body) };
}
