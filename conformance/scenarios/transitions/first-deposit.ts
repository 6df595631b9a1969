// TXS: which deposit is the first-time deposit of an account, and that it stays the one.

import { withdrawal } from '../../cases/moves.ts';
import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import type { GivenTransaction } from '../../engine/scenario/scenario-setup.ts';
import type { Answer } from '../../engine/send/answer.ts';
import type { RequestBody } from '../../engine/send/client.ts';
import type { Scenario } from '../../engine/types.ts';
import { requirePrecondition, statusNow } from '../support/transaction-assertions.ts';

const txsFirstDeposit: Scenario = {
  id: 'txs-first-deposit',
  title: 'The first approved deposit of an account sets is_ftd, once, and nothing else does',
  rules: ['TXS-2'],
  needs: ['fresh_trading_account'],
  async run(t) {
    const place = await t.given.freshPlace();
    // Neither the first created nor one that was refused is the first approved.
    const early = await t.given.transaction(place);
    const refused = await t.given.rejected(place);
    const first = await t.given.transaction(place);
    for (const each of [early, refused, first]) expectFlag(t, each.answer, false);
    const asking = await t.api.createTransaction(t.newTransaction(place, { is_ftd: true }));
    if (asking.status < 300) expectFlag(t, asking, false);
    await t.branch('TXS-2', 'a withdrawal approved before any deposit', async () => {
      const approved = await approve(t, await withdrawal(t, place));
      if (approved.status === 200) expectFlag(t, approved, false);
    });
    expectFlag(t, await approveFor(t, first), true);
    await requireLastingFlag(t, [first]);
    expectFlag(t, await approveFor(t, early), false);
    expectFlag(t, await approveFor(t, await t.given.transaction(place)), false);
    // Approved again, and read again after others were approved: neither lost nor passed on.
    await expectKept(t, first, true);
    const again = await approve(t, first);
    if (again.status === 200) expectFlag(t, again, true);
    await expectKept(t, early, false);

    // It is the account's and neither the trading account's nor everybody's.
    const second = await t.operator.openTradingAccount(place.account_id);
    expectFlag(t, await approveFor(t, await t.given.transaction(second)), false);
    await t.branch('TXS-2', 'a deposit in another currency', async () => {
      const wish = { currency: 'EUR' };
      const euros = await t.operator.openTradingAccount(place.account_id, wish);
      expectFlag(t, await approveFor(t, await t.given.transaction(euros)), false);
    });
    const another = await t.given.transaction(await t.given.freshPlace());
    expectFlag(t, await approveFor(t, another), true);
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
    expectFlag(t, await approveFor(t, first), true);
    await t.operator.settle(first.id);
    await expectKept(t, first, true);
    const cancel = () => t.api.cancelTransaction(first.id, first.account_id);
    expectFlag(t, await t.control('cancelling what has settled', cancel, 200), true);
    await expectKept(t, first, true);
    expectFlag(t, await approveFor(t, await t.given.transaction(place)), false);
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
    for (let n = 0; n < crowd; n += 1) deposits.push(await t.given.transaction(place));
    const answers = await t.sendTogether(crowd, (index) => approve(t, deposits[index]!));
    const approved = answers.filter((each) => each.status === 200);
    requirePrecondition(approved.length > 0, 'none of the deposits was approved');
    requirePrecondition(
      approved.some((each) => each.at('status') !== 'pending'),
      'approvals are answered with the transaction before them (TXS-1)',
    );
    const marked = approved.filter(isMarked);
    if (marked.length !== 1) await requireLastingFlag(t, deposits);
    const words = 'is_ftd on one of the approved deposits';
    t.claim('TXS-2', words, marked.length === 1, `on ${marked.length} of them`, ...approved);
  },
};

