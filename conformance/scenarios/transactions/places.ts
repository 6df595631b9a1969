// TXN: whose account a transaction is for, and who may record one.
import { body, type Fault, refusals } from '../../cases/refusals.ts';
import { scopeRows } from '../../cases/scopes.ts';
import type { Scenario } from '../../engine/types.ts';
import { NOT_FOUND } from '../../spec/errors.ts';
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

const foreignCredit: Fault = async (t, valid) => {
  const credit = { ...valid, body: { ...valid.body, transaction_type: 'Credit' } };
  return foreignTradingAccount(t, credit);
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
    ['TXN-11', CREATE, 'a Credit on the trading account of another', foreignCredit, NOT_FOUND],
  ],
});

const txnScope = refusals({
  id: 'txn-scope',
  title: 'Without a funds scope a transaction is refused and not recorded',
  needs: ['trading_account', 'no_scopes'],
  rows: scopeRows('TXN-12', CREATE),
});

export const transactionPlaceScenarios: readonly Scenario[] = [
  txnUnknownPlace,
  txnForeignTradingAccount,
  txnScope,
];
