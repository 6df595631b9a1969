// Rows of the journal: every call with its answer, its checks and its reasons.

import { oneOf, text, type ValueOf, whole } from '../../../../fixtures/schemas/kit.ts';
import type { JournalEntry } from '../../../core/journal.ts';
import type { WorldHost } from '../../../host/world/world-host.ts';
import { findEntry, newestEntries } from '../../../host/world/world-reads.ts';
import { listSchema } from '../../paging.ts';
import { answer, notFound } from '../../reply.ts';
import { row } from '../../row.ts';
import { requestSchema, requestStorySchema } from '../../schemas/journal.ts';
import { operationParameter } from '../../schemas/operation-permissions.ts';
import { viewRequest, viewRequestStory } from '../../views/journal.ts';
import { readWhenThere, waitParameter } from '../../wait-for-page.ts';

const query = {
  limit: whole('How many at most; 100 when left out.', 1, 1000),
  after: whole('Those with a greater number, the oldest of them first.', 0, 1e15),
  operation: operationParameter,
  status: whole('Answered with this status.', 100, 599),
  client_id: text('Of this caller.'),
  wait_ms: waitParameter,
} as const;

type Query = { readonly [K in keyof typeof query]?: ValueOf<(typeof query)[K]> };

function wanted({ operation, clientId, reply }: JournalEntry, asked: Query): boolean {
  if (asked.operation !== undefined && asked.operation !== operation) return false;
  if (asked.client_id !== undefined && asked.client_id !== clientId) return false;
  return asked.status === undefined || asked.status === reply?.status;
}

function* entriesAfter({ world }: WorldHost, after: number): Generator<JournalEntry> {
  const { oldest, newest } = world.journal;
  for (let n = Math.max(oldest, after + 1); n <= newest; n += 1) {
    const entry = findEntry(world.journal, n);
    if (entry !== undefined) yield entry;
  }
}

interface RequestPage {
  readonly entries: readonly JournalEntry[];
  readonly next: number | null;
}

function readPage(host: WorldHost, asked: Query): RequestPage {
  const { limit = 100, after } = asked;
  const { journal } = host.world;
  const entries: JournalEntry[] = [];
  for (const entry of after === undefined ? newestEntries(journal) : entriesAfter(host, after)) {
    if (!wanted(entry, asked)) continue;
    if (entries.length === limit) {
      return { entries, next: after === undefined ? null : (entries.at(-1)?.n ?? null) };
    }
    entries.push(entry);
  }
  return { entries, next: null };
}

function find(host: WorldHost, id: string): JournalEntry | undefined {
  const { journal } = host.world;
  if (/^\d{1,15}$/.test(id)) return findEntry(journal, Number(id));
  for (const entry of newestEntries(journal)) if (entry.requestId === id) return entry;
  return undefined;
}

export const requestRows = [
  row({
    name: 'listRequests',
    method: 'GET',
    path: 'requests',
    tag: 'Journal',
    summary: 'The calls',
    description:
      'The newest first. With `after`, those that came after that call, the oldest first, so that a poller misses none. The last 10,000 are kept. Tokens, cookies and secrets are hidden; a single call shows them on demand.',
    query,
    answer: { status: 200, words: 'Calls.', schema: listSchema('requests', requestSchema) },
    run: async (context) => {
      const { host, query: asked } = context;
      const { entries, next } = await readWhenThere(context, {
        read: () => readPage(host, asked),
        isEmpty: (page) => page.entries.length === 0,
        after: ['request'],
      });
      const requests = entries.map((entry) => viewRequest(host, entry));
      return answer({ requests, next_after: next });
    },
  }),
  row({
    name: 'getRequest',
    method: 'GET',
    path: 'requests/{id}',
    tag: 'Journal',
    summary: 'A call, and why it was answered so',
    description:
      'By its number or by its X-Request-Id. Tokens, cookies and secrets are hidden unless they are asked for.',
    query: { secrets: oneOf('shown: as they were sent and answered.', ['hidden', 'shown']) },
    answer: { status: 200, words: 'The call.', schema: requestStorySchema },
    run: ({ host, params, query: { secrets } }) => {
      const entry = find(host, params.id ?? '');
      return entry === undefined
        ? notFound(`There is no request ${params.id} in the journal; the last 10,000 are kept.`)
        : answer(viewRequestStory(host, entry, secrets === 'shown'));
    },
  }),
];
