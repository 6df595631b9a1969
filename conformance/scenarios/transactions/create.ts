// TXN: recording a transaction. It starts pending, is found again by its reference, and an answer
// shows its listed members and nothing of what operators keep to themselves.
import { decimalId, decimalString, epochMs } from '../../engine/judge/matchers.ts';
import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import type { GivenTransaction } from '../../engine/scenario/scenario-setup.ts';
import { Blocked } from '../../engine/scenario-errors.ts';
import type { Answer } from '../../engine/send/answer.ts';
import type { RequestBody } from '../../engine/send/client.ts';
import type { Scenario } from '../../engine/types.ts';
import {
  expectReads,
  expectUnchanged,
  MEMBERS,
  membersOf,
  requirePrecondition,
} from '../support/transaction-assertions.ts';
import { transactionFieldScenarios } from './fields.ts';
import { transactionPlaceScenarios } from './places.ts';

/**
 * Beside a plain deposit. That each of them is accepted is TXN-6's and TXN-7's; none of them starts
 * anywhere but at pending.
 */
const OTHERS: readonly RequestBody[] = [
  { transaction_type: 'Withdrawal', amount: '-25.00' },
  { transaction_type: 'Credit', amount: '25.00', method: 'Bonus' },
  { transaction_type: 'Debit', amount: '-25.00' },
];

const txnStartsPending: Scenario = {
  id: 'txn-starts-pending',
  title: 'A valid create answers 201 with status pending, and no request can create another status',
  rules: ['TXN-1'],
  observes: ['NS-27'],
  needs: ['trading_account'],
  async run(t) {
    const place = await t.given.place();
    const plain = t.newTransaction(place, { method: 'Deposit' });
    const first = await t.api.createTransaction(plain);
    // Whether the credential may do this at all is another matter.
    if (first.status === 401 || first.status === 403) {
      throw new Blocked(`the credential may not create transactions: ${first.summary}`);
    }
    const answers = [first];
    for (const over of OTHERS) {
      const made = await t.api.createTransaction(t.newTransaction(place, over));
      if (made.status < 300) answers.push(made);
    }
    for (const made of answers) t.expect('TXN-1', made).status(201).field('status', 'pending');
    const ids = answers.map((each) => each.at('id'));
    const all = new Set(ids).size === ids.length;
    t.claim('TXN-1', 'a transaction of its own for each', all, `ids ${ids.join(', ')}`, ...answers);
    await t.branch('TXN-1', 'a body that asks for another status', async () => {
      const asked = { status: 'approved', state: 'approved', approved: true, auto_approve: true };
      const body = t.newTransaction(place, asked);
      const made = await t.api.createTransaction(body);
      // NS-27: unknown members may be ignored or refused.
      const refused = made.status >= 400 && made.status < 500;
      t.observe('NS-27', `a body with unknown members: ${made.summary}`, {
        unknown_fields: refused ? 'refused' : 'ignored',
      });
      t.expect('TXN-1', made).is(
        'pending, or refused',
        refused || made.at('status') === 'pending',
        `status "${made.at('status')}"`,
      );
    });
    const query = { status: 'approved', auto_approve: 'true' };
    const queried = await t.api.createTransaction(t.newTransaction(place), { query });
    if (queried.status < 300) t.expect('TXN-1', queried).field('status', 'pending');
    await t.branch('TXN-1', 'what it reads after a while', async () => {
      await expectReads(t, 'TXN-1', await t.given.transaction(place), 'pending');
    });
  },
};

