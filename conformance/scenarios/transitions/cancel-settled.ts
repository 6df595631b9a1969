// TXS: cancelling what has settled: who may, what becomes of the money, and what it reads then.

import type { Role } from '../../engine/capabilities.ts';
import { oneOf } from '../../engine/judge/matchers.ts';
import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import type { GivenTransaction } from '../../engine/scenario/scenario-setup.ts';
import { Blocked, Inconclusive } from '../../engine/scenario-errors.ts';
import type { Answer } from '../../engine/send/answer.ts';
import type { Scenario } from '../../engine/types.ts';
import type { Place } from '../../providers/target.ts';
import {
  expectReads,
  expectUnchanged,
  requirePrecondition,
  statusNow,
} from '../support/transaction-assertions.ts';
import { type Books, booksOf, quoteBooks, sum } from './amounts.ts';
import { withdrawal } from './withdrawals.ts';

const txsCancelSettled: Scenario = {
  id: 'txs-cancel-settled',
  title: 'With transactions:amend a settled transaction is cancelled, without it that is 403',
  rules: ['TXS-10', 'TXS-11', 'TXS-13'],
  needs: ['settled_transaction'],
  async run(t) {
    const own = t.has('ledger') ? await t.given.settled(await t.given.place()) : undefined;
    const settled = own ?? (await t.given.someSettled());
    let refused: Answer | undefined;
    if (t.has('no_amend')) {
      await t.branch('TXS-11', 'without transactions:amend', async () => {
        refused = await tryWithoutAmend(t, settled);
      });
    } else {
      t.notTested('TXS-11', 'it takes credentials.no_amend, all scopes but transactions:amend');
    }
    const cancelled = await cancel(t, settled);
    if (refused !== undefined) expectRefused(t, refused, cancelled);
    if (cancelled.status === 403 && !t.has('mint')) {
      // Whether this credential holds the scope only its owner knows.
      const words = `cancelling a settled transaction: ${cancelled.summary}`;
      t.notTested(['TXS-10', 'TXS-13'], `${words}: does it hold transactions:amend?`);
      return;
    }
    // Where balances can be seen, another scenario holds them to it; what it reads is TXS-13's.
    const reads = t.has('ledger') ? oneOf('cancelled', 'settled') : 'cancelled';
    t.expect('TXS-10', cancelled).status(200).field('status', reads);
    if (cancelled.status !== 200) throw new Blocked(`cancelling: ${cancelled.summary}`);
    if (own !== undefined) await requireReversed(t, own);
    t.expect('TXS-13', cancelled).field('status', 'cancelled');
    const again = await cancel(t, settled);
    // TXS-9: whatever else it answers, it has not gone back.
    if (again.status === 200) t.expect('TXS-13', again).field('status', 'cancelled');
  },
};

/** Where nothing was reversed, nothing was cancelled: that is TXS-10's, whatever it reads. */
async function requireReversed(t: ScenarioContext, transaction: GivenTransaction): Promise<void> {
  const { entries } = await booksOf(t, transaction);
  requirePrecondition(
    sum(...entries) === '0',
    'cancelling what has settled reverses nothing (TXS-10)',
  );
}

async function tryWithoutAmend(
  t: ScenarioContext,
  settled: { id: string; account_id: string },
): Promise<Answer> {
  // Shown where a pending transaction can be had; else by the cancellation that follows.
  if (t.has('trading_account')) {
    const pending = await t.given.transaction(await t.given.place());
    const key = t.fresh.key();
    const send = () => cancel(t, pending, 'no_amend', key);
    await t.control('cancelling what is pending', send, 200);
  } else {
    await t.control('an account made', () => t.as('no_amend').createAccount(t.newAccount()));
  }
  return cancel(t, settled, 'no_amend');
}

/** Where it is refused to everybody for another reason, that is TXS-10's to judge. */
function expectRefused(t: ScenarioContext, refused: Answer, allowed: Answer): void {
  if (refused.status >= 400 && refused.status !== 403 && allowed.status === refused.status) return;
  t.expect('TXS-11', refused).refused(403, 'forbidden');
}

