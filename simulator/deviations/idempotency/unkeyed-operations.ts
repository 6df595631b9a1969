// Operations that keep no keys, so that a repeat runs again (IDEM-4).
import type { KeyRecord } from '../../core/records.ts';
import type { OperationName } from '../../core/tables/operations.ts';
import { policy } from '../bend.ts';
import type { Deviation } from '../deviation.ts';

const find = (test: (record: KeyRecord, ageMs: number, keyId: string) => boolean) =>
  policy('keys', (keys) => ({
    find: (world, keyId, atMs) => {
      const record = keys.find(world, keyId, atMs);
      return record !== undefined && test(record, atMs - record.atMs, keyId) ? record : undefined;
    },
  }));

/** Keeps nothing for some operations, so that a repeat runs again. */
function forgets(...names: readonly OperationName[]): Deviation['bend'] {
  return find((_record, _age, keyId) => !names.some((name) => keyId.includes(`\n${name}\n`)));
}

export const forgettingDeviations: readonly Deviation[] = [
  {
    id: 'replay-of-updates-runs',
    breaks: ['IDEM-4a'],
    story: 'The tag is thought to be protection enough for updates.',
    bend: forgets('updateAccount'),
    alsoSeenAs: { 'IDEM-4d': 'refusals of it are not kept' },
  },
  {
    id: 'replay-of-positions-runs',
    breaks: ['IDEM-4c', 'POS-2'],
    story: 'Orders are passed on to the trading server, which knows no keys.',
    bend: forgets('openPosition', 'closePosition'),
    alsoSeenAs: {
      'IDEM-4a': 'what runs again may answer another status',
      'IDEM-4b': 'what runs again answers another body',
      'IDEM-4d': 'refusals of it are not kept',
    },
  },
];
