// Reads a body, or says in plain text why it cannot be read (ERR-2).

import { ACCOUNT_FIELDS, type Field } from '../operations.ts';
import { headerOf, invalid, type RequestContext, refuse, unreadable } from '../request-context.ts';
import { isObject, type Json, type JsonObject } from '../values/json.ts';
import type { Answer } from '../values/records.ts';

const SINGLE_BYTES = 1_048_576;
const BULK_BYTES = 16 * 1_048_576;

export function readBody(ctx: RequestContext): Answer | null {
  const { mind } = ctx;
  const { style } = mind;
  const fields = ctx.operation.fields(style);
  if (fields === null) return missingType(ctx);
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
  if (!isObject(read) && mind.has('err-null-body')) {
    return refuse(ctx, 500, 'internal_error', 'this failed; repeat it');
  }
  const words = isObject(read) ? shapeProblem(ctx, read, fields) : 'the body must be an object';
  if (words !== null) {
    if (isProblemInstead(ctx, words)) return invalid(ctx, words);
    return unreadable(ctx, style.unreadable.shape, words);
  }
  ctx.body = read as JsonObject;
  for (const name of ['account_id', 'brand_id']) {
    if (typeof ctx.body[name] === 'number') ctx.body[name] = String(ctx.body[name]);
  }
  for (const { name } of fields) {
    if (mind.has('txn-type-optional') && name === 'transaction_type') ctx.body[name] ??= 'Deposit';
    if (mind.has('txs-reason-optional') && name === 'reason') ctx.body[name] ??= 'none';
  }
  return unknownFieldProblem(ctx, fields);
}

/** A defect that wants a type of a body that is not there. */
function missingType(ctx: RequestContext): Answer | null {
  const isApproval = ctx.operation.name === 'approveTransaction';
  if (!isApproval || !ctx.mind.has('txs-approve-wants-json')) return null;
  const isJson = /^application\/json/i.test(headerOf(ctx.call, 'content-type') ?? '');
  return isJson ? null : unreadable(ctx, ctx.mind.style.unreadable.type, 'JSON is required');
}

/** Defects that refuse what cannot be read as an ordinary problem. */
function isProblemInstead({ mind, operation }: RequestContext, words: string): boolean {
  const isCreate = operation.name === 'createAccount';
  return (
    (mind.has('acc-missing-email-problem') && isCreate && /field: email/.test(words)) ||
    (mind.has('acc-missing-reference-problem') && isCreate && /field: client_ref/.test(words)) ||
    (mind.has('conv-number-id-problem') && /_id must be a string/.test(words))
  );
}

/** Defects that take what cannot be read. */
function isTaken({ mind }: RequestContext, { name }: Field, value: Json | undefined): boolean {
  if (typeof value === 'number') {
    return (
      (mind.has('conv-accepts-number-id') && name === 'account_id') ||
      (mind.has('conv-accepts-number-brand') && name === 'brand_id')
    );
  }
  if (value !== undefined) return false;
  return (
    (mind.has('txn-type-optional') && name === 'transaction_type') ||
    (mind.has('txs-reason-optional') && name === 'reason')
  );
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
  if (isTaken(ctx, field, value)) return null;
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
