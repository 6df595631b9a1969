// Wrong ways that show only in a batch with such rows, with such money, or under such keys.
import { createOrFindAccount } from '../../core/operations/create-account.ts';
import type { RequestContext } from '../../core/pipeline/request-context.ts';
import { transitionTable } from '../../core/tables/transitions.ts';
import { decision, type Json, only, policy, stage } from '../bend.ts';
import { refuseAs } from '../common-bends.ts';
import type { SubtleDeviation } from '../deviation.ts';
import { againWhere, marked, ofKind, type Row, rowsOfBatch } from './bends.ts';

const update = 'updateAccount';
const record = 'createTransaction';

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

const batches: readonly Row[] = [
  [
    'known-row-fails-after-an-update',
    ['BULK-3', 'BULK-4'],
    'A row whose account has changed since is taken for a conflict.',
    rowsOfBatch((decide, _, context) => {
      const given = decide();
      const { id, revision } = JSON.parse(given.reply.body) as Json;
      const isUpdated = context.world.accounts.has(textOf(id)) && given.reply.status === 200;
      return isUpdated && revision !== context.behaviour.accounts.firstRevision
        ? refuseAs(context, 409, 'invalid_state', 'The account has changed since.')
        : given;
    }),
  ],
  [
    'failed-row-taints-its-reference',
    ['BULK-8', 'BULK-12'],
    'A reference that failed once in a batch is not tried again in it.',
    rowsOfBatch((decide, at, { body }, before) => {
      const rows = body.accounts as readonly Json[];
      const twin = before.findIndex(
        ({ reply }, index) =>
          reply.status >= 400 && rows[index]!.client_reference_id === rows[at]!.client_reference_id,
      );
      return twin < 0 ? decide() : before[twin]!;
    }),
  ],
  [
    'unnamed-row-takes-the-name-before',
    ['ACC-13', 'BULK-3'],
    'A variable is not emptied between rows: who has no name gets the one before.',
    rowsOfBatch((decide, at, context) => {
      const rows = context.body.accounts as readonly Json[];
      const [row, before] = [rows[at]!, rows[at - 1]];
      const isUnnamed = row.first_name == null && row.last_name == null;
      if (!isUnnamed || before?.first_name == null) return decide();
      return createOrFindAccount(context, { ...row, first_name: before.first_name });
    }),
  ],
];

const money: readonly Row[] = [
  [
    'cancelled-bonus-keeps-the-money',
    ['TXS-10'],
    'The reversal is booked by method, and Bonus has none.',
    decision('cancelTransaction', (given) => {
      const [changed] = only(given.changes, 'transaction-changed');
      if (changed?.transaction.method !== 'Bonus') return given;
      return { ...given, changes: given.changes.filter(({ type }) => type !== 'entry-booked') };
    }),
  ],
  [
    'bonus-is-cancelled-without-amend',
    ['TXS-11', 'AUTH-4'],
    'Bonuses are the operator’s own, so everybody may take them back.',
    againWhere(
      'cancelTransaction',
      ({ reply }, { world, pathId }) =>
        reply.status === 403 && world.transactions.get(pathId)?.method === 'Bonus',
      (behaviour) => {
        const { scope: _, ...open } = transitionTable.settled.cancel as { scope?: string };
        const cancel = open as (typeof transitionTable)['settled']['cancel'];
        const { transitions } = behaviour.transactions;
        const settled = { ...transitions.settled, cancel };
        return {
          ...behaviour,
          transactions: { ...behaviour.transactions, transitions: { ...transitions, settled } },
        };
      },
    ),
  ],
  [
    'first-deposit-by-currency',
    ['TXS-2'],
    'The first deposit is counted for each currency of the account.',
    marked((transaction, { world, behaviour }) => {
      if (transaction.isFtd || !behaviour.transactions.isDeposit(transaction)) {
        return transaction.isFtd;
      }
      return ![...world.transactions.values()].some(
        ({ accountId, currency, isFtd }) =>
          isFtd && accountId === transaction.accountId && currency === transaction.currency,
      );
    }),
  ],
  [
    'no-first-deposit-after-a-rejected-one',
    ['TXS-2'],
    'Any decision on a deposit uses the mark up, a rejection too.',
    marked((transaction, { world }) => {
      const hasRejected = [...world.transactions.values()].some(
        ({ accountId, status, transactionType }) =>
          accountId === transaction.accountId &&
          status === 'rejected' &&
          transactionType === 'Deposit',
      );
      return transaction.isFtd && !hasRejected;
    }),
  ],
  [
    'approving-again-takes-the-mark-away',
    ['TXS-2', 'TXS-4'],
    'A second approval writes the record anew, as one that is no first deposit.',
    decision('approveTransaction', (given, { world, behaviour, pathId }) => {
      const stored = world.transactions.get(pathId);
      const isAgain = given.reply.status === 200 && stored?.status === 'approved';
      if (!isAgain || !stored.isFtd) return given;
      const transaction = { ...stored, isFtd: false };
      const body = behaviour.serialize.transaction(transaction);
      const changes = [{ type: 'transaction-changed', transaction }] as const;
      return { ...given, reply: { ...given.reply, body }, changes };
    }),
  ],
  [
    'known-reference-at-another-place-makes-another',
    ['TXN-2', 'IDEM-12'],
    'References of transactions are unique for a trading account.',
    againWhere(
      record,
      ({ reply }, { body, idempotency }) =>
        idempotency === 'converged' &&
        (JSON.parse(reply.body) as Json).trading_account_id !== body.trading_account_id,
      byAnotherReference,
    ),
  ],
  [
    'reference-of-a-cancelled-one-is-free',
    ['TXN-2', 'IDEM-12'],
    'The unique index leaves out what was cancelled.',
    againWhere(
      record,
      ({ reply }, { idempotency }) =>
        idempotency === 'converged' && (JSON.parse(reply.body) as Json).status === 'cancelled',
      byAnotherReference,
    ),
  ],
  [
    'provider-withdrawals-go-by-method',
    ['TXS-3', 'TXS-18'],
    'What the method calls a withdrawal is refused there, whatever its type.',
    policy('transactions', () => ({
      isProviderPayout: ({ method }, from) => from.providerPayouts && method === 'Withdrawal',
    })),
  ],
];