const txsCancelSettledUnchanged: Scenario = {
  id: 'txs-cancel-settled-refused',
  title: 'A cancellation refused for want of transactions:amend leaves status and money alone',
  rules: ['TXS-11'],
  needs: ['ledger'],
  async run(t) {
    const place = await t.given.place();
    const pending = await t.given.transaction(place);
    const key = t.fresh.key();
    const control = () => cancel(t, pending, 'no_amend', key);
    await t.control('cancelling what is pending', control, 200);
    const settled = await t.given.settled(place);
    const before = quoteBooks(await booksOf(t, settled));
    const refused = await cancel(t, settled, 'no_amend');
    if (refused.status !== 403 && refused.status >= 400) {
      const allowed = await cancel(t, settled);
      requirePrecondition(
        allowed.status < 300,
        `cancelling what has settled: ${allowed.summary} (TXS-10)`,
      );
    }
    t.expect('TXS-11', refused).refused(403, 'forbidden');
    await expectReads(t, 'TXS-11', settled, 'settled');
    const after = quoteBooks(await booksOf(t, settled));
    t.claim('TXS-11', `no money moved: ${before}`, after === before, after);
  },
};

const txsReversal: Scenario = {
  id: 'txs-reversal',
  title: 'Cancelling a settled transaction books one compensating entry, and never a second',
  rules: ['TXS-9', 'TXS-10'],
  needs: ['ledger'],
  provokes: [503],
  async run(t) {
    const place = await t.given.place();
    // Amounts that no sum of binary fractions gets right.
    await t.given.settled(place, { amount: '0.10' });
    await t.given.settled(place, { amount: '0.30' });
    const deposit = await t.given.transaction(place, { amount: '0.20' });
    await t.branch('TXS-10', 'a settled deposit', () => expectReversed(t, deposit));
    await t.branch('TXS-10', 'a settled withdrawal', async () =>
      expectReversed(t, await withdrawal(t, place)),
    );
    await t.branch('TXS-10', 'a settled bonus', async () =>
      expectReversed(t, await t.given.transaction(place, { method: 'Bonus' }), true),
    );
    await t.branch('TXS-9', 'cancelled again after it had settled', () => expectOnce(t, deposit));
    await t.branch('TXS-10', 'cancelled by several at once', () => expectOneReversal(t, place));
  },
};

/** Whether a bonus moves money at all is nowhere said: where it does, it goes back. */
async function expectReversed(
  t: ScenarioContext,
  transaction: GivenTransaction,
  mayMoveNothing = false,
): Promise<void> {
  const { id, account_id } = transaction;
  const before = await booksOf(t, transaction);
  const key = t.fresh.key();
  const approve = () => t.api.approveTransaction(id, account_id, { key });
  // NS-21: where every withdrawal goes through a provider, none settles here.
  const approval = await t.control('an approval', approve, 200, 501);
  if (approval.status === 501) return;
  await t.operator.settle(id);
  const booked = await booksOf(t, transaction);
  if (mayMoveNothing && booked.entries.length === 0) return;
  // One credit and no second is TXS-4's to judge.
  requirePrecondition(
    booked.entries.length === 1,
    `settling booked ${booked.entries.length} entries`,
  );
  const cancelled = await cancel(t, transaction);
  // Nobody else is at it: of several at once it would be an answer to be judged.
  if (cancelled.status === 503) throw new Inconclusive(`${cancelled.summary} in passing`);
  t.expect('TXS-10', cancelled).status(200);
  expectUnchanged(t, 'TXS-10', transaction.answer, cancelled, 'status', 'is_ftd');
  const after = await booksOf(t, transaction);
  const words = `the entries ${booked.entries.join(', ')}, and one more that makes them nothing`;
  t.claim('TXS-10', words, isReversal(booked, after), quoteBooks(after), cancelled);
  const { balance } = before;
  const back = after.balance === balance;
  t.claim('TXS-10', `the balance back at ${balance}`, back, `balance ${after.balance}`, cancelled);
}

/** Whoever of them comes first: the money goes back once. */
async function expectOneReversal(t: ScenarioContext, place: Place): Promise<void> {
  const settled = await t.given.settled(place);
  const before = await booksOf(t, settled);
  const crowd = await t.burstSize(4);
  const answers = await t.sendTogether(crowd, () => cancel(t, settled));
  // Where nobody got through it is known of nothing but that (503 asks for another try).
  if (!answers.some(({ status }) => status < 300)) return;
  const after = await booksOf(t, settled);
  const words = 'one entry for all of them, and nothing left';
  t.claim('TXS-10', words, isReversal(before, after), quoteBooks(after), ...answers);
}

