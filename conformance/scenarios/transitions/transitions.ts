// TXS: the effect of decisions on the money, which deposit is the first-time deposit, which transaction
// of which account a decision names, and who may decide.

import { decide, decided, type Verb, withdrawal } from '../../cases/moves.ts';
import { observe } from '../../cases/questions.ts';
import {
  type Fault,
  invalidOrUnreadable,
  only,
  path,
  query,
  type RefusalRow,
  refusals,
} from '../../cases/refusals.ts';
import { oneOf, sum } from '../../engine/judge/matchers.ts';
import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import type { GivenTransaction } from '../../engine/scenario/scenario-setup.ts';
import { Blocked } from '../../engine/scenario-errors.ts';
import type { Answer } from '../../engine/send/answer.ts';
import type { RuleId, Story } from '../../engine/types.ts';
import { FORBIDDEN, INVALID, NOT_FOUND, NOT_IMPLEMENTED } from '../../spec/errors.ts';
import { DAY_MS, UNKNOWN_ID } from '../../spec/literals.ts';
import { DECISIONS } from '../../spec/operations.ts';
import { advanceTo } from '../support/clock.ts';
import { noReason } from '../support/faults.ts';
import { inTurn } from '../support/in-turn.ts';
import { pageFrom } from '../support/reads.ts';
import {
  APPROVED,
  booksOf,
  expectReads,
  quoteBooks,
  statusNow,
} from '../support/transaction-assertions.ts';
import { expectUnchanged } from '../support/unchanged.ts';

export const txsApproveWithdrawal: Story = {
  title: 'A withdrawal that no payment provider pays out is approved like any other',
  rules: ['TXS-18'],
  observes: ['NS-21'],
  needs: ['trading_account'],
  async run(t) {
    const place = await t.given.place();
    // A deposit comes first: the specification does not say whether a withdrawal may exceed the balance.
    const deposit = await t.given.approved(place);
    if (t.has('settle')) await t.operator.settle(deposit.id);
    const taken = await withdrawal(t, place);
    const approval = await decide(t, 'approve', taken);
    if (approval.status === 501 && (await providerWithdrawals(t)) === 'every') {
      const words = 'a withdrawal from a plain trading account goes through a provider as well';
      t.observe('NS-21', words, { provider_withdrawals: 'every' });
      t.claim('TXS-18', 'deposits approved', true, '', deposit.answer);
      return;
    }
    if (approval.status === 501 && !t.has('ledger')) {
      return t.notTested('TXS-18', 'withdrawals from this trading account go through a provider');
    }
    if (approval.status === 409 && !t.has('settle')) {
      throw new Blocked(`there may be too little money for a withdrawal: ${approval.summary}`);
    }
    const { answer } = deposit;
    const status = answer.at('status');
    const isAlike = approval.status === answer.status && approval.at('status') === status;
    const words = `approved as a deposit is: ${answer.status}, ${status}`;
    t.expect('TXS-18', approval).is(words, isAlike, undefined, answer);
    await expectReads(t, 'TXS-18', taken, ...APPROVED);
  },
};

/** NS-21: which withdrawals go through a provider, if the target states it. */
async function providerWithdrawals(t: ScenarioContext): Promise<unknown> {
  return t.has('ledger') ? (await t.operator.settings()).provider_withdrawals : undefined;
}

export const txsProviderWithdrawal: Story = {
  title: 'Approving a payment-provider withdrawal is 501 every time, and changes nothing',
  rules: ['TXS-3', 'TXS-18'],
  observes: ['NS-21'],
  needs: ['provider_trading_account'],
  async run(t) {
    const place = await t.given.place('provider_trading_account');
    const deposit = await t.given.transaction(place);
    const control = await decide(t, 'approve', deposit);
    t.must('TXS-18', control).served('a deposit approved there as anywhere');
    if (t.has('settle')) await t.operator.settle(deposit.id);
    const taken = await withdrawal(t, place);
    const before = t.has('ledger') ? await booksOf(t, taken) : undefined;
    const first = await decide(t, 'approve', taken);
    const words = `a withdrawal from a provider's trading account: ${first.summary}`;
    t.observe('NS-21', words, { provider_withdrawals: 'trading_account' });
    if (first.status === 200 && (await providerWithdrawals(t)) === 'none') {
      return t.notTested('TXS-3', 'the target says that no withdrawal goes through a provider');
    }
    t.expect('TXS-3', first).refused(...NOT_IMPLEMENTED);
    // The second attempt shows side effects of the first refusal.
    t.expect('TXS-3', await decide(t, 'approve', taken)).refused(...NOT_IMPLEMENTED);
    if (before !== undefined) {
      const [was, is] = [quoteBooks(before), quoteBooks(await booksOf(t, taken))];
      t.claim('TXS-3', `nothing set aside: ${was}`, is === was, is, first);
    }
    await expectReads(t, 'TXS-3', taken, 'pending');
    // It is still pending, so an operator can decide it.
    const rejection = await decide(t, 'reject', taken);
    t.expect('TXS-3', rejection).served('a pending withdrawal still, which can be rejected');
  },
};

