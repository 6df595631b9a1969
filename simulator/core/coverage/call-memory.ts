// What earlier calls leave for the evidence of later ones: keys that were used, answers that may be
// repeated, a token endpoint that is spent. Bounded: what is forgotten is merely not counted.
import type { JournalEntry } from '../journal.ts';

interface KeyUse {
  readonly clientId: string | null;
  readonly operation: JournalEntry['operation'];
  readonly subject: string | null;
  readonly atMs: number;
}

/** How an earlier use of the key differs from this one; what is not named is the same. */
export interface UnlikeUse {
  readonly caller?: 'other';
  readonly operation?: 'other';
  readonly subject?: 'other';
  /** It is at least so old. */
  readonly ageMs?: number;
}

const keysKept = 2000;
const usesKept = 8;
const tokenWindowMs = 60_000;

export class CallMemory {
  readonly #uses = new Map<string, KeyUse[]>();
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
    if (idempotency === 'first' || idempotency === 'converged') this.#keep(key, entry);
  }

  #keep(key: string, { clientId, operation, subject, atMs }: JournalEntry): void {
    if (this.#uses.size >= keysKept) this.#uses.clear();
    const use = { clientId, operation, subject, atMs };
    const uses = this.#uses.get(key);
    if (uses === undefined) this.#uses.set(key, [use]);
    else if (uses.length < usesKept) uses.push(use);
  }

  /** Whether the key was used before, and how unlike this time. */
  hasSeen(entry: JournalEntry, unlike: UnlikeUse): boolean {
    const uses = entry.key === null ? undefined : this.#uses.get(entry.key);
    if (uses === undefined) return false;
    return uses.some(
      (use) =>
        (use.clientId !== entry.clientId) === (unlike.caller === 'other') &&
        (use.operation !== entry.operation) === (unlike.operation === 'other') &&
        (unlike.operation === 'other' ||
          (use.subject !== entry.subject) === (unlike.subject === 'other')) &&
        entry.atMs - use.atMs >= (unlike.ageMs ?? 0),
    );
  }

  /** IDEM-6: the same key met this answer before, and has run now. */
  ranAfter(entry: JournalEntry, status: number): boolean {
    if (this.#retryable.size === 0) return false;
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

function identityOf({ clientId, operation, key }: JournalEntry): string {
  return `${clientId}\n${operation}\n${key}`;
}
