// The meaning of a request: its operation, subject and references, and which requests repeat one
// intent of the client.
import { OPERATIONS, type OperationName } from '../spec/operations.ts';
import type { ApiCall } from './recording.ts';

/** The same text for equal JSON: members in order, no spaces. */
export function canonical(json: unknown): string {
  return JSON.stringify(sorted(json)) ?? '';
}

function sorted(json: unknown): unknown {
  if (Array.isArray(json)) return json.map(sorted);
  if (typeof json !== 'object' || json === null) return json;
  const entries = Object.entries(json).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return Object.fromEntries(entries.map(([name, value]) => [name, sorted(value)]));
}

/** One of the nine that require an Idempotency-Key. */
export function isWrite(operation: OperationName | null): boolean {
  return operation !== null && OPERATIONS[operation].keyed;
}

/** `POST /api/v1/transactions/{id}/approve`. */
export function routeOf(operation: OperationName): string {
  const { method, path } = OPERATIONS[operation];
  return `${method} ${path.replace(':id', '{id}')}`;
}

type Members = Readonly<Record<string, unknown>>;

export function membersOf(json: unknown): Members {
  return typeof json === 'object' && json !== null && !Array.isArray(json) ? (json as Members) : {};
}

/** A request before its intent is known. */
export type SentRequest = Pick<
  ApiCall,
  'operation' | 'method' | 'path' | 'query' | 'body' | 'json' | 'key'
>;

/** The rows of a bulk create. */
function rowsOf({ operation, json }: Pick<ApiCall, 'operation' | 'json'>): Members[] {
  const { accounts } = membersOf(json);
  const isBulk = operation === 'bulkCreateAccounts' && Array.isArray(accounts);
  return isBulk ? accounts.map(membersOf) : [];
}

/** Every `client_reference_id` of a call, as sent. */
export function referencesOf(call: Pick<ApiCall, 'operation' | 'json'>): string[] {
  return [membersOf(call.json), ...rowsOf(call)]
    .map(({ client_reference_id: reference }) => reference)
    .filter((reference) => typeof reference === 'string');
}

function textOrNull(value: unknown): string | null {
  if (typeof value === 'string') return value;
  return typeof value === 'number' ? `${value}` : null;
}

const folded = (value: unknown) => (textOrNull(value) ?? canonical(value)).toLowerCase();

/**
 * IDEM-2c: the subject of the key of a write, as text; null if the body cannot be read. References
 * and emails are compared case-insensitively.
 */
export function subjectOf(call: Pick<ApiCall, 'operation' | 'json' | 'path' | 'query'>) {
  const body = membersOf(call.json);
  switch (call.operation) {
    case 'createAccount':
    case 'createTransaction':
      return textOrNull(body.client_reference_id)?.toLowerCase() ?? null;
    case 'bulkCreateAccounts':
      return rowsOf(call)
        .map((row) => [row.client_reference_id, row.email, row.brand_id].map(folded).join('|'))
        .join('\n');
    case 'openPosition':
    case 'closePosition':
      return textOrNull(body.trading_account_id);
    case 'updateAccount':
      return call.path.split('/').at(-1) ?? null;
    case 'approveTransaction':
    case 'rejectTransaction':
    case 'cancelTransaction':
      return call.query.get('account_id');
    default:
      return null;
  }
}

/** Sorts calls into the intents of the client, in the order of their arrival. */
export class Intents {
  readonly #sites: string[] = [];
  readonly #counts = new Map<string, number>();
  /** For each mark, the newest intent that has it. */
  readonly #newest = new Map<string, number>();

  /** The site of a write, and whether this is its first call; null for any other call. */
  place(sent: SentRequest): { readonly site: string; readonly isFirst: boolean } | null {
    const { operation } = sent;
    if (operation === null || !isWrite(operation)) return null;
    const marks = marksOf(sent).map((mark) => `${operation} ${mark}`);
    // The newest, because a client that sends one request twice on purpose continues with that.
    const known = this.#sites[Math.max(-1, ...marks.map((mark) => this.#newest.get(mark) ?? -1))];
    if (known !== undefined) return { site: known, isFirst: false };
    const count = (this.#counts.get(operation) ?? 0) + 1;
    this.#counts.set(operation, count);
    const site = `${operation}#${count}`;
    for (const mark of marks) this.#newest.set(mark, this.#sites.length);
    this.#sites.push(site);
    return { site, isFirst: true };
  }
}

/** Writes that share a mark are one intent; the checks judge what differs between them. */
function marksOf(sent: SentRequest): string[] {
  const marks = [`says ${requestText(sent)}`];
  const subject = subjectOf(sent);
  if (sent.key !== null && subject !== null) {
    marks.push(`has ${JSON.stringify([sent.key, sent.path, subject])}`);
  }
  // IDEM-12: the same reference converges on the same record under any key.
  const references = referencesOf(sent).join('\n').toLowerCase();
  if (references !== '') marks.push(`names ${references}`);
  return marks;
}

/** The path, the account and the body; not other query parameters, such as a retry count. */
function requestText({ path, query, json, body }: SentRequest): string {
  const says = json === undefined ? ['text', body] : ['json', canonical(json)];
  return JSON.stringify([path, query.get('account_id'), ...says]);
}

/** The same path and account, and an equal body. */
export function sameRequest(a: SentRequest, b: SentRequest): boolean {
  return a === b || requestText(a) === requestText(b);
}

/** The same except for its references: one intent sent again as if it were another. */
export function sameButForReferences(a: SentRequest, b: SentRequest): boolean {
  if (referencesOf(a).length === 0) return false;
  return a.path === b.path && canonical(unnamed(a.json)) === canonical(unnamed(b.json));
}

/** A client that generates a new reference for each attempt generates email and phone as well. */
const generatedMembers = new Set(['client_reference_id', 'email', 'phone']);

function unnamed(json: unknown): unknown {
  if (Array.isArray(json)) return json.map(unnamed);
  if (typeof json !== 'object' || json === null) return json;
  const kept = Object.entries(json).filter(([name]) => !generatedMembers.has(name));
  return Object.fromEntries(kept.map(([name, value]) => [name, unnamed(value)]));
}
