// Operations that keep no keys, so that a repeat runs again (IDEM-4).
import type { KeyRecord } from '../core/records.ts';
import type { OperationName } from '../core/tables/operations.ts';
import { policy } from './bend.ts';
import type { Deviation } from './deviation.ts';

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

const runsAgain = {
  'IDEM-4a': 'what runs again may answer another status',
  'IDEM-4b': 'what runs again answers another body',
  'IDEM-4c': 'it runs again',
  'IDEM-8': 'another body is looked at',
  'IDEM-15': 'more than one of several at once runs',
};

/** What else notices that a repeat runs again, besides the rule that is said to break. */
function besides(rule: keyof typeof runsAgain): Readonly<Record<string, string>> {
  const { [rule]: _broken, ...others } = runsAgain;
  return others;
}

export const forgettingDeviations: readonly Deviation[] = [
  {
    id: 'replay-of-accounts-runs',
    breaks: ['IDEM-4a'],
    story: 'Creating an account relies on the reference alone, so a repeat converges with 200.',
    bend: forgets('createAccount'),
    alsoSeenAs: {
      ...besides('IDEM-4a'),
      'IDEM-11': 'a correction runs',
      'IDEM-13': 'the conflict is judged anew',
      'IDEM-4d': 'refusals of it are not kept',
      'IDEM-7a': 'nothing is kept',
      'IDEM-5': 'the first request_id is gone',
    },
  },
  {
    id: 'replay-of-updates-runs',
    breaks: ['IDEM-4a'],
    story: 'The tag is thought to be protection enough for updates.',
    bend: forgets('updateAccount'),
    alsoSeenAs: {
      ...besides('IDEM-4a'),
      'IDEM-4d': 'refusals of it are not kept',
      'IDEM-11': 'a correction runs',
    },
  },
  {
    id: 'replay-of-positions-runs',
    breaks: ['IDEM-4c', 'POS-2'],
    story: 'Orders are passed on to the trading server, which knows no keys.',
    bend: forgets('openPosition', 'closePosition'),
    alsoSeenAs: { ...besides('IDEM-4c'), 'IDEM-4d': 'refusals of it are not kept' },
  },
  {
    id: 'replay-of-moves-runs',
    breaks: ['IDEM-10'],
    story: 'Approving twice changes nothing, so no key is kept for it.',
    bend: forgets('approveTransaction', 'rejectTransaction', 'cancelTransaction'),
    alsoSeenAs: {
      ...runsAgain,
      'IDEM-4d': 'refusals of it are not kept',
      'IDEM-2c': 'no subject counts',
      'IDEM-11': 'a correction runs',
      'IDEM-5': 'a refusal is made anew',
    },
  },
  {
    id: 'replay-of-batches-runs',
    breaks: ['IDEM-4b'],
    story: 'Batches are safe to repeat by their references, so no key is kept.',
    bend: forgets('bulkCreateAccounts'),
    alsoSeenAs: { 'IDEM-4c': 'it runs again', 'IDEM-4d': 'refusals of it are not kept' },
  },
];
