// Wrong moves of transactions (TXS).
import type { Transition } from '../../core/tables/transitions.ts';
import { decision, only, policy } from '../bend.ts';
import type { Deviation } from '../deviation.ts';
import { approve, cell, to } from '../transactions/bends.ts';

export const transitionDeviations: readonly Deviation[] = [
  {
    id: 'approve-settles-at-once',
    breaks: ['TXS-1'],
    story: 'Approving and settling are one step.',
    bend: cell('pending', 'approve', {
      ...to('settled'),
      refusesProviderPayout: true,
      books: true,
    } as Transition),
  },
  {
    id: 'approve-answers-202',
    breaks: ['TXS-1'],
    story: 'Approval is carried out later, says the status.',
    bend: decision(approve, (given) =>
      given.reply.status === 200 ? { ...given, reply: { ...given.reply, status: 202 } } : given,
    ),
  },
  {
    id: 'approve-without-effect',
    breaks: ['TXS-1'],
    story: 'The answer says approved; nothing is stored.',
    bend: decision(approve, (given) => ({ ...given, changes: [] })),
  },
  {
    id: 'ftd-on-every-deposit',
    breaks: ['TXS-2'],
    story: 'Every approved deposit is marked.',
    bend: policy('transactions', (all) => ({
      isFirstDeposit: (transaction) => all.isDeposit(transaction),
    })),
  },
  {
    id: 'ftd-never',
    breaks: ['TXS-2'],
    story: 'The mark is set by a nightly job.',
    bend: policy('transactions', () => ({ isFirstDeposit: () => false })),
  },
  {
    id: 'ftd-on-withdrawals-too',
    breaks: ['TXS-2'],
    story: 'The first approved transaction of any kind is marked.',
    bend: policy('transactions', () => ({
      isFirstDeposit: (_transaction, account) => account.first_deposit_id === null,
    })),
  },
  {
    id: 'ftd-when-created',
    breaks: ['TXS-2'],
    story: 'The first deposit is marked when it is recorded.',
    bend: decision('createTransaction', (given, context) => {
      const [created] = only(given.changes, 'transaction-created');
      const account = context.world.accounts.get(created?.transaction.account_id ?? '');
      if (
        created === undefined ||
        account === undefined ||
        !context.behaviour.transactions.isFirstDeposit(created.transaction, account)
      )
        return given;
      const transaction = { ...created.transaction, is_ftd: true };
      return {
        ...given,
        reply: { ...given.reply, body: context.behaviour.serialize.transaction(transaction) },
        changes: [
          ...given.changes.map((each) => (each === created ? { ...created, transaction } : each)),
          { type: 'account-changed', account: { ...account, first_deposit_id: transaction.id } },
        ],
      };
    }),
  },
];
