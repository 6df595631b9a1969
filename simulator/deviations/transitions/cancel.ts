// Wrong ways of cancelling (TXS-8 to TXS-13).
import type { Decision } from '../../core/call.ts';
import { decision, only } from '../bend.ts';
import { refuseAs, refusedWith } from '../common-bends.ts';
import type { Deviation } from '../deviation.ts';
import {
  cancel,
  cell,
  left,
  refused,
  reject,
  to,
  transitionsAnyway,
  unchanged,
} from '../transactions/bends.ts';

const without =
  (name: 'entry-booked' | 'account-changed') =>
  (given: Decision): Decision => ({
    ...given,
    changes: given.changes.filter(({ type }) => type !== name),
  });

export const cancellingDeviations: readonly Deviation[] = [
  {
    id: 'cancel-rejects',
    breaks: ['TXS-8'],
    story: 'Cancelled and rejected are one state.',
    bend: cell('pending', 'cancel', to('rejected')),
  },
  {
    id: 'cancel-pending-refused',
    breaks: ['TXS-8'],
    story: 'Only settled transactions can be cancelled.',
    bend: cell('pending', 'cancel', refused),
  },
  {
    id: 'cancel-twice-is-409',
    breaks: ['TXS-9'],
    story: 'Cancelling what is cancelled is a wrong state.',
    bend: cell('cancelled', 'cancel', refused),
  },
  {
    id: 'cancel-settled-refused',
    breaks: ['TXS-10'],
    story: 'What is settled is final.',
    bend: cell('settled', 'cancel', refused),
  },
  {
    id: 'cancel-settled-keeps-money',
    breaks: ['TXS-10'],
    story: 'The state is changed; the money is forgotten.',
    bend: decision(cancel, without('entry-booked')),
  },
  {
    id: 'cancel-settled-reverses-twice',
    breaks: ['TXS-10'],
    story: 'The compensating entry is booked by two listeners.',
    bend: decision(cancel, (given, { world }) => {
      const [booked] = only(given.changes, 'entry-booked');
      if (booked === undefined) return given;
      const account = world.tradingAccounts.get(booked.tradingAccountId);
      return account === undefined
        ? given
        : {
            ...given,
            changes: [
              ...given.changes,
              { ...booked, balance: String(Number(booked.balance) + Number(booked.entry.amount)) },
            ],
          };
    }),
  },
  {
    id: 'cancel-settled-books-the-same-sign',
    breaks: ['TXS-10'],
    story: 'The compensating entry has the sign of the movement.',
    bend: decision(cancel, (given, context) => ({
      ...given,
      changes: given.changes.map((change) => {
        if (change.type !== 'entry-booked') return change;
        const { values } = context.behaviour;
        const account = context.world.tradingAccounts.get(change.tradingAccountId);
        const amount = change.entry.amount.startsWith('-')
          ? change.entry.amount.slice(1)
          : `-${change.entry.amount}`;
        return {
          ...change,
          entry: { ...change.entry, amount },
          balance: values.add(account?.balance ?? '0', amount),
        };
      }),
    })),
  },
  {
    id: 'cancel-settled-by-anybody',
    breaks: ['TXS-11'],
    story: 'transactions:write is enough for cancelling.',
    bend: cell('settled', 'cancel', {
      kind: 'move',
      to: 'cancelled',
      cites: [],
      compensates: true,
    }),
  },
  {
    id: 'cancel-settled-without-amend-is-409',
    breaks: ['TXS-11'],
    story: 'Without the scope the state refuses it.',
    bend: refusedWith([cancel], /"forbidden"/, (context) =>
      refuseAs(context, 409, 'invalid_state', 'It is settled.'),
    ),
  },
  {
    id: 'cancel-settled-403-after-doing-it',
    breaks: ['TXS-11'],
    story: 'The scope is looked at after the state was written.',
    bend: transitionsAnyway(cancel, /"forbidden"/, 'cancelled'),
  },
  {
    id: 'reject-cancelled',
    breaks: ['TXS-12'],
    story: 'A cancellation can become a rejection.',
    bend: cell('cancelled', 'reject', to('rejected')),
  },
  {
    id: 'cancel-rejected',
    breaks: ['TXS-12'],
    story: 'A rejection can become a cancellation.',
    bend: cell('rejected', 'cancel', to('cancelled')),
  },
  {
    id: 'cancel-rejected-is-200',
    breaks: ['TXS-12'],
    story: 'What is over is over; cancelling it succeeds.',
    bend: cell('rejected', 'cancel', unchanged),
  },
  {
    id: 'refused-move-changes-anyway',
    breaks: ['TXS-12'],
    story: 'The state is written first and taken back only where it is remembered.',
    bend: refusedWith([reject], /"invalid_state"/, (context, given) => {
      const transaction = context.world.transactions.get(context.pathId);
      return transaction?.status !== 'cancelled'
        ? given
        : {
            ...given,
            changes: [
              { type: 'transaction-changed', transaction: { ...transaction, status: 'rejected' } },
            ],
          };
    }),
  },
  {
    id: 'cancelled-settled-reads-settled',
    breaks: ['TXS-13'],
    story: 'What has settled reads settled, whatever came after.',
    bend: left(cancel, (after, { world }) =>
      world.transactions.get(after.id)?.status === 'settled'
        ? { ...after, status: 'settled' }
        : after,
    ),
    alsoSeenAs: { 'TXS-10': 'it does not read cancelled' },
  },
];