const txsFirstDepositBefore: Scenario = {
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
    for (const each of pending) approvals.push(await approveFor(t, each));
    const marked = approvals.filter(isMarked).length;
    if (marked > 1) await requireLastingFlag(t, pending);
    t.claim('TXS-2', 'is_ftd at most once', marked <= 1, `${marked} times`, ...approvals);
    for (const [index, each] of pending.entries()) {
      await expectKept(t, each, isMarked(approvals[index]!));
    }
  },
};

/** Undefined where a new account may not be paid so. */
async function paidIn(t: ScenarioContext, terms: RequestBody): Promise<Approvable | undefined> {
  const place = await t.given.freshPlace();
  const made = await t.api.createTransaction(t.newTransaction(place, terms), {
    key: t.fresh.key(),
  });
  if (made.status !== 201) return undefined;
  return { id: String(made.at('id')), account_id: place.account_id };
}

/** NS-43: whether what is called a Deposit and comes by way of something else is a deposit. */
async function observeDeposits(t: ScenarioContext): Promise<void> {
  if (!t.has('fresh_trading_account')) return;
  const ways = [
    { setting: 'bonus_is_deposit', method: 'Bonus', amount: '25.00' },
    // NS-27: a sign may have to fit the method.
    { setting: 'withdrawal_method_is_deposit', method: 'Withdrawal', amount: '-25.00' },
  ];
  for (const { setting, ...terms } of ways) {
    const { method } = terms;
    const paid = await paidIn(t, terms);
    if (paid === undefined) continue;
    const approval = await approve(t, paid);
    if (approval.status !== 200) continue;
    const counts = isMarked(approval);
    const words = counts ? 'counts as' : 'is not';
    t.observe('NS-43', `a Deposit by way of ${method} ${words} a first-time deposit`, {
      [setting]: counts,
    });
  }
}

/** Asked only where marks surprise: what is not approved to last is TXS-1's to judge. */
async function requireLastingFlag(
  t: ScenarioContext,
  deposits: readonly GivenTransaction[],
): Promise<void> {
  for (const each of deposits) {
    requirePrecondition(
      (await statusNow(t, each)) !== 'pending',
      'what was approved reads pending',
    );
  }
}

type Approvable = Pick<GivenTransaction, 'id' | 'account_id'>;

function approve(t: ScenarioContext, { id, account_id }: Approvable): Promise<Answer> {
  return t.api.approveTransaction(id, account_id);
}

/** Whether it is approved at all is TXS-1's to say. */
async function approveFor(t: ScenarioContext, transaction: GivenTransaction): Promise<Answer> {
  const key = t.fresh.key();
  const { id, account_id } = transaction;
  const send = () => t.api.approveTransaction(id, account_id, { key });
  const approval = await t.control('an approval', send, 200);
  requirePrecondition(
    approval.at('status') !== 'pending',
    'an approval answers with a pending transaction',
  );
  return approval;
}

/** What it reads later. Whether an approval lasts at all is TXS-1's to say. */
async function expectKept(
  t: ScenarioContext,
  transaction: GivenTransaction,
  wanted: boolean,
): Promise<void> {
  const read = await t.given.rereadTransaction(transaction);
  requirePrecondition(read.at('status') !== 'pending', 'what was approved reads pending');
  expectFlag(t, read, wanted);
}

export function isMarked(answer: Answer): boolean {
  return ['true', '1'].includes(String(answer.at('is_ftd')));
}

/** That it is there, and a boolean, is TXN-8's to say. */
function expectFlag(t: ScenarioContext, answer: Answer, wanted: boolean): void {
  const flag = answer.at('is_ftd');
  requirePrecondition(flag !== undefined, 'the answer has no is_ftd');
  t.expect('TXS-2', answer).is(`is_ftd ${wanted}`, isMarked(answer) === wanted, `is_ftd ${flag}`);
}

export const firstDepositScenarios: readonly Scenario[] = [
  txsFirstDeposit,
  txsFirstDepositCancelled,
  txsFirstDepositRace,
  txsFirstDepositBefore,
];
