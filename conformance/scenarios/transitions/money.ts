// TXS: what decisions do to the money: withdrawals, providers, second approvals, cancelling what has
// settled; and of two decisions at the same moment one comes first.
import { decide, type Verb, withdrawal } from '../../cases/moves.ts';
import { oneOf } from '../../engine/judge/matchers.ts';
import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import type { GivenTransaction } from '../../engine/scenario/scenario-setup.ts';
import { Blocked } from '../../engine/scenario-errors.ts';
import type { Answer } from '../../engine/send/answer.ts';
import type { RuleId, Scenario } from '../../engine/types.ts';
import type { Place } from '../../providers/target.ts';
import { FORBIDDEN, NOT_IMPLEMENTED } from '../../spec/errors.ts';
import { DAY_MS } from '../../spec/literals.ts';
import {
  APPROVED,
  expectReads,
  expectUnchanged,
  membersOf,
  statusNow,
} from '../support/transaction-assertions.ts';
import { booksOf, quoteBooks, sum } from './amounts.ts';

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
    const approval = await decide(t, 'approve', taken);
    if (approval.status === 501 && (await providerWithdrawals(t)) === 'every') {
      const words = 'a withdrawal from a plain trading account goes through a provider as well';
      t.observe('NS-21', words, { provider_withdrawals: 'every' });
      t.claim('TXS-18', 'deposits approved', true, '', deposit.answer);
      return;
    }
    if (approval.status === 501 && !t.has('ledger')) {
      const why = 'withdrawals from this trading account go through a provider';
      return t.notTested('TXS-18', why);
    }
    if (approval.status === 409 && !t.has('settle')) {
      throw new Blocked(`there may be too little money for a withdrawal: ${approval.summary}`);
    }
    const { answer } = deposit;
    const isAlike =
      approval.status === answer.status && approval.at('status') === answer.at('status');
    const words = `approved as a deposit is: ${answer.status}, ${answer.at('status')}`;
    t.expect('TXS-18', approval).is(words, isAlike, undefined, answer);
    await expectReads(t, 'TXS-18', taken, ...APPROVED);
  },
};

/** NS-21: which withdrawals go through a provider, where the target says so itself. */
async function providerWithdrawals(t: ScenarioContext): Promise<unknown> {
  return t.has('ledger') ? (await t.operator.settings()).provider_withdrawals : undefined;
}

const txsProviderWithdrawal: Scenario = {
  id: 'txs-provider-withdrawal',
  title: 'Approving a payment-provider withdrawal is 501 every time, and changes nothing',
  rules: ['TXS-3', 'TXS-18'],
  observes: ['NS-21'],
  needs: ['provider_trading_account'],
  async run(t) {
    const place = await t.given.providerPlace();
    const deposit = await t.given.transaction(place);
    const control = await decide(t, 'approve', deposit);
    t.must('TXS-18', control).is('a deposit approved there as anywhere', control.status < 300);
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
    // What was set aside before the refusal, or half done by it, shows the second time.
    t.expect('TXS-3', await decide(t, 'approve', taken)).refused(...NOT_IMPLEMENTED);
    if (before !== undefined) {
      const [was, is] = [quoteBooks(before), quoteBooks(await booksOf(t, taken))];
      t.claim('TXS-3', `nothing set aside: ${was}`, is === was, is, first);
    }
    await expectReads(t, 'TXS-3', taken, 'pending');
    // Still awaiting a decision, so that the back office can take one.
    const rejection = await decide(t, 'reject', taken);
    const pending = 'a pending withdrawal still, which can be rejected';
    t.expect('TXS-3', rejection).is(pending, rejection.status < 300);
  },
};

