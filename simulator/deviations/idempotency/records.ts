// Wrong ways of keeping key records: for how long, while an attempt runs, and for what (IDEM-6 to
// IDEM-15).
import type { Reply } from '../../core/call.ts';
import { findKey } from '../../core/keys.ts';
import type { KeyRecord } from '../../core/records.ts';
import { all, operation, policy, stage } from '../bend.ts';
import type { Deviation } from '../deviation.ts';

const hour = 3600 * 1000;

const find = (test: (record: KeyRecord, ageMs: number, keyId: string) => boolean) =>
  policy('keys', (keys) => ({
    find: (world, keyId, atMs) => {
      const record = keys.find(world, keyId, atMs);
      return record !== undefined && test(record, atMs - record.atMs, keyId) ? record : undefined;
    },
  }));

export const recordDeviations: readonly Deviation[] = [
  {
    id: 'limited-is-recorded',
    breaks: ['IDEM-6a'],
    story: 'The key is reserved before the rate is looked at, and the 429 is stored under it.',
    bend: (behaviour) => {
      const rate = behaviour.stages.find(({ name }) => name === 'rate')!;
      const rest = behaviour.stages.filter(({ name }) => name !== 'rate');
      const at = rest.findIndex(({ name }) => name === 'replay') + 1;
      return {
        ...behaviour,
        stages: [...rest.slice(0, at), rate, ...rest.slice(at)],
        keys: {
          ...behaviour.keys,
          records: (reply) => reply.status === 429 || behaviour.keys.records(reply),
        },
      };
    },
  },
  {
    id: 'record-12-hours',
    breaks: ['IDEM-7a'],
    story: 'The cache lives half a day.',
    bend: find((_record, ageMs) => ageMs < 12 * hour),
  },
  {
    id: 'record-48-hours',
    breaks: ['IDEM-7b'],
    story: 'Two days, to be on the safe side.',
    bend: policy('keys', (keys) => ({
      find: (world, keyId, atMs) => {
        const record = findKey(world.keys, keyId);
        if (record === undefined || record.reply === null) return keys.find(world, keyId, atMs);
        return atMs - record.atMs < 48 * hour ? record : undefined;
      },
    })),
  },
  {
    id: 'in-flight-is-recorded',
    breaks: ['IDEM-14a'],
    story: 'The 409 that says "still running" is stored and is what everybody gets from then on.',
    bend: (behaviour) => {
      const stored = new Map<string, Reply>();
      const bend = stage('replay', (decide, context) => {
        const decision = decide(context);
        const name = `${context.world.name}\n${context.world.seed}\n${context.keyId}`;
        if (context.idempotency === 'in_flight' && decision !== null)
          stored.set(name, decision.reply);
        const kept = stored.get(name);
        return kept === undefined ? decision : { reply: kept, changes: [], cites: [] };
      });
      return bend(behaviour);
    },
  },
  {
    id: 'in-flight-is-425',
    breaks: ['IDEM-14a'],
    story: 'The status for "too early" seems to fit better.',
    bend: (behaviour) => ({
      ...behaviour,
      refusedAs: (code) => ({
        ...behaviour.refusedAs(code),
        ...(code === 'idempotency_in_flight' ? { status: 425 } : {}),
      }),
    }),
    alsoSeenAs: { 'ERR-3': 'another status than the table’s' },
  },
  {
    id: 'in-flight-given-up-after-5s',
    breaks: ['IDEM-14b'],
    story: 'The lock expires after five seconds.',
    bend: policy('keys', () => ({ abandonAfterMs: 5000 })),
  },
  {
    id: 'race-check-then-insert',
    breaks: ['IDEM-15'],
    story:
      'The key is looked up first and inserted last, so that calls at the same moment all run.',
    bend: all((behaviour) => {
      const apart = new Set<string>();
      const met = new Set<string>();
      return {
        ...behaviour,
        keys: {
          ...behaviour.keys,
          find: (world, keyId, atMs) => {
            const name = `${world.name}\n${keyId}`;
            if (!met.has(name)) {
              met.add(name);
              // Who comes after the first one was answered finds the record.
              void afterTurns(TURNS).then(() => apart.add(name));
            }
            return apart.has(name) ? behaviour.keys.find(world, keyId, atMs) : undefined;
          },
        },
      };
    }),
  },
  {
    id: 'reference-only-under-same-key',
    breaks: ['IDEM-12'],
    story: 'Under another key the reference is refused as taken, instead of finding its record.',
    bend: operation(['createAccount', 'createTransaction'], (run, context) => {
      const result = run(context);
      if ('decideRow' in result || context.idempotency !== 'converged') return result;
      const reply = context.behaviour.refuse(context, {
        status: 409,
        title: 'Reference taken',
        code: 'invalid_state',
        detail: 'This reference is used already.',
        errors: [],
      });
      return { ...result, reply };
    }),
    alsoSeenAs: {
      'ACC-5': 'a known account is not answered',
      'TXN-2': 'nor a known transaction',
    },
  },
];

/**
 * As many as pass between calls that are made at once, and fewer than an answer takes to be read.
 */
const TURNS = 4;

async function afterTurns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await undefined;
}
