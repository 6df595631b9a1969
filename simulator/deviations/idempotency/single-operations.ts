// Keys that are kept otherwise for some operations than for the others (IDEM-2, IDEM-4 to IDEM-8).
import type { KeyRecord } from '../../core/records.ts';
import { type Bend, mapJson, policy } from '../bend.ts';
import type { Deviation } from '../deviation.ts';

const DECISIONS = /^(approve|reject|cancel)Transaction$/;
const POSITIONS = /Position$/;

/** Forgets what is found under a key, where the test says so. */
const forgetting = (
  operations: RegExp,
  test: (record: KeyRecord, ageMs: number) => boolean,
): Bend =>
  policy('keys', (keys) => ({
    find: (world, keyId, atMs) => {
      const record = keys.find(world, keyId, atMs);
      const own = operations.test(keyId.split('\n')[1] ?? '');
      const lost = own && record !== undefined && test(record, atMs - record.atMs);
      return lost ? undefined : record;
    },
  }));

export const singleOperationDeviations: readonly Deviation[] = [
  {
    id: 'key-of-decisions-by-firm',
    breaks: ['IDEM-2b'],
    story: 'Decisions are the firm’s, whoever takes them, and so are their keys.',
    bend: policy('keys', (keys) => ({
      id: (context) => {
        const id = keys.id(context);
        if (!DECISIONS.test(context.operation ?? '')) return id;
        return `firm ${context.credential?.firmId}${id.slice(id.indexOf('\n'))}`;
      },
    })),
  },
  {
    id: 'key-of-decisions-for-an-hour',
    breaks: ['IDEM-7a'],
    story: 'A decision cannot be taken twice, so that an hour is thought enough for its key.',
    bend: forgetting(DECISIONS, ({ reply }, ageMs) => reply !== null && ageMs > 3_600_000),
  },
  {
    id: 'key-of-decisions-with-reason',
    breaks: ['IDEM-8'],
    story: 'The reason is taken into the fingerprint of a decision.',
    bend: policy('keys', (keys) => ({
      id: (context) => {
        const { operation, body } = context;
        const reason = DECISIONS.test(operation ?? '') ? String(body.reason ?? '') : '';
        return reason === '' ? keys.id(context) : `${keys.id(context)}\n${reason}`;
      },
    })),
  },
  {
    id: 'refusals-of-positions-not-recorded',
    breaks: ['IDEM-4d'],
    story: 'What the trading server refuses never comes as far as the table of keys.',
    bend: forgetting(POSITIONS, ({ reply }) => reply !== null && reply.status >= 400),
  },
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
    id: 'replayed-batch-refusals-with-own-request-id',
    breaks: ['IDEM-5'],
    story: 'Batches have a handler of their own, which numbers each refusal that it sends.',
    bend: policy('keys', (keys) => ({
      replay: (stored, context) => {
        const reply = keys.replay(stored, context);
        const numbered = context.operation === 'bulkCreateAccounts' && reply.status >= 400;
        return numbered
          ? mapJson(reply, (body) => ({ ...body, request_id: context.requestId }))
          : reply;
      },
    })),
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
