// Wrong ways of creating transactions, and of writing amounts, ids and times (TXN, CONV).
import { members, policy, reply } from '../bend.ts';
import type { Deviation } from '../deviation.ts';
import { create, made, sentAs } from './bends.ts';

export const transactionDeviations: readonly Deviation[] = [
  {
    id: 'transaction-create-answers-200',
    breaks: ['TXN-1'],
    story: 'Every successful call answers 200.',
    bend: reply(create, (given) => (given.status === 201 ? { ...given, status: 200 } : given)),
  },
  {
    id: 'transaction-starts-approved',
    breaks: ['TXN-1'],
    story: 'Small deposits need no decision.',
    bend: made((transaction) => ({ ...transaction, status: 'approved' })),
  },
  {
    id: 'transaction-reference-makes-another',
    breaks: ['TXN-2'],
    story: 'References of transactions are not unique.',
    bend: policy('transactions', (transactions) => {
      let count = 0;
      return {
        referenceKey: (firmId, accountId, reference) => {
          count += 1;
          return `${transactions.referenceKey(firmId, accountId, reference)}\n${count}`;
        },
      };
    }),
    alsoSeenAs: { 'IDEM-12': 'another key does not converge' },
  },
  {
    id: 'transaction-currency-may-be-empty',
    breaks: ['TXN-4'],
    story: 'Without a currency it is that of the trading account.',
    bend: sentAs((body) => (body.currency === '' ? { ...body, currency: 'USD' } : body)),
  },
  {
    id: 'transaction-amount-takes-anything',
    breaks: ['TXN-5'],
    story: 'What is not a number counts as nothing.',
    bend: sentAs((body) =>
      /^-?\d+(\.\d+)?$/.test(String(body.amount)) ? body : { ...body, amount: '1' },
    ),
  },
  {
    id: 'transaction-found-is-young',
    breaks: ['TXN-2'],
    story: 'created_at is the time at which it was printed.',
    bend: members(create, (shown, { atMs }) => ({ ...shown, created_at: atMs + 1 }), 200),
  },
];