const txsApproveAgain: Scenario = {
  id: 'txs-approve-again',
  title: 'Approving again answers 200 unchanged, and credits once',
  rules: ['TXS-4'],
  needs: ['trading_account'],
  async run(t) {
    const place = await laterPlace(t);
    const pending = await t.given.transaction(place);
    const before = t.has('ledger') ? await booksOf(t, pending) : undefined;
    const { id, account_id } = pending;
    const first = await t.control('approveTransaction', { id, account_id }, 200);
    // What a first approval reads is TXS-1's to judge.
    const reads = oneOf(...APPROVED, String(first.at('status')));
    const expectAgain = async (transaction: GivenTransaction, answer: Answer) => {
      // NS-4: what approving a settled one answers is open.
      if (answer.status === 409 && (await statusNow(t, transaction)) === 'settled') {
        t.notTested('TXS-4', 'it settles before it can be approved again');
      } else t.expect('TXS-4', answer).status(200).field('status', reads);
    };
    const again = await decide(t, 'approve', pending);
    await expectAgain(pending, again);
    if (again.status === 200) expectUnchanged(t, 'TXS-4', first, again, 'status', 'is_ftd');

    const raced = await t.given.transaction(place);
    const crowd = await t.burstSize(6);
    const answers = await t.sendTogether(crowd, () => decide(t, 'approve', raced));
    for (const answer of answers) if (answer.status !== 503) await expectAgain(raced, answer);
    if (before === undefined || !t.has('settle')) return;
    for (const each of [pending, raced]) {
      await t.operator.settle(each.id);
      // NS-4: what an approval of a settled one answers is open; that it credits nothing is not.
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

/** Not the first trading account of its account, where another one can be opened. */
async function laterPlace(t: ScenarioContext): Promise<Place> {
  const first = await t.given.place();
  if (!t.has('fresh_trading_account')) return first;
  return t.operator.openTradingAccount(first.account_id);
}

const txsCancelSettled: Scenario = {
  id: 'txs-cancel-settled',
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
      // Whether this credential holds the scope only its owner knows.
      const words = `cancelling a settled transaction: ${cancelled.summary}`;
      return t.notTested(['TXS-10', 'TXS-13'], `${words}: does it hold transactions:amend?`);
    }
    t.must('TXS-10', cancelled).status(200);
    if (own !== undefined) await requireReversed(t, own);
    t.expect('TXS-13', cancelled).field('status', 'cancelled');
    const again = await decide(t, 'cancel', settled);
    // TXS-9: whatever else it answers, it has not gone back.
    if (again.status === 200) t.expect('TXS-13', again).field('status', 'cancelled');
  },
};

/** Where nothing was reversed, nothing was cancelled: that is TXS-10's, whatever it reads. */
async function requireReversed(t: ScenarioContext, transaction: GivenTransaction): Promise<void> {
  const { entries } = await booksOf(t, transaction);
  if (sum(...entries) !== '0') throw new Blocked('cancelling reverses nothing (TXS-10)');
}

async function withoutAmend(
  t: ScenarioContext,
  settled: { id: string; account_id: string },
): Promise<Answer> {
  if (t.has('trading_account')) {
    const { id, account_id } = await t.given.transaction(await t.given.place());
    await t.control('cancelTransaction', { as: 'no_amend', id, account_id }, 200);
  } else {
    await t.control('createAccount', { as: 'no_amend', body: t.newAccount() });
  }
  return decide(t, 'cancel', settled, { as: 'no_amend' });
}

const txsCancelledStays: Scenario = {
  id: 'txs-cancelled-stays',
  title: 'Cancelled wins over settled, whichever came first, however much time passes',
  rules: ['TXS-13'],
  observes: ['NS-3'],
  needs: ['clock', 'ledger'],
  lane: 'own_world',
  async run(t) {
    const place = await t.given.place();
    const settling = await t.given.approved(place);
    // NS-4: where what is approved can be cancelled, its settlement comes too late.
    const approved = await t.given.approved(place);
    const early = await decide(t, 'cancel', approved);
    const settled = await t.given.settled(place);
    const late = await decide(t, 'cancel', settled);
    if (late.status !== 200) throw new Blocked(`cancelling what has settled: ${late.summary}`);
    await requireReversed(t, settled);
    await observeSettlement(t, settling);
    await t.operator.advance(DAY_MS);
    await expectReads(t, 'TXS-13', settled, 'cancelled');
    if (early.at('status') === 'cancelled') await expectReads(t, 'TXS-13', approved, 'cancelled');
  },
};

/** What people choose for a delay: a model that settles later than the target says other things. */
const ROUND_MS = [
  ...[0, 100, 250, 500, 1_000, 1_500, 2_000, 2_500, 3_000, 4_000, 5_000, 7_500],
  ...[10_000, 15_000, 20_000, 30_000, 45_000, 60_000, 90_000, 120_000, 180_000, 300_000],
  ...[600_000, 900_000, 1_800_000, 3_600_000],
];

/** NS-3: how long after its approval a transaction settles by itself, if it does. */
async function observeSettlement(t: ScenarioContext, approved: GivenTransaction): Promise<void> {
  const startMs = await t.operator.nowMs();
  for (const atMs of ROUND_MS) {
    const stepMs = startMs + atMs - (await t.operator.nowMs());
    if (stepMs > 0) await t.operator.advance(stepMs);
    if ((await statusNow(t, approved)) !== 'settled') continue;
    const afterMs = (await t.operator.nowMs()) - startMs;
    const words = `settled by itself within ${afterMs} ms`;
    return t.observe('NS-3', words, { settlement_delay_ms: afterMs });
  }
  t.observe('NS-3', 'not settled an hour after its approval', { settlement_delay_ms: null });
}

const txsReasonKept: Scenario = {
  id: 'txs-reason-never-returned',
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
        // A refusal explains itself without quoting what operators wrote.
        await decide(t, 'approve', pending),
        await decide(t, verb === 'reject' ? 'cancel' : 'reject', pending, { reason: 'another' }),
        await t.given.rereadTransaction(pending),
        await t.call('listTransactions', { query: { after: previous(pending.id), limit: '1' } }),
      ];
      for (const answer of answers) {
        const names = Object.keys(membersOf(answer)).filter((each) => /reason/i.test(each));
        t.expect('TXS-19', answer)
          .is('nowhere the reason', !answer.text.includes(reason), 'the reason is in the answer')
          .is('no member for it', names.length === 0, names.join(', '));
      }
    }
  },
};

