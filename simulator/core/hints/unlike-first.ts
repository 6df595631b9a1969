// A repeat that is not the request whose answer it gets: what is different, and what that means.
import { findEntry, type JournalEntry } from '../journal.ts';
import { headerOf } from '../pipeline/operation-row.ts';
import type { RequestContext } from '../pipeline/request-context.ts';
import type { Hint } from './register.ts';
import { quoteText, showName, showValue, someOf } from './show-value.ts';

/** What a repeat (replayed, or while the first attempt runs) says otherwise than the first. */
export function hintUnlikeFirst(context: RequestContext): Hint | null {
  const { world, firstCall, call } = context;
  const first = firstCall === null ? undefined : findEntry(world.journal, firstCall);
  if (first === undefined) return null;
  const other = hintOtherTransaction(context, first);
  if (other !== null) return other;
  const isRefused = refusedFirst(first);
  const differences = isRefused ? tagDifference(context, first) : [];
  const then = parse(first.call.body);
  if (then !== undefined && !sameBytes(first.call.body, call.body)) {
    differences.push(...differencesOf(then, context.body));
  }
  if (differences.length === 0) return null;
  const what = `${someOf(differences)}`;
  if (!isRefused) {
    const answered = `request ${first.n} used this key first, and its answer stands`;
    return { code: 'body_unlike_first', words: `${what}: ${answered}. Nothing of this one ran.` };
  }
  const remedy = 'a corrected request needs a new Idempotency-Key';
  return {
    code: 'corrected_under_old_key',
    words: `${what}: request ${first.n} was refused under this key; ${remedy}.`,
  };
}

/** IDEM-10: on approve, reject and cancel the key stands with the account alone. */
function hintOtherTransaction(context: RequestContext, first: JournalEntry): Hint | null {
  const { path, operation } = context;
  const firstPath = first.call.target.split('?')[0] ?? '';
  if (firstPath === path || operation === null || !operation.endsWith('Transaction')) return null;
  if (operation === 'createTransaction') return null;
  const ids = [path, firstPath].map((each) => quoteText(each.split('/').at(-2) ?? ''));
  return {
    code: 'key_across_transactions',
    words: `Nothing was done to transaction ${ids[0]}: request ${first.n} used this key on ${ids[1]} of the same account, and its answer came again. Use a key for each transaction.`,
  };
}

/** 429, 500 and 503 are kept for nobody, so what is refused here stays refused (IDEM-4d). */
function refusedFirst({ reply }: JournalEntry): boolean {
  return reply !== null && reply.status >= 400;
}

function tagDifference(context: RequestContext, { call }: JournalEntry): string[] {
  if (context.operation !== 'updateAccount') return [];
  const then = call.headers['if-match'];
  const now = headerOf(context, 'if-match');
  return then === now ? [] : [`If-Match was ${then ?? 'left out'}, is ${now ?? 'left out'}`];
}

function sameBytes(first: Uint8Array, now: Uint8Array): boolean {
  if (first.byteLength !== now.byteLength) return false;
  for (let at = 0; at < now.byteLength; at += 1) if (first[at] !== now[at]) return false;
  return true;
}

const utf8 = new TextDecoder();

/** Undefined for what is no JSON: nobody reads the body of an approval, so it may be anything. */
function parse(body: Uint8Array): unknown {
  if (body.byteLength === 0) return {};
  try {
    return JSON.parse(utf8.decode(body));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

const mostFound = 20;

/** `first_name was "Ada", is "Eda"`, member by member; however much differs, the first of it. */
function differencesOf(then: unknown, now: unknown): string[] {
  const found: string[] = [];
  compare(then, now, '', found);
  return found;
}

function compare(then: unknown, now: unknown, path: string, found: string[]): void {
  if (Object.is(then, now) || found.length >= mostFound) return;
  if (isContainer(then) && isContainer(now) && Array.isArray(then) === Array.isArray(now)) {
    for (const name of new Set([...Object.keys(then), ...Object.keys(now)])) {
      compare(own(then, name), own(now, name), path === '' ? name : `${path}.${name}`, found);
    }
    return;
  }
  const [was, is] = [showValue(path, then), showValue(path, now)];
  found.push(
    was === is ? `${showName(path)} is another` : `${showName(path)} was ${was}, is ${is}`,
  );
}

function isContainer(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function own(value: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(value, name) ? value[name] : undefined;
}
