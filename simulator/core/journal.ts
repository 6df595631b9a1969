// The journal: every call with its answer and the reasons for it, so that a person can ask "why
// 409?". Bounded.
import type { Call, Reply } from './call.ts';
import type { OperationName } from './tables/operations.ts';

export type IdempotencyOutcome = 'first' | 'replayed' | 'converged' | 'in_flight';

export interface JournalEntry {
  /** Number of the call in its world, from 1. */
  readonly n: number;
  readonly requestId: string;
  readonly atMs: number;
  readonly call: Call;
  readonly operation: OperationName | null;
  readonly clientId: string | null;
  /** The idempotency key after trimming, and the subject it stands with. */
  readonly key: string | null;
  readonly subject: string | null;
  readonly idempotency: IdempotencyOutcome | null;
  /** Number of the first attempt under the same key and subject, on a replay. */
  readonly firstAttempt: number | null;
  /** Names of the checks in the order they ran; the last one decided. */
  readonly steps: readonly string[];
  /** Requests left in the credential's bucket after this call; null where none was drawn. */
  readonly allowanceLeft: number | null;
  readonly allowance: number | null;
  readonly cites: readonly string[];
  /** Sequence numbers of the events it made: from (exclusive) and to (inclusive). */
  readonly eventsAfter: number;
  readonly eventsTo: number;
  readonly faultId: string | null;
  /** null while the answer is held back, and when it was lost. */
  readonly reply: Reply | null;
  readonly answeredAtMs: number | null;
  /** The connection was cut in place of an answer. */
  readonly reset: boolean;
}

export interface Journal {
  readonly slots: (JournalEntry | undefined)[];
  readonly capacity: number;
  /** Bytes of bodies kept, so that big bodies push out more entries than small ones. */
  bytes: number;
  oldest: number;
  newest: number;
}

const defaultCapacity = 10_000;
const byteLimit = 48 * 1024 * 1024;

export function createJournal(capacity = defaultCapacity): Journal {
  return { slots: new Array(capacity), capacity, bytes: 0, oldest: 1, newest: 0 };
}

function weigh(entry: JournalEntry): number {
  return entry.call.body.byteLength + (entry.reply?.body.length ?? 0);
}

function forget(journal: Journal, n: number): void {
  const slot = n % journal.capacity;
  const entry = journal.slots[slot];
  if (entry !== undefined && entry.n === n) {
    journal.bytes -= weigh(entry);
    journal.slots[slot] = undefined;
  }
}

/** Keeps an entry, forgetting the oldest ones beyond the capacity in entries and in bytes. */
export function keepEntry(journal: Journal, entry: JournalEntry): void {
  if (journal.newest === 0) journal.oldest = entry.n;
  // An attempt that was held back so long that the journal has gone beyond it.
  if (entry.n < journal.oldest) return;
  forget(journal, entry.n);
  if (entry.n > journal.newest) {
    for (let n = Math.max(journal.oldest, 1); n <= entry.n - journal.capacity; n += 1) {
      forget(journal, n);
      journal.oldest = n + 1;
    }
    journal.newest = entry.n;
  }
  journal.slots[entry.n % journal.capacity] = entry;
  journal.bytes += weigh(entry);
  while (journal.bytes > byteLimit && journal.oldest < entry.n) {
    forget(journal, journal.oldest);
    journal.oldest += 1;
  }
}

export function findEntry(journal: Journal, n: number): JournalEntry | undefined {
  const entry = journal.slots[n % journal.capacity];
  return entry?.n === n ? entry : undefined;
}

/** Entries newest first. */
export function* newestEntries(journal: Journal): Generator<JournalEntry> {
  for (let n = journal.newest; n >= journal.oldest && n > 0; n -= 1) {
    const entry = findEntry(journal, n);
    if (entry !== undefined) yield entry;
  }
}