function byAnotherReference(behaviour: RequestContext['behaviour'], context: RequestContext) {
  const { referenceKey } = behaviour.transactions;
  const own: typeof referenceKey = (...named) => `${referenceKey(...named)}\n${context.n}`;
  return { ...behaviour, transactions: { ...behaviour.transactions, referenceKey: own } };
}

const keys: readonly Row[] = [
  [
    'spaces-within-a-key-are-dropped',
    ['IDEM-1c', 'IDEM-2a'],
    'All white space is taken out of a key.',
    policy('keys', ({ parse }) => ({
      parse: (header) => parse(header)?.replaceAll(' ', '') || null,
    })),
  ],
  [
    'keys-match-in-any-case',
    ['IDEM-4c', 'IDEM-2a'],
    'The column of keys is compared without case.',
    policy('keys', ({ parse }) => ({ parse: (header) => parse(header)?.toLowerCase() ?? null })),
  ],
  [
    'third-call-under-a-key-runs-again',
    ['IDEM-4a', 'IDEM-4b', 'IDEM-4c', 'IDEM-4d', 'IDEM-8', 'IDEM-10', 'IDEM-11'],
    'A record is taken out when it was replayed once.',
    (behaviour) => {
      const replayed = new Set<string>();
      return stage('replay', (decide, context) => {
        const given = decide(context);
        if (given === null || context.idempotency !== 'replayed') return given;
        const name = `${context.world.name}\n${context.world.seed}\n${context.keyId}`;
        if (!replayed.has(name)) {
          replayed.add(name);
          return given;
        }
        context.idempotency = 'first';
        return null;
      })(behaviour);
    },
  ],
  [
    'replayed-update-has-the-newest-tag',
    ['IDEM-4b', 'ACC-19'],
    'The tag of a replay is read from the account as it is now.',
    policy('keys', () => ({
      replay: (stored, { operation: name, world, pathId, behaviour }) => {
        const account = name === update ? world.accounts.get(pathId) : undefined;
        if (account === undefined || stored.etag === undefined) return stored;
        return { ...stored, etag: behaviour.values.etag(account) };
      },
    })),
  ],
  [
    'refusals-of-rows-out-of-reach-are-not-kept',
    ['IDEM-4d', 'IDEM-11', 'IDEM-4a'],
    'A 404 is not stored, for the record may come.',
    policy('keys', ({ records }) => ({
      records: (reply) => reply.status !== 404 && records(reply),
    })),
  ],
];

export const mixtureDeviations: readonly SubtleDeviation[] = ofKind('combination', [
  ...batches,
  ...money,
  ...keys,
]);
