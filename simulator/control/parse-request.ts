// Reads what a request brings: its body as JSON and its query as values, both validated against the
// row's schemas.

import { object, type Schema } from '../../fixtures/schemas/kit.ts';
import { validate } from '../../fixtures/schemas/validate.ts';
import type { FieldProblem } from '../../fixtures/settings/parse.ts';
import { isTooDeep } from '../host/bodies/json-depth.ts';
import { syntaxWords } from '../host/bodies/json-syntax.ts';
import { type ControlHead, type ControlReply, invalidFields, problem } from './reply.ts';
import type { Row } from './row.ts';

export type ParsedRequest = { readonly value: unknown } | { readonly refused: ControlReply };

const utf8 = new TextDecoder('utf-8', { fatal: true });
const noMembers = object('Nothing is taken.', {});

/** What the head alone shows to be wrong with the body, before any of it is read. */
export function refuseBodyHead(row: Row, { method, headers }: ControlHead): ControlReply | null {
  if (method === 'GET') return null;
  const type = headers['content-type'];
  // Contract: a form on a foreign page can post anything but this type without being asked first.
  if (type !== undefined && !isJson(type)) return notJson();
  return Number(headers['content-length']) > mostBytesOf(row) ? tooLarge(row) : null;
}

/** `body` is null where more came than the row reads. */
export function parseRequestBody(
  row: Row,
  { method, headers }: ControlHead,
  body: Uint8Array | null,
): ParsedRequest {
  if (method === 'GET') return { value: undefined };
  if (body === null) return { refused: tooLarge(row) };
  const isEmpty = body.byteLength === 0;
  if (!isEmpty && headers['content-type'] === undefined) return { refused: notJson() };
  const parsed = isEmpty ? { value: {} } : parse(body);
  if ('refused' in parsed) return parsed;
  const problems = validate(row.body ?? noMembers, parsed.value, 'body');
  return problems.length > 0 ? { refused: invalidFields(problems) } : parsed;
}

const mebibyte = 1024 * 1024;

/** No more is read of a body. */
export function mostBytesOf({ mostBytes = mebibyte }: Row): number {
  return mostBytes;
}

function tooLarge(row: Row): ControlReply {
  const most = `${mostBytesOf(row) / mebibyte} MiB`;
  return problem(413, `The body is larger than the ${most} that ${row.path} takes.`);
}

function notJson(): ControlReply {
  const detail = 'Send the body as Content-Type: application/json.';
  return problem(415, detail, [], { accept: 'application/json' });
}

function isJson(type: string | readonly string[]): boolean {
  return typeof type === 'string' && /^application\/json *(;|$)/i.test(type.trim());
}

function parse(body: Uint8Array): ParsedRequest {
  let text: string;
  try {
    text = utf8.decode(body);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return { refused: problem(400, 'The body is not UTF-8.') };
  }
  if (isTooDeep(text)) return { refused: problem(400, 'The body is nested too deeply.') };
  try {
    return { value: JSON.parse(text) as unknown };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return { refused: problem(400, `The body is not JSON: ${syntaxWords(text, error)}.`) };
  }
}

/** The query as an object of values of the row's types. */
export function parseQuery(row: Row, search: string): ParsedRequest {
  const schemas: Readonly<Record<string, Schema>> = row.query ?? {};
  const given = new URLSearchParams(search);
  const values: [string, unknown][] = [];
  const problems: FieldProblem[] = [];
  for (const name of new Set(given.keys())) {
    const all = given.getAll(name);
    if (all.length > 1) problems.push({ field: name, message: 'is given more than once' });
    const type = Object.hasOwn(schemas, name) ? schemas[name]?.type : undefined;
    values.push([name, type === 'integer' ? wholeOf(all[0] as string) : all[0]]);
  }
  const value = Object.fromEntries(values);
  problems.push(...validate(queryShape(row, schemas), value, 'query'));
  return problems.length > 0 ? { refused: invalidFields(problems) } : { value };
}

/** A text that is no whole number stays a text, and the schema then says so. */
function wholeOf(text: string): number | string {
  return /^-?\d{1,16}$/.test(text) ? Number(text) : text;
}

function queryShape(row: Row, properties: Readonly<Record<string, Schema>>): Schema {
  const required = row.requiredQuery ?? [];
  return { type: 'object', properties, required, additionalProperties: false };
}