export const txsApproveAgain: Story = {
  title: 'Approving again answers 200 unchanged, and credits once',
  rules: ['TXS-4'],
  needs: ['trading_account'],
  async run(t) {
    const first = await t.given.place();
    // Not the first trading account of its account, if another one can be opened.
    const canOpen = t.has('fresh_trading_account');
    const place = canOpen ? await t.operator.openTradingAccount(first.account_id) : first;
    const pending = await t.given.transaction(place);
    const before = t.has('ledger') ? await booksOf(t, pending) : undefined;
    const approval = await decided(t, 'approve', pending);
    // TXS-1 judges the status after a first approval.
    const reads = oneOf(...APPROVED, String(approval.at('status')));
    const expectAgain = async (transaction: GivenTransaction, answer: Answer) => {
      // NS-4: the answer to approving a settled transaction is open.
      if (answer.status === 409 && (await statusNow(t, transaction)) === 'settled') {
        t.notTested('TXS-4', 'it settles before it can be approved again');
      } else t.expect('TXS-4', answer).status(200).field('status', reads);
    };
    const again = await decide(t, 'approve', pending);
    await expectAgain(pending, again);
    if (again.status === 200) expectUnchanged(t, 'TXS-4', approval, again, 'status', 'is_ftd');

    const raced = await t.given.transaction(place);
    const crowd = await t.burstSize(6);
    const answers = await t.sendTogether(crowd, () => decide(t, 'approve', raced));
    for (const answer of answers) if (answer.status !== 503) await expectAgain(raced, answer);
    if (before === undefined || !t.has('settle')) return;
    for (const each of [pending, raced]) {
      await t.operator.settle(each.id);
      // NS-4: the answer to approving a settled transaction is open; it must not credit anything.
      await decide(t, 'approve', each);
      const books = await booksOf(t, each);
      const once = books.entries.join() === '25';
      t.claim('TXS-4', 'one entry of 25', once, quoteBooks(books), ...answers);
    }
    const { balance } = await booksOf(t, raced);
    const wanted = sum(before.balance, '25', '25');
    t.claim('TXS-4', `balance ${wanted}`, balance === wanted, `balance ${balance}`, ...answers);
  },
};

export const txsCancelSettled: Story = {
  title: 'With transactions:amend a settled transaction is cancelled, without it that is 403',
  rules: ['TXS-10', 'TXS-11', 'TXS-13'],
  needs: ['settled_transaction'],
  async run(t) {
    const own = t.has('ledger') ? await t.given.settled(await t.given.place()) : undefined;
    const settled = own ?? (await t.given.someSettled());
    const refused = t.has('no_amend') ? await withoutAmend(t, settled) : undefined;
    const cancelled = await decide(t, 'cancel', settled);
    if (refused === undefined) {
      t.notTested('TXS-11', 'it takes credentials.no_amend, all scopes but transactions:amend');
    } else t.expect('TXS-11', refused).refused(...FORBIDDEN);
    if (cancelled.status === 403 && !t.has('mint')) {
      // Without a control plane, only the credential's owner knows whether it has the scope.
      const words = `cancelling a settled transaction: ${cancelled.summary}`;
      return t.notTested(['TXS-10', 'TXS-13'], `${words}: does it hold transactions:amend?`);
    }
    t.must('TXS-10', cancelled).status(200);
    t.expect('TXS-13', cancelled).field('status', 'cancelled');
    const again = await decide(t, 'cancel', settled);
    // TXS-9: whatever the answer is, the status has not changed back.
    if (again.status === 200) t.expect('TXS-13', again).field('status', 'cancelled');
  },
};

