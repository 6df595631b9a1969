// CONV: how ids, amounts and times are written, in requests and in answers.
import { type Expected, type Fault, member, refusals } from '../../cases/refusals.ts';
import { decimalId, decimalString, epochMs, sameAmount } from '../../engine/judge/matchers.ts';
import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import type { Answer, Json } from '../../engine/send/answer.ts';
import type { RequestBody } from '../../engine/send/call.ts';
import { membersIn, printJson } from '../../engine/send/json.ts';
import type { RuleId, Story } from '../../engine/types.ts';
import { INVALID } from '../../spec/errors.ts';
import { closePosition, openPosition } from '../support/orders.ts';
import { findReads } from '../support/reads.ts';

export const convAmounts: Story = {
  title: 'The string form of an amount is always accepted, and answered with no precision lost',
  rules: ['CONV-2a', 'CONV-2b'],
  needs: ['trading_account'],
  async run(t) {
    const place = await t.given.place();
    // TXN-6 judges whether the method may be left out.
    const send = (amount: string, over: RequestBody = {}) => t.record(place, { amount, ...over });
    for (const amount of ['25', '25.5', '25.10', '0.01', '1000000.00', '9007199254740.93']) {
      const plain = await send(amount);
      const created = plain.isServed ? plain : await send(amount, { method: 'Deposit' });
      // The smallest and the largest amount are open, so a value may be refused, but not its form.
      if (!amount.startsWith('25') && created.code === INVALID[1]) continue;
      t.expect('CONV-2b', created).status(201, 200);
      if (created.isServed) t.expect('CONV-2a', created).field('amount', sameAmount(amount));
    }
    // NS-27: a negative amount may be refused; if it is accepted, it keeps its sign.
    const negative = await send('-7.25', { method: 'Withdrawal', transaction_type: 'Withdrawal' });
    if (negative.isServed) t.expect('CONV-2a', negative).field('amount', sameAmount('-7.25'));
    // Whether more digits than a double can represent are accepted is open; then none may be lost.
    for (const amount of [
      '12345678901234567.89',
      '9007199254740993',
      '1.005',
      '0.00000001',
      '98765432109876543210.123456789012345678',
    ]) {
      const body = t.newTransaction(place, { amount });
      const created = await t.call('createTransaction', { body });
      if (!created.isServed) continue;
      const again = await t.call('createTransaction', { body });
      const whole = { amount: sameAmount(amount) };
      t.advise('CONV-2a', created).fields(whole);
      if (again.status === 200) t.advise('CONV-2a', again).fields(whole);
    }
  },
};

const ORDER_IDS = ['id', 'order_id', 'position_id', 'trading_account_id', 'account_id'];
const ORDER_AMOUNTS = ['volume', 'size', 'price', 'open_price', 'close_price', 'amount'];

export const convOrders: Story = {
  title: 'Ids, volumes and prices of orders are decimal strings, their times epoch milliseconds',
  rules: ['CONV-1a', 'CONV-2a', 'CONV-4'],
  observes: ['NS-1'],
  needs: ['trading_account'],
  async run(t) {
    // NS-1: if no known payload opens one, orders are not tested.
    const opened = await openPosition(t, await t.given.place());
    const expectForms = (order: Answer) => {
      // Which members exist is open; members with these names can only be ids.
      expectEach(t, 'CONV-1a', order, ORDER_IDS, decimalId);
      expectEach(t, 'CONV-2a', order, ORDER_AMOUNTS, decimalString);
      expectEach(t, 'CONV-4', order, ['created_at'], epochMs);
    };
    expectForms(opened.answer);
    await t.branch(['CONV-1a', 'CONV-2a', 'CONV-4'], 'the order that closes it', async () => {
      const { answer: closed } = await closePosition(t, opened);
      expectForms(closed);
      const members = Object.keys(Object(opened.answer.json)).join(', ');
      const [open, close] = [opened.answer.status, closed.status];
      t.observe('NS-1', `open ${open}, close ${close}, answered with {${members}}`, {
        open_position_status: open,
        close_position_status: close,
      });
    });
  },
};

/** At any depth: an answer may wrap the order. An answer without such a member passes too. */
function expectEach(
  t: ScenarioContext,
  rule: RuleId,
  answer: Answer,
  names: readonly string[],
  wanted: typeof decimalId,
): void {
  const named = membersIn(answer.json).filter(([path]) => names.includes(path.at(-1)!));
  const odd = named.find(([, value]) => typeof value !== 'object' && !wanted.test(value));
  const seen = odd === undefined ? undefined : `${odd[0].at(-1)}: ${printJson(odd[1])}`;
  const words = `${names.join(', ')}: each there is ${wanted.words}`;
  t.expect(rule, answer).is(words, odd === undefined, seen);
}

