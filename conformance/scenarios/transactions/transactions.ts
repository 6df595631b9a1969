// TXN: recording a transaction. The values of each field, the account it belongs to, that it starts
// pending and is found again by its reference, and that an answer has its listed members and none of
// the members that only operators may see.
import { observe, observeDecimals } from '../../cases/questions.ts';
import {
  accepted,
  body,
  type Expected,
  type Fault,
  invalidOrUnreadable,
  type RefusalRow,
  refusals,
  without,
} from '../../cases/refusals.ts';
import { decimalId, decimalString, epochMs } from '../../engine/judge/matchers.ts';
import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import type { GivenTransaction } from '../../engine/scenario/scenario-setup.ts';
import { Blocked } from '../../engine/scenario-errors.ts';
import type { Answer } from '../../engine/send/answer.ts';
import type { RequestBody } from '../../engine/send/call.ts';
import type { Story } from '../../engine/types.ts';
import { INVALID, NOT_FOUND } from '../../spec/errors.ts';
import { LONGEST, TRANSACTION_MEMBERS, UNKNOWN_ID } from '../../spec/literals.ts';
import { reference, referenceOf } from '../support/faults.ts';
import { inTurn } from '../support/in-turn.ts';
import { expectUnchanged } from '../support/unchanged.ts';

const CREATE = 'createTransaction';

/** Transactions other than a plain deposit. TXN-6 and TXN-7 judge that each of them is accepted. */
const OTHERS: readonly RequestBody[] = [
  { transaction_type: 'Withdrawal', amount: '-25.00' },
  { transaction_type: 'Credit', amount: '25.00', method: 'Bonus' },
  { transaction_type: 'Debit', amount: '-25.00' },
];

export const txnStartsPending: Story = {
  title: 'A valid create answers 201 with status pending, and no request can create another status',
  rules: ['TXN-1'],
  observes: ['NS-27'],
  needs: ['trading_account'],
  async run(t) {
    const place = await t.given.place();
    const send = (over: RequestBody, query = {}) => t.record(place, over, { query });
    const first = await send({ method: 'Deposit' });
    // Other rules judge whether the credential may create transactions.
    if (first.status === 401 || first.status === 403) {
      throw new Blocked(`the credential may not create transactions: ${first.summary}`);
    }
    const others = await inTurn(OTHERS, (over) => send(over));
    for (const each of [first, ...others.filter(({ isServed }) => isServed)]) {
      t.expect('TXN-1', each).status(201).field('status', 'pending');
    }
    const extra = { status: 'approved', state: 'approved', approved: true, auto_approve: true };
    const withExtra = await send(extra);
    // NS-27: unknown members may be ignored or refused.
    t.observe('NS-27', `a body with unknown members: ${withExtra.summary}`, {
      unknown_fields: withExtra.isServed ? 'ignored' : 'refused',
    });
    for (const each of [withExtra, await send({}, { status: 'approved', auto_approve: 'true' })]) {
      if (each.isServed) t.expect('TXN-1', each).field('status', 'pending');
    }
  },
};

export const txnReference: Story = {
  title: 'A known reference answers 200 with its transaction, in any case, and creates nothing',
  rules: ['TXN-2', 'IDEM-12'],
  observes: ['NS-20'],
  needs: ['trading_account'],
  async run(t) {
    const place = await t.given.place();
    // Mixed case, so that a service that normalises only one side fails.
    const reference = t.fresh.reference().replace('ref', 'Ref');
    const first = await t.given.transaction(place, { client_reference_id: reference });
    const upperCase = { ...first.body, client_reference_id: reference.toUpperCase() };
    // NS-56: the whole body may be validated before the reference.
    const bodies: RequestBody[] = [
      first.body,
      { ...first.body, client_reference_id: reference.toLowerCase() },
      { ...upperCase, amount: '99.00', method: 'Bonus', transaction_type: 'Credit' },
    ];
    if (t.has('fresh_trading_account')) {
      const { trading_account_id } = await t.operator.openTradingAccount(place.account_id);
      bodies.push({ ...first.body, trading_account_id });
    }
    for (const body of bodies) expectFirst(t, first, await t.call('createTransaction', { body }));
    if (t.has('no_amend')) {
      // A reference belongs to the firm, and not to the credential that used it first.
      const elsewhere = await t.call('createTransaction', { as: 'no_amend', body: first.body });
      t.expect('TXN-2', elsewhere).status(200).field('id', first.id);
    }
    if (t.has('ledger')) {
      const rows = await t.operator.transactions(reference);
      t.claim('TXN-2', 'one transaction of that reference', rows.length === 1, `${rows.length}`);
    }
    for (const state of ['approved', 'rejected', 'cancelled'] as const) {
      await t.branch('TXN-2', `the reference of what is ${state}`, async () => {
        const { id, body: known } = await t.given[state](place);
        const again = await t.call('createTransaction', { body: known });
        t.expect('TXN-2', again).status(200).field('id', id);
      });
    }
    // NS-20: the scope in which a reference names one transaction.
    if (!t.has('second_trading_account')) return;
    const elsewhere = { ...first.body, ...(await t.given.place('second_trading_account')) };
    const answer = await t.call('createTransaction', { body: elsewhere });
    t.observe('NS-20', `one transaction reference for two accounts: ${answer.status}`, {
      transaction_reference_scope: answer.status === 201 ? 'account' : 'firm',
    });
  },
};

