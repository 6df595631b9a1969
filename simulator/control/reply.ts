// What the plane answers: JSON, nothing, a text in pieces, or a problem that names the field.
import type { FieldProblem } from '../../fixtures/settings/parse.ts';
import type { CommandOutcome } from '../core/commands/commands.ts';

/** The head of a request. Header names are lower case. */
export interface ControlHead {
  readonly method: string;
  /** Path and query, for example `/_sandbox/clock`. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The address of a request that came without a socket. */
  readonly inProcess?: string;
}

export interface ControlRequest extends ControlHead {
  readonly body: Uint8Array;
}

/** A request whose head is good: how much of its body is read, and what answers it. */
export interface Admitted {
  readonly mostBytes: number;
  /** The body is null if more came than is read. The signal is aborted when the caller leaves. */
  readonly answer: (body: Uint8Array | null, signal?: AbortSignal) => Promise<ControlReply>;
}

/** Text that is read piece by piece; `return` is called when the reader leaves. */
export type TextStream = AsyncIterator<string, undefined>;

export class ControlReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | TextStream;

  constructor(
    status: number,
    headers: Readonly<Record<string, string>>,
    body: string | TextStream,
  ) {
    this.status = status;
    this.headers = headers;
    this.body = body;
  }
}

/** JSON that is text already, perhaps in pieces. */
export class JsonText {
  readonly text: string | TextStream;

  constructor(text: string | TextStream) {
    this.text = text;
  }
}

/** A value as JSON. */
export function answer(value: unknown, status = 200): ControlReply {
  const body = value instanceof JsonText ? value.text : JSON.stringify(value);
  const type = 'application/json; charset=utf-8';
  return new ControlReply(status, { 'content-type': type, 'cache-control': 'no-store' }, body);
}

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
  return new ControlReply(
    status,
    { 'content-type': 'application/problem+json; charset=utf-8', ...headers },
    JSON.stringify({ type: 'about:blank', title, status, detail, errors }),
  );
}

/** 422 with every field at fault; the first one in the detail. */
export function invalidFields(problems: readonly FieldProblem[]): ControlReply {
  const [first] = problems;
  return problem(422, first === undefined ? 'It does not fit.' : sentence(first), problems);
}

export function refuseField(field: string, message: string, status = 422): ControlReply {
  return problem(status, sentence({ field, message }), [{ field, message }]);
}

function sentence({ field, message }: FieldProblem): string {
  return `${field}: ${message}${/[.?!]$/.test(message) ? '' : '.'}`;
}

/** The view of a record, or 404 with its name. */
export function showFound<R, V>(
  record: R | undefined,
  name: string,
  show: (record: R) => V,
): V | ControlReply {
  return record === undefined ? problem(404, `There is no ${name}.`) : show(record);
}

/** The view of a command's outcome, or its refusal. */
export function showOutcome<V, A>(
  outcome: CommandOutcome,
  show: (value: V) => A,
): A | ControlReply {
  if ('value' in outcome) return show(outcome.value as V);
  const { status, field, message } = outcome.refused;
  return refuseField(field, message, status);
}
