// CONV-2: amounts are decimal strings, taken as such and answered with no precision lost.

import { sameAmount } from '../../engine/judge/matchers.ts';
import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import type { RequestBody } from '../../engine/send/client.ts';
import type { Scenario } from '../../engine/types.ts';

export const convAmounts: Scenario = {
  id: 'conv-amounts',
  title: 'The string form of an amount is always accepted, and answered with no precision lost',
  rules: ['CONV-2a', 'CONV-2b'],
  needs: ['trading_account'],
  async run(t) {
    const place = await t.given.place();
    // TXN-6 judges whether the method may be left out.
    const send = (amount: string, over: RequestBody = {}) =>
      t.api.createTransaction(t.newTransaction(place, { amount, ...over }));
    for (const amount of ['25', '25.5', '25.10', '0.01', '1000000.00', '9007199254740.93']) {
      const plain = await send(amount);
      const made = plain.status < 300 ? plain : await send(amount, { method: 'Deposit' });
      t.expect('CONV-2b', made).status(201, 200);
      if (made.status < 300) t.expect('CONV-2a', made).field('amount', sameAmount(amount));
    }
    // NS-27: a negative amount may be refused; one that is taken keeps its sign.
    const negative = await send('-7.25', { method: 'Withdrawal', transaction_type: 'Withdrawal' });
    if (negative.status < 300) t.expect('CONV-2a', negative).field('amount', sameAmount('-7.25'));
    // Whether there is room for more digits than a double holds is open; best they are kept.
    for (const amount of [
      '12345678901234567.89',
      '9007199254740993',
      '1.005',
      '0.00000001',
      '98765432109876543210.123456789012345678',
    ]) {
      const body = t.newTransaction(place, { amount });
      const made = await t.api.createTransaction(body);
      if (made.status >= 300) continue;
      const again = await t.api.createTransaction(body);
      const whole = { amount: sameAmount(amount) };
      t.advise('CONV-2a', made).fields(whole);
      if (again.status === 200) t.advise('CONV-2a', again).fields(whole);
    }
    if (t.has('fresh_trading_account')) await expectKeptByApproval(t);
  },
};

/** A small part of a cent outlives the booking as well. */
async function expectKeptByApproval(t: ScenarioContext): Promise<void> {
  const place = await t.given.freshPlace();
  const made = await t.api.createTransaction(t.newTransaction(place, { amount: '25.005' }));
  if (made.status >= 300) return;
  const approved = await t.api.approveTransaction(t.pick(made, 'id'), place.account_id);
  if (approved.status === 200) t.advise('CONV-2a', approved).field('amount', sameAmount('25.005'));
}