const txnReference: Scenario = {
  id: 'txn-reference',
  title:
    'A reference that names a transaction answers 200 with it, in any case, and creates nothing',
  rules: ['TXN-2', 'IDEM-12'],
  observes: ['NS-20'],
  needs: ['trading_account'],
  async run(t) {
    const place = await t.given.place();
    // Neither all lower nor all upper case, so that a service that folds only one side shows.
    const reference = t.fresh.reference().replace('ref', 'Ref');
    const first = await t.given.transaction(place, { client_reference_id: reference });
    const loud = { ...first.body, client_reference_id: reference.toUpperCase() };
    const quiet = { ...first.body, client_reference_id: reference.toLowerCase() };
    for (const body of [first.body, quiet]) {
      await expectFirst(t, first, await t.api.createTransaction(body));
    }
    const changed = { ...loud, amount: '99.00', method: 'Bonus', transaction_type: 'Credit' };
    const other = await t.api.createTransaction(changed);
    // NS-56: all of the body may be looked at before the reference.
    await expectFirst(t, first, other);
    if (t.has('fresh_trading_account')) {
      const beside = await t.operator.openTradingAccount(place.account_id);
      const abroad = { ...first.body, trading_account_id: beside.trading_account_id };
      await expectFirst(t, first, await t.api.createTransaction(abroad));
    }
    if (t.has('no_amend')) {
      // A reference belongs to the firm's books and not to the credential that wrote it first.
      const elsewhere = await t.as('no_amend').createTransaction(first.body);
      t.expect('TXN-2', elsewhere).status(200).field('id', first.id);
    }
    if (t.has('ledger')) {
      const rows = await t.operator.transactions(reference);
      t.claim('TXN-2', 'one transaction of that reference', rows.length === 1, `${rows.length}`);
    }
    await t.branch('TXN-2', 'the reference of what is approved', async () => {
      const approved = await t.given.approved(place);
      const again = await t.api.createTransaction(approved.body);
      t.expect('TXN-2', again).status(200).field('id', approved.id);
    });
    for (const status of ['rejected', 'cancelled'] as const) {
      await t.branch('TXN-2', `the reference of what is ${status}`, async () => {
        const decided = await t.given[status](place);
        requirePrecondition(
          decided.answer.at('status') === status,
          `what was ${status} does not read so`,
        );
        const approval = await t.api.approveTransaction(decided.id, decided.account_id);
        requirePrecondition(
          approval.status >= 400,
          `what was ${status} is approved after all (TXS-5)`,
        );
        const again = await t.api.createTransaction(decided.body);
        t.expect('TXN-2', again).status(200).fields({ id: decided.id, status });
      });
    }
    await observeReferenceScope(t, first.body);
  },
};

/** The transaction that is there, whatever the body says that names it. */
async function expectFirst(
  t: ScenarioContext,
  first: GivenTransaction,
  again: Answer,
): Promise<void> {
  t.expect('IDEM-12', again).field('id', first.id);
  const found = t.expect('TXN-2', again).status(200).field('id', first.id);
  if (found.ok) expectUnchanged(t, 'TXN-2', first.answer, again);
}

/** NS-20: within what a reference names one transaction. */
async function observeReferenceScope(t: ScenarioContext, body: RequestBody): Promise<void> {
  if (!t.has('second_trading_account')) return;
  const { account_id, trading_account_id, currency } = await t.given.otherPlace();
  const elsewhere = { ...body, account_id, trading_account_id, currency };
  const answer = await t.api.createTransaction(elsewhere);
  const words = `one transaction reference for two accounts: ${answer.status}`;
  t.observe('NS-20', words, {
    transaction_reference_scope: answer.status === 201 ? 'account' : 'firm',
  });
}

const txnShape: Scenario = {
  id: 'txn-shape',
  title: 'Every answer about a transaction has the listed members, each of its type',
  rules: ['TXN-8', 'CONV-1a', 'CONV-2a', 'CONV-4'],
  needs: ['trading_account'],
  async run(t) {
    const place = await t.given.place();
    const made = await t.given.transaction(place, { method: 'Deposit' });
    const found = await t.given.rereadTransaction(made);
    const approved = await t.given.approved(place);
    const rejected = await t.given.rejected(place, REASON);
    const cancelled = await t.given.cancelled(place, REASON);
    t.expect('TXN-8', made.answer).fields({
      currency: place.currency,
      method: 'Deposit',
      transaction_type: 'Deposit',
    });
    for (const answer of [made.answer, found, approved.answer, rejected.answer, cancelled.answer]) {
      expectShape(t, answer);
      t.expect('TXN-8', answer)
        .is('the account named', String(answer.at('account_id')) === place.account_id)
        .is(
          'the trading account named',
          String(answer.at('trading_account_id')) === place.trading_account_id,
        );
      expectForms(t, answer);
    }
  },
};

const REASON = 'only for those who decide';