function isReversal(booked: Books, after: Books): boolean {
  const kept = booked.entries.every((each, index) => after.entries[index] === each);
  const one = after.entries.length === booked.entries.length + 1;
  return kept && one && sum(...after.entries) === '0';
}

/** TXS-9 holds for any cancelled transaction and asks for no scope beside the funds scope. */
async function expectOnce(t: ScenarioContext, transaction: GivenTransaction): Promise<void> {
  const status = await statusNow(t, transaction);
  if (status !== 'cancelled') throw new Blocked(`what was cancelled reads "${status}" (TXS-13)`);
  const before = quoteBooks(await booksOf(t, transaction));
  for (const role of [t.mainRole, 'no_amend'] as const) {
    const again = await cancel(t, transaction, role);
    t.expect('TXS-9', again).status(200).field('status', 'cancelled');
  }
  const after = quoteBooks(await booksOf(t, transaction));
  t.claim('TXS-9', `no further entry: ${before}`, after === before, after);
}

const txsCancelledStays: Scenario = {
  id: 'txs-cancelled-stays',
  title: 'Cancelled wins over settled, whichever came first, however much time passes',
  rules: ['TXS-12', 'TXS-13'],
  observes: ['NS-3'],
  needs: ['clock', 'ledger'],
  lane: 'own_world',
  async run(t) {
    const place = await t.given.place();
    const settling = await t.given.approved(place);
    // NS-4: where what is approved can be cancelled, its settlement comes too late.
    const approved = await t.given.approved(place);
    const early = await cancel(t, approved);
    const settled = await t.given.settled(place);
    const late = await cancel(t, settled);
    if (late.status !== 200) throw new Blocked(`cancelling what has settled: ${late.summary}`);
    await requireReversed(t, settled);
    await observeSettlement(t, settling);
    await t.operator.advance(86_400_000);
    await expectReads(t, 'TXS-13', settled, 'cancelled');
    if (early.at('status') === 'cancelled') await expectReads(t, 'TXS-13', approved, 'cancelled');
    const before = await statusNow(t, settled);
    const rejection = await t.api.rejectTransaction(settled.id, settled.account_id);
    t.expect('TXS-12', rejection).refused(409, 'invalid_state');
    t.expect('TXS-12', await t.given.rereadTransaction(settled)).field('status', before);
  },
};

/** What people choose for a delay: a model that settles later than the target says other things. */
const ROUND_MS = [
  ...[0, 100, 250, 500, 1_000, 1_500, 2_000, 2_500, 3_000, 4_000, 5_000, 7_500],
  ...[10_000, 15_000, 20_000, 30_000, 45_000, 60_000, 90_000, 120_000, 180_000, 300_000],
  ...[600_000, 900_000, 1_800_000, 3_600_000],
];

/** NS-3: how long after its approval a transaction settles by itself, if it does. */
export async function observeSettlement(
  t: ScenarioContext,
  approved: GivenTransaction,
): Promise<void> {
  const startMs = await t.operator.nowMs();
  for (const atMs of ROUND_MS) {
    const stepMs = startMs + atMs - (await t.operator.nowMs());
    if (stepMs > 0) await t.operator.advance(stepMs);
    if ((await statusNow(t, approved)) !== 'settled') continue;
    const afterMs = (await t.operator.nowMs()) - startMs;
    const words = `settled by itself within ${afterMs} ms`;
    t.observe('NS-3', words, { settlement_delay_ms: afterMs });
    return;
  }
  const words = 'not settled an hour after its approval';
  t.observe('NS-3', words, { settlement_delay_ms: null });
}

function cancel(
  t: ScenarioContext,
  { id, account_id }: { id: string; account_id: string },
  who: Role = t.mainRole,
  key = t.fresh.key(),
): Promise<Answer> {
  const body = { reason: 'conformance check' };
  return t.as(who).cancelTransaction(id, account_id, body, { key });
}

export const settledScenarios: readonly Scenario[] = [
  txsCancelSettled,
  txsCancelSettledUnchanged,
  txsReversal,
  txsCancelledStays,
];
