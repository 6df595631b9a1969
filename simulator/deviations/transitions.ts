// Deviations of decisions on transactions (TXS).
import { type Change, put, putsInto } from '../core/change.ts';
import {
  movementOf,
  type Transition,
  type Trigger,
  withEntry,
} from '../core/operations/transactions.ts';
import type { RequestContext } from '../core/pipeline/request-context.ts';
import type { Entry, TransactionStatus } from '../core/records.ts';
import type { DeviationFamily } from './deviation.ts';
import {
  decision,
  entryBooked,
  filledIn,
  members,
  type Override,
  operation,
  policy,
  shown,
  status,
  stored,
  transitionOperations,
  unscoped,
} from './overrides.ts';

const [approve, reject, cancel] = transitionOperations;

const refused: Transition = { kind: 'refused', cites: [] };

const to = (status: TransactionStatus, effects: object = {}) =>
  ({ kind: 'move', to: status, cites: [], ...effects }) as Transition;

/** Puts another transition into one cell of the table. */
const cell = (status: TransactionStatus, trigger: Trigger, move: Transition): Override =>
  policy('transactions', ({ transitions: table }) => ({
    transitions: { ...table, [status]: { ...table[status], [trigger]: move } },
  }));

/** Replaces the owner in the query with the real owner of the transaction. */
const nameOwner = (test: (context: RequestContext) => boolean): Override =>
  operation(transitionOperations, (run, context) => {
    const owner = context.world.transactions.get(context.pathId)?.account_id;
    if (owner !== undefined && test(context)) context.query.set('account_id', owner);
    return run(context);
  });