async function withoutAmend(t: ScenarioContext, settled: { id: string; account_id: string }) {
  if (t.has('trading_account')) {
    const pending = await t.given.transaction(await t.given.place());
    await decided(t, 'cancel', pending, 'no_amend');
  } else {
    await t.control('createAccount', { as: 'no_amend', body: t.newAccount() });
  }
  return decide(t, 'cancel', settled, { as: 'no_amend' });
}

export const txsCancelledStays: Story = {
  title: 'Cancelled wins over settled, whichever came first, however much time passes',
  rules: ['TXS-13'],
  observes: ['NS-3'],
  needs: ['clock', 'ledger'],
  async run(t) {
    const place = await t.given.place();
    const settling = await t.given.approved(place);
    // NS-4: if an approved transaction can be cancelled, it must not settle afterwards.
    const approved = await t.given.approved(place);
    const early = await decide(t, 'cancel', approved);
    const settled = await t.given.settled(place);
    await decided(t, 'cancel', settled);
    await observeSettlement(t, settling);
    await t.operator.advance(DAY_MS);
    await expectReads(t, 'TXS-13', settled, 'cancelled');
    if (early.at('status') === 'cancelled') await expectReads(t, 'TXS-13', approved, 'cancelled');
  },
};

/** Typical delays: a simulator that settles later than the target would answer differently. */
const ROUND_MS = [
  ...[0, 100, 250, 500, 1_000, 1_500, 2_000, 2_500, 3_000, 4_000, 5_000, 7_500],
  ...[10_000, 15_000, 20_000, 30_000, 45_000, 60_000, 90_000, 120_000, 180_000, 300_000],
  ...[600_000, 900_000, 1_800_000, 3_600_000],
];

/** NS-3: the time after approval at which a transaction settles automatically, if it does. */
async function observeSettlement(t: ScenarioContext, approved: GivenTransaction): Promise<void> {
  const startMs = await t.operator.nowMs();
  for (const atMs of ROUND_MS) {
    await advanceTo(t, startMs + atMs);
    if ((await statusNow(t, approved)) !== 'settled') continue;
    const afterMs = (await t.operator.nowMs()) - startMs;
    const words = `settled by itself within ${afterMs} ms`;
    return t.observe('NS-3', words, { settlement_delay_ms: afterMs });
  }
  t.observe('NS-3', 'not settled an hour after its approval', { settlement_delay_ms: null });
}

export const txsReasonNeverReturned: Story = {
  title: 'The reason of a rejection or cancellation is in no answer, then or later',
  rules: ['TXS-19'],
  needs: ['trading_account'],
  async run(t) {
    const place = await t.given.place();
    for (const verb of ['reject', 'cancel'] as const) {
      const reason = `never to be shown ${t.fresh.text()}`;
      const pending = await t.given.transaction(place);
      const key = t.fresh.key();
      const first = await decide(t, verb, pending, { reason, key });
      if (first.status !== 200) throw new Blocked(`${verb}: ${first.summary}`);
      const answers = [
        first,
        await decide(t, verb, pending, { reason, key }),
        await decide(t, verb, pending, { reason: 'another' }),
        // The detail of a refusal does not quote an operator's notes.
        await decide(t, 'approve', pending),
        await decide(t, verb === 'reject' ? 'cancel' : 'reject', pending, { reason: 'another' }),
        await t.given.rereadTransaction(pending),
        await t.call('listTransactions', { query: pageFrom(pending.id) }),
      ];
      for (const answer of answers) {
        const names = Object.keys(answer.members).filter((each) => /reason/i.test(each));
        t.expect('TXS-19', answer)
          .is('nowhere the reason', !answer.text.includes(reason), 'the reason is in the answer')
          .is('no member for it', names.length === 0, names.join(', '));
      }
    }
  },
};

const DECIDED: Readonly<Record<Verb, string>> = {
  approve: 'approved',
  reject: 'rejected',
  cancel: 'cancelled',
};

const PAIRS: readonly (readonly [Verb, Verb])[] = [
  ['reject', 'cancel'],
  ['cancel', 'reject'],
  ['approve', 'reject'],
  ['reject', 'approve'],
  ['approve', 'cancel'],
];

