// TXN: what each field of a transaction may be, boundaries included.

import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import { Blocked } from '../../engine/scenario-errors.ts';
import type { Answer } from '../../engine/send/answer.ts';
import type { RequestBody } from '../../engine/send/client.ts';
import type { Scenario } from '../../engine/types.ts';
import type { Place } from '../../providers/target.ts';
import { expectUnrecorded } from '../support/transaction-assertions.ts';

const txnReferenceLength: Scenario = {
  id: 'txn-reference-length',
  title: 'A reference that is blank or over 255 characters is 422; 1 and 255 are accepted',
  rules: ['TXN-3'],
  needs: ['trading_account'],
  async run(t) {
    const place = await t.given.place();
    const named = (client_reference_id: string) =>
      t.api.createTransaction(t.newTransaction(place, { client_reference_id }));
    await t.given.transaction(place);
    const longest = await named(t.fresh.text(255));
    t.expect('TXN-3', longest).status(201, 200);
    // One character is soon taken: whoever has it, it is no fault of form.
    const letters = 'abcdefghijklmnopqrstuvwxyz0123456789';
    const short = letters[Number.parseInt(t.fresh.text().replace(/[^0-9]/g, ''), 10) % 36]!;
    t.expect('TXN-3', await named(short)).status(201, 200, 404);
    for (const reference of ['', '   ', t.fresh.text(256), t.fresh.text(400)]) {
      t.expect('TXN-3', await named(reference)).refused(422, 'validation_failed');
    }
  },
};

const txnCurrency: Scenario = {
  id: 'txn-currency-empty',
  title: 'An empty currency is 422 and records nothing',
  rules: ['TXN-4'],
  needs: ['trading_account'],
  async run(t) {
    const place = await t.given.place();
    const control = await t.given.transaction(place);
    const body = t.newTransaction(place);
    const refused = await t.api.createTransaction({ ...body, currency: '' });
    t.expect('TXN-4', refused).refused(422, 'validation_failed');
    await expectUnrecorded(t, 'TXN-4', body, control);
  },
};

/** What lenient readers of numbers take for one: a prefix, nothing at all, another base. */
const NO_DECIMALS = [
  ...['', ' ', 'abc', '12.5abc', '25.00 USD', '1,50', '1,000.00', '1.2.3'],
  ...['0x10', '25_00', 'NaN', 'Infinity', '--5'],
  // Digits to some parsers, in Arabic and in full width.
  ...['\u0662\u0665', '\uff12\uff15'],
];

const txnAmount: Scenario = {
  id: 'txn-amount-not-decimal',
  title: 'An amount that is not a decimal is 422 and records nothing',
  rules: ['TXN-5'],
  observes: ['NS-27', 'NS-46', 'NS-49', 'NS-60'],
  needs: ['trading_account'],
  async run(t) {
    const place = await t.given.place();
    const control = await t.given.transaction(place);
    const body = t.newTransaction(place);
    for (const amount of NO_DECIMALS) {
      const refused = await t.api.createTransaction({ ...body, amount });
      t.expect('TXN-5', refused).refused(422, 'validation_failed');
    }
    await expectUnrecorded(t, 'TXN-5', body, control);
    await observeAmounts(t, place);
  },
};

export async function observeAmounts(t: ScenarioContext, place: Place): Promise<void> {
  const zero = await t.api.createTransaction(t.newTransaction(place, { amount: '0.00' }));
  t.observe('NS-27', `an amount of zero: ${zero.summary}`, {
    zero_amount: zero.status < 300 ? 'accepted' : 'refused',
  });
  const number = await t.api.createTransaction(t.newTransaction(place, { amount: 25 }));
  t.observe('NS-46', `an amount as a JSON number: ${number.summary}`, {
    amount_as_number: number.status < 300 ? 'accepted' : 'refused',
  });
  const spelt: string[] = [];
  for (const amount of ['1e3', '+5', '.5']) {
    const answer = await t.api.createTransaction(t.newTransaction(place, { amount }));
    if (answer.status < 300) spelt.push(amount);
  }
  const currency = place.currency === 'CHF' ? 'NOK' : 'CHF';
  const other = await t.api.createTransaction(t.newTransaction({ ...place, currency }));
  t.observe('NS-60', `${currency} on a trading account in ${place.currency}: ${other.summary}`, {
    other_currency: other.status < 300 ? 'accepted' : 'refused',
  });
  t.observe('NS-49', spelt.length === 0 ? 'digits only' : `also ${spelt.join(', ')}`, {
    amount_exponent: spelt.length === 3 ? 'accepted' : 'refused',
  });
}

