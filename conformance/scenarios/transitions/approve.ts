// TXS: approving a transaction, from every state there is.

import { oneOf } from '../../engine/judge/matchers.ts';
import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import { Blocked } from '../../engine/scenario-errors.ts';
import type { Answer } from '../../engine/send/answer.ts';
import type { Scenario } from '../../engine/types.ts';
import type { Place } from '../../providers/target.ts';
import {
  APPROVED,
  expectReads,
  expectUnchanged,
  requirePrecondition,
  statusNow,
} from '../support/transaction-assertions.ts';
import { namingScenarios } from './addressing.ts';
import { booksOf, quoteBooks, sum } from './amounts.ts';
import { settledScenarios } from './cancel-settled.ts';
import { firstDepositScenarios } from './first-deposit.ts';
import { refusingScenarios } from './reject-and-cancel.ts';
import { withdrawal } from './withdrawals.ts';

const txsApprove: Scenario = {
  id: 'txs-approve',
  title: 'Approving a pending transaction answers 200 with it, approved',
  rules: ['TXS-1', 'TXS-18'],
  needs: ['trading_account'],
  async run(t) {
    const place = await t.given.place();
    const pending = await t.given.transaction(place);
    const approval = await approve(t, pending);
    t.expect('TXS-1', approval).status(200).field('status', 'approved');
    // TXS-2 says what becomes of is_ftd.
    expectUnchanged(t, 'TXS-1', pending.answer, approval, 'status', 'is_ftd');
    await expectReads(t, 'TXS-1', pending, ...APPROVED);

    // TXS-18: not only deposits. What an approval answers is TXS-1's; here it is to be the same.
    const kinds = [
      { transaction_type: 'Credit', amount: '25.00' },
      { transaction_type: 'Credit', amount: '25.00', method: 'Bonus' },
      { transaction_type: 'Debit', amount: '-1.00' },
    ];
    for (const over of kinds) {
      await t.branch('TXS-18', `a ${over.transaction_type}`, async () => {
        const credit = await t.given.transaction(place, over);
        expectLike(t, await approve(t, credit), approval);
      });
    }
  },
};

/** TXS-18: approved as a plain deposit is. */
function expectLike(t: ScenarioContext, answer: Answer, deposit: Answer): void {
  const truth = answer.status === deposit.status && answer.at('status') === deposit.at('status');
  const words = `approved as a deposit is: ${deposit.status}, ${deposit.at('status')}`;
  const seen = `${answer.summary}, ${answer.at('status') ?? 'no status'}`;
  t.expect('TXS-18', answer).is(words, truth, seen, deposit);
}

const txsApproveWithdrawal: Scenario = {
  id: 'txs-approve-withdrawal',
  title: 'A withdrawal that no payment provider pays out is approved like any other',
  rules: ['TXS-18'],
  observes: ['NS-21'],
  needs: ['trading_account'],
  async run(t) {
    const place = await t.given.place();
    // Money first: whether more may be taken than there is, the specification does not say.
    const deposit = await t.given.approved(place);
    if (t.has('settle')) await t.operator.settle(deposit.id);
    const taken = await withdrawal(t, place);
    const approval = await approve(t, taken);
    if (approval.status === 501 && (await everyWithdrawal(t))) {
      const words = 'a withdrawal from a plain trading account goes through a provider as well';
      t.observe('NS-21', words, { provider_withdrawals: 'every' });
      t.claim('TXS-18', 'deposits approved', true, '', deposit.answer);
      return;
    }
    if (approval.status === 501 && !t.has('ledger')) {
      t.notTested('TXS-18', 'withdrawals from this trading account go through a provider');
      return;
    }
    if (approval.status === 409 && !t.has('settle')) {
      throw new Blocked(`there may be too little money for a withdrawal: ${approval.summary}`);
    }
    expectLike(t, approval, deposit.answer);
    await expectReads(t, 'TXS-18', taken, ...APPROVED);
  },
};

const txsProviderWithdrawal: Scenario = {
  id: 'txs-provider-withdrawal',
  title: 'Approving a payment-provider withdrawal is 501 every time, and changes nothing',
  rules: ['TXS-3', 'TXS-18'],
  observes: ['NS-21'],
  needs: ['provider_trading_account'],
  async run(t) {
    const place = await t.given.providerPlace();
    const deposit = await t.given.transaction(place);
    const control = await approve(t, deposit);
    t.must('TXS-18', control).is('a deposit approved there as anywhere', control.status < 300);
    if (t.has('settle')) await t.operator.settle(deposit.id);
    const taken = await withdrawal(t, place);
    const before = t.has('ledger') ? await booksOf(t, taken) : undefined;
    const first = await approve(t, taken);
    const settings = { provider_withdrawals: 'trading_account' };
    t.observe(
      'NS-21',
      `a withdrawal from a provider's trading account: ${first.summary}`,
      settings,
    );
    if (first.status === 200 && (await said(t)) === 'none') {
      t.notTested('TXS-3', 'the target says that no withdrawal goes through a provider');
      return;
    }
    t.expect('TXS-3', first).refused(501, 'not_implemented');
    // What was set aside before the refusal, or half done by it, shows the second time.
    t.expect('TXS-3', await approve(t, taken)).refused(501, 'not_implemented');
    if (before !== undefined) {
      const after = await booksOf(t, taken);
      const same = after.balance === before.balance && after.entries.length === 0;
      t.claim('TXS-3', `nothing set aside: ${quoteBooks(before)}`, same, quoteBooks(after), first);
    }
    await expectReads(t, 'TXS-3', taken, 'pending');
    // Still awaiting a decision, so that the back office can take one.
    const rejection = await t.api.rejectTransaction(taken.id, taken.account_id);
    t.expect('TXS-3', rejection).is(
      'a pending withdrawal still, which can be rejected',
      rejection.status < 300,
    );
  },
};

