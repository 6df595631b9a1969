// Deviations of transactions (TXN).
import type { DeviationFamily } from './deviation.ts';
import {
  filledIn,
  members,
  operation,
  refusedAs,
  refuseIf,
  refuses,
  requestBody,
  scoped,
  shown,
  status,
  stored,
  transitionOperations,
  under,
  unscoped,
} from './overrides.ts';

const create = 'createTransaction';
const all = [create, ...transitionOperations] as const;

export const transactionDeviations: DeviationFamily = {
  'transaction-create-answers-200': {
    breaks: ['TXN-1'],
    story: 'Every success is answered with 200.',
    override: status(create, 201, 200),
  },
  'transaction-starts-approved': {
    breaks: ['TXN-1'],
    story: 'Small deposits need no decision.',
    override: stored('transaction', create, (transaction) => ({
      ...transaction,
      status: 'approved',
    })),
  },
  'transaction-reference-makes-another': {
    breaks: ['TXN-2'],
    story: 'The references of transactions are not unique.',
    override: under(create, ({ transactions }, { n }) => ({
      transactions: {
        ...transactions,
        referenceKey: (firmId, accountId, reference) =>
          `${transactions.referenceKey(firmId, accountId, reference)}\n${n}`,
      },
    })),
    alsoSeenAs: { 'IDEM-12': 'another key does not find the transaction' },
  },
  'transaction-currency-may-be-empty': {
    breaks: ['TXN-4'],
    story: 'An empty currency means that of the trading account.',
    override: requestBody(create, (body) => ({ ...body, currency: body.currency || 'USD' })),
  },
  'transaction-amount-takes-anything': {
    breaks: ['TXN-5'],
    story: 'An amount that is not a number counts as one.',
    override: requestBody(create, (sent) =>
      /^-?\d+(\.\d+)?$/.test(String(sent.amount)) ? sent : { ...sent, amount: '1' },
    ),
  },
  'transaction-found-is-young': {
    breaks: ['TXN-2'],
    story: 'created_at is the time of the response.',
    override: members(create, (body, { atMs }) => ({ ...body, created_at: atMs + 1 }), 200),
  },
  'transaction-method-stays-null': {
    breaks: ['TXN-6'],
    story: 'A method that is not sent stays null.',
    override: stored('transaction', create, (transaction, { body }) =>
      body.method == null ? { ...transaction, method: null as unknown as string } : transaction,
    ),
  },
  'transaction-method-no-bonus': {
    breaks: ['TXN-6'],
    story: 'Bonus is missing from the list of methods.',
    override: refuseIf(create, ({ body }) => body.method === 'Bonus'),
  },
  'transaction-method-required': {
    breaks: ['TXN-6'],
    story: 'The method is required.',
    override: refuseIf(create, ({ body }) => body.method == null),
  },
  'transaction-type-no-debit': {
    breaks: ['TXN-7'],
    story: 'Debit is missing from the list of types.',
    override: refuseIf(create, ({ body }) => body.transaction_type === 'Debit'),
  },
  'transaction-type-optional': {
    breaks: ['TXN-7'],
    story: 'A transaction without a type is a deposit.',
    override: filledIn([create], 'transaction_type', () => 'Deposit'),
  },
  'transaction-lacks-is-ftd': {
    breaks: ['TXN-8'],
    story: 'is_ftd is sent only when it is true.',
    override: shown('transaction', ({ is_ftd, ...rest }) =>
      is_ftd === true ? { ...rest, is_ftd } : rest,
    ),
  },
  'transaction-is-ftd-as-number': {
    breaks: ['TXN-8'],
    story: 'Booleans are 0 and 1 in the database.',
    override: shown('transaction', (body) => ({ ...body, is_ftd: body.is_ftd === true ? 1 : 0 })),
  },
  'transaction-shows-provider': {
    breaks: ['TXN-9'],
    story: 'The response shows the provider for support.',
    override: shown('transaction', (body) => ({ ...body, provider: 'paylink' })),
  },
  'transaction-unknown-account-is-422': {
    breaks: ['TXN-10'],
    story: 'A reference to an unknown record is a validation failure.',
    override: refusedAs(create, 'not_found', 'validation_failed'),
  },
  'transaction-foreign-trading-account': {
    breaks: ['TXN-11'],
    story: 'The owner of the trading account is not checked.',
    override: operation(create, (run, context) => {
      const given = run(context);
      const trading = context.world.tradingAccounts.get(String(context.body.trading_account_id));
      if (trading === undefined || 'decideRow' in given || !refuses(given, 'TXN-11')) return given;
      context.body = { ...context.body, account_id: trading.account_id };
      return run(context);
    }),
  },
  'transaction-unscoped': {
    breaks: ['TXN-12'],
    story: 'Any valid token may record transactions.',
    override: unscoped(create),
  },
  'transaction-without-trader-funds': {
    breaks: ['AUTH-4'],
    story: 'trader:funds is missing from the list of scopes.',
    override: scoped(all, ['transactions:write']),
  },
};
