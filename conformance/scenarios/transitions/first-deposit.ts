// TXS-2: which deposit is the first-time deposit of an account, and that it stays the one.
import { withdrawal } from '../../cases/moves.ts';
import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import type { GivenTransaction } from '../../engine/scenario/scenario-setup.ts';
import { Blocked } from '../../engine/scenario-errors.ts';
import type { Answer } from '../../engine/send/answer.ts';
import type { Scenario } from '../../engine/types.ts';
import { DAY_MS } from '../../spec/literals.ts';
import { expectReads } from '../support/transaction-assertions.ts';

function approve(t: ScenarioContext, { id, account_id }: GivenTransaction): Promise<Answer> {
  return t.control('approveTransaction', { id, account_id }, 200);
}

function isMarked(answer: Answer): boolean {
  return ['true', '1'].includes(String(answer.at('is_ftd')));
}

/** That it is there, and a boolean, is TXN-8's to say. */
function expectFlag(t: ScenarioContext, answer: Answer, wanted: boolean): void {
  const seen = `is_ftd ${answer.at('is_ftd')}`;
  t.expect('TXS-2', answer).is(`is_ftd ${wanted}`, isMarked(answer) === wanted, seen);
}

const txsFirstDeposit: Scenario = {
  id: 'txs-first-deposit',
  title: 'The first approved deposit of an account sets is_ftd, once, and nothing else does',
  rules: ['TXS-2'],
  needs: ['fresh_trading_account'],
  async run(t) {
    const place = await t.given.freshPlace();
    const expectOn = async (transaction: GivenTransaction, wanted: boolean) =>
      expectFlag(t, await approve(t, transaction), wanted);
    const expectRead = async (transaction: GivenTransaction, wanted: boolean) =>
      expectFlag(t, await t.given.rereadTransaction(transaction), wanted);
    // Neither the first created nor one that was refused is the first approved.
    const early = await t.given.transaction(place);
    const refused = await t.given.rejected(place);
    const first = await t.given.transaction(place);
    for (const each of [early, refused, first]) expectFlag(t, each.answer, false);
    const asking = await t.call('createTransaction', {
      body: t.newTransaction(place, { is_ftd: true }),
    });
    if (asking.status < 300) expectFlag(t, asking, false);
    // NS-21: where every withdrawal goes through a provider, none is approved here.
    const { id, account_id } = await withdrawal(t, place);
    const paidOut = await t.call('approveTransaction', { id, account_id });
    if (paidOut.status === 200) expectFlag(t, paidOut, false);
    await expectOn(first, true);
    await expectOn(early, false);
    await expectOn(await t.given.transaction(place), false);
    // Approved again, and read again after others were approved: neither lost nor passed on.
    await expectRead(first, true);
    const again = await t.call('approveTransaction', {
      id: first.id,
      account_id: first.account_id,
    });
    if (again.status === 200) expectFlag(t, again, true);
    await expectRead(early, false);

    // It is the account's and neither the trading account's nor everybody's.
    const second = await t.operator.openTradingAccount(place.account_id);
    await expectOn(await t.given.transaction(second), false);
    await t.branch('TXS-2', 'a deposit in another currency', async () => {
      const euros = await t.operator.openTradingAccount(place.account_id, { currency: 'EUR' });
      await expectOn(await t.given.transaction(euros), false);
    });
    await expectOn(await t.given.transaction(await t.given.freshPlace()), true);
  },
};

const txsFirstDepositCancelled: Scenario = {
  id: 'txs-first-deposit-cancelled',
  title: 'A first-time deposit that is settled and cancelled stays the one',
  rules: ['TXS-2'],
  // Depth: what may cancel a settled transaction is TXS-10's.
  needs: ['ledger'],
  async run(t) {
    const place = await t.given.freshPlace();
    const first = await t.given.transaction(place);
    expectFlag(t, await approve(t, first), true);
    await t.operator.settle(first.id);
    expectFlag(t, await t.given.rereadTransaction(first), true);
    expectFlag(
      t,
      await t.control('cancelTransaction', { id: first.id, account_id: first.account_id }, 200),
      true,
    );
    expectFlag(t, await t.given.rereadTransaction(first), true);
    expectFlag(t, await approve(t, await t.given.transaction(place)), false);
  },
};

