// The journal: the most recent calls, each with its answer and the reasons for it, so that a user
// can find out why a call got a 409.

import type { Cite, Reply } from './call.ts';
import type { Hint } from './explain/hints.ts';
import type { Fault } from './pipeline/find-fault.ts';
import type { RequestContext } from './pipeline/request-context.ts';

export const idempotencyOutcomes = ['first', 'replayed', 'converged', 'in_flight'] as const;
export type IdempotencyOutcome = (typeof idempotencyOutcomes)[number];

/** The effect of a fault on a call. */
export type InjectedFault = Pick<Fault, 'id' | 'phase' | 'effect'>;

/** What the stages found about a call. */
type Findings =
  | ('n' | 'requestId' | 'call' | 'operation' | 'key' | 'subject' | 'idempotency' | 'firstCall')
  | ('decidedBy' | 'transition' | 'allowanceLeft' | 'allowance' | 'eventsAfter' | 'faults');

/** A call, and what became of it. */
export interface JournalEntry extends Readonly<Pick<RequestContext, Findings>> {
  readonly atMs: number;
  readonly clientId: string | null;
  readonly cites: readonly Cite[];
  /** Likely mistakes that the answer does not mention. */
  readonly hints: readonly Hint[];
  /** Sequence number of the last event that the call caused. */
  readonly eventsTo: number;
  /** null while the answer is held back, or if it was lost. */
  readonly reply: Reply | null;
  readonly answeredAtMs: number | null;
  /** The connection was cut instead of answered. */
  readonly reset: boolean;
}

/** The last 429 of a caller: the call that got it, and when its Retry-After ends. */
interface CallerLimit {
  readonly atMs: number;
  readonly untilMs: number;
  readonly call: string;
  readonly n: number;
}

export interface Journal {
  readonly slots: (JournalEntry | undefined)[];
  readonly capacity: number;
  /** Total bytes kept, so that large requests push out more entries than small ones. */
  bytes: number;
  oldest: number;
  newest: number;
  /** By client id; only hints and coverage read it. */
  readonly limits: Map<string, CallerLimit>;
}

const defaultCapacity = 10_000;
const byteLimit = 48 * 1024 * 1024;

export function createJournal(capacity = defaultCapacity): Journal {
  const slots = new Array(capacity);
  return { slots, capacity, bytes: 0, oldest: 1, newest: 0, limits: new Map() };
}

/** The approximate size of an entry without any text. */
const entryBytes = 400;

/** The bytes that an entry keeps: every member whose length a caller controls. */
function weigh(entry: JournalEntry | undefined): number {
  if (entry === undefined) return 0;
  const { call, key, reply } = entry;
  let bytes = entryBytes + call.body.byteLength + call.target.length + (key?.length ?? 0);
  for (const name in call.headers) {
    const value = call.headers[name];
    bytes += name.length;
    if (typeof value === 'string') bytes += value.length;
    else for (const each of value ?? []) bytes += each.length;
  }
  return bytes + (reply?.body.length ?? 0);
}

function put(journal: Journal, n: number, entry: JournalEntry | undefined): void {
  const slot = n % journal.capacity;
  journal.bytes += weigh(entry) - weigh(journal.slots[slot]);
  journal.slots[slot] = entry;
}

/** Keeps an entry, forgetting the oldest ones beyond the capacity in entries and in bytes. */
export function keepEntry(journal: Journal, entry: JournalEntry): void {
  if (journal.newest === 0) journal.oldest = entry.n;
  // A call that was suspended so long that its entry has been forgotten.
  if (entry.n < journal.oldest) return;
  if (entry.n > journal.newest) {
    const oldest = Math.max(journal.oldest, entry.n - journal.capacity + 1);
    // Numbers without an entry leave gaps in place of older entries.
    for (let n = Math.max(journal.newest + 1, oldest); n < entry.n; n += 1) {
      put(journal, n, undefined);
    }
    journal.oldest = oldest;
    journal.newest = entry.n;
  }
  put(journal, entry.n, entry);
  while (journal.bytes > byteLimit && journal.oldest < entry.n) {
    put(journal, journal.oldest, undefined);
    journal.oldest += 1;
  }
}

export function findEntry(journal: Journal, n: number): JournalEntry | undefined {
  const entry = journal.slots[n % journal.capacity];
  return entry?.n === n ? entry : undefined;
}

export function* newestEntries(journal: Journal): Generator<JournalEntry> {
  for (let n = journal.newest; n >= journal.oldest && n > 0; n -= 1) {
    const entry = findEntry(journal, n);
    if (entry !== undefined) yield entry;
  }
}
