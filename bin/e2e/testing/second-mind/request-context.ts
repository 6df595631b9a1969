// One call on its way, and the answers that it can get.

import type { SecondMind } from './mind.ts';
import type { Operation } from './operations.ts';
import type { Json, JsonObject } from './values/json.ts';
import type { Answer, Call, Credential } from './values/records.ts';

export interface RequestContext {
  readonly mind: SecondMind;
  readonly call: Call;
  readonly requestId: string;
  readonly operation: Operation;
  /** The id in the path, or empty. */
  pathId: string;
  readonly query: URLSearchParams;
  credential: Credential;
  key: string;
  body: JsonObject;
  /** Calls that were under way at the same time, where the mind looks at that. */
  readonly overlaps: RequestContext[];
  /** What a batch has come to, kept for a defect alone. */
  results?: JsonObject[];
  /** The token that it was given, kept for a defect alone. */
  token?: string;
}

/** What is known before anybody has shown who they are. */
export const NOBODY: Credential = {
  name: 'nobody',
  kind: 'server',
  clientId: '',
  clientSecret: '',
  firmId: '',
  brandId: null,
  scopes: [],
  readOnly: false,
  accountId: null,
  mintedBy: null,
  plan: 'sandbox',
  ratePerSecond: null,
};

export function headerOf(call: Call, name: string): string | undefined {
  return headersOf(call, name)[0];
}

export function headersOf(call: Call, name: string): string[] {
  return call.headers.filter(([each]) => each.toLowerCase() === name).map(([, value]) => value);
}

export function answerWith(
  ctx: RequestContext,
  status: number,
  body: Json,
  headers: readonly (readonly [string, string])[] = [],
): Answer {
  return {
    status,
    headers: [
      ['Content-Type', 'application/json'],
      ['X-Request-Id', ctx.requestId],
      ...headers.map(([name, value]): [string, string] => [name, value]),
    ],
    body: JSON.stringify(body),
  };
}

/** ERR-1a: an ordinary error. */
export function refuse(
  ctx: RequestContext,
  status: number,
  code: string,
  detail: string,
  field?: string,
): Answer {
  const { style } = ctx.mind;
  const entries = field === undefined ? [] : [style.entry(field, detail)];
  const answer = answerWith(ctx, status, {
    type: `${style.docsUrl}/errors/${code}`,
    title: code.replace(/_/g, ' '),
    status,
    code,
    detail,
    request_id: ctx.requestId,
    errors: entries,
  });
  setHeader(answer, 'Content-Type', 'application/problem+json');
  return answer;
}

export function invalid(ctx: RequestContext, detail: string, field?: string): Answer {
  return refuse(ctx, 422, 'validation_failed', detail, field);
}

export function notFound(ctx: RequestContext): Answer {
  return refuse(ctx, 404, 'not_found', 'there is no such record');
}

/** ERR-2: what cannot be read is refused in plain text. */
export function unreadable(ctx: RequestContext, status: number, words: string): Answer {
  return {
    status,
    headers: [
      ['Content-Type', 'text/plain; charset=utf-8'],
      ['X-Request-Id', ctx.requestId],
    ],
    body: words,
  };
}

export function setHeader(answer: Answer, name: string, value: string): void {
  const wanted = name.toLowerCase();
  const at = answer.headers.findIndex(([each]) => each.toLowerCase() === wanted);
  if (at >= 0) answer.headers[at] = [name, value];
  else answer.headers.push([name, value]);
}

export function dropHeader(answer: Answer, name: string): void {
  answer.headers = answer.headers.filter(([each]) => each.toLowerCase() !== name.toLowerCase());
}

export function copyOf(answer: Answer): Answer {
  return {
    status: answer.status,
    headers: answer.headers.map(([name, value]): [string, string] => [name, value]),
    body: answer.body,
  };
}

/** NS-48 */
export function plainId(ctx: RequestContext, id: string): string {
  if (!ctx.mind.style.leadingZeros || !/^\d+$/.test(id)) return id;
  return BigInt(id).toString();
}
