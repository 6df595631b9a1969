// Rows of accounts, trading accounts and transactions: data that only the platform has, and actions
// that the API does not have.
import { flag, id, object, text } from '../../../fixtures/schemas/kit.ts';
import { transactionMembers } from '../../../fixtures/schemas/records.ts';
import {
  accountSchema,
  apiTransactionSchema,
  ledgerSchema,
  tradingAccountSchema,
  transactionSchema,
  viewAccount,
  viewTradingAccount,
} from '../records.ts';
import { execute, found, JsonText } from '../reply.ts';
import { listSchema, pageById, paging, row } from '../row.ts';

export const moneyRows = {
  listAccounts: row('GET', 'accounts', {
    summary: 'List the accounts',
    description: 'Everything the platform knows of them, by ascending id.',
    query: { ...paging, 'brand_id?': id('Of one brand.') },
    answer: listSchema('accounts', accountSchema),
    run: ({ host, query }) => {
      const { items, next } = pageById(host.world.accounts, query);
      return { accounts: items.map((each) => viewAccount(host, each)), next_after: next };
    },
  }),
  getAccount: row('GET', 'accounts/{id}', {
    summary: 'Read an account',
    answer: accountSchema,
    run: ({ host, params }) =>
      viewAccount(host, found(host.world.accounts.get(params.id), `account ${params.id}`)),
  }),
  createTradingAccount: row('POST', 'accounts/{id}/trading-accounts', {
    summary: 'Open a trading account',
    description: 'The API has no operation for it.',
    body: object('What it is like.', {
      'currency?': { ...text('USD by default.'), maxLength: 16 },
      'provider_payouts?': flag('Its withdrawals pay out through a provider (NS-21).'),
    }),
    status: 201,
    answer: tradingAccountSchema,
    run: ({ host, params, body }) => {
      const args = { ...body, account_id: params.id };
      return viewTradingAccount(execute(host, 'createTradingAccount', args));
    },
  }),
  listTradingAccounts: row('GET', 'trading-accounts', {
    summary: 'List the trading accounts',
    query: { ...paging, 'account_id?': id('Of one account.') },
    answer: listSchema('trading_accounts', tradingAccountSchema),
    run: ({ host, query }) => {
      const { items, next } = pageById(host.world.tradingAccounts, query);
      return { trading_accounts: items.map(viewTradingAccount), next_after: next };
    },
  }),
  getTradingAccount: row('GET', 'trading-accounts/{id}', {
    summary: 'Read a trading account with its entries',
    answer: ledgerSchema,
    run: ({ host, params: { id } }) =>
      found(host.world.tradingAccounts.get(id), `trading account ${id}`),
  }),
  listTransactions: row('GET', 'transactions', {
    summary: 'List the transactions',
    description: 'Everything the platform knows of them, stored reasons and operators included.',
    query: {
      ...paging,
      'account_id?': id('Of one account.'),
      'status?': transactionMembers.api.status,
    },
    answer: listSchema('transactions', transactionSchema),
    run: ({ host, query }) => {
      const { items, next } = pageById(host.world.transactions, query);
      return { transactions: items, next_after: next };
    },
  }),
  getTransaction: row('GET', 'transactions/{id}', {
    summary: 'Read a transaction',
    answer: transactionSchema,
    run: ({ host, params: { id } }) => found(host.world.transactions.get(id), `transaction ${id}`),
  }),
  settleTransaction: row('POST', 'transactions/{id}/settle', {
    summary: 'Settle an approved transaction now',
    description: 'Whatever its timer says (NS-3).',
    answer: apiTransactionSchema,
    refusals: { 409: 'It is not approved.' },
    run: ({ host, params }) =>
      new JsonText(host.behaviour.serialize.transaction(execute(host, 'settle', params))),
  }),
};
