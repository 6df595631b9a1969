// Reads a body, or says in plain text why it cannot be read (ERR-2).
import { isObject, type Json, type JsonObject } from './json.ts';
import { ACCOUNT_FIELDS, type Field } from './operations.ts';
import type { Answer } from './records.ts';
import { headerOf, invalid, type RequestContext, unreadable } from './request-context.ts';

const SINGLE_BYTES = 1_048_576;
const BULK_BYTES = 16 * 1_048_576;

export function readBody(ctx: RequestContext): Answer | null {
  const { style } = ctx.mind;
  const fields = ctx.operation.fields(style);
  if (fields === null) return null;
  const limit = ctx.operation.name === 'bulkCreateAccounts' ? BULK_BYTES : SINGLE_BYTES;
  if (ctx.call.body.length > limit) return unreadable(ctx, 413, 'the body is too large');
  const type = headerOf(ctx.call, 'content-type') ?? '';
  if (!/^application\/json\s*(;|$)/i.test(type)) {
    return unreadable(ctx, style.unreadable.type, 'the body must be application/json');
  }
  const read = parse(ctx.call.body);
  if (read === undefined) {
    return unreadable(ctx, style.unreadable.syntax, 'the body is not JSON');
  }
  const words = isObject(read) ? shapeProblem(ctx, read, fields) : 'the body must be an object';
  if (words !== null) return unreadable(ctx, style.unreadable.shape, words);
  ctx.body = read as JsonObject;
  return unknownFieldProblem(ctx, fields);
}

function parse(body: Buffer): Json | undefined {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)) as Json;
  } catch {
    return undefined;
  }
}

function shapeProblem(ctx: RequestContext, body: JsonObject, fields: readonly Field[]) {
  const isUpdate = ctx.operation.name === 'updateAccount';
  for (const field of fields) {
    const value = body[field.name];
    if (value === null && isUpdate && ctx.mind.style.nullInUpdate === 'unreadable') {
      return `${field.name} must be a string`;
    }
    const words = fieldProblem(ctx, field, value);
    if (words !== null) return words;
  }
  return null;
}

function fieldProblem(ctx: RequestContext, field: Field, value: Json | undefined): string | null {
  if (value === undefined || value === null) {
    return field.required ? `missing required field: ${field.name}` : null;
  }
  if (field.kind === 'rows') return rowsProblem(ctx, value);
  if (field.kind === 'list') {
    const isList = Array.isArray(value) && value.every((each) => typeof each === 'string');
    return isList ? null : `${field.name} must be a list of strings`;
  }
  if (typeof value === 'string') return null;
  const tolerated = field.kind === 'decimal' && ctx.mind.style.numbersAsAmounts;
  return tolerated && typeof value === 'number' ? null : `${field.name} must be a string`;
}

/** NS-33: a wrong type anywhere makes the whole unreadable; what lacks is for the rows. */
function rowsProblem(ctx: RequestContext, value: Json): string | null {
  if (!Array.isArray(value)) return 'accounts must be a list';
  for (const [index, row] of value.entries()) {
    if (!isObject(row)) return `accounts[${index}] must be an object`;
    for (const field of ACCOUNT_FIELDS) {
      const each = row[field.name];
      if (each !== undefined && each !== null && typeof each !== 'string') {
        return `accounts[${index}].${field.name} must be a string`;
      }
    }
    const { style } = ctx.mind;
    if (style.rowWithoutEmail === 'unreadable' && typeof row.email !== 'string') {
      return `accounts[${index}]: missing required field: email`;
    }
    const hasReference = typeof row.client_reference_id === 'string';
    if (style.batchRefusal.missing === 'text' && !hasReference) {
      return `accounts[${index}]: missing required field: client_reference_id`;
    }
  }
  return null;
}

/** NS-27 */
function unknownFieldProblem(ctx: RequestContext, fields: readonly Field[]): Answer | null {
  if (ctx.mind.style.unknownFields === 'ignored') return null;
  for (const name of Object.keys(ctx.body)) {
    if (!fields.some((field) => field.name === name)) return invalid(ctx, `${name} is not known`);
  }
  return null;
}