function expectFirst(t: ScenarioContext, first: GivenTransaction, again: Answer): void {
  t.expect('IDEM-12', again).field('id', first.id);
  const found = t.expect('TXN-2', again).status(200).field('id', first.id);
  if (found.ok) expectUnchanged(t, 'TXN-2', first.answer, again);
}

export const txnShape: Story = {
  title: 'Answers about transactions have the listed members of their types, none for operators',
  rules: ['TXN-8', 'TXN-9', 'CONV-1a', 'CONV-2a', 'CONV-4'],
  needs: ['trading_account'],
  async run(t) {
    const place = await t.given.place();
    const reason = `kept from clients ${t.fresh.text()}`;
    const created = await t.given.transaction(place, { method: 'Deposit' });
    const { account_id, trading_account_id, currency } = place;
    const sent = { account_id, trading_account_id, currency, transaction_type: 'Deposit' };
    t.expect('TXN-8', created.answer).fields(sent);
    const decided = [await t.given.rejected(place, reason), await t.given.cancelled(place, reason)];
    const answers = [
      created.answer,
      await t.given.rereadTransaction(created),
      (await t.given.approved(place)).answer,
    ];
    for (const each of decided) {
      const read = await t.given.rereadTransaction(each);
      t.expect('TXN-9', read).is('no reason', !read.text.includes(reason), 'the reason is in it');
      answers.push(each.answer, read);
      // TXS-19 judges the reason in the answers of reject and cancel.
      expectNothingOfOperators(t, read);
      expectNothingOfOperators(
        t,
        each.answer,
        (name) => isOfOperators(name) && !/reason/i.test(name),
      );
    }
    if (t.has('provider_trading_account')) {
      const provider = await t.given.place('provider_trading_account');
      const over = { transaction_type: 'Withdrawal', amount: '-25.00', method: 'Withdrawal' };
      const withdrawal = await t.record(provider, over);
      // NS-27: the sign of a withdrawal is open, and does not matter here.
      if (withdrawal.isServed) expectNothingOfOperators(t, withdrawal);
    }
    expectNothingOfOperators(t, created.answer);
    for (const answer of answers) {
      expectShape(t, answer, reason);
      // TXN-8 judges whether they exist.
      for (const [rule, name, form] of [
        ['CONV-1a', 'id', decimalId],
        ['CONV-1a', 'account_id', decimalId],
        ['CONV-1a', 'trading_account_id', decimalId],
        ['CONV-2a', 'amount', decimalString],
        ['CONV-4', 'created_at', epochMs],
      ] as const) {
        if (answer.at(name) !== undefined) t.expect(rule, answer).field(name, form);
      }
    }
  },
};

/** TXN-9. The purpose of a member is only known by its name, so an empty one shows nothing. */
function expectNothingOfOperators(t: ScenarioContext, answer: Answer, isHidden = isOfOperators) {
  const members = Object.entries(answer.members).filter(([, value]) => value !== null);
  const names = members.map(([name]) => name).filter(isHidden);
  t.expect('TXN-9', answer).is('no member for operators', names.length === 0, names.join(', '));
}

