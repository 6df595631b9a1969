// Rows of the calls so far: the journal, coverage, idempotency keys and allowances.
import { keyRetentionMs } from '../../../fixtures/constants.ts';
import { listOf, object, oneOf, text, whole } from '../../../fixtures/schemas/kit.ts';
import { findEntry, type JournalEntry, newestEntries } from '../../core/journal.ts';
import type { KeyRecord } from '../../core/records.ts';
import type { WorldHost } from '../../host/world/world-host.ts';
import { coverageSchema, viewCoverage } from '../coverage.ts';
import {
  entriesAfter,
  requestSchema,
  requestStorySchema,
  viewRequest,
  viewRequestStory,
} from '../journal.ts';
import {
  type BucketShown,
  bucketSchema,
  type KeyShown,
  keySchema,
  operationParameter,
} from '../records.ts';
import { Refusal } from '../reply.ts';
import {
  type HandlerContext,
  listRow,
  listSchema,
  matching,
  page,
  type QueryOf,
  row,
} from '../row.ts';

const requestQuery = {
  'limit?': whole('How many at most; 100 by default.', 1, 1000),
  'after?': whole('Those with a greater number, the oldest of them first.', 0, 1e15),
  'operation?': operationParameter,
  'status?': whole('Whose response has this status.', 100, 599),
  'client_id?': text('Of this caller.'),
} as const;

function listRequests(host: WorldHost, query: QueryOf<typeof requestQuery>) {
  const { limit = 100, after, ...filter } = query;
  const entries =
    after === undefined ? newestEntries(host.world.journal) : entriesAfter(host, after);
  const fits = matching(filter);
  const isShown = ({ operation, clientId: client_id, reply }: JournalEntry) =>
    fits({ operation, client_id, status: reply?.status });
  const { items, next } = page(entries, limit, ({ n }) => n, isShown);
  return {
    requests: items.map((entry) => viewRequest(host, entry)),
    next_after: after === undefined ? null : next,
  };
}

function findRequest({ world: { journal } }: WorldHost, id: string): JournalEntry | undefined {
  if (/^\d{1,15}$/.test(id)) return findEntry(journal, Number(id));
  for (const entry of newestEntries(journal)) if (entry.requestId === id) return entry;
  return undefined;
}

const coverageQuery = {
  'of?': oneOf('Of this world alone, or of all worlds together, dropped ones included.', [
    'world',
    'all',
  ]),
} as const;

/** Key records checked in one request; if there are more, only the newest are listed. */
const maxLooked = 200_000;

function viewKey(host: WorldHost, keyId: string, record: KeyRecord, now: number): KeyShown {
  const entry = findEntry(host.world.journal, record.firstCall);
  // A very long identity is stored as a digest; the journal has the original.
  const [clientId, operation, key, subject] = keyId.includes('\n') ? keyId.split('\n') : [];
  const isRunning = record.reply === null;
  return {
    client_id: clientId ?? entry?.clientId ?? null,
    operation: operation ?? entry?.operation ?? null,
    key: key ?? entry?.key ?? null,
    subject: subject ?? entry?.subject ?? null,
    state: isRunning ? 'in_flight' : 'recorded',
    status: record.reply?.status ?? null,
    first_attempt: record.firstCall,
    recorded_at_ms: record.atMs,
    age_ms: Math.max(0, now - record.atMs),
    expires_at_ms: isRunning ? null : record.atMs + keyRetentionMs,
  };
}

const keyQuery = {
  'client_id?': text('Of this caller.'),
  'operation?': operationParameter,
  'key?': text('With this key.'),
  'limit?': whole('How many at most; 100 by default.', 1, 1000),
} as const;

