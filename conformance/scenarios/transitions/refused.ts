// TXS-14 to TXS-17: which transaction of which account a decision names, for what reason, and who
// may decide.
import { decide, type Verb } from '../../cases/moves.ts';
import { observeExcess, observePadded } from '../../cases/questions.ts';
import {
  as,
  asHolderOf,
  BAD_REQUEST,
  body,
  type Fault,
  only,
  path,
  query,
  type RefusalRow,
  refusals,
} from '../../cases/refusals.ts';
import type { Scenario } from '../../engine/types.ts';
import { FORBIDDEN, INVALID, NOT_FOUND } from '../../spec/errors.ts';
import type { WriteName } from '../../spec/operations.ts';
import { expectReads } from '../support/transaction-assertions.ts';
import { UNKNOWN_ID } from '../support/unknown-id.ts';
import { ALL_BUT_FUNDS } from '../transactions/places.ts';

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

const txsAccountInQuery = refusals({
  id: 'txs-account-in-query',
  title: 'The query must name the account as a decimal string, on all three decisions',
  observes: ['NS-48', 'NS-58'],
  needs: ['trading_account'],
  rows: [
    ...onEach((each) => [
      // With which status a query without it is refused is open.
      ['TXS-15', each, 'no account_id in the query', query(null), BAD_REQUEST],
      ['TXS-15', each, 'account_id=abc', query('abc'), INVALID],
    ]),
    ['TXS-15', 'approveTransaction', 'an empty account_id', query(''), BAD_REQUEST],
    ['TXS-15', 'approveTransaction', 'account_id=-1', query('-1'), BAD_REQUEST],
    ['TXS-15', 'approveTransaction', 'digits and .0', query(idAnd('.0')), BAD_REQUEST],
    ['TXS-15', 'approveTransaction', 'digits and x', query(idAnd('x')), BAD_REQUEST],
  ],
  async also(t) {
    const place = await t.given.place();
    await observePadded(t, await t.given.transaction(place));
    await observeExcess(t, () => t.given.transaction(place));
  },
});

function idAnd(suffix: string) {
  return ({ transaction }: Parameters<Fault>[1]) => `${transaction!.account_id}${suffix}`;
}

const txsNamedAccount = refusals({
  id: 'txs-named-account',
  title: 'A transaction that is unknown, or not of the account named, is 404 and stays as it was',
  needs: ['trading_account'],
  rows: onEach((each) => [
    ['TXS-16', each, 'the id of another account', otherAccount, NOT_FOUND],
    ['TXS-16', each, 'an account that does not exist', query(UNKNOWN_ID), NOT_FOUND],
    ['TXS-16', each, 'a transaction that does not exist', path(UNKNOWN_ID), NOT_FOUND],
    ['TXS-16', each, 'a rejected one of another account', rejectedOfOtherAccount, NOT_FOUND],
    ['CONV-1c', each, 'the id abc in the path', path('abc'), INVALID],
  ]),
});

const txsScope = refusals({
  id: 'txs-scope',
  title: 'Without a funds scope no decision is served; transactions:amend alone is none',
  needs: ['trading_account', 'no_scopes', 'amend_only'],
  rows: onEach((each) => [
    ['TXS-17', each, 'no scope', as('no_scopes'), FORBIDDEN],
    ['TXS-17', each, 'transactions:amend alone', as('amend_only'), FORBIDDEN],
    ['TXS-17', each, 'all other scopes', asHolderOf(ALL_BUT_FUNDS), FORBIDDEN],
  ]),
  async also(t) {
    if (!t.has('settle')) return;
    // What the scope is for, without the scope that it widens.
    const settled = await t.given.settled(await t.given.place());
    const refused = await decide(t, 'cancel', settled, { as: 'amend_only' });
    t.expect('TXS-17', refused).refused(...FORBIDDEN);
    await expectReads(t, 'TXS-17', settled, 'settled');
  },
});

const txsReason = refusals({
  id: 'txs-reason',
  title: 'An empty reason is 422, an absent one an unreadable body; neither decides anything',
  needs: ['trading_account'],
  rows: [
    ['TXS-14', 'rejectTransaction', 'an empty reason', body({ reason: '' }), INVALID],
    ['TXS-14', 'rejectTransaction', 'no reason', only({}), 'unreadable'],
    ['TXS-14', 'cancelTransaction', 'an empty reason', body({ reason: '' }), INVALID],
    ['TXS-14', 'cancelTransaction', 'no reason', only({}), 'unreadable'],
  ],
  async also(t) {
    // To take back what has settled wants a reason as well.
    if (!t.has('settle') || !t.has('fresh_trading_account')) return;
    await t.branch('TXS-14', 'what has settled', async () => {
      const settled = await t.given.settled(await t.given.place());
      const empty = await decide(t, 'cancel', settled, { reason: '' });
      t.expect('TXS-14', empty.presuming('TXS-10')).refused(...INVALID);
      await expectReads(t, 'TXS-14', settled, 'settled');
    });
  },
});

export const refusedDecisionScenarios: readonly Scenario[] = [
  txsAccountInQuery,
  txsNamedAccount,
  txsScope,
  txsReason,
];