/** TXN-9 judges members that only operators may see, and TXS-19 reasons. */
function expectShape(t: ScenarioContext, answer: Answer, reason: string): void {
  const members = answer.members;
  const names = Object.keys(members);
  const missing = TRANSACTION_MEMBERS.filter((each) => !names.includes(each));
  const texts = ['currency', 'method', 'transaction_type', 'status'];
  // TXN-6 judges the value of an omitted method; it must never be null.
  const isText = (name: string) =>
    typeof answer.at(name) === 'string' || (name === 'method' && answer.at(name) === null);
  const odd = texts.filter((name) => !isText(name));
  t.expect('TXN-8', answer)
    .is('all the listed members', missing.length === 0, `without ${missing.join(', ')}`)
    .is(`strings: ${texts.join(', ')}`, odd.length === 0, `not a string: ${odd.join(', ')}`)
    .is('is_ftd: a boolean', typeof answer.at('is_ftd') === 'boolean', `${answer.at('is_ftd')}`);
  const others = names.filter(
    (each) =>
      !TRANSACTION_MEMBERS.includes(each) && !isOfOperators(each) && members[each] !== reason,
  );
  t.advise('TXN-8', answer).is('no member besides', others.length === 0, others.join(', '));
}

const WORDS = /reason|provider|psp|gateway|processor|operator|note|comment|remark/i;

const WHO = /(?:approv|reject|cancel|decid)(?:(?!approv|reject|cancel|decid)\w)*by/i;

/** TXN-9: whether a member with this name would show a reason, a provider or an operator's note. */
function isOfOperators(name: string): boolean {
  return WORDS.test(name) || WHO.test(name);
}

/** Texts that lenient parsers accept as a number: a prefix, an empty text, another base. */
const NO_DECIMALS = [
  ...['', ' ', 'abc', '12.5abc', '25.00 USD', '1,50', '1,000.00', '1.2.3'],
  ...['0x10', '25_00', 'NaN', 'Infinity', '--5'],
  // Arabic and full-width digits, which some parsers accept.
  ...['\u0662\u0665', '\uff12\uff15'],
];

export const txnMethod: Story = {
  title: 'A method left out follows from the sign of amount; the three methods are accepted',
  rules: ['TXN-6'],
  observes: ['NS-27'],
  needs: ['trading_account'],
  async run(t) {
    const place = await t.given.place();
    const send = (over: RequestBody) => t.record(place, over);
    const expectMethod = (answer: Answer, method: string) =>
      t.expect('TXN-6', answer).status(201, 200).field('method', method);
    const omitted = await send({ amount: '25.00' });
    const given = await send({ method: 'Deposit' });
    if (!omitted.isServed && !given.isServed) {
      throw new Blocked(`control failed: a deposit: ${given.summary}`);
    }
    t.findings.controlled = true;
    expectMethod(omitted, 'Deposit');
    expectMethod(given, 'Deposit');
    expectMethod(await send({ method: 'Bonus' }), 'Bonus');
    for (const [over, method] of [
      // So small that truncation to an integer drops its sign.
      [{ amount: '-0.01', transaction_type: 'Debit' }, 'Withdrawal'],
      // Sign and type disagree, which the service may refuse (NS-27); if accepted, the sign decides.
      [{ amount: '25.00', transaction_type: 'Debit' }, 'Deposit'],
      [{ amount: '-25.00', transaction_type: 'Credit' }, 'Withdrawal'],
      // A given method is not derived from the sign.
      [{ amount: '-25.00', method: 'Deposit' }, 'Deposit'],
    ] as const) {
      const answer = await send(over);
      if (answer.isServed) expectMethod(answer, method);
    }
    // NS-27: whether a withdrawal has a negative amount is open; one of the two must be accepted.
    const type = { method: 'Withdrawal', transaction_type: 'Withdrawal' };
    const negative = await send({ ...type, amount: '-25.00' });
    const positive = await send({ ...type, amount: '25.00' });
    const taken = [negative, positive].filter((each) => each.isServed);
    const seen = `a Withdrawal of -25.00: ${negative.status}, of 25.00: ${positive.status}`;
    const amount_sign = taken.length === 2 ? 'any' : 'matches_method';
    t.observe('NS-27', seen, { amount_sign });
    t.claim('TXN-6', 'a Withdrawal accepted', taken.length > 0, seen, negative, positive);
    for (const answer of taken) t.expect('TXN-6', answer).field('method', 'Withdrawal');
    if (negative.isServed) {
      expectMethod(await send({ transaction_type: 'Withdrawal', amount: '-25.00' }), 'Withdrawal');
    }
    invalidOrUnreadable(t, 'TXN-6', await send({ method: 'Cash' }));
  },
};

