// TXS-14 to TXS-17: which transaction of which account a decision names, for what reason, and who
// may decide.
import type { Verb } from '../../cases/moves.ts';
import { observe } from '../../cases/questions.ts';
import {
  body,
  type Fault,
  invalidOrUnreadable,
  only,
  path,
  query,
  type RefusalRow,
  refusals,
} from '../../cases/refusals.ts';
import { scopeRows } from '../../cases/scopes.ts';
import type { Scenario } from '../../engine/types.ts';
import { INVALID, NOT_FOUND } from '../../spec/errors.ts';
import type { WriteName } from '../../spec/operations.ts';
import { UNKNOWN_ID } from '../support/unknown-id.ts';

const VERBS: readonly Verb[] = ['approve', 'reject', 'cancel'];

/** The same rows for each of the three decisions. */
function onEach(row: (operation: WriteName) => readonly RefusalRow[]): readonly RefusalRow[] {
  return VERBS.flatMap((verb) => row(`${verb}Transaction`));
}

const otherAccount: Fault = async (t, valid) => {
  const { id: account_id } = await t.given.account();
  return { call: { ...valid, query: { account_id } } };
};

/** What state it is in is not shown to a caller that cannot name its account. */
const rejectedOfOtherAccount: Fault = async (t, valid) => {
  const { id } = await t.given.rejected(valid.place!);
  const { id: account_id } = await t.given.account();
  return { call: { ...valid, id, query: { account_id } } };
};

function idAnd(suffix: string) {
  return ({ transaction }: Parameters<Fault>[1]) => `${transaction!.account_id}${suffix}`;
}

const emptyReason = body({ reason: '' });

const txsRefused = refusals({
  id: 'txs-refused',
  title: 'A decision names its account as a decimal string; to reject or to cancel takes a reason',
  observes: ['NS-48', 'NS-58'],
  needs: ['trading_account'],
  rows: [
    ...onEach((each) => [
      // With which status a query without it is refused is open.
      ['TXS-15', each, 'no account_id in the query', query(null), invalidOrUnreadable],
      ['TXS-15', each, 'account_id=abc', query('abc'), INVALID],
      ['TXS-16', each, 'the id of another account', otherAccount, NOT_FOUND],
      ['TXS-16', each, 'an account that does not exist', query(UNKNOWN_ID), NOT_FOUND],
      ['TXS-16', each, 'a transaction that does not exist', path(UNKNOWN_ID), NOT_FOUND],
      ['TXS-16', each, 'a rejected one of another account', rejectedOfOtherAccount, NOT_FOUND],
      ['CONV-1c', each, 'the id abc in the path', path('abc'), INVALID],
      ['CONV-1c', each, 'digits and x in the path', path((id) => `${id}x`), INVALID],
    ]),
    ['TXS-15', 'approveTransaction', 'an empty account_id', query(''), invalidOrUnreadable],
    ['TXS-15', 'approveTransaction', 'account_id=-1', query('-1'), invalidOrUnreadable],
    ['TXS-15', 'approveTransaction', 'digits and .0', query(idAnd('.0')), invalidOrUnreadable],
    ['TXS-15', 'approveTransaction', 'digits and x', query(idAnd('x')), invalidOrUnreadable],
    ['TXS-14', 'rejectTransaction', 'an empty reason', emptyReason, INVALID],
    ['TXS-14', 'rejectTransaction', 'no reason', only({}), 'unreadable'],
    ['TXS-14', 'cancelTransaction', 'an empty reason', emptyReason, INVALID],
    ['TXS-14', 'cancelTransaction', 'no reason', only({}), 'unreadable'],
  ],
  also: (t) => observe(t, 'NS-48', 'NS-58'),
});

const txsScope = refusals({
  id: 'txs-scope',
  title: 'Without a funds scope no decision is served; transactions:amend alone is none',
  needs: ['trading_account', 'no_scopes', 'amend_only'],
  rows: onEach((each) => scopeRows('TXS-17', each)),
});

export const refusedDecisionScenarios: readonly Scenario[] = [txsRefused, txsScope];
