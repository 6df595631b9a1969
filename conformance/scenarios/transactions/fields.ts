// TXN: what each field of a transaction may be, boundaries included.
import { observe, observeDecimals } from '../../cases/questions.ts';
import { body, invalidOrUnreadable, refusals, without } from '../../cases/refusals.ts';
import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import { Blocked } from '../../engine/scenario-errors.ts';
import type { Answer } from '../../engine/send/answer.ts';
import type { RequestBody } from '../../engine/send/client.ts';
import type { Scenario } from '../../engine/types.ts';
import { INVALID } from '../../spec/errors.ts';
import { LONGEST } from '../../spec/literals.ts';

const CREATE = 'createTransaction';

function referenceOf(length: number) {
  return body((t) => ({ client_reference_id: t.fresh.text(length) }));
}

const txnReferenceLength = refusals({
  id: 'txn-reference-length',
  title: 'A reference that is blank or over 255 characters is 422; 1 and 255 are accepted',
  needs: ['trading_account'],
  rows: [
    ['TXN-3', CREATE, 'an empty reference', body({ client_reference_id: '' }), INVALID],
    ['TXN-3', CREATE, 'three spaces', body({ client_reference_id: '   ' }), INVALID],
    ['TXN-3', CREATE, 'a character too many', referenceOf(LONGEST + 1), INVALID],
    ['TXN-3', CREATE, '400 characters', referenceOf(400), INVALID],
  ],
  async also(t) {
    const place = await t.given.place();
    const named = (client_reference_id: string) =>
      t.api.createTransaction(t.newTransaction(place, { client_reference_id }));
    t.expect('TXN-3', await named(t.fresh.text(LONGEST))).status(201, 200);
    // One character is soon taken, maybe out of reach: that is no fault of form.
    t.expect('TXN-3', await named('Q')).status(201, 200, 404);
  },
});

const txnCurrency = refusals({
  id: 'txn-currency-empty',
  title: 'An empty currency is 422 and records nothing',
  needs: ['trading_account'],
  rows: [['TXN-4', CREATE, 'an empty currency', body({ currency: '' }), INVALID]],
});

/** What lenient readers of numbers take for one: a prefix, nothing at all, another base. */
const NO_DECIMALS = [
  ...['', ' ', 'abc', '12.5abc', '25.00 USD', '1,50', '1,000.00', '1.2.3'],
  ...['0x10', '25_00', 'NaN', 'Infinity', '--5'],
  // Digits to some parsers, in Arabic and in full width.
  ...['\u0662\u0665', '\uff12\uff15'],
];

const txnAmount = refusals({
  id: 'txn-amount-not-decimal',
  title: 'An amount that is not a decimal is 422 and records nothing',
  observes: ['NS-27', 'NS-46', 'NS-49', 'NS-60'],
  needs: ['trading_account'],
  rows: NO_DECIMALS.map(
    (amount) => ['TXN-5', CREATE, `an amount of "${amount}"`, body({ amount }), INVALID] as const,
  ),
  async also(t) {
    await observe(t, 'NS-27', 'NS-46', 'NS-60');
    await observeDecimals(t);
  },
});

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
    invalidOrUnreadable(t, 'TXN-6', unknown);
  },
};

/** NS-27: whether a withdrawal is written with a minus is open; one of the two must do. */
async function expectWithdrawal(
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

const SIGNS = { Deposit: '25.00', Withdrawal: '-25.00', Credit: '25.00', Debit: '-25.00' };

const transfer = body({ transaction_type: 'Transfer' });
const lowerCase = body({ transaction_type: 'deposit' });

// Left out or not one of the four: the body may be unreadable (ERR-2) or invalid.
const txnType = refusals({
  id: 'txn-type',
  title: 'transaction_type is required and one of Deposit, Withdrawal, Credit and Debit',
  needs: ['trading_account'],
  rows: [
    ['TXN-7', CREATE, 'no transaction_type', without('transaction_type'), invalidOrUnreadable],
    ['TXN-7', CREATE, 'transaction_type Transfer', transfer, invalidOrUnreadable],
    ['TXN-7', CREATE, 'transaction_type deposit', lowerCase, invalidOrUnreadable],
    [
      'TXN-7',
      CREATE,
      'an empty transaction_type',
      body({ transaction_type: '' }),
      invalidOrUnreadable,
    ],
  ],
  async also(t) {
    const place = await t.given.place();
    for (const [transaction_type, amount] of Object.entries(SIGNS)) {
      const typed = t.newTransaction(place, { transaction_type, amount });
      let made = await t.api.createTransaction(typed);
      // TXN-6 says that the method may be left out.
      if (made.status >= 400) {
        const method = amount.startsWith('-') ? 'Withdrawal' : 'Deposit';
        made = await t.api.createTransaction({ ...typed, method });
      }
      t.expect('TXN-7', made).status(201, 200).field('transaction_type', transaction_type);
    }
  },
});

export const transactionFieldScenarios: readonly Scenario[] = [
  txnReferenceLength,
  txnCurrency,
  txnAmount,
  txnMethod,
  txnType,
];
