// Wrong ways that show only where something is long, large or many.
import type { KeyRecord } from '../../core/records.ts';
import { decision, type Json, members, operation, policy, reply } from '../bend.ts';
import { refuseAs } from '../common-bends.ts';
import type { SubtleDeviation } from '../deviation.ts';
import { left as updateLeft } from '../updates/bends.ts';
import { ofKind, type Row, rowsOfBatch } from './bends.ts';

/** Only so many of the newest key records are found. */
const newestKeys = (count: number) =>
  policy('keys', ({ find }) => ({
    find: (world, keyId, atMs): KeyRecord | undefined => {
      const found = find(world, keyId, atMs);
      const { young, old } = world.keys;
      if (found === undefined || young.size + old.size <= count) return found;
      return [...old.keys(), ...young.keys()].slice(-count).includes(keyId) ? found : undefined;
    },
  }));

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

const kept: readonly Row[] = [
  [
    'only-200-keys',
    ['IDEM-4a', 'IDEM-4b', 'IDEM-4c', 'IDEM-4d'],
    'The cache of keys holds two hundred.',
    newestKeys(200),
  ],
  [
    'only-1000-keys',
    ['IDEM-4a', 'IDEM-4b', 'IDEM-4c', 'IDEM-4d'],
    'The cache of keys holds a thousand.',
    newestKeys(1000),
  ],
  [
    'long-replay-is-printed-anew',
    ['IDEM-4b'],
    'What does not fit the column of answers is kept as a record and printed again.',
    policy('keys', () => ({
      replay: (stored) =>
        stored.body.length > 8192
          ? { ...stored, body: JSON.stringify(JSON.parse(stored.body), null, 1) }
          : stored,
    })),
  ],
  [
    'keys-to-128-characters',
    ['IDEM-1b', 'IDEM-4c'],
    'The column of keys is 128 characters wide.',
    policy('keys', ({ parse }) => ({ parse: (header) => parse(header)?.slice(0, 128) ?? null })),
  ],
  [
    'list-shows-twenty-subscriptions',
    ['HOOK-11'],
    'The list has pages, and nobody asks for the second.',
    reply('listWebhooks', (given, { behaviour }) => {
      const isList = behaviour.settings.webhook_list_shape === 'array';
      if (given.status !== 200 || isList) return given;
      const { webhooks } = JSON.parse(given.body) as { webhooks: Json[] };
      return { ...given, body: JSON.stringify({ webhooks: webhooks.slice(0, 20) }) };
    }),
  ],
];

const batches: readonly Row[] = [
  [
    'large-batch-is-answered-out-of-order',
    ['BULK-2'],
    'Beyond 500 rows the work is shared out, and the answers come as they finish.',
    members('bulkCreateAccounts', (body) => {
      const rows = body.rows as readonly Json[];
      if (rows.length <= 500) return body;
      return { ...body, rows: [...rows.slice(500), ...rows.slice(0, 500)] };
    }),
  ],
  [
    'last-of-a-hundred-rows-is-lost',
    ['BULK-3', 'BULK-4', 'BULK-5', 'BULK-2'],
    'The last part of a batch of more than a hundred rows is cut one short.',
    rowsOfBatch((decide, at, context) => {
      const { length } = context.body.accounts as readonly unknown[];
      return length > 100 && at === length - 1
        ? refuseAs(context, 422, 'validation_failed', 'The row could not be read.')
        : decide();
    }),
  ],
  [
    'batch-of-a-megabyte-is-refused',
    ['BULK-7', 'BULK-1'],
    'The limit of a single body holds for a batch too.',
    operation('bulkCreateAccounts', (run, context) =>
      context.call.body.length > 1_048_576
        ? refuseAs(context, 413, 'scope_too_wide', 'The body is too large.')
        : run(context),
    ),
  ],
];

const texts: readonly Row[] = [
  [
    'references-to-128-characters',
    ['ACC-5', 'ACC-2', 'IDEM-2a'],
    'The index of references is 128 characters wide.',
    policy('values', ({ referenceKey }) => ({
      referenceKey: (text) => referenceKey(text).slice(0, 128),
    })),
  ],
  [
    'emails-to-64-characters',
    ['ACC-8', 'ACC-1'],
    'The index of emails is 64 characters wide.',
    policy('values', ({ emailKey }) => ({ emailKey: (email) => emailKey(email).slice(0, 64) })),
  ],
  [
    'update-cuts-names-at-100',
    ['UPD-3'],
    'The form of the back office takes a hundred characters.',
    updateLeft((after) => ({
      ...after,
      first_name: after.first_name?.slice(0, 100) ?? null,
      last_name: after.last_name?.slice(0, 100) ?? null,
    })),
  ],
  [
    'long-status-is-refused',
    ['UPD-4'],
    'The column of statuses is fifty characters wide.',
    operation('updateAccount', (run, context) => {
      const given = run(context);
      if ('decideRow' in given || given.reply.status !== 200) return given;
      return textOf(context.body.status).length > 50
        ? refuseAs(context, 422, 'validation_failed', 'status is too long.')
        : given;
    }),
  ],
  [
    'long-reason-is-refused',
    ['TXS-14', 'TXS-6', 'TXS-8'],
    'A reason of more than five hundred characters counts as none.',
    decision(['rejectTransaction', 'cancelTransaction'], (given, context) =>
      textOf(context.body.reason).length > 500 && given.changes.length > 0
        ? refuseAs(context, 422, 'validation_failed', 'reason must not be empty.')
        : given,
    ),
  ],
  [
    'long-amount-goes-through-a-float',
    ['CONV-2a'],
    'Amounts of more than twelve digits are read as numbers of single precision.',
    policy('serialize', ({ transaction }) => ({
      transaction: (shown) => {
        const digits = shown.amount.replace(/\D/g, '');
        if (digits.length <= 12) return transaction(shown);
        return transaction({ ...shown, amount: String(Math.fround(Number(shown.amount))) });
      },
    })),
  ],
  [
    'long-event-is-signed-in-part',
    ['EVT-6'],
    'The signature covers the first four kilobytes.',
    policy('delivery', ({ signature }) => ({
      signature: (secrets, tMs, body) => signature(secrets, tMs, body.slice(0, 4096)),
    })),
  ],
  [
    'country-outside-the-basic-plane-is-lost',
    ['ACC-14'],
    'The column of countries holds three bytes a character.',
    operation('createAccount', (run, context) => {
      const country = textOf(context.body.country);
      const cut = [...country].map((each) => (each.length > 1 ? '?' : each)).join('');
      if (cut !== country) context.body = { ...context.body, country: cut };
      return run(context);
    }),
  ],
];

export const sizeDeviations: readonly SubtleDeviation[] = ofKind('size', [
  ...kept,
  ...batches,
  ...texts,
]);