export const txsDecidedAtOnce: Story = {
  title: 'Of two decisions on one transaction at the same moment no more than one is carried out',
  rules: ['TXS-5', 'TXS-12'],
  needs: ['trading_account'],
  async run(t) {
    const place = await t.given.place();
    // NS-4: whether an approved transaction can still be rejected or cancelled is open.
    const endsApproved = new Set<Verb>();
    for (const verb of ['reject', 'cancel'] as const) {
      const { status } = await decide(t, verb, await t.given.approved(place));
      if (status < 400) endsApproved.add(verb);
    }
    for (const pair of PAIRS) {
      const pending = await t.given.transaction(place);
      const answers = await t.sendTogether(2, (index) => decide(t, pair[index]!, pending));
      const done = answers.filter((each) => each.isServed).length;
      const status = await statusNow(t, pending);
      const isApproval = pair.includes('approve');
      const end = pair.find((verb) => verb !== 'approve')!;
      const isEnded = status === DECIDED[end];
      // Approved and then rejected or cancelled, if that is allowed.
      const truth = done < 2 || (isApproval && endsApproved.has(end) && isEnded);
      const words = `${pair.join(' and ')} at the same moment: one of them carried out`;
      // TXS-5 judges an approval after the end, TXS-12 an end after the approval.
      const broken: RuleId = isApproval && !isEnded ? 'TXS-5' : 'TXS-12';
      const kept: readonly RuleId[] = isApproval ? ['TXS-5', 'TXS-12'] : ['TXS-12'];
      const seen = `both answered 200, and it reads ${status}`;
      t.claim(truth ? kept : broken, words, truth, seen, ...answers);
    }
  },
};

function isMarked(answer: Answer): boolean {
  return ['true', '1'].includes(String(answer.at('is_ftd')));
}

/** TXN-8 judges that it exists and is a boolean. */
function expectFlag(t: ScenarioContext, answer: Answer, wanted: boolean): void {
  const seen = `is_ftd ${answer.at('is_ftd')}`;
  t.expect('TXS-2', answer).is(`is_ftd ${wanted}`, isMarked(answer) === wanted, seen);
}

export const txsFirstDeposit: Story = {
  title: 'The first approved deposit of an account sets is_ftd, once, and nothing else does',
  rules: ['TXS-2'],
  needs: ['fresh_trading_account'],
  async run(t) {
    const place = await t.given.freshPlace();
    const expectOn = async (transaction: GivenTransaction, wanted: boolean) =>
      expectFlag(t, await decided(t, 'approve', transaction), wanted);
    const expectRead = async (transaction: GivenTransaction, wanted: boolean) =>
      expectFlag(t, await t.given.rereadTransaction(transaction), wanted);
    // Neither the first created nor a refused transaction is the first approved one.
    const early = await t.given.transaction(place);
    const refused = await t.given.rejected(place);
    const first = await t.given.transaction(place);
    for (const each of [early, refused, first]) expectFlag(t, each.answer, false);
    const asking = await t.record(place, { is_ftd: true });
    if (asking.isServed) expectFlag(t, asking, false);
    // NS-21: if every withdrawal goes through a provider, none is approved here.
    const paidOut = await decide(t, 'approve', await withdrawal(t, place));
    if (paidOut.status === 200) expectFlag(t, paidOut, false);
    await expectOn(first, true);
    await expectOn(early, false);
    await expectOn(await t.given.transaction(place), false);
    // Approved again, and read again after others were approved: the flag neither disappears nor moves.
    await expectRead(first, true);
    const again = await decide(t, 'approve', first);
    if (again.status === 200) expectFlag(t, again, true);
    await expectRead(early, false);

    // The flag is per account, neither per trading account nor global.
    const second = await t.operator.openTradingAccount(place.account_id);
    await expectOn(await t.given.transaction(second), false);
    await t.branch('TXS-2', 'a deposit in another currency', async () => {
      const euros = await t.operator.openTradingAccount(place.account_id, { currency: 'EUR' });
      await expectOn(await t.given.transaction(euros), false);
    });
    await expectOn(await t.given.transaction(await t.given.freshPlace()), true);
  },
};

export const txsFirstDepositCancelled: Story = {
  title: 'A first-time deposit that is settled and cancelled stays the one',
  rules: ['TXS-2'],
  // Extra depth: TXS-10 judges which scopes may cancel a settled transaction.
  needs: ['ledger'],
  async run(t) {
    const place = await t.given.freshPlace();
    const first = await t.given.transaction(place);
    expectFlag(t, await decided(t, 'approve', first), true);
    await t.operator.settle(first.id);
    expectFlag(t, await t.given.rereadTransaction(first), true);
    expectFlag(t, await decided(t, 'cancel', first), true);
    expectFlag(t, await t.given.rereadTransaction(first), true);
    expectFlag(t, await decided(t, 'approve', await t.given.transaction(place)), false);
  },
};

