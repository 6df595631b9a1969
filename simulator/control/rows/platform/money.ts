// Rows of accounts and money: what the platform knows, and what the API has no operation for.

import { flag, id, object, oneOf, text } from '../../../../fixtures/schemas/kit.ts';
import type { TradingAccount, Transaction } from '../../../core/records.ts';
import { afterParameter, limitParameter, listSchema, pageOf } from '../../paging.ts';
import { answer, answerCommand, answerText, notFound } from '../../reply.ts';
import { row } from '../../row.ts';
import {
  accountSchema,
  apiTransactionSchema,
  ledgerSchema,
  tradingAccountSchema,
  transactionSchema,
} from '../../schemas/records.ts';
import {
  viewAccount,
  viewLedger,
  viewTradingAccount,
  viewTransaction,
} from '../../views/records.ts';

const paging = { after: afterParameter, limit: limitParameter } as const;

export const accountRows = [
  row({
    name: 'listAccounts',
    method: 'GET',
    path: 'accounts',
    tag: 'Money',
    summary: 'The accounts',
    description: 'Everything the platform knows of them, by ascending id.',
    query: { ...paging, brand_id: id('Of one brand.') },
    answer: { status: 200, words: 'A page.', schema: listSchema('accounts', accountSchema) },
    run: ({ host, query }) => {
      const { shown, nextAfter } = pageOf(host.world.accounts, query, (account) =>
        query.brand_id === undefined || query.brand_id === account.brand_id
          ? viewAccount(host, account)
          : null,
      );
      return answer({ accounts: shown, next_after: nextAfter });
    },
  }),
  row({
    name: 'getAccount',
    method: 'GET',
    path: 'accounts/{id}',
    tag: 'Money',
    summary: 'An account',
    answer: { status: 200, words: 'The account.', schema: accountSchema },
    run: ({ host, params }) => {
      const account = host.world.accounts.get(params.id ?? '');
      return account === undefined
        ? notFound(`There is no account ${params.id}.`)
        : answer(viewAccount(host, account));
    },
  }),
  row({
    name: 'createTradingAccount',
    method: 'POST',
    path: 'accounts/{id}/trading-accounts',
    tag: 'Money',
    summary: 'Open a trading account',
    description: 'The API has no operation for it.',
    body: object('What it is like.', {
      'currency?': { ...text('USD when left out.'), maxLength: 16 },
      'provider_payouts?': flag('Its withdrawals pay out through a provider (NS-21).'),
    }),
    answer: { status: 201, words: 'The trading account.', schema: tradingAccountSchema },
    run: ({ host, params, body }) =>
      answerCommand<{ tradingAccount: TradingAccount }>(
        host.execute('createTradingAccount', { ...body, account_id: params.id ?? '' }),
        ({ tradingAccount }) => answer(viewTradingAccount(tradingAccount), 201),
      ),
  }),
  row({
    name: 'listTradingAccounts',
    method: 'GET',
    path: 'trading-accounts',
    tag: 'Money',
    summary: 'The trading accounts',
    query: { ...paging, account_id: id('Of one account.') },
    answer: {
      status: 200,
      words: 'A page.',
      schema: listSchema('trading_accounts', tradingAccountSchema),
    },
    run: ({ host, query }) => {
      const { shown, nextAfter } = pageOf(host.world.tradingAccounts, query, (each) =>
        query.account_id === undefined || query.account_id === each.account_id
          ? viewTradingAccount(each)
          : null,
      );
      return answer({ trading_accounts: shown, next_after: nextAfter });
    },
  }),
  row({
    name: 'getTradingAccount',
    method: 'GET',
    path: 'trading-accounts/{id}',
    tag: 'Money',
    summary: 'A trading account with its entries',
    answer: { status: 200, words: 'The trading account.', schema: ledgerSchema },
    run: ({ host, params }) => {
      const account = host.world.tradingAccounts.get(params.id ?? '');
      return account === undefined
        ? notFound(`There is no trading account ${params.id}.`)
        : answer(viewLedger(account));
    },
  }),
];

export const transactionRows = [
  row({
    name: 'listTransactions',
    method: 'GET',
    path: 'transactions',
    tag: 'Money',
    summary: 'The transactions',
    description: 'Everything the platform knows of them, stored reasons and operators included.',
    query: {
      ...paging,
      account_id: id('Of one account.'),
      status: oneOf('In one status.', ['pending', 'approved', 'settled', 'rejected', 'cancelled']),
    },
    answer: {
      status: 200,
      words: 'A page.',
      schema: listSchema('transactions', transactionSchema),
    },
    run: ({ host, query }) => {
      const { account_id = null, status = null } = query;
      const { shown, nextAfter } = pageOf(host.world.transactions, query, (each) =>
        (account_id === null || account_id === each.account_id) &&
        (status === null || status === each.status)
          ? viewTransaction(each)
          : null,
      );
      return answer({ transactions: shown, next_after: nextAfter });
    },
  }),
  row({
    name: 'getTransaction',
    method: 'GET',
    path: 'transactions/{id}',
    tag: 'Money',
    summary: 'A transaction',
    answer: { status: 200, words: 'The transaction.', schema: transactionSchema },
    run: ({ host, params }) => {
      const transaction = host.world.transactions.get(params.id ?? '');
      return transaction === undefined
        ? notFound(`There is no transaction ${params.id}.`)
        : answer(viewTransaction(transaction));
    },
  }),
  row({
    name: 'settleTransaction',
    method: 'POST',
    path: 'transactions/{id}/settle',
    tag: 'Money',
    summary: 'Settle an approved transaction now',
    description: 'Whatever its timer says (NS-3).',
    answer: {
      status: 200,
      words: 'The transaction as the API shows it.',
      schema: apiTransactionSchema,
    },
    refusals: { 409: 'It is not approved.' },
    run: ({ host, params }) =>
      answerCommand<{ transaction: Transaction }>(
        host.execute('settle', { id: params.id ?? '' }),
        ({ transaction }) => answerText(host.behaviour.serialize.transaction(transaction)),
      ),
  }),
];
