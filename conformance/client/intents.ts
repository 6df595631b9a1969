// Which calls of a run are the same thing wanted again: a repeat is told from a new wish by key,
// subject and body.
import type { ApiCall } from './call.ts';
import { canonical } from './json.ts';
import { isWrite, referencesOf, subjectOf } from './operations.ts';

/** What a call has before it is known what it repeats. */
export type Wish = Pick<
  ApiCall,
  'operation' | 'method' | 'path' | 'query' | 'body' | 'json' | 'key'
>;

export interface Intent {
  /** `createTransaction#2`. */
  readonly site: string;
  readonly first: Wish;
}

/** Told call by call, as they come. */
export class Intents {
  readonly #known: Intent[] = [];

  /** The site of a write, and whether it is the first call of it; null for anything else. */
  place(wish: Wish): { readonly site: string; readonly isFirst: boolean } | null {
    const { operation } = wish;
    if (operation === null || !isWrite(operation)) return null;
    const own = this.#known.filter(({ first }) => first.operation === operation);
    // The newest first: who sends one thing twice on purpose goes on with the later of them.
    const known = own.findLast(({ first }) => isSame(first, wish));
    if (known !== undefined) return { site: known.site, isFirst: false };
    const site = `${operation}#${own.length + 1}`;
    this.#known.push({ site, first: wish });
    return { site, isFirst: true };
  }
}

/** A repeat, whatever of it was changed: judges look at what was. */
function isSame(first: Wish, wish: Wish): boolean {
  if (sameRequest(first, wish)) return true;
  if (first.key !== null && first.key === wish.key && first.path === wish.path) {
    const subject = subjectOf(first);
    if (subject !== null && subject === subjectOf(wish)) return true;
  }
  // IDEM-12: the same reference converges on the same record, whatever the key.
  const references = referencesOf(first).join('\n').toLowerCase();
  return references !== '' && references === referencesOf(wish).join('\n').toLowerCase();
}

/** The same path and account, and a body that says the same. */
export function sameRequest(a: Wish, b: Wish): boolean {
  // No other parameter of a query has a meaning for a write: a count of tries may stand there.
  const account = a.query.get('account_id') === b.query.get('account_id');
  return a.path === b.path && account && sameBody(a, b);
}

function sameBody(a: Wish, b: Wish): boolean {
  if (a.json === undefined || b.json === undefined) return a.body === b.body;
  return canonical(a.json) === canonical(b.json);
}

/** The same but for what names it: one thing wanted again as if it were another. */
export function sameButForReferences(a: Wish, b: Wish): boolean {
  if (referencesOf(a).length === 0) return false;
  return a.path === b.path && canonical(unnamed(a.json)) === canonical(unnamed(b.json));
}

/** Who makes up a new reference for each try makes up the email and the phone with it. */
const namesAnew = new Set(['client_reference_id', 'email', 'phone']);

function unnamed(json: unknown): unknown {
  if (Array.isArray(json)) return json.map(unnamed);
  if (typeof json !== 'object' || json === null) return json;
  const kept = Object.entries(json).filter(([name]) => !namesAnew.has(name));
  return Object.fromEntries(kept.map(([name, value]) => [name, unnamed(value)]));
}