/** NS-21: which withdrawals go through a provider, where the target says so itself. */
async function said(t: ScenarioContext): Promise<unknown> {
  return t.has('ledger') ? (await t.operator.settings()).provider_withdrawals : undefined;
}

async function everyWithdrawal(t: ScenarioContext): Promise<boolean> {
  return (await said(t)) === 'every';
}

const txsApproveAgain: Scenario = {
  id: 'txs-approve-again',
  title: 'Approving again answers 200 unchanged, and credits once',
  rules: ['TXS-4'],
  needs: ['trading_account'],
  async run(t) {
    const place = await laterPlace(t);
    const pending = await t.given.transaction(place);
    const before = t.has('ledger') ? await booksOf(t, pending) : undefined;
    const first = await t.control('a first approval', () => approve(t, pending), 200);
    const again = await approve(t, pending);
    await expectApprovedAgain(t, pending, first, again);
    if (again.status === 200) expectUnchanged(t, 'TXS-4', first, again, 'status', 'is_ftd');

    const raced = await t.given.transaction(place);
    const crowd = await t.burstSize(6);
    const answers = await t.sendTogether(crowd, () => approve(t, raced));
    const judged = answers.filter((each) => each.status !== 503);
    for (const answer of judged) {
      if (!(await expectApprovedAgain(t, raced, first, answer))) break;
    }
    if (before === undefined || !t.has('settle')) return;
    for (const each of [pending, raced]) {
      await t.operator.settle(each.id);
      // NS-4: what an approval of a settled one answers is open; that it credits nothing is not.
      await approve(t, each);
      const books = await booksOf(t, each);
      const once = books.entries.length === 1 && books.entries[0] === '25';
      t.claim('TXS-4', 'one entry of 25', once, quoteBooks(books), ...answers);
    }
    const { balance } = await booksOf(t, raced);
    const wanted = sum(before.balance, '25', '25');
    t.claim('TXS-4', `balance ${wanted}`, balance === wanted, `balance ${balance}`, ...answers);
  },
  // Concurrent activity on one record may be answered so, and is then to be retried.
  provokes: [503],
};

/** Not the first trading account of its account, where another one can be opened. */
async function laterPlace(t: ScenarioContext): Promise<Place> {
  const first = await t.given.place();
  if (!t.has('fresh_trading_account')) return first;
  return t.operator.openTradingAccount(first.account_id);
}

/**
 * False where it cannot be tried: it settles in the meantime, and what approving a settled one
 * answers is open (NS-4).
 */
async function expectApprovedAgain(
  t: ScenarioContext,
  transaction: Parameters<typeof statusNow>[1],
  first: Answer,
  answer: Answer,
): Promise<boolean> {
  if (answer.status === 409 && (await statusNow(t, transaction)) === 'settled') {
    t.notTested('TXS-4', 'it settles before it can be approved again');
    return false;
  }
  // What a first approval reads is TXS-1's to judge.
  const reads = oneOf(...APPROVED, String(first.at('status')));
  t.expect('TXS-4', answer).status(200).field('status', reads);
  return true;
}

const txsApproveDecided: Scenario = {
  id: 'txs-approve-decided',
  title: 'Approving a rejected or cancelled transaction is 409 and changes nothing',
  rules: ['TXS-5'],
  needs: ['trading_account'],
  async run(t) {
    const place = await t.given.place();
    await t.given.approved(place);
    for (const status of ['rejected', 'cancelled'] as const) {
      const decided = await t.given[status](place);
      requirePrecondition(
        decided.answer.at('status') === status,
        `what was ${status} does not read so`,
      );
      const before = await statusNow(t, decided);
      requirePrecondition(before === status, `what was ${status} reads "${before}"`);
      const books = t.has('ledger') ? quoteBooks(await booksOf(t, decided)) : undefined;
      const refused = await approve(t, decided);
      t.expect('TXS-5', refused).refused(409, 'invalid_state');
      await expectReads(t, 'TXS-5', decided, status);
      if (books === undefined) continue;
      const after = quoteBooks(await booksOf(t, decided));
      t.claim('TXS-5', `no money moved: ${books}`, after === books, after, refused);
    }
  },
};

function approve(t: ScenarioContext, { id, account_id }: { id: string; account_id: string }) {
  return t.api.approveTransaction(id, account_id);
}

export const transactionStateScenarios: readonly Scenario[] = [
  txsApprove,
  txsApproveWithdrawal,
  txsProviderWithdrawal,
  txsApproveAgain,
  txsApproveDecided,
  ...firstDepositScenarios,
  ...refusingScenarios,
  ...namingScenarios,
  ...settledScenarios,
];
