// Wrong ways of cancelling (TXS-8 to TXS-13).
import { decision, only } from '../bend.ts';
import type { Deviation } from '../deviation.ts';
import { cancel, cell, left, refused, to } from '../transactions/bends.ts';

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
