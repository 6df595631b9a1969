// Rows of what a call draws on: idempotency keys with their ages, and the levels of the allowances.

import { text, whole } from '../../../../fixtures/schemas/kit.ts';
import type { KeyRecord } from '../../../core/records.ts';
import type { WorldHost } from '../../../host/world/world-host.ts';
import { findEntry } from '../../../host/world/world-reads.ts';
import { wholeListSchema } from '../../paging.ts';
import { answer } from '../../reply.ts';
import { row } from '../../row.ts';
import { operationParameter } from '../../schemas/operation-permissions.ts';
import { type BucketShown, bucketSchema, type KeyShown, keySchema } from '../../schemas/records.ts';
import { nowMs } from '../../views/records.ts';

/** Key records looked at in one go; with more than these, only the newest are listed. */
const mostLooked = 200_000;

function viewKey(host: WorldHost, keyId: string, record: KeyRecord, now: number): KeyShown {
  const entry = findEntry(host.world.journal, record.firstCall);
  // A very long identity is kept as a digest; the journal then still knows what it stood for.
  const [clientId, operation, key, subject] = keyId.includes('\n') ? keyId.split('\n') : [];
  const running = record.reply === null;
  return {
    client_id: clientId ?? entry?.clientId ?? null,
    operation: operation ?? entry?.operation ?? null,
    key: key ?? entry?.key ?? null,
    subject: subject ?? entry?.subject ?? null,
    state: running ? 'in_flight' : 'recorded',
    status: record.reply?.status ?? null,
    first_attempt: record.firstCall,
    recorded_at_ms: record.atMs,
    age_ms: Math.max(0, now - record.atMs),
    expires_at_ms: running ? null : record.atMs + host.behaviour.keys.retentionMs,
  };
}

interface Asked {
  readonly client_id?: string;
  readonly operation?: string;
  readonly key?: string;
  readonly limit?: number;
}

function listKeys(host: WorldHost, { limit = 100, client_id, operation, key }: Asked): KeyShown[] {
  const now = nowMs(host);
  const found: KeyShown[] = [];
  for (const { records } of host.world.keys.toReversed()) {
    const skipped = Math.max(0, records.size - mostLooked);
    const newest = [...records].slice(skipped).reverse();
    for (const [keyId, record] of newest) {
      if (host.behaviour.keys.find(host.world, keyId, now) !== record) continue;
      if (client_id !== undefined && !keyId.startsWith(`${client_id}\n`)) continue;
      const shown = viewKey(host, keyId, record, now);
      if (operation !== undefined && shown.operation !== operation) continue;
      if (key !== undefined && shown.key !== key) continue;
      found.push(shown);
      if (found.length === limit) return found;
    }
  }
  return found;
}

/** Every allowance that the credentials of a world draw from, full ones included. */
function listBuckets(host: WorldHost): BucketShown[] {
  const { world, behaviour } = host;
  const { limits } = behaviour;
  const now = nowMs(host);
  const shown = new Map<string, BucketShown & { readonly client_ids: string[] }>();
  for (const credential of world.credentials.values()) {
    const demands = limits.demands({ world, behaviour, credential });
    for (const { bucket, rate } of demands) {
      const known = shown.get(bucket);
      if (known !== undefined) {
        known.client_ids.push(credential.client_id);
        continue;
      }
      const full = limits.level(undefined, rate, now) / 1000;
      shown.set(bucket, {
        name: bucket,
        of: bucket.startsWith('firm:') ? 'firm' : 'credential',
        client_ids: [credential.client_id],
        firm_id: credential.firm_id,
        rate_per_second: rate,
        level: limits.level(world.buckets.get(bucket), rate, now) / 1000,
        full,
      });
    }
  }
  return [...shown.values()];
}

export const limitRows = [
  row({
    name: 'listKeys',
    method: 'GET',
    path: 'keys',
    tag: 'Journal',
    summary: 'The idempotency keys',
    description: 'Those that a repeat would meet now, the newest first (IDEM-7).',
    query: {
      client_id: text('Of this caller.'),
      operation: operationParameter,
      key: text('With this key.'),
      limit: whole('How many at most; 100 when left out.', 1, 1000),
    },
    answer: { status: 200, words: 'Keys.', schema: wholeListSchema('keys', keySchema) },
    run: ({ host, query }) => answer({ keys: listKeys(host, query) }),
  }),
  row({
    name: 'listBuckets',
    method: 'GET',
    path: 'buckets',
    tag: 'Journal',
    summary: 'The allowances',
    description: 'What may be sent now, by credential and by firm (LIM-1, LIM-3).',
    answer: { status: 200, words: 'All.', schema: wholeListSchema('buckets', bucketSchema) },
    run: ({ host }) => answer({ buckets: listBuckets(host) }),
  }),
];