/** The id before this one, for a page of the read endpoints that begins with it (NS-2). */
function previous(id: string): string {
  return /^[0-9]+$/.test(id) ? String(BigInt(id) - 1n) : '0';
}

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

const txsDecidedAtOnce: Scenario = {
  id: 'txs-decided-at-once',
  title: 'Of two decisions on one transaction at the same moment no more than one is carried out',
  rules: ['TXS-5', 'TXS-12'],
  needs: ['trading_account'],
  async run(t) {
    const place = await t.given.place();
    // NS-4: whether what is approved can still be rejected or cancelled is open.
    const endsApproved = new Set<Verb>();
    for (const verb of ['reject', 'cancel'] as const) {
      const { status } = await decide(t, verb, await t.given.approved(place));
      if (status < 400) endsApproved.add(verb);
    }
    for (const pair of PAIRS) {
      const pending = await t.given.transaction(place);
      const answers = await t.sendTogether(2, (index) => decide(t, pair[index]!, pending));
      const done = answers.filter((each) => each.status < 300).length;
      const status = await statusNow(t, pending);
      const isApproval = pair.includes('approve');
      const end = pair.find((verb) => verb !== 'approve')!;
      const isEnded = status === DECIDED[end];
      // Approved, and ended then, where that is allowed.
      const truth = done < 2 || (isApproval && endsApproved.has(end) && isEnded);
      const words = `${pair.join(' and ')} at the same moment: one of them carried out`;
      // What was ended and is approved after all is TXS-5's; approved and ended after all, TXS-12's.
      const broken: RuleId = isApproval && !isEnded ? 'TXS-5' : 'TXS-12';
      const kept: readonly RuleId[] = isApproval ? ['TXS-5', 'TXS-12'] : ['TXS-12'];
      const seen = `both answered 200, and it reads ${status}`;
      t.claim(truth ? kept : broken, words, truth, seen, ...answers);
    }
  },
};

export const moneyScenarios: readonly Scenario[] = [
  txsApproveWithdrawal,
  txsProviderWithdrawal,
  txsApproveAgain,
  txsCancelSettled,
  txsCancelledStays,
  txsReasonKept,
  txsDecidedAtOnce,
];
