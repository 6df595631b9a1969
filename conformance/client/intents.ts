// Which calls of a run are repeats of one intent, by key, subject and body.
import type { ApiCall } from './call.ts';
import { canonical } from './json.ts';
import { isWrite, referencesOf, subjectOf } from './operations.ts';

/** What a call has before it is known what it repeats. */
export type SentRequest = Pick<
  ApiCall,
  'operation' | 'method' | 'path' | 'query' | 'body' | 'json' | 'key'
>;

/** Places calls in the order of their arrival. */
export class Intents {
  readonly #sites: string[] = [];
  readonly #counts = new Map<string, number>();
  /** By each thing that makes a later call the same: the newest that has it. */
  readonly #newest = new Map<string, number>();

  /** The site of a write, and whether it is the first call of it; null for anything else. */
  place(sent: SentRequest): { readonly site: string; readonly isFirst: boolean } | null {
    const { operation } = sent;
    if (operation === null || !isWrite(operation)) return null;
    const marks = marksOf(sent).map((mark) => `${operation} ${mark}`);
    // The newest, because a client that sends one thing twice on purpose continues with the later.
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

/** Writes that share one of these are one thing, whatever was changed: judges look at that. */
function marksOf(sent: SentRequest): string[] {
  const marks = [`says ${requestText(sent)}`];
  const subject = subjectOf(sent);
  if (sent.key !== null && subject !== null) {
    marks.push(`has ${JSON.stringify([sent.key, sent.path, subject])}`);
  }
  // IDEM-12: the same reference converges on the same record, whatever the key.
  const references = referencesOf(sent).join('\n').toLowerCase();
  if (references !== '') marks.push(`names ${references}`);
  return marks;
}

/** The path, the account and what the body says, in one text. */
function requestText({ path, query, json, body }: SentRequest): string {
  const says = json === undefined ? ['text', body] : ['json', canonical(json)];
  // No other parameter of a query has a meaning for a write: a count of tries may stand there.
  return JSON.stringify([path, query.get('account_id'), ...says]);
}

/** The same path and account, and a body that says the same. */
export function sameRequest(a: SentRequest, b: SentRequest): boolean {
  return a === b || requestText(a) === requestText(b);
}

/** The same except for its names: one intent sent again as if it were another. */
export function sameButForReferences(a: SentRequest, b: SentRequest): boolean {
  if (referencesOf(a).length === 0) return false;
  return a.path === b.path && canonical(unnamed(a.json)) === canonical(unnamed(b.json));
}

/** A client that makes up a new reference for each try makes up email and phone as well. */
const namesAnew = new Set(['client_reference_id', 'email', 'phone']);

function unnamed(json: unknown): unknown {
  if (Array.isArray(json)) return json.map(unnamed);
  if (typeof json !== 'object' || json === null) return json;
  const kept = Object.entries(json).filter(([name]) => !namesAnew.has(name));
  return Object.fromEntries(kept.map(([name, value]) => [name, unnamed(value)]));
}