/** How ids, amounts and times are written. That they are there is TXN-8's to say. */
function expectForms(t: ScenarioContext, answer: Answer): void {
  for (const name of ['id', 'account_id', 'trading_account_id']) {
    if (answer.at(name) !== undefined) t.expect('CONV-1a', answer).field(name, decimalId);
  }
  if (answer.at('amount') !== undefined) t.expect('CONV-2a', answer).field('amount', decimalString);
  const createdAt = answer.at('created_at');
  if (createdAt !== undefined) t.expect('CONV-4', answer).field('created_at', epochMs);
}

/** Members that operators keep to themselves are TXN-9's to judge, and reasons are TXS-19's. */
function expectShape(t: ScenarioContext, answer: Answer): void {
  const members = membersOf(answer);
  const names = Object.keys(members);
  const missing = MEMBERS.filter((each) => !names.includes(each));
  const extra = names.filter(
    (each) => !MEMBERS.includes(each) && !isOperatorOnlyField(each) && members[each] !== REASON,
  );
  const texts = ['currency', 'method', 'transaction_type', 'status'];
  // TXN-6 says what a method is that was left out; whatever it says, it is not null.
  const odd = texts.filter((each) => !isText(answer.at(each)) && !isNullMethod(each, answer));
  t.expect('TXN-8', answer)
    .is('all the listed members', missing.length === 0, `without ${missing.join(', ')}`)
    .is(`strings: ${texts.join(', ')}`, odd.length === 0, `not a string: ${odd.join(', ')}`)
    .is('is_ftd: a boolean', typeof answer.at('is_ftd') === 'boolean', `${answer.at('is_ftd')}`);
  const also = `also ${extra.join(', ')}`;
  t.advise('TXN-8', answer).is('no member besides', extra.length === 0, also);
}

function isText(value: unknown): boolean {
  return typeof value === 'string';
}

function isNullMethod(name: string, answer: Answer): boolean {
  return name === 'method' && answer.at(name) === null;
}

const txnNothingOfOperators: Scenario = {
  id: 'txn-nothing-of-operators',
  title: 'Reasons, payment providers and what operators noted are in no transaction',
  rules: ['TXN-9'],
  needs: ['trading_account'],
  async run(t) {
    const place = await t.given.place();
    const reason = `kept from clients ${t.fresh.text()}`;
    const rejected = await t.given.rejected(place, reason);
    const cancelled = await t.given.cancelled(place, reason);
    const made = await t.given.transaction(place);
    const answers = [made.answer, rejected.answer, cancelled.answer];
    for (const each of [rejected, cancelled]) {
      const read = await t.given.rereadTransaction(each);
      answers.push(read);
      t.expect('TXN-9', read).is('no reason', !read.text.includes(reason), 'the reason is in it');
    }
    if (t.has('provider_trading_account')) {
      const provider = await t.given.providerPlace();
      const over = { transaction_type: 'Withdrawal', amount: '-25.00', method: 'Withdrawal' };
      const withdrawal = await t.api.createTransaction(t.newTransaction(provider, over));
      // NS-27: the sign that a withdrawal is written with is open; nothing hangs on this one.
      if (withdrawal.status < 300) answers.push(withdrawal);
    }
    for (const answer of answers) {
      // What the answers of reject and cancel say of the reason is TXS-19's to judge.
      const decided = answer === rejected.answer || answer === cancelled.answer;
      const names = Object.keys(membersOf(answer)).filter(
        (each) => isOperatorOnlyField(each) && !(decided && /reason/i.test(each)),
      );
      t.expect('TXN-9', answer).is('no member for operators', names.length === 0, names.join(', '));
    }
  },
};

export const transactionScenarios: readonly Scenario[] = [
  txnStartsPending,
  txnReference,
  ...transactionFieldScenarios,
  txnShape,
  txnNothingOfOperators,
  ...transactionPlaceScenarios,
];

const WORDS = /reason|provider|psp|gateway|processor|operator|note|comment|remark/i;

/** Such as `approved_by`. */
const WHO = /(?:approv|reject|cancel|decid)(?:(?!approv|reject|cancel|decid)\w)*by/i;

/**
 * TXN-9: whether a member of this name would show a reason, a provider or what an operator wrote.
 */
function isOperatorOnlyField(name: string): boolean {
  return WORDS.test(name) || WHO.test(name);
}