const typed = (transaction_type: string, amount = '25.00') => body({ transaction_type, amount });

const unknown = { account_id: UNKNOWN_ID, trading_account_id: UNKNOWN_ID };
const noAccount = body({ account_id: UNKNOWN_ID });
const noTradingAccount = body({ trading_account_id: UNKNOWN_ID });

/** A reference of one character may already exist: that is not an error in its form. */
const takenOrNot: Expected = (t, rules, answer) => t.expect(rules, answer).status(201, 200, 404);

export const txnRefused = refusals({
  title: 'A create with an invalid member is 422, of an unknown account or trading account 404',
  observes: ['NS-27', 'NS-46', 'NS-49', 'NS-60'],
  needs: ['trading_account'],
  rows: [
    ['TXN-3', CREATE, 'an empty reference', reference(''), INVALID],
    ['TXN-3', CREATE, 'three spaces', reference('   '), INVALID],
    ['TXN-3', CREATE, 'a character too many', referenceOf(LONGEST + 1), INVALID],
    ['TXN-3', CREATE, '400 characters', referenceOf(400), INVALID],
    ['TXN-3', CREATE, '255 characters', referenceOf(LONGEST), accepted()],
    ['TXN-3', CREATE, 'one character', reference('Q'), takenOrNot],
    ['TXN-4', CREATE, 'an empty currency', body({ currency: '' }), INVALID],
    ...NO_DECIMALS.map((amount): RefusalRow => {
      return ['TXN-5', CREATE, `an amount of "${amount}"`, body({ amount }), INVALID];
    }),
    // Absent or not one of the four: the body may be unreadable (ERR-2) or invalid.
    ['TXN-7', CREATE, 'no transaction_type', without('transaction_type'), invalidOrUnreadable],
    ['TXN-7', CREATE, 'transaction_type Transfer', typed('Transfer'), invalidOrUnreadable],
    ['TXN-7', CREATE, 'transaction_type deposit', typed('deposit'), invalidOrUnreadable],
    ['TXN-7', CREATE, 'an empty transaction_type', typed(''), invalidOrUnreadable],
    ['TXN-7', CREATE, 'a Deposit', typed('Deposit'), accepted('transaction_type')],
    ['TXN-7', CREATE, 'a Credit', typed('Credit'), accepted('transaction_type')],
    ['TXN-7', CREATE, 'a Withdrawal', typed('Withdrawal', '-25.00'), accepted('transaction_type')],
    ['TXN-7', CREATE, 'a Debit', typed('Debit', '-25.00'), accepted('transaction_type')],
    ['TXN-10', CREATE, 'an account that does not exist', noAccount, NOT_FOUND],
    ['TXN-10', CREATE, 'a trading account that does not exist', noTradingAccount, NOT_FOUND],
    ['TXN-10', CREATE, 'neither exists', body(unknown), NOT_FOUND],
  ],
  async also(t) {
    await observe(t, 'NS-27', 'NS-46', 'NS-60');
    await observeDecimals(t);
  },
});

function foreign(name: 'account_id' | 'trading_account_id', over: RequestBody = {}): Fault {
  return async (t, valid) => {
    const { [name]: id } = await t.given.place('second_trading_account');
    return { call: { ...valid, body: { ...valid.body, ...over, [name]: id } } };
  };
}

const foreignCredit = foreign('trading_account_id', { transaction_type: 'Credit' });

export const txnForeignTradingAccount = refusals({
  title: 'A trading account of another account is 404',
  needs: ['trading_account', 'second_trading_account'],
  rows: [
    ['TXN-11', CREATE, 'the trading account of another', foreign('trading_account_id'), NOT_FOUND],
    ['TXN-11', CREATE, 'another account', foreign('account_id'), NOT_FOUND],
    ['TXN-11', CREATE, 'a Credit on the trading account of another', foreignCredit, NOT_FOUND],
  ],
});