export const txsFirstDepositRace: Story = {
  title: 'Of deposits approved at once exactly one is the first-time deposit',
  rules: ['TXS-2'],
  needs: ['fresh_trading_account'],
  async run(t) {
    const place = await t.given.freshPlace();
    const crowd = await t.burstSize(5);
    const deposits = await inTurn(Array(crowd), () => t.given.transaction(place));
    const answers = await t.sendTogether(crowd, (at) => decide(t, 'approve', deposits[at]!));
    const approved = answers.filter((each) => each.status === 200);
    if (approved.length === 0) throw new Blocked('none of the deposits was approved');
    const marked = approved.filter(isMarked).length;
    const words = 'is_ftd on one of the approved deposits';
    t.claim('TXS-2', words, marked === 1, `on ${marked} of them`, ...approved);
  },
};

export const txsFirstDepositAtMostOnce: Story = {
  title: 'However an account began, at most one of its deposits gets is_ftd, and only by approval',
  rules: ['TXS-2'],
  observes: ['NS-43'],
  needs: ['trading_account'],
  async run(t) {
    const place = await t.given.place();
    await observeDeposits(t);
    const pending = [await t.given.transaction(place), await t.given.transaction(place)];
    for (const each of pending) expectFlag(t, each.answer, false);
    const approvals = await inTurn(pending, (each) => decided(t, 'approve', each));
    const marked = approvals.filter(isMarked).length;
    t.claim('TXS-2', 'is_ftd at most once', marked <= 1, `${marked} times`, ...approvals);
    for (const [index, each] of pending.entries()) {
      expectFlag(t, await t.given.rereadTransaction(each), isMarked(approvals[index]!));
    }
  },
};

/** NS-43: whether a transaction with method Deposit and another type is a deposit. */
async function observeDeposits(t: ScenarioContext): Promise<void> {
  if (!t.has('fresh_trading_account')) return;
  for (const [setting, method, amount] of [
    ['bonus_is_deposit', 'Bonus', '25.00'],
    // NS-27: the sign may have to match the method.
    ['withdrawal_method_is_deposit', 'Withdrawal', '-25.00'],
  ] as const) {
    const { account_id, ...place } = await t.given.freshPlace();
    const created = await t.record({ account_id, ...place }, { method, amount });
    if (created.status !== 201) continue;
    const approval = await decide(t, 'approve', { id: t.pick(created, 'id'), account_id });
    if (approval.status !== 200) continue;
    const marked = isMarked(approval);
    const words = `a Deposit by way of ${method} ${marked ? 'counts as' : 'is not'} a first-time deposit`;
    t.observe('NS-43', words, { [setting]: marked });
  }
}

export const txsInTime: Story = {
  title: 'A quarter later what has settled reads settled, and a first deposit is the only one',
  rules: ['TXS-1', 'TXS-2'],
  needs: ['clock', 'ledger'],
  async run(t) {
    const place = await t.given.place();
    const first = await t.given.settled(place);
    await t.operator.advance(92 * DAY_MS);
    await expectReads(t, 'TXS-1', first, 'settled');
    expectFlag(t, await decided(t, 'approve', await t.given.transaction(place)), false);
  },
};

const otherAccount: Fault = async (t, valid) => {
  const { id: account_id } = await t.given.account();
  return { call: { ...valid, query: { account_id } } };
};

/** A caller that cannot name its account must not learn its state. */
const rejectedOfOtherAccount: Fault = async (t, valid) =>
  otherAccount(t, { ...valid, id: (await t.given.rejected(valid.place!)).id });

function idAnd(suffix: string) {
  return ({ transaction }: Parameters<Fault>[1]) => `${transaction!.account_id}${suffix}`;
}

export const txsRefused = refusals({
  title: 'A decision names its account as a decimal string; to reject or to cancel takes a reason',
  observes: ['NS-48', 'NS-58'],
  needs: ['trading_account'],
  rows: [
    ...DECISIONS.flatMap((each): RefusalRow[] => [
      // The refusal of a query without it is open.
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
    ['TXS-14', 'rejectTransaction', 'an empty reason', noReason, INVALID],
    ['TXS-14', 'rejectTransaction', 'no reason', only({}), 'unreadable'],
    ['TXS-14', 'cancelTransaction', 'an empty reason', noReason, INVALID],
    ['TXS-14', 'cancelTransaction', 'no reason', only({}), 'unreadable'],
  ],
  also: (t) => observe(t, 'NS-48', 'NS-58'),
});