const txsFirstDepositRace: Scenario = {
  id: 'txs-first-deposit-race',
  title: 'Of deposits approved at once exactly one is the first-time deposit',
  rules: ['TXS-2'],
  needs: ['fresh_trading_account'],
  async run(t) {
    const place = await t.given.freshPlace();
    const crowd = await t.burstSize(5);
    const deposits: GivenTransaction[] = [];
    while (deposits.length < crowd) deposits.push(await t.given.transaction(place));
    const answers = await t.sendTogether(crowd, (index) => {
      const { id, account_id } = deposits[index]!;
      return t.call('approveTransaction', { id, account_id });
    });
    const approved = answers.filter((each) => each.status === 200);
    if (approved.length === 0) throw new Blocked('none of the deposits was approved');
    const marked = approved.filter(isMarked).length;
    const words = 'is_ftd on one of the approved deposits';
    t.claim('TXS-2', words, marked === 1, `on ${marked} of them`, ...approved);
  },
};

const txsFirstDepositAtMostOnce: Scenario = {
  id: 'txs-first-deposit-at-most-once',
  title: 'However an account began, at most one of its deposits gets is_ftd, and only by approval',
  rules: ['TXS-2'],
  observes: ['NS-43'],
  needs: ['trading_account'],
  async run(t) {
    const place = await t.given.place();
    await observeDeposits(t);
    const pending = [await t.given.transaction(place), await t.given.transaction(place)];
    for (const each of pending) expectFlag(t, each.answer, false);
    const approvals: Answer[] = [];
    for (const each of pending) approvals.push(await approve(t, each));
    const marked = approvals.filter(isMarked).length;
    t.claim('TXS-2', 'is_ftd at most once', marked <= 1, `${marked} times`, ...approvals);
    for (const [index, each] of pending.entries()) {
      expectFlag(t, await t.given.rereadTransaction(each), isMarked(approvals[index]!));
    }
  },
};

/** NS-43: whether what is called a Deposit and comes by way of something else is a deposit. */
async function observeDeposits(t: ScenarioContext): Promise<void> {
  if (!t.has('fresh_trading_account')) return;
  for (const [setting, method, amount] of [
    ['bonus_is_deposit', 'Bonus', '25.00'],
    // NS-27: a sign may have to fit the method.
    ['withdrawal_method_is_deposit', 'Withdrawal', '-25.00'],
  ] as const) {
    const place = await t.given.freshPlace();
    const made = await t.call('createTransaction', {
      body: t.newTransaction(place, { method, amount }),
    });
    if (made.status !== 201) continue;
    const approval = await t.call('approveTransaction', {
      id: t.pick(made, 'id'),
      account_id: place.account_id,
    });
    if (approval.status !== 200) continue;
    const words = isMarked(approval) ? 'counts as' : 'is not';
    t.observe('NS-43', `a Deposit by way of ${method} ${words} a first-time deposit`, {
      [setting]: isMarked(approval),
    });
  }
}

const txsInTime: Scenario = {
  id: 'txs-in-time',
  title: 'A quarter later what has settled reads settled, and a first deposit is the only one',
  rules: ['TXS-1', 'TXS-2'],
  needs: ['clock', 'ledger'],
  lane: 'own_world',
  async run(t) {
    const place = await t.given.place();
    const first = await t.given.settled(place);
    await t.operator.advance(92 * DAY_MS);
    await expectReads(t, 'TXS-1', first, 'settled');
    expectFlag(t, await approve(t, await t.given.transaction(place)), false);
  },
};

export const firstDepositScenarios: readonly Scenario[] = [
  txsFirstDeposit,
  txsFirstDepositCancelled,
  txsFirstDepositRace,
  txsFirstDepositAtMostOnce,
  txsInTime,
];
