// The stage that reads a body: bytes become the members of an object, or a refusal in plain text
// (ERR-2).

import type { ReaderError } from '#readers';
import * as readers from '#readers';
import { requestSchemas } from '../../../fixtures/schemas/requests.ts';
import type { Settings } from '../../../fixtures/settings.ts';
import type { Cite, Decision } from '../call.ts';
import { refuseUnreadable } from './refuse.ts';
import { headerOf, operationRowOf, type RequestContext, type Stage } from './request-context.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true });

export const readableStage: Stage = {
  name: 'readable',
  decide(context) {
    const wanted = operationRowOf(context).body;
    const { settings } = context.behaviour;
    const { call } = context;
    if (wanted === 'none') return refuseIdleBody(context);
    const limit =
      context.operation === 'bulkCreateAccounts'
        ? settings.max_bulk_body_bytes
        : settings.max_body_bytes;
    if (call.oversize === true || call.body.byteLength > limit) {
      const message = `The body has more than ${limit} bytes, which is the limit here.`;
      return refuseUnreadable(settings.body_too_large_status, message, ['NS-15']);
    }
    const contentType = headerOf(context, 'content-type');
    if (!isReadableType(contentType, wanted === 'form-or-json')) {
      const given = contentType ?? 'without one';
      const message = `Send the body as Content-Type: application/json, not ${given}.`;
      return refuseUnreadable(settings.content_type_status, message, ['ERR-2', 'NS-14']);
    }
    const text = decodeUtf8(call.body);
    if (text === null) {
      const message = 'The body is not valid UTF-8.';
      return refuseUnreadable(settings.unparsable_status, message, ['ERR-2', 'NS-14']);
    }
    const read = context.behaviour.read(context, text);
    if (!('body' in read)) return refuseUnreadable(read.status, read.message, read.cites);
    context.body = read.body;
    return null;
  },
};

/** NS-58: a body where none is asked for. */
function refuseIdleBody({ operation, behaviour, call }: RequestContext): Decision | null {
  const { approve_body: choice, unreadable_status: status } = behaviour.settings;
  if (operation !== 'approveTransaction' || choice === 'ignored') return null;
  if (call.body.byteLength === 0 && call.oversize !== true) return null;
  return refuseUnreadable(status, 'Approve takes no body.', ['NS-58']);
}

const jsonType = /^application\/json *(; *charset="?utf-8"? *)?$/i;
const formType = /^application\/x-www-form-urlencoded *(;.*)?$/i;

/** NS-14: JSON in UTF-8, and forms at the token endpoint (NS-8). */
function isReadableType(contentType: string | undefined, form: boolean): boolean {
  if (contentType === undefined) return false;
  return jsonType.test(contentType) || (form && formType.test(contentType));
}

function decodeUtf8(bytes: Uint8Array): string | null {
  try {
    return utf8.decode(bytes);
  } catch (error) {
    // A TypeError is how the decoder says that the bytes are no UTF-8.
    if (error instanceof TypeError) return null;
    throw error;
  }
}

/** The members of a body, or why they cannot be read. */
type ReadResult =
  | { readonly body: Readonly<Record<string, unknown>> }
  | { readonly status: number; readonly message: string; readonly cites: readonly Cite[] };

type ReaderTable = Readonly<
  Record<string, { (body: unknown): boolean; errors?: readonly ReaderError[] | null }>
>;

const table = readers as unknown as ReaderTable;

/**
 * ERR-2, ACC-3, CONV-1b, NS-14: what is not readable is refused in plain text that names the member
 * at fault.
 */
export function parseBody(context: RequestContext, text: string): ReadResult {
  const { settings } = context.behaviour;
  const parsed = isForm(context) ? readForm(text) : parseJson(text, settings);
  if ('status' in parsed) return parsed;
  const value = settings.amount_as_number === 'accepted' ? textAmounts(parsed.value) : parsed.value;
  const name = context.operation ?? '';
  const reader = table[name];
  if (reader === undefined) throw new Error(`no reader for the body of ${name}`);
  if (!reader(value)) return unreadable(settings, describe(reader.errors?.[0], value));
  const body = value as Readonly<Record<string, unknown>>;
  const unknown = settings.unknown_fields === 'refused' ? findUnknownMember(name, body) : null;
  if (unknown !== null) return unreadable(settings, `${unknown} is not a member of this body.`);
  return { body };
}

function unreadable(settings: Settings, message: string): ReadResult {
  return { status: settings.unreadable_status, message, cites: ['ERR-2', 'NS-14'] };
}

function isForm(context: RequestContext): boolean {
  const type = context.call.headers['content-type'];
  return typeof type === 'string' && /^application\/x-www-form-urlencoded/i.test(type);
}

