// Replies of the plane: JSON, no body, a text in chunks, or a problem that names the field.
import type { Readable } from 'node:stream';
import type { FieldProblem } from '../../fixtures/schemas/validate.ts';
import type { CommandArguments, CommandName, CommandValue } from '../core/commands/commands.ts';
import type { WorldHost } from '../host/world/world-host.ts';

export interface ControlReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Readable;
}

/** JSON that is already text, perhaps in pieces. */
export class JsonText {
  readonly text: string | Readable;

  constructor(text: string | Readable) {
    this.text = text;
  }
}

/** A value as JSON. */
export function answer(value: unknown, status = 200): ControlReply {
  const body = value instanceof JsonText ? value.text : JSON.stringify(value);
  const type = 'application/json; charset=utf-8';
  return { status, headers: { 'content-type': type, 'cache-control': 'no-store' }, body };
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
  return {
    status,
    headers: { 'content-type': 'application/problem+json; charset=utf-8', ...headers },
    body: JSON.stringify({ type: 'about:blank', title, status, detail, errors }),
  };
}

/** Thrown to refuse a request; the plane answers with its reply. */
export class Refusal extends Error {
  readonly reply: ControlReply;

  constructor(...args: Parameters<typeof problem>) {
    super(args[1]);
    this.reply = problem(...args);
  }
}

/** Names the first invalid field in the detail, and lists all of them. */
export function refuseInvalid(problems: readonly FieldProblem[]): void {
  const [first] = problems;
  if (first !== undefined) refuseField(first.field, first.message, 422, problems);
}

export function refuseField(
  field: string,
  message: string,
  status = 422,
  problems: readonly FieldProblem[] = [{ field, message }],
): never {
  const end = /[.?!]$/.test(message) ? '' : '.';
  throw new Refusal(status, `${field}: ${message}${end}`, problems);
}

/** The record, or 404 with its name. */
export function found<R>(record: R | undefined, name: string): R {
  if (record === undefined) throw new Refusal(404, `There is no ${name}.`);
  return record;
}

/** Runs a command and returns its value. */
export function execute<N extends CommandName>(
  host: WorldHost,
  name: N,
  args: CommandArguments<N>,
): CommandValue<N> {
  const outcome = host.execute(name, args);
  if ('value' in outcome) return outcome.value;
  const { status, field, message } = outcome.refused;
  return refuseField(field, message, status);
}
