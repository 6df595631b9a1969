// What earlier calls leave for the evidence of later ones: keys that were used, answers that may be
// repeated, a token endpoint that is spent. Bounded: what is forgotten is merely not counted.
import { findEntry, type Journal, type JournalEntry } from '../journal.ts';

/** How an earlier use of the key differs from this one; what is not named is the same. */
export interface UnlikeUse {
  readonly caller?: 'other';
  readonly operation?: 'other';
  readonly subject?: 'other';
  /** It is at least so old. */
  readonly ageMs?: number;
}

const keysKept = 2000;
const tokenWindowMs = 60_000;

export class CallMemory {
  /** The call that used a key first; its entry tells how. */
  readonly #uses = new Map<string, number>();
  readonly #retryable = new Map<string, number>();
  #tokensSpentUntilMs = 0;

  /** Keeps what later calls are held against. */
  take(entry: JournalEntry): void {
    const { key, reply, operation, idempotency } = entry;
    const status = reply?.status ?? 0;
    if (operation === 'issueToken' && status === 429) {
      this.#tokensSpentUntilMs = entry.atMs + tokenWindowMs;
    }
    if (key === null) return;
    if (status === 429 || status === 500 || status === 503) {
      if (this.#retryable.size >= keysKept) this.#retryable.clear();
      this.#retryable.set(identityOf(entry), status);
    } else if (this.#retryable.size > 0) this.#retryable.delete(identityOf(entry));
    if (idempotency !== 'first' && idempotency !== 'converged') return;
    if (this.#uses.has(key)) return;
    if (this.#uses.size >= keysKept) this.#uses.clear();
    this.#uses.set(key, entry.n);
  }

  /** The first call that used the key, if it is still in the journal. */
  findFirst({ key }: JournalEntry, journal: Journal): JournalEntry | undefined {
    const n = key === null ? undefined : this.#uses.get(key);
    return n === undefined ? undefined : findEntry(journal, n);
  }

  /** Some answer may be repeated under its key. */
  get hasRetryable(): boolean {
    return this.#retryable.size > 0;
  }

  /** IDEM-6: the same key met this answer before, and has run now. */
  ranAfter(entry: JournalEntry, status: number): boolean {
    return this.#retryable.get(identityOf(entry)) === status;
  }

  /** AUTH-3c: the token endpoint has refused somebody, and other traffic goes on. */
  isApartFromTokens({ operation, clientId, reply, atMs }: JournalEntry): boolean {
    if (atMs >= this.#tokensSpentUntilMs || clientId === null) return false;
    return operation !== 'issueToken' && reply !== null && reply.status < 400;
  }

  /** Another world stands in the place of this one. */
  forget(): void {
    this.#uses.clear();
    this.#retryable.clear();
    this.#tokensSpentUntilMs = 0;
  }
}

/** Whether the first use of a key differs from this one in what is named, and in nothing else. */
export function isUnlike(first: JournalEntry, entry: JournalEntry, unlike: UnlikeUse): boolean {
  if ((first.clientId !== entry.clientId) !== (unlike.caller === 'other')) return false;
  if (entry.atMs - first.atMs < (unlike.ageMs ?? 0)) return false;
  if (unlike.operation === 'other') return first.operation !== entry.operation;
  if (first.operation !== entry.operation) return false;
  return (first.subject !== entry.subject) === (unlike.subject === 'other');
}

function identityOf({ clientId, operation, key }: JournalEntry): string {
  return `${clientId}\n${operation}\n${key}`;
}