export const transitionDeviations: DeviationFamily = {
  'approve-settles-at-once': {
    breaks: ['TXS-1'],
    story: 'Approving and settling are one step.',
    override: cell(
      'pending',
      'approve',
      to('settled', { refusesProviderPayout: true, entry: 'movement' }),
    ),
  },
  'approve-answers-202': {
    breaks: ['TXS-1'],
    story: 'Approvals are carried out later, so the status is 202.',
    override: status(approve, 200, 202),
  },
  'approve-without-effect': {
    breaks: ['TXS-1'],
    story: 'The response says approved, but nothing is stored.',
    override: decision(approve, (given) => ({ ...given, changes: [] })),
  },
  'ftd-on-every-deposit': {
    breaks: ['TXS-2'],
    story: 'Every approved deposit is marked.',
    override: policy('transactions', (all) => ({
      isFirstDeposit: (transaction) => all.isDeposit(transaction),
    })),
  },
  'ftd-never': {
    breaks: ['TXS-2'],
    story: 'The mark is set by a nightly job.',
    override: policy('transactions', () => ({ isFirstDeposit: () => false })),
  },
  'ftd-on-withdrawals-too': {
    breaks: ['TXS-2'],
    story: 'The first approved transaction of any kind is marked.',
    override: policy('transactions', () => ({
      isFirstDeposit: (_transaction, account) => account.first_deposit_id === null,
    })),
  },
  'ftd-when-created': {
    breaks: ['TXS-2'],
    story: 'The first deposit is marked when it is created.',
    override: decision('createTransaction', (given, context) => {
      const [created] = putsInto(given.changes, 'transactions');
      const account = context.world.accounts.get(created?.record.account_id ?? '');
      const { transactions, serialize } = context.behaviour;
      if (
        created === undefined ||
        account === undefined ||
        !transactions.isFirstDeposit(created.record, account)
      )
        return given;
      const transaction = { ...created.record, is_ftd: true };
      return {
        ...given,
        reply: { ...given.reply, body: serialize.transaction(transaction) },
        changes: [
          ...given.changes.map((each) =>
            each === created ? { ...created, record: transaction } : each,
          ),
          put('accounts', { ...account, first_deposit_id: transaction.id }),
        ],
      };
    }),
  },
  'provider-withdrawal-approved': {
    breaks: ['TXS-3'],
    story: 'Payouts through a provider are approved like any other.',
    override: policy('transactions', () => ({ isProviderPayout: () => false })),
  },
  'provider-deposit-refused-too': {
    breaks: ['TXS-18'],
    story: 'Nothing on an account with provider payouts is approved.',
    override: policy('transactions', () => ({
      isProviderPayout: (_transaction, from) => from.provider_payouts,
    })),
  },
  'withdrawal-refused-always': {
    breaks: ['TXS-18'],
    story: 'Every withdrawal counts as a payout through a provider.',
    override: policy('transactions', () => ({
      isProviderPayout: ({ transaction_type }) => transaction_type === 'Withdrawal',
    })),
  },
  'approve-twice-is-409': {
    breaks: ['TXS-4'],
    story: 'Approving an approved transaction is a wrong state.',
    override: cell('approved', 'approve', refused),
  },
  'approve-twice-credits-twice': {
    breaks: ['TXS-4'],
    story: 'Every approval books the money.',
    override: decision(approve, (given, context) => {
      const transaction = context.world.transactions.get(context.pathId);
      if (transaction === undefined || given.reply.status !== 200 || given.changes.length > 0)
        return given;
      const booked = entryBooked(context, movementOf(transaction), 'movement');
      return { ...given, changes: booked };
    }),
  },
  'approve-rejected': {
    breaks: ['TXS-5'],
    story: 'Approving reverses a rejection.',
    override: cell('rejected', 'approve', to('approved')),
  },
  'approve-cancelled': {
    breaks: ['TXS-5'],
    story: 'Approving reverses a cancellation.',
    override: cell('cancelled', 'approve', to('approved')),
  },
  'reject-cancels': {
    breaks: ['TXS-6'],
    story: 'Rejected and cancelled are one status.',
    override: cell('pending', 'reject', to('cancelled')),
  },
  'reject-answers-204': {
    breaks: ['TXS-6'],
    story: 'A rejection has no response body.',
    override: status(reject, 200, 204),
  },
  'reject-twice-is-409': {
    breaks: ['TXS-7'],
    story: 'Rejecting a rejected transaction is a wrong state.',
    override: cell('rejected', 'reject', refused),
  },
  'reject-twice-replaces-reason': {
    breaks: ['TXS-7'],
    story: 'The last reason replaces the first.',
    override: cell('rejected', 'reject', to('rejected')),
  },
  'cancel-rejects': {
    breaks: ['TXS-8'],
    story: 'Cancelled and rejected are one status.',
    override: cell('pending', 'cancel', to('rejected')),
  },
  'cancel-pending-refused': {
    breaks: ['TXS-8'],
    story: 'Only settled transactions can be cancelled.',
    override: cell('pending', 'cancel', refused),
  },
  'cancel-twice-is-409': {
    breaks: ['TXS-9'],
    story: 'Cancelling a cancelled transaction is a wrong state.',
    override: cell('cancelled', 'cancel', refused),
  },
  'cancel-settled-refused': {
    breaks: ['TXS-10'],
    story: 'A settled transaction is final.',
    override: cell('settled', 'cancel', refused),
  },
  'cancel-settled-reverses-twice': {
    breaks: ['TXS-10'],
    story: 'Two listeners book the compensating entry.',
    override: decision(cancel, (given) => ({
      ...given,
      changes: [
        ...given.changes,
        ...putsInto(given.changes, 'tradingAccounts').map(({ record }) => {
          const { transaction_id, ...again } = record.entries.at(-1) as Entry;
          return put('tradingAccounts', withEntry(record, transaction_id ?? '', again));
        }),
      ],
    })),
  },
  'cancel-settled-books-the-same-sign': {
    breaks: ['TXS-10'],
    story: 'The compensating entry has the sign of the movement.',
    override: decision(cancel, (given, context) => ({
      ...given,
      changes: given.changes.flatMap((each): Change[] => {
        if (each.type !== 'put' || each.table !== 'tradingAccounts') return [each];
        const { amount } = each.record.entries.at(-1) as Entry;
        return entryBooked(
          context,
          amount.startsWith('-') ? amount.slice(1) : `-${amount}`,
          'compensation',
        );
      }),
    })),
  },
  'cancel-settled-by-anybody': {
    breaks: ['TXS-11'],
    story: 'transactions:write is enough for cancelling.',
    override: cell('settled', 'cancel', to('cancelled', { entry: 'compensation' })),
  },
  'reject-cancelled': {
    breaks: ['TXS-12'],
    story: 'Rejecting replaces a cancellation.',
    override: cell('cancelled', 'reject', to('rejected')),
  },
  'cancel-rejected': {
    breaks: ['TXS-12'],
    story: 'Cancelling replaces a rejection.',
    override: cell('rejected', 'cancel', to('cancelled')),
  },
  'cancelled-settled-reads-settled': {
    breaks: ['TXS-13'],
    story: 'A transaction that has settled stays settled.',
    override: stored('transaction', cancel, (after, { world }) =>
      world.transactions.get(after.id)?.status === 'settled'
        ? { ...after, status: 'settled' }
        : after,
    ),
    alsoSeenAs: { 'TXS-10': 'it does not read cancelled' },
  },
  'reason-optional': {
    breaks: ['TXS-14'],
    story: 'A missing reason is stored as "none given".',
    override: filledIn([reject, cancel], 'reason', () => 'none given'),
  },
  'account-in-query-optional': {
    breaks: ['TXS-15'],
    story: 'The id of the transaction is enough to find it.',
    override: nameOwner(({ query }) => !query.has('account_id')),
  },
  'account-in-query-unchecked': {
    breaks: ['TXS-16'],
    story: 'The account in the query is not compared with that of the transaction.',
    override: nameOwner(({ query }) => /^\d+$/.test(query.get('account_id') ?? '')),
  },
  'moves-unscoped': {
    breaks: ['TXS-17'],
    story: 'A credential that sees a transaction may decide on it.',
    override: unscoped(...transitionOperations),
  },
  'transaction-shows-reason': {
    breaks: ['TXS-19'],
    story: 'The reason is shown once it is known.',
    override: shown('transaction', (body, { reason }) =>
      reason === null ? body : { ...body, reason },
    ),
    alsoSeenAs: { 'TXN-9': 'reasons never appear' },
  },
  'transaction-echoes-reason': {
    breaks: ['TXS-19'],
    story: 'The response repeats the reason.',
    override: members([reject, cancel], (shownBody, { body: { reason } }) => ({
      ...shownBody,
      reason,
    })),
  },
};
