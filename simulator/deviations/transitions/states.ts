// Wrong moves of transactions (TXS).
import type { Transition } from '../../core/tables/transitions.ts';
import { decision, only, policy } from '../bend.ts';
import type { Deviation } from '../deviation.ts';
import { approve, cancel, cell, left, to } from '../transactions/bends.ts';

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
    id: 'approve-answers-old-state',
    breaks: ['TXS-1'],
    story: 'The record is printed before the move.',
    bend: decision(approve, (given, context) => {
      const before = context.world.transactions.get(context.pathId);
      return given.reply.status === 200 && before !== undefined
        ? {
            ...given,
            reply: { ...given.reply, body: context.behaviour.serialize.transaction(before) },
          }
        : given;
    }),
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
      isFirstDeposit: (_transaction, account) => account.firstDepositId === null,
    })),
  },
  {
    id: 'ftd-when-created',
    breaks: ['TXS-2'],
    story: 'The first deposit is marked when it is recorded.',
    bend: decision('createTransaction', (given, context) => {
      const [created] = only(given.changes, 'transaction-created');
      const account = context.world.accounts.get(created?.transaction.accountId ?? '');
      if (
        created === undefined ||
        account === undefined ||
        !context.behaviour.transactions.isFirstDeposit(created.transaction, account)
      )
        return given;
      const transaction = { ...created.transaction, isFtd: true };
      return {
        ...given,
        reply: { ...given.reply, body: context.behaviour.serialize.transaction(transaction) },
        changes: [
          ...given.changes.map((each) => (each === created ? { ...created, transaction } : each)),
          { type: 'account-changed', account: { ...account, firstDepositId: transaction.id } },
        ],
      };
    }),
  },
  {
    id: 'ftd-set-again-after-cancel',
    breaks: ['TXS-2'],
    story: 'When the first deposit is cancelled, the next one becomes the first.',
    bend: decision(cancel, (given, { world }) => {
      const [changed] = only(given.changes, 'transaction-changed');
      const account = world.accounts.get(changed?.transaction.accountId ?? '');
      if (changed === undefined || account?.firstDepositId !== changed.transaction.id) return given;
      return {
        ...given,
        changes: [
          ...given.changes,
          { type: 'account-changed', account: { ...account, firstDepositId: null } },
        ],
      };
    }),
  },
  {
    id: 'ftd-taken-away-by-cancel',
    breaks: ['TXS-2'],
    story: 'A cancelled deposit loses the mark.',
    bend: left(cancel, (after) => ({ ...after, isFtd: false })),
  },
  {
    id: 'ftd-by-lowest-id',
    breaks: ['TXS-2'],
    story: 'The deposit with the lowest id is taken for the first, not the first approved.',
    bend: policy('transactions', (all) => ({
      isFirstDeposit: (transaction, account) =>
        all.isFirstDeposit(transaction, account) && Number(transaction.id) % 2 === 1,
    })),
  },
  {
    id: 'ftd-per-trading-account',
    breaks: ['TXS-2'],
    story: 'The mark is set once for every trading account.',
    bend: (behaviour) => {
      const marked = new Set<string>();
      return {
        ...behaviour,
        transactions: {
          ...behaviour.transactions,
          isFirstDeposit: (transaction) => {
            const name = `${transaction.accountId}/${transaction.tradingAccountId}`;
            if (!behaviour.transactions.isDeposit(transaction) || marked.has(name)) return false;
            marked.add(name);
            return true;
          },
        },
      };
    },
  },
];
