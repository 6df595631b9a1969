// What a test waits for among the calls that came: by operation, status, credential.

import type { RequestShown } from '../control/schemas/journal.ts';
import { viewRequest } from '../control/views/journal.ts';
import { findEntry, type JournalEntry } from '../core/journal.ts';
import type { OperationName } from '../core/tables/operations.ts';
import type { WorldHost } from '../host/world/world-host.ts';
import { expectNone, type WaitOptions, waitFor } from './wait-for.ts';

/** Every part that is given must fit. */
export interface RequestMatch {
  readonly operation?: OperationName;
  readonly method?: string;
  readonly status?: number;
  /** Name of the credential. */
  readonly credential?: string;
  readonly idempotency?: 'first' | 'replayed' | 'converged' | 'in_flight';
  /** Calls after the one of this number only. */
  readonly after?: number;
}

export interface RequestWaits {
  /** Calls that fit, those that have come already among them. */
  readonly waitFor: (match?: RequestMatch, options?: WaitOptions) => Promise<RequestShown[]>;
  /** Rejects when one has come already or comes within the time. */
  readonly expectNone: (
    match?: RequestMatch,
    options?: { readonly withinMs?: number },
  ) => Promise<void>;
}

export function requestWaits(host: WorldHost): RequestWaits {
  const waited = (match: RequestMatch) => ({
    found: () => entriesOf(host, match).map((entry) => viewRequest(host, entry, { whole: true })),
    listen: (look: () => void, closed: () => void) =>
      host.listen((notice) => {
        if (notice.kind === 'closed') closed();
        if (notice.kind !== 'request') return;
        const entry = findEntry(host.world.journal, notice.n);
        if (entry !== undefined && isMatch(host, entry, match)) look();
      }),
    words: () => `request ${JSON.stringify(match)}; ${toldOf(host)}`,
  });
  return {
    waitFor: async (match = {}, options) => [...(await waitFor(waited(match), options))],
    expectNone: (match = {}, options) => expectNone(waited(match), options),
  };
}

function entriesOf(host: WorldHost, match: RequestMatch): JournalEntry[] {
  const { journal } = host.world;
  const matching: JournalEntry[] = [];
  for (let n = Math.max(journal.oldest, (match.after ?? 0) + 1); n <= journal.newest; n += 1) {
    const entry = findEntry(journal, n);
    if (entry !== undefined && isMatch(host, entry, match)) matching.push(entry);
  }
  return matching;
}

function isMatch({ world }: WorldHost, entry: JournalEntry, match: RequestMatch): boolean {
  const { operation, method, status, credential, idempotency } = match;
  if (operation !== undefined && operation !== entry.operation) return false;
  if (method !== undefined && method.toUpperCase() !== entry.call.method) return false;
  if (status !== undefined && status !== entry.reply?.status) return false;
  if (idempotency !== undefined && idempotency !== entry.idempotency) return false;
  return credential === undefined || credential === nameOf(world, entry);
}

function nameOf(world: WorldHost['world'], { clientId }: JournalEntry): string | undefined {
  return world.credentials.get(clientId ?? '')?.name;
}

const mostTold = 10;

function toldOf(host: WorldHost): string {
  const came = entriesOf(host, {});
  if (came.length === 0) return 'no request has come';
  const lines = came.slice(-mostTold).map((entry) => {
    const { n, call, operation, reply, reset } = entry;
    const outcome = reply?.status ?? (reset ? 'cut' : 'held');
    const who = nameOf(host.world, entry) ?? 'nobody known';
    return `  ${n} ${call.method} ${call.target} ${outcome} (${operation ?? 'nothing'}, ${who})`;
  });
  return `what came (${came.length}), the last:\n${lines.join('\n')}`;
}
