// The stage that reads a body: bytes become the members of an object, or a refusal in plain text
// (ERR-2).
import {
  bodyOperations,
  decimalMembers,
  readingShape,
} from '../../../fixtures/schemas/requests.ts';
import { validate } from '../../../fixtures/schemas/validate.ts';
import type { Settings } from '../../../fixtures/settings.ts';
import type { Cite, Decision } from '../call.ts';
import {
  type Body,
  headerOf,
  operationRowOf,
  type RequestContext,
  refuseUnreadable,
} from './request-context.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true });
const cites: readonly Cite[] = ['ERR-2', 'NS-14'];

export function readBody(context: RequestContext): Decision | null {
  const wanted = operationRowOf(context).body;
  const { settings } = context.behaviour;
  const { call } = context;
  if (wanted === 'none') return refuseIdleBody(context);
  const isBulk = context.operation === 'bulkCreateAccounts';
  const limit = isBulk ? settings.max_bulk_body_bytes : settings.max_body_bytes;
  if (call.oversize === true || call.body.byteLength > limit) {
    const message = `The body has more than ${limit} bytes, which is the limit here.`;
    return refuseUnreadable(settings.body_too_large_status, message, ['NS-15']);
  }
  const contentType = headerOf(context, 'content-type');
  if (!isReadableType(contentType, wanted === 'form-or-json')) {
    const given = contentType ?? 'without one';
    const message = `Send the body as Content-Type: application/json, not ${given}.`;
    return refuseUnreadable(settings.content_type_status, message, cites);
  }
  const text = decodeUtf8(call.body);
  if (text === null) {
    return refuseUnreadable(settings.unparsable_status, 'The body is not valid UTF-8.', cites);
  }
  const read = context.behaviour.read(context, text);
  if (!('body' in read)) return read;
  context.body = read.body;
  return null;
}

/** NS-58: a body where none is expected. */
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
  } catch {
    return null;
  }
}

/** ERR-2, ACC-3, CONV-1b, NS-14: refuses in plain text that names the invalid member. */
export function bodyReader(settings: Settings) {
  const shapes = new Map<string | null, ReturnType<typeof readingShape>>(
    bodyOperations.map((operation) => [operation, readingShape(operation, settings)]),
  );
  return (context: RequestContext, text: string): { readonly body: Body } | Decision => {
    const isForm = formType.test(headerOf(context, 'content-type') ?? '');
    const parsed = isForm ? readForm(text) : parseJson(text, settings);
    if ('reply' in parsed) return parsed;
    const shape = shapes.get(context.operation);
    if (shape === undefined) throw new Error(`no shape for the body of ${context.operation}`);
    const [wrong] = validate(shape, parsed.value, 'The body');
    if (wrong !== undefined) {
      const message = `${wrong.field} ${wrong.message}.`;
      return refuseUnreadable(settings.unreadable_status, message, cites);
    }
    const body = parsed.value as Body;
    return { body: settings.amount_as_number === 'accepted' ? textAmounts(body) : body };
  };
}

type Parsed = { readonly value: unknown } | Decision;

function parseJson(text: string, settings: Settings): Parsed {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const message = text.trim() === '' ? 'The body is empty.' : 'The body is not valid JSON.';
    return refuseUnreadable(settings.unparsable_status, `${message} Send a JSON object.`, cites);
  }
  const name = settings.duplicate_members === 'refused' ? findDuplicateMember(text) : null;
  if (name === null) return { value };
  // The body is JSON, so the message is about unreadable JSON and not about the content type.
  const message = `The member ${name} is given twice.`;
  return refuseUnreadable(settings.unreadable_status, message, ['ERR-2', 'NS-47']);
}

/** NS-8: all form members are text except `read_only`. */
function readForm(text: string): Parsed {
  const members = [...new URLSearchParams(text)].map(([name, value]) => {
    const isFlag = name === 'read_only' && (value === 'true' || value === 'false');
    return [name, isFlag ? value === 'true' : value];
  });
  return { value: Object.fromEntries(members) };
}

/** NS-46, the other choice: an amount sent as a JSON number counts as its text. */
function textAmounts(body: Body): Body {
  const copy: Record<string, unknown> = { ...body };
  for (const name of decimalMembers) {
    if (typeof copy[name] === 'number') copy[name] = String(copy[name]);
  }
  return copy;
}

/** The first member name that occurs twice in one object of valid JSON text. */
function findDuplicateMember(text: string): string | null {
  // The member names seen so far in each open object; null for a list.
  const levels: (Set<string> | null)[] = [];
  const token = /"(?:[^"\\]|\\.)*(?:"|\\?$)|[{}[\]]/g;
  for (let match = token.exec(text); match !== null; match = token.exec(text)) {
    const [part] = match;
    if (part === '{' || part === '[') levels.push(part === '{' ? new Set() : null);
    else if (part === '}' || part === ']') levels.pop();
    else {
      const names = levels.at(-1);
      if (names == null || !/^\s*:/.test(text.slice(token.lastIndex, token.lastIndex + 64)))
        continue;
      const name = JSON.parse(part) as string;
      if (names.has(name)) return name;
      names.add(name);
    }
  }
  return null;
}
