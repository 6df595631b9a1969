// TXN: whose account a transaction is for, and who may record one.
import { as, asHolderOf, body, type Fault, refusals } from '../../cases/refusals.ts';
import type { Scenario } from '../../engine/types.ts';
import { FORBIDDEN, NOT_FOUND } from '../../spec/errors.ts';
import { UNKNOWN_ID } from '../support/unknown-id.ts';

const CREATE = 'createTransaction';

const unknown = { account_id: UNKNOWN_ID, trading_account_id: UNKNOWN_ID };
const noAccount = body({ account_id: unknown.account_id });
const noTradingAccount = body({ trading_account_id: unknown.trading_account_id });

const txnUnknownPlace = refusals({
  id: 'txn-unknown-account',
  title: 'An account or trading account that does not exist is 404',
  needs: ['trading_account'],
  rows: [
    ['TXN-10', CREATE, 'an account that does not exist', noAccount, NOT_FOUND],
    ['TXN-10', CREATE, 'a trading account that does not exist', noTradingAccount, NOT_FOUND],
    ['TXN-10', CREATE, 'neither exists', body(unknown), NOT_FOUND],
  ],
});

const foreignTradingAccount: Fault = async (t, valid) => {
  const { trading_account_id } = await t.given.otherPlace();
  return { call: { ...valid, body: { ...valid.body, trading_account_id } } };
};

const foreignAccount: Fault = async (t, valid) => {
  const { account_id } = await t.given.otherPlace();
  return { call: { ...valid, body: { ...valid.body, account_id } } };
};

const txnForeignTradingAccount = refusals({
  id: 'txn-foreign-trading-account',
  title: 'A trading account of another account is 404',
  needs: ['trading_account', 'second_trading_account'],
  rows: [
    ['TXN-11', CREATE, 'the trading account of another', foreignTradingAccount, NOT_FOUND],
    ['TXN-11', CREATE, 'another account', foreignAccount, NOT_FOUND],
  ],
});

/** Much, but neither of the two scopes that serve. */
export const ALL_BUT_FUNDS = [
  'accounts:write',
  'trades:write',
  'trader:trade',
  'transactions:amend',
  'webhooks:manage',
];

const txnScope = refusals({
  id: 'txn-scope',
  title: 'Without a funds scope a transaction is refused and not recorded',
  needs: ['trading_account', 'no_scopes'],
  rows: [
    ['TXN-12', CREATE, 'no scope', as('no_scopes'), FORBIDDEN],
    // It only widens what another scope grants.
    ['TXN-12', CREATE, 'transactions:amend alone', as('amend_only'), FORBIDDEN],
    ['TXN-12', CREATE, 'all other scopes', asHolderOf(ALL_BUT_FUNDS), FORBIDDEN],
  ],
});

export const transactionPlaceScenarios: readonly Scenario[] = [
  txnUnknownPlace,
  txnForeignTradingAccount,
  txnScope,
];
