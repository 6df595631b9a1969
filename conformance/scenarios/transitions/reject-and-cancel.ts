// TXS: rejecting and cancelling a transaction, again and from where it cannot be.

import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import type { GivenTransaction } from '../../engine/scenario/scenario-setup.ts';
import { Blocked } from '../../engine/scenario-errors.ts';
import type { Answer } from '../../engine/send/answer.ts';
import type { RuleId, Scenario } from '../../engine/types.ts';
import {
  expectReads,
  expectUnchanged,
  membersOf,
  requirePrecondition,
  statusNow,
} from '../support/transaction-assertions.ts';
import { booksOf, quoteBooks } from './amounts.ts';

type Verb = 'reject' | 'cancel';

const DECIDED = { reject: 'rejected', cancel: 'cancelled' } as const;

/** Rejecting and cancelling what is pending are alike but for where they lead. */
function pendingRefused(verb: Verb, rule: 'TXS-6' | 'TXS-8'): Scenario {
  const status = DECIDED[verb];
  return {
    id: `txs-${verb}`,
    title: `To ${verb} a pending transaction with a reason makes it ${status}`,
    rules: [rule],
    needs: ['trading_account'],
    async run(t) {
      const place = await t.given.place();
      const pending = await t.given.transaction(place);
      const books = t.has('ledger') ? quoteBooks(await booksOf(t, pending)) : undefined;
      const reason = `because ${t.fresh.text()}`;
      const decided = await decide(t, verb, pending, reason);
      t.expect(rule, decided).status(200).field('status', status);
      expectUnchanged(t, rule, pending.answer, decided, 'status', 'is_ftd');
      await expectLasting(t, rule, pending, status);
      if (books !== undefined) {
        const after = quoteBooks(await booksOf(t, pending));
        t.claim(rule, `no money moved: ${books}`, after === books, after, decided);
        await expectStored(t, rule, pending, reason, decided);
      }
      // One character is a reason; and what is still pending needs no transactions:amend.
      const role = verb === 'cancel' && t.has('no_amend') ? 'no_amend' : t.mainRole;
      const other = await t.given.transaction(place);
      const { id, account_id } = other;
      const short =
        verb === 'reject'
          ? await t.as(role).rejectTransaction(id, account_id, { reason: 'x' })
          : await t.as(role).cancelTransaction(id, account_id, { reason: 'x' });
      t.expect(rule, short).status(200).field('status', status);
    },
  };
}

/**
 * It stays so. A reading that shows the past is not held against it where an approval meets the
 * transaction as decided.
 */
async function expectLasting(
  t: ScenarioContext,
  rule: RuleId,
  transaction: GivenTransaction,
  status: string,
): Promise<void> {
  const read = await t.given.rereadTransaction(transaction);
  const seen = read.at('status');
  const lasting = seen === status || (await approve(t, transaction)).status >= 400;
  t.expect(rule, read).is(`it reads ${status} afterwards`, lasting, `it reads ${seen}`);
}

/** Reason and acting operator are kept for operators, who see them on the control plane. */
async function expectStored(
  t: ScenarioContext,
  rule: RuleId,
  transaction: GivenTransaction,
  reason: string,
  answer: Answer,
): Promise<void> {
  const [row] = await t.operator.transactions(transaction.id);
  requirePrecondition(row !== undefined, 'the control plane does not list the transaction');
  const { clientId, name } = await t.credential(t.mainRole);
  const values = Object.values(row ?? {});
  t.claim(rule, `the reason stored: ${reason}`, values.includes(reason), 'it is not', answer);
  // Of a cancellation only the reason is said to be stored.
  if (rule === 'TXS-8') return;
  const known = values.some((each) => each === clientId || each === name);
  t.claim(rule, `the operator stored: ${clientId}`, known, 'it is not', answer);
}

