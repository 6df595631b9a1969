// What the plane answers: JSON, nothing, a text in pieces, or a problem that names the field.

import type { FieldProblem } from '../../fixtures/settings/parse.ts';
import type { CommandOutcome } from '../core/commands/execute.ts';

/** The head of a request of the plane, however it came. Header names are lower case. */
export interface ControlHead {
  readonly method: string;
  /** Path and query, for example `/_sandbox/clock`. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The address it was sent to, where it came without a socket. */
  readonly inProcess?: string;
}

export interface ControlRequest extends ControlHead {
  readonly body: Uint8Array;
}

/** A request that may go on: how much of its body is read, and what answers it then. */
export interface Admitted {
  readonly mostBytes: number;
  /** null: more came than is read. The signal says that the caller has left. Never rejects. */
  readonly answer: (body: Uint8Array | null, signal?: AbortSignal) => Promise<ControlReply>;
}

/** Text that is read piece by piece; `return` is called when the reader goes away. */
export type TextStream = AsyncIterator<string, undefined>;

export interface ControlReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | TextStream;
}

const json = 'application/json; charset=utf-8';

export function answer(value: unknown, status = 200): ControlReply {
  return answerText(JSON.stringify(value), status);
}

/** JSON that is text already. */
export function answerText(body: string, status = 200): ControlReply {
  return { status, headers: { 'content-type': json, 'cache-control': 'no-store' }, body };
}

export const nothing: ControlReply = { status: 204, headers: {}, body: '' };

const titles: Readonly<Record<number, string>> = {
  400: 'Unreadable body',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not found',
  405: 'Method not allowed',
  409: 'Conflict',
  413: 'Body too large',
  415: 'Unsupported media type',
  422: 'Validation failed',
  500: 'Internal error',
};

/** A problem in the form of RFC 9457. */
export function problem(
  status: number,
  detail: string,
  errors: readonly FieldProblem[] = [],
  headers: Readonly<Record<string, string>> = {},
): ControlReply {
  const title = titles[status] ?? 'Refused';
  return {
    status,
    headers: { 'content-type': 'application/problem+json; charset=utf-8', ...headers },
    body: JSON.stringify({ type: 'about:blank', title, status, detail, errors }),
  };
}

/** 422 with every field at fault; the first one in the detail. */
export function invalidFields(problems: readonly FieldProblem[]): ControlReply {
  const [first] = problems;
  return problem(422, first === undefined ? 'It does not fit.' : said(first), problems);
}

export function refuseField(field: string, message: string, status = 422): ControlReply {
  const at = { field, message };
  return problem(status, said(at), [at]);
}

export function notFound(message: string): ControlReply {
  return problem(404, message);
}

function said({ field, message }: FieldProblem): string {
  return `${field}: ${message}${/[.?!]$/.test(message) ? '' : '.'}`;
}

/** What a command came to: the value shown, or its refusal. */
export function answerCommand<V>(
  outcome: CommandOutcome,
  show: (value: V) => ControlReply,
): ControlReply {
  if ('value' in outcome) return show(outcome.value as V);
  const { status, field, message } = outcome.refused;
  return refuseField(field, message, status);
}