type Parsed =
  | { readonly value: unknown }
  | { readonly status: number; readonly message: string; readonly cites: readonly Cite[] };

function parseJson(text: string, settings: Settings): Parsed {
  const status = settings.unparsable_status;
  const cites: readonly Cite[] = ['ERR-2', 'NS-14'];
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const message = text.trim() === '' ? 'The body is empty.' : 'The body is not valid JSON.';
    return { status, message: `${message} Send a JSON object.`, cites };
  }
  if (settings.duplicate_members === 'refused') {
    const name = findDuplicateMember(text);
    if (name !== null) {
      // It is JSON, so it is refused as JSON that cannot be read, and not as what is none.
      return {
        status: settings.unreadable_status,
        message: `The member ${name} is given twice.`,
        cites: ['ERR-2', 'NS-47'],
      };
    }
  }
  return { value };
}

/** NS-8: form members are all text; `read_only` is the one that is not. */
function readForm(text: string): Parsed {
  const members: Record<string, unknown> = Object.create(null);
  for (const [name, value] of new URLSearchParams(text)) {
    members[name] =
      name === 'read_only' && (value === 'true' || value === 'false') ? value === 'true' : value;
  }
  return { value: { ...members } };
}

const amountMembers = ['amount', 'volume'];

/** NS-46, the other choice: an amount sent as a JSON number counts as its text. */
function textAmounts(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const copy: Record<string, unknown> = { ...value };
  for (const name of amountMembers) {
    if (typeof copy[name] === 'number') copy[name] = String(copy[name]);
  }
  return copy;
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  const kinds: Record<string, string> = {
    string: 'a string',
    number: 'a number',
    boolean: 'a boolean',
    object: 'an object',
  };
  return kinds[typeof value] ?? typeof value;
}

function at(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((inner, part) => (inner as Record<string, unknown>)?.[part], value);
}

/** The complaint in words: which member, what it must be, and what it was. */
function describe(error: ReaderError | undefined, value: unknown): string {
  if (error === undefined) return 'The body does not have the members it needs.';
  const path = error.instancePath.split('/').slice(1);
  const where = path.join('.');
  if (error.keyword === 'required') {
    const missing = String(error.params.missingProperty);
    return `${where === '' ? '' : `${where}.`}${missing} is required.`;
  }
  const found = kindOf(at(value, path));
  if (error.keyword === 'type') {
    const wanted = [error.params.type].flat().join(' or ');
    return `${where === '' ? 'The body' : where} must be of type ${wanted}, not ${found}.`;
  }
  return `${where === '' ? 'The body' : where} ${error.message ?? 'cannot be read'}.`;
}

interface Shape {
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly items?: Shape;
}

/** NS-27, the other choice: a member that the operation does not know refuses the body. */
function findUnknownMember(name: string, body: Readonly<Record<string, unknown>>): string | null {
  const shape = (requestSchemas as Readonly<Record<string, Shape>>)[name];
  return shape === undefined ? null : findUnknownIn(shape, body, '');
}

function findUnknownIn(shape: Shape, value: unknown, where: string): string | null {
  if (Array.isArray(value)) {
    const items = shape.items ?? {};
    for (const [index, item] of value.entries()) {
      const found = findUnknownIn(items, item, `${where}.${index}`);
      if (found !== null) return found;
    }
    return null;
  }
  if (shape.properties === undefined || typeof value !== 'object' || value === null) return null;
  for (const [name, inner] of Object.entries(value)) {
    const next = shape.properties[name];
    const path = where === '' ? name : `${where}.${name}`;
    if (next === undefined) return path;
    const found = findUnknownIn(next, inner, path);
    if (found !== null) return found;
  }
  return null;
}

interface Level {
  readonly names: Set<string> | null;
}

/**
 * The first member name that occurs twice in one object of valid JSON text; null when none does.
 */
function findDuplicateMember(text: string): string | null {
  const levels: Level[] = [];
  const token = /"(?:[^"\\]|\\.)*(?:"|\\?$)|[{}[\]]/g;
  for (let match = token.exec(text); match !== null; match = token.exec(text)) {
    const part = match[0];
    if (part === '{') levels.push({ names: new Set() });
    else if (part === '[') levels.push({ names: null });
    else if (part === '}' || part === ']') levels.pop();
    else {
      const names = levels[levels.length - 1]?.names;
      if (names == null || !/^\s*:/.test(text.slice(token.lastIndex, token.lastIndex + 64)))
        continue;
      const name = JSON.parse(part) as string;
      if (names.has(name)) return name;
      names.add(name);
    }
  }
  return null;
}