const txnMethod: Scenario = {
  id: 'txn-method',
  title: 'A method left out follows from the sign of amount; the three methods are accepted',
  rules: ['TXN-6'],
  observes: ['NS-27'],
  needs: ['trading_account'],
  async run(t) {
    const place = await t.given.place();
    const send = (over: RequestBody) => t.api.createTransaction(t.newTransaction(place, over));
    const derived = (answer: Answer, method: string) =>
      t.expect('TXN-6', answer).status(201, 200).field('method', method);
    const omitted = await send({ amount: '25.00' });
    const given = await send({ method: 'Deposit' });
    if (omitted.status >= 300 && given.status >= 300) {
      throw new Blocked(`control failed: a deposit: ${given.summary}`);
    }
    t.findings.controlled = true;
    derived(omitted, 'Deposit');
    derived(given, 'Deposit');
    for (const [amount, transaction_type, method] of [
      // So little that cutting it to a whole number loses its sign.
      ['-0.01', 'Debit', 'Withdrawal'],
      // Sign and type disagree, which the service may refuse (NS-27); accepted, the sign decides.
      ['25.00', 'Debit', 'Deposit'],
      ['-25.00', 'Credit', 'Withdrawal'],
    ] as const) {
      const answer = await send({ amount, transaction_type });
      if (answer.status < 300) t.expect('TXN-6', answer).field('method', method);
    }
    derived(await send({ method: 'Bonus' }), 'Bonus');
    // A method that is named is not derived, whatever the sign.
    const against = await send({ method: 'Deposit', amount: '-25.00' });
    if (against.status < 300) derived(against, 'Deposit');
    await expectWithdrawal(t, send);
    const unknown = await send({ method: 'Cash' });
    t.expect('TXN-6', unknown).status(400, 422);
  },
};

/** NS-27: whether a withdrawal is written with a minus is open; one of the two must do. */
export async function expectWithdrawal(
  t: ScenarioContext,
  send: (over: RequestBody) => Promise<Answer>,
): Promise<void> {
  const type = { method: 'Withdrawal', transaction_type: 'Withdrawal' };
  const omitted = await send({ transaction_type: 'Withdrawal', amount: '-25.00' });
  const negative = await send({ ...type, amount: '-25.00' });
  const positive = await send({ ...type, amount: '25.00' });
  const taken = [negative, positive].filter((each) => each.status < 300);
  t.observe('NS-27', `a Withdrawal of -25.00: ${negative.status}, of 25.00: ${positive.status}`, {
    amount_sign: taken.length === 2 ? 'any' : 'matches_method',
  });
  const seen = `${negative.summary} for a negative amount, ${positive.summary} for a positive one`;
  t.claim('TXN-6', 'a Withdrawal accepted', taken.length > 0, seen, negative, positive);
  for (const answer of taken) t.expect('TXN-6', answer).field('method', 'Withdrawal');
  // Whether withdrawals of this sign are taken at all has just been seen.
  if (negative.status >= 300) return;
  t.expect('TXN-6', omitted).status(201, 200).field('method', 'Withdrawal');
}

const txnType: Scenario = {
  id: 'txn-type',
  title: 'transaction_type is required and one of Deposit, Withdrawal, Credit and Debit',
  rules: ['TXN-7'],
  needs: ['trading_account'],
  async run(t) {
    const place = await t.given.place();
    const control = await t.given.transaction(place);
    const signs = { Deposit: '25.00', Withdrawal: '-25.00', Credit: '25.00', Debit: '-25.00' };
    for (const [transaction_type, amount] of Object.entries(signs)) {
      const typed = t.newTransaction(place, { transaction_type, amount });
      let made = await t.api.createTransaction(typed);
      // TXN-6 says that the method may be left out.
      if (made.status >= 400) {
        const method = amount.startsWith('-') ? 'Withdrawal' : 'Deposit';
        made = await t.api.createTransaction({ ...typed, method });
      }
      t.expect('TXN-7', made).status(201, 200).field('transaction_type', transaction_type);
    }
    const body = t.newTransaction(place);
    // Left out or not one of the four: the body may be unreadable (ERR-2) or invalid.
    for (const transaction_type of [undefined, 'Transfer', 'deposit', '']) {
      const refused = await t.api.createTransaction({ ...body, transaction_type });
      t.expect('TXN-7', refused).status(400, 422);
    }
    await expectUnrecorded(t, 'TXN-7', body, control);
  },
};

export const transactionFieldScenarios: readonly Scenario[] = [
  txnReferenceLength,
  txnCurrency,
  txnAmount,
  txnMethod,
  txnType,
];
