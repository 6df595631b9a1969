// Wrong ways with provider payouts, and with approving and rejecting what was decided (TXS-3 to
// TXS-8).
import type { Decision } from '../../core/call.ts';
import { decision, policy } from '../bend.ts';
import type { Deviation } from '../deviation.ts';
import { approve, cell, refused, reject, to } from '../transactions/bends.ts';

/** Books the movement of a transaction as an operation decides, beside what it does. */
const booking = (name: typeof approve, when: (given: Decision) => boolean): Deviation['bend'] =>
  decision(name, (given, context) => {
    const transaction = context.world.transactions.get(context.pathId);
    const account = context.world.tradingAccounts.get(transaction?.trading_account_id ?? '');
    if (transaction === undefined || account === undefined || !when(given)) return given;
    const { transactions, values } = context.behaviour;
    const amount = transactions.movement(transaction);
    const entry = {
      transaction_id: transaction.id,
      amount,
      kind: 'movement',
      at_ms: context.atMs,
    } as const;
    const balance = values.add(account.balance, amount);
    const booked = { type: 'entry-booked', tradingAccountId: account.id, entry, balance } as const;
    return { ...given, changes: [...given.changes, booked] };
  });

export const payoutDeviations: readonly Deviation[] = [
  {
    id: 'provider-withdrawal-approved',
    breaks: ['TXS-3'],
    story: 'Provider payouts are approved like any other.',
    bend: policy('transactions', () => ({ isProviderPayout: () => false })),
  },
  {
    id: 'provider-deposit-refused-too',
    breaks: ['TXS-18'],
    story: 'Nothing of an account with provider payouts is approved.',
    bend: policy('transactions', () => ({
      isProviderPayout: (_transaction, from) => from.provider_payouts,
    })),
  },
  {
    id: 'withdrawal-refused-always',
    breaks: ['TXS-18'],
    story: 'Every withdrawal is taken for one through a provider.',
    bend: policy('transactions', () => ({
      isProviderPayout: ({ transaction_type: transactionType }) => transactionType === 'Withdrawal',
    })),
  },
  {
    id: 'approve-twice-is-409',
    breaks: ['TXS-4'],
    story: 'Approving what is approved is a wrong state.',
    bend: cell('approved', 'approve', refused),
  },
  {
    id: 'approve-twice-credits-twice',
    breaks: ['TXS-4'],
    story: 'Every approval books the money.',
    bend: booking(approve, ({ changes, reply }) => reply.status === 200 && changes.length === 0),
  },
  {
    id: 'approve-rejected',
    breaks: ['TXS-5'],
    story: 'A rejection can be changed by approving.',
    bend: cell('rejected', 'approve', to('approved')),
  },
  {
    id: 'approve-cancelled',
    breaks: ['TXS-5'],
    story: 'A cancellation can be taken back by approving.',
    bend: cell('cancelled', 'approve', to('approved')),
  },
  {
    id: 'reject-cancels',
    breaks: ['TXS-6'],
    story: 'Rejected and cancelled are one state.',
    bend: cell('pending', 'reject', to('cancelled')),
  },
  {
    id: 'reject-answers-204',
    breaks: ['TXS-6'],
    story: 'There is nothing to say after a rejection.',
    bend: decision(reject, (given) =>
      given.reply.status === 200
        ? { ...given, reply: { status: 204, contentType: null, body: '' } }
        : given,
    ),
  },
  {
    id: 'reject-twice-is-409',
    breaks: ['TXS-7'],
    story: 'Rejecting what is rejected is a wrong state.',
    bend: cell('rejected', 'reject', refused),
  },
  {
    id: 'reject-twice-replaces-reason',
    breaks: ['TXS-7'],
    story: 'The last reason counts.',
    bend: cell('rejected', 'reject', to('rejected')),
  },
];