/** A second time, by another, for another reason. */
function refusedAgain(verb: Verb, rule: 'TXS-7' | 'TXS-9'): Scenario {
  const status = DECIDED[verb];
  return {
    id: `txs-${verb}-again`,
    title: `To ${verb} what is ${status} answers 200 and changes nothing`,
    rules: [rule],
    needs: ['trading_account'],
    async run(t) {
      const place = await t.given.place();
      const decided = await t.given[status](place, `first ${t.fresh.text()}`);
      requirePrecondition(
        decided.answer.at('status') === status,
        `what was ${status} does not read so`,
      );
      requirePrecondition(
        (await statusNow(t, decided)) === status,
        `what was ${status} does not stay so`,
      );
      const before = t.has('ledger') ? await t.operator.transactions(decided.id) : undefined;
      const role = t.has('no_amend') ? 'no_amend' : t.mainRole;
      for (const who of [t.mainRole, role]) {
        const again = await decide(t, verb, decided, `again ${t.fresh.text()}`, who);
        t.expect(rule, again).status(200);
        if (again.status === 200) expectUnchanged(t, rule, decided.answer, again);
      }
      await expectReads(t, rule, decided, status);
      if (before === undefined) return;
      const after = JSON.stringify(await t.operator.transactions(decided.id));
      const kept = after === JSON.stringify(before);
      t.claim(rule, 'reason and operator of the first time', kept, `stored: ${after}`);
    },
  };
}

const txsRefusedMoves: Scenario = {
  id: 'txs-refused-moves',
  title: 'Rejecting what is cancelled and cancelling what is rejected is 409 and changes nothing',
  rules: ['TXS-12'],
  observes: ['NS-4'],
  needs: ['trading_account'],
  async run(t) {
    const place = await t.given.place();
    for (const [verb, status] of [
      ['cancel', 'rejected'],
      ['reject', 'cancelled'],
    ] as const) {
      const decided = await t.given[status](place);
      const before = await statusNow(t, decided);
      requirePrecondition(before === status, `what was ${status} reads "${before}"`);
      const stored = t.has('ledger') ? await t.operator.transactions(decided.id) : undefined;
      const refused = await decide(t, verb, decided, 'too late');
      t.expect('TXS-12', refused).refused(409, 'invalid_state');
      await expectReads(t, 'TXS-12', decided, status);
      if (stored === undefined) continue;
      const after = JSON.stringify(await t.operator.transactions(decided.id));
      const same = after === JSON.stringify(stored);
      t.claim('TXS-12', 'nothing stored by the refused move', same, `stored: ${after}`, refused);
    }
    await tryOpenMoves(t);
  },
};

/**
 * NS-4: what becomes of these the specification does not say; only that a refusal changes nothing.
 */
export async function tryOpenMoves(t: ScenarioContext): Promise<void> {
  const place = await t.given.place();
  const states = t.has('settle') ? (['approved', 'settled'] as const) : (['approved'] as const);
  for (const status of states) {
    for (const verb of ['reject', 'cancel'] as const) {
      // TXS-10, TXS-11: cancelling what is settled is not open.
      if (status === 'settled' && verb === 'cancel') continue;
      const from = await t.given[status](place);
      const before = await statusNow(t, from);
      if (before !== status) continue;
      const answer = await decide(t, verb, from, 'to see what it does');
      const moved = answer.status < 300;
      const name = `${verb}_from_${status}` as const;
      const settings = { [name]: moved ? DECIDED[verb] : 'refused' };
      t.observe('NS-4', `${verb} from ${status}: ${answer.summary}`, settings);
      if (answer.status !== 409) continue;
      const after = await t.given.rereadTransaction(from);
      t.expect('TXS-12', after).is(
        `still ${status}, or settled since`,
        [status, 'settled'].includes(String(after.at('status'))),
        `status "${after.at('status')}"`,
        answer,
      );
    }
  }
  if (!t.has('settle')) return;
  const settled = await t.given.settled(place);
  const answer = await approve(t, settled);
  t.observe('NS-4', `approve from settled: ${answer.summary}`, {
    approve_from_settled: answer.status < 300 ? 'unchanged' : 'refused',
  });
}

