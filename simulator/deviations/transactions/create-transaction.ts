// Wrong ways of creating transactions, and of writing amounts, ids and times (TXN, CONV).
import { copyContext } from '../../core/pipeline/request-context.ts';
import { members, operation, policy, reply } from '../bend.ts';
import { refuseAs, refusedWith } from '../common-bends.ts';
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
    id: 'transaction-status-from-request',
    breaks: ['TXN-1'],
    story: 'The status sent is stored.',
    bend: made((transaction, { body }) =>
      body.status === 'approved' || body.status === 'settled'
        ? { ...transaction, status: body.status }
        : transaction,
    ),
  },
  {
    id: 'transaction-reference-taken-is-409',
    breaks: ['TXN-2'],
    story: 'A known reference is refused as taken.',
    bend: operation(create, (run, context) => {
      const given = run(context);
      return 'decideRow' in given || context.idempotency !== 'converged'
        ? given
        : refuseAs(context, 409, 'invalid_state', 'This reference is used already.');
    }),
    alsoSeenAs: { 'IDEM-12': 'another key does not converge' },
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
    id: 'transaction-reference-case-sensitive',
    breaks: ['TXN-2'],
    story: 'References of transactions are compared as they are.',
    bend: policy('transactions', (transactions) => ({
      referenceKey: (firmId, accountId, reference) =>
        `${transactions.referenceKey(firmId, accountId, '')}${reference}`,
    })),
  },
  {
    id: 'transaction-reference-unchecked',
    breaks: ['TXN-3'],
    story: 'Only the references of accounts are checked.',
    bend: operation(create, (run, context) => {
      const { values } = context.behaviour;
      const lenient = {
        ...context.behaviour,
        values: { ...values, isBlank: () => false, maxReference: 1_000_000 },
      };
      return run(copyContext(context, { behaviour: lenient }));
    }),
  },
  {
    id: 'transaction-currency-may-be-empty',
    breaks: ['TXN-4'],
    story: 'Without a currency it is that of the trading account.',
    bend: sentAs((body) => (body.currency === '' ? { ...body, currency: 'USD' } : body)),
  },
  {
    id: 'transaction-currency-empty-is-400',
    breaks: ['TXN-4'],
    story: 'An empty currency is a bad request.',
    bend: refusedWith(create, /currency must not be empty/, (context) =>
      refuseAs(context, 400, 'validation_failed', 'currency is empty.'),
    ),
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
    id: 'transaction-amount-parsed-loosely',
    breaks: ['TXN-5'],
    story: 'parseFloat reads the beginning and forgives the rest.',
    bend: sentAs((body) => {
      const value = Number.parseFloat(String(body.amount));
      return Number.isFinite(value) ? { ...body, amount: String(value) } : body;
    }),
  },
  {
    id: 'transaction-amount-comma-accepted',
    breaks: ['TXN-5'],
    story: 'A comma is taken for the decimal point.',
    bend: sentAs((body) => ({
      ...body,
      amount: String(body.amount).replace(/^(-?\d+),(\d+)$/, '$1.$2'),
    })),
  },
  {
    id: 'transaction-amount-refusal-is-400',
    breaks: ['TXN-5'],
    story: 'A bad amount is a bad request.',
    bend: refusedWith(create, /amount must be a decimal/, (context) =>
      refuseAs(context, 400, 'validation_failed', 'amount is no decimal.'),
    ),
  },
  {
    id: 'transaction-found-echoes-request',
    breaks: ['TXN-2'],
    story: 'The answer is printed from the request where the two should be the same.',
    bend: members(
      create,
      (shown, { body }) => ({
        ...shown,
        transaction_type: body.transaction_type,
        trading_account_id: body.trading_account_id,
      }),
      200,
    ),
  },
  {
    id: 'transaction-found-is-young',
    breaks: ['TXN-2'],
    story: 'created_at is the time at which it was printed.',
    bend: members(create, (shown, { atMs }) => ({ ...shown, created_at: atMs + 1 }), 200),
  },
];
