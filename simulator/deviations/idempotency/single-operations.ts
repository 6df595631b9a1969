// Keys that are kept otherwise for some operations than for the others (IDEM-2, IDEM-4 to IDEM-8).
import { policy } from '../bend.ts';
import type { Deviation } from '../deviation.ts';

export const singleOperationDeviations: readonly Deviation[] = [
  {
    id: 'keys-for-two-repeats',
    breaks: ['IDEM-4a'],
    story: 'Clients repeat a call twice at the most, so a key makes room after its second repeat.',
    bend: policy('keys', (keys) => {
      const repeats = new WeakMap<object, number>();
      return {
        find: (world, keyId, atMs) => {
          const record = keys.find(world, keyId, atMs);
          if (record === undefined) return record;
          const many = (repeats.get(record) ?? 0) + 1;
          repeats.set(record, many);
          return many > 2 ? undefined : record;
        },
      };
    }),
    alsoSeenAs: {
      'IDEM-14b': 'a call that hangs on while others repeat it finds its key gone',
      'IDEM-15': 'in a crowd under one key the fourth runs again',
    },
  },
  {
    id: 'keys-newest-200',
    breaks: ['IDEM-4a'],
    story: 'Keys are kept in a cache of 200, and the oldest make room for new ones.',
    bend: policy('keys', (keys) => {
      const newest: string[] = [];
      return {
        find: (world, keyId, atMs) => {
          const record = keys.find(world, keyId, atMs);
          if (record === undefined) newest.push(keyId);
          return newest.lastIndexOf(keyId) < newest.length - 200 ? undefined : record;
        },
      };
    }),
  },
];
