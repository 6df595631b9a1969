// TXS: what time alone does to a transaction that has settled: nothing.

import type { Scenario } from '../../engine/types.ts';
import { DAY_MS } from '../../spec/literals.ts';
import { expectReads, requirePrecondition, statusNow } from '../support/transaction-assertions.ts';
import { isMarked } from './first-deposit.ts';

const txsInTime: Scenario = {
  id: 'txs-in-time',
  title: 'A quarter later what has settled reads settled, and a first deposit is the only one',
  rules: ['TXS-1', 'TXS-2'],
  needs: ['clock', 'ledger'],
  lane: 'own_world',
  async run(t) {
    const place = await t.given.place();
    const first = await t.given.approved(place);
    const marked = isMarked(first.answer);
    await t.operator.settle(first.id);
    requirePrecondition((await statusNow(t, first)) === 'settled', 'it does not read settled');
    await t.operator.advance(92 * DAY_MS);
    await expectReads(t, 'TXS-1', first, 'settled');
    requirePrecondition(marked, 'a first deposit has no is_ftd (TXS-2)');
    const later = await t.given.transaction(place);
    const approve = () => t.api.approveTransaction(later.id, later.account_id);
    const approval = await t.control('an approval', approve, 200);
    const flag = approval.at('is_ftd');
    // TXN-8 judges how the mark is written, and that it is there at all.
    t.expect('TXS-2', approval).is('no mark', !isMarked(approval), `is_ftd ${flag}`);
  },
};

export const transactionTimeScenarios: readonly Scenario[] = [txsInTime];