const toNumber = (value: Json) => Number(value);
const abc = () => 'abc';
const andAbc = (value: Json) => `${value}abc`;
const inHexadecimal = (value: Json) => `0x${BigInt(String(value)).toString(16)}`;

/** In a batch the row may fail alone or the whole batch be refused (NS-33); the row must not succeed. */
const noRowLands: Expected = (t, rules, answer) => {
  const landed = answer.isServed && !(Number(answer.at('rows.0.status')) >= 400);
  t.expect(rules, answer).is('no row landed', !landed, answer.text);
};

/** The brand of the credential in another JSON form. */
function brand(change: (value: Json) => Json): Fault {
  return async (t, valid) => {
    const own = t.brandId(t.mainRole) ?? t.pick((await t.given.account()).answer, 'brand_id');
    const brand_id = change(own);
    const { rows, body } = valid;
    if (rows === undefined) return { call: { ...valid, body: { ...body, brand_id } } };
    return { call: { ...valid, rows: [{ ...rows[0], brand_id }] } };
  };
}

/** Lenient number parsers accept all of these ids except the first. */
export const convNumberIds = refusals({
  title: 'An account create with a JSON number for brand_id is refused as unreadable',
  rows: [
    ['CONV-1b', 'createAccount', 'a number', brand(toNumber), 'unreadable'],
    ['CONV-1c', 'createAccount', 'abc', brand(abc), INVALID],
    ['CONV-1c', 'createAccount', 'digits and abc', brand(andAbc), INVALID],
    ['CONV-1c', 'createAccount', 'hexadecimal', brand(inHexadecimal), INVALID],
    ['CONV-1b', 'bulkCreateAccounts', 'a number in a row', brand(toNumber), noRowLands],
  ],
});

const TRADING_ACCOUNT = 'trading_account_id';

export const convIdsOfMoney = refusals({
  title: 'Numbers for the ids of a transaction or position are unreadable; odd strings are 422',
  needs: ['trading_account'],
  rows: [
    ['CONV-1b', 'createTransaction', 'a number', member('account_id', toNumber), 'unreadable'],
    ['CONV-1b', 'createTransaction', 'a number', member(TRADING_ACCOUNT, toNumber), 'unreadable'],
    ['CONV-1c', 'createTransaction', 'abc', member('account_id', abc), INVALID],
    ['CONV-1c', 'createTransaction', 'digits and abc', member('account_id', andAbc), INVALID],
    ['CONV-1c', 'createTransaction', 'abc', member(TRADING_ACCOUNT, abc), INVALID],
    ['CONV-1c', 'createTransaction', 'digits and abc', member(TRADING_ACCOUNT, andAbc), INVALID],
    ['CONV-1b', 'openPosition', 'a number', member(TRADING_ACCOUNT, toNumber), 'unreadable'],
    ['CONV-1c', 'openPosition', 'digits and abc', member(TRADING_ACCOUNT, andAbc), INVALID],
    ['CONV-1b', 'closePosition', 'a number', member(TRADING_ACCOUNT, toNumber), 'unreadable'],
    ['CONV-1c', 'closePosition', 'digits and abc', member(TRADING_ACCOUNT, andAbc), INVALID],
  ],
});

export const convReads: Story = {
  title: 'The read endpoints give record_id and account_id as JSON numbers',
  rules: ['CONV-3'],
  observes: ['NS-2'],
  async run(t) {
    // Creates a transaction so that there is one to read.
    if (t.has('trading_account')) await t.given.transaction(await t.given.place());
    const reads = await findReads(t);
    const seen: string[] = [];
    for (const { shape, answer } of reads) {
      const ids = idsIn(answer.json);
      const names = [...new Set(ids.map(([name]) => name))].sort().join(' and ');
      // Neither ids nor counts, so that two runs on one target report the same.
      seen.push(`${shape}: ${answer.summary}${names === '' ? '' : ` with ${names}`}`);
      for (const name of ['record_id', 'account_id']) {
        const values = ids.filter(([each]) => each === name).map(([, value]) => value);
        if (values.length === 0) continue;
        const odd = values.find((each) => !['number', 'bigint'].includes(typeof each));
        const words = `every ${name} a JSON number`;
        t.expect('CONV-3', answer).is(words, odd === undefined, `${name}: ${printJson(odd)}`);
      }
    }
    const summary = seen.join('; ') || 'no read is served by the paths that were tried';
    t.observe('NS-2', summary);
    if (reads.every(({ answer }) => idsIn(answer.json).length === 0)) {
      t.notTested('CONV-3', `no records were found: ${summary}`);
    }
  },
};

function idsIn(value: Json | undefined): [name: string, value: Json][] {
  const all = membersIn(value).map(([path, each]) => [path.at(-1)!, each] as [string, Json]);
  return all.filter(([name]) => name === 'record_id' || name === 'account_id');
}