/** The keys that a repeat would match now, newest first. */
function* keysOf(host: WorldHost, clientId: string | undefined): Generator<KeyShown> {
  const now = host.nowMs;
  for (const [keyId, record] of [...host.world.keys].slice(-maxLooked).reverse()) {
    if (host.behaviour.keys.find(host.world, keyId, now) !== record) continue;
    if (clientId !== undefined && !keyId.startsWith(`${clientId}\n`)) continue;
    yield viewKey(host, keyId, record, now);
  }
}

/** Every allowance that the credentials of a world draw from, full ones included. */
function listBuckets({ host }: HandlerContext): BucketShown[] {
  const { world, behaviour } = host;
  const { limits } = behaviour;
  const now = host.nowMs;
  const shown = new Map<string, BucketShown & { readonly client_ids: string[] }>();
  for (const credential of world.credentials.values()) {
    const { client_id, firm_id } = credential;
    for (const { bucket, rate } of limits.demands({ world, behaviour, credential })) {
      const known = shown.get(bucket) ?? {
        name: bucket,
        of: bucket.startsWith('firm:') ? 'firm' : 'credential',
        client_ids: [],
        firm_id,
        rate_per_second: rate,
        level: limits.level(world.buckets.get(bucket), rate, now) / 1000,
        full: limits.level(undefined, rate, now) / 1000,
      };
      known.client_ids.push(client_id);
      shown.set(bucket, known);
    }
  }
  return [...shown.values()];
}

export const journalRows = {
  listRequests: row('GET', 'requests', {
    summary: 'List the calls',
    description:
      'The newest first. With `after`, those that came after that call, the oldest first, so that a poller misses none. The last 10,000 are kept. Tokens, cookies and secrets are hidden; a single call shows them on demand.',
    query: requestQuery,
    answer: listSchema('requests', requestSchema),
    run: ({ host, query }) => listRequests(host, query),
  }),
  getRequest: row('GET', 'requests/{id}', {
    summary: 'Read a call, and the reasons for its response',
    description:
      'By its number or by its X-Request-Id. Tokens, cookies and secrets are hidden unless they are asked for.',
    query: { 'secrets?': oneOf('shown: as they were sent and received.', ['hidden', 'shown']) },
    answer: requestStorySchema,
    run: ({ host, params: { id }, query: { secrets } }) => {
      const entry = findRequest(host, id);
      if (entry !== undefined) return viewRequestStory(host, entry, secrets === 'shown');
      const detail = `There is no request ${id} in the journal; the last 10,000 are kept.`;
      throw new Refusal(404, detail);
    },
  }),
  getCoverage: row('GET', 'coverage', {
    summary: 'Read which rules the calls have met',
    description:
      'By rule, operation, refusal, transition and kind of event, with the hints; and for each rule that no call has met the line that would. A rule counts as met when a response rested on it, or when its case came about. Resets and restored snapshots keep the counts; a copy of a world begins with none.',
    query: coverageQuery,
    answer: coverageSchema,
    run: ({ plane, host, query: { of } }) =>
      viewCoverage(host, of === 'all' ? plane.sandbox.coverageOfAll() : host.coverage),
  }),
  clearCoverage: row('DELETE', 'coverage', {
    summary: 'Clear the coverage',
    query: coverageQuery,
    run: ({ plane, host, query: { of } }) => {
      if (of === 'all') plane.sandbox.clearCoverageOfAll();
      else host.coverage.clear();
    },
  }),
  listKeys: row('GET', 'keys', {
    summary: 'List the idempotency keys',
    description: 'Those that a repeat would meet now, the newest first (IDEM-7).',
    query: keyQuery,
    answer: object('All of them.', { keys: listOf(keySchema, 'In order.') }),
    run: ({ host, query: { client_id, limit = 100, ...filter } }) => ({
      keys: page(keysOf(host, client_id), limit, () => 0, matching(filter)).items,
    }),
  }),
  listBuckets: listRow(
    'buckets',
    'List the allowances: what may be sent now, by credential and by firm (LIM-1, LIM-3)',
    bucketSchema,
    listBuckets,
  ),
};
