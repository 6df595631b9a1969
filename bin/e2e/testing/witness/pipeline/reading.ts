// Reads a body, or refuses it in plain text (ERR-2).
import { ACCOUNT_FIELDS } from '../operations.ts';
import type { Reply } from '../records.ts';
import { headerOf, inPlainText, invalid } from '../replies.ts';
import type { Context, Field } from '../types.ts';
import { isObject, type Json, type JsonObject, parse } from '../values.ts';

const BULK_BYTES = 16 * 1_048_576;

export function unreadableBody(context: Context): Reply | null {
  const { world, operation, call } = context;
  const { unreadable, singleBytes, unknownFields } = world.style;
  const { fields } = operation;
  if (fields === null) return null;
  const refused = (status: number, why: string) =>
    inPlainText(context, status, unreadable.words(why));
  const limit = operation.name === 'bulkCreateAccounts' ? BULK_BYTES : singleBytes;
  if (call.body.length > limit) return refused(413, 'the body is too large');
  if (!/^application\/json\s*(;|$)/i.test(headerOf(call, 'content-type') ?? '')) {
    return refused(unreadable.type, 'the body must be application/json');
  }
  const read = parse(call.body);
  if (read === undefined) return refused(unreadable.syntax, 'the body is not JSON');
  if (!isObject(read)) return refused(unreadable.shape, 'the body must be an object');
  const why = shapeProblem(context, read, fields);
  if (why !== null) return refused(unreadable.shape, why);
  context.body = read;
  const unknown = Object.keys(read).find((name) => !fields.some((each) => each.name === name));
  if (unknown === undefined || unknownFields === 'ignored') return null;
  return invalid(context, `${unknown} is not known`, unknown);
}

function shapeProblem(context: Context, body: JsonObject, fields: readonly Field[]): string | null {
  for (const field of fields) {
    const why = fieldProblem(context, field, body[field.name]);
    if (why !== null) return why;
  }
  return null;
}

function fieldProblem(
  { world, operation }: Context,
  { name, kind, isRequired }: Field,
  value: Json | undefined,
): string | null {
  const { nullInUpdate, numbersAsAmounts } = world.style;
  if (value === null && operation.name === 'updateAccount' && nullInUpdate === 'unreadable') {
    return `${name} must be a string`;
  }
  if (value === undefined || value === null) {
    return isRequired ? `missing required field: ${name}` : null;
  }
  if (kind === 'rows') return rowsProblem(world.style, value);
  if (kind === 'list') {
    const isList = Array.isArray(value) && value.every((each) => typeof each === 'string');
    return isList ? null : `${name} must be a list of strings`;
  }
  const isTolerated = kind === 'decimal' && numbersAsAmounts && typeof value === 'number';
  return typeof value === 'string' || isTolerated ? null : `${name} must be a string`;
}

/** NS-33: a wrong type anywhere makes the whole unreadable; what is missing is left to the rows. */
function rowsProblem(
  { rowWithoutEmail, batchRefusal }: Context['world']['style'],
  value: Json,
): string | null {
  if (!Array.isArray(value)) return 'accounts must be a list';
  for (const [index, row] of value.entries()) {
    if (!isObject(row)) return `accounts[${index}] must be an object`;
    const wrong = ACCOUNT_FIELDS.find(
      ({ name }) => !['string', 'nothing'].includes(typeOf(row[name])),
    );
    if (wrong !== undefined) return `accounts[${index}].${wrong.name} must be a string`;
    const isMissing = (name: string) => typeof row[name] !== 'string';
    if (rowWithoutEmail === 'unreadable' && isMissing('email')) {
      return `accounts[${index}]: missing required field: email`;
    }
    if (batchRefusal.missing === 'text' && isMissing('client_reference_id')) {
      return `accounts[${index}]: missing required field: client_reference_id`;
    }
  }
  return null;
}

const typeOf = (value: Json | undefined): string =>
  value === undefined || value === null ? 'nothing' : typeof value;