const txsReason: Scenario = {
  id: 'txs-reason',
  title: 'An empty reason is 422, an absent one an unreadable body; neither decides anything',
  rules: ['TXS-14'],
  needs: ['trading_account'],
  async run(t) {
    const place = await t.given.place();
    await t.given.rejected(place, 'x');
    await t.given.cancelled(place, 'x');
    // How this target refuses what it cannot read, shown on a create without its currency.
    const lacking = t.newTransaction(place, { currency: undefined });
    const unread = await t.api.createTransaction(lacking);
    const plain = unread.status >= 400 && unread.headers.mediaType() === 'text/plain';
    for (const verb of ['reject', 'cancel'] as const) {
      const pending = await t.given.transaction(place);
      const empty = await decide(t, verb, pending, '');
      t.expect('TXS-14', empty).refused(422, 'validation_failed');
      const { id, account_id } = pending;
      const absent =
        verb === 'reject'
          ? await t.api.rejectTransaction(id, account_id, {})
          : await t.api.cancelTransaction(id, account_id, {});
      if (plain) t.expect('TXS-14', absent).refusedInPlainText();
      // ERR-2 says how it must be refused; where nothing is refused so, that alone is said there.
      else t.expect('TXS-14', absent).status(400, 422);
      await expectReads(t, 'TXS-14', pending, 'pending');
    }
    // To take back what has settled wants a reason as well.
    if (!t.has('settle') || !t.has('fresh_trading_account')) return;
    await t.branch('TXS-14', 'what has settled', async () => {
      const settled = await t.given.settled(place);
      const empty = (await decide(t, 'cancel', settled, '')).presuming('TXS-10');
      t.expect('TXS-14', empty).refused(422, 'validation_failed');
      await expectReads(t, 'TXS-14', settled, 'settled');
    });
  },
};

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
      const first = await decide(t, verb, pending, reason, t.mainRole, key);
      if (first.status !== 200) throw new Blocked(`${verb}: ${first.summary}`);
      const answers = [
        first,
        await decide(t, verb, pending, reason, t.mainRole, key),
        await decide(t, verb, pending, 'another'),
        // A refusal explains itself without quoting what operators wrote.
        await approve(t, pending),
        await decide(t, verb === 'reject' ? 'cancel' : 'reject', pending, 'another'),
        await t.given.rereadTransaction(pending),
        await t.api.listTransactions({ query: { after: previous(pending.id), limit: '1' } }),
      ];
      for (const answer of answers) {
        const names = Object.keys(membersOf(answer)).filter((each) => /reason/i.test(each));
        const shown = answer.text.includes(reason);
        t.expect('TXS-19', answer)
          .is('nowhere the reason', !shown, 'the reason is in the answer')
          .is('no member for it', names.length === 0, `a member ${names.join(', ')}`);
      }
    }
  },
};

/** The id before this one, for a page of the read endpoints that begins with it (NS-2). */
function previous(id: string): string {
  return /^[0-9]+$/.test(id) ? String(BigInt(id) - 1n) : '0';
}

function decide(
  t: ScenarioContext,
  verb: Verb,
  { id, account_id }: { id: string; account_id: string },
  reason: string,
  who = t.mainRole,
  key = t.fresh.key(),
): Promise<Answer> {
  const api = t.as(who);
  return verb === 'reject'
    ? api.rejectTransaction(id, account_id, { reason }, { key })
    : api.cancelTransaction(id, account_id, { reason }, { key });
}

function approve(t: ScenarioContext, { id, account_id }: GivenTransaction): Promise<Answer> {
  return t.api.approveTransaction(id, account_id);
}

export const refusingScenarios: readonly Scenario[] = [
  pendingRefused('reject', 'TXS-6'),
  refusedAgain('reject', 'TXS-7'),
  pendingRefused('cancel', 'TXS-8'),
  refusedAgain('cancel', 'TXS-9'),
  txsRefusedMoves,
  txsReason,
  txsReasonKept,
];
