// Which ledgers of two trading accounts are equal: the entries of each transaction, in its own order.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { LedgerEntry } from '../../providers/target.ts';
import { compareLedgers } from './judge.ts';
import { type Comparing, Match } from './sides.ts';

const ledgers = suite('ledgers compared');

/** `A 25, - 3`: transaction A moved 25, and 3 were booked without a transaction. */
function outcomeOf(text: string) {
  const entries = text.split(', ').map((line): LedgerEntry => {
    const [id = '', amount = ''] = line.split(' ');
    return { transaction_id: id === '-' ? null : id, amount, kind: 'transaction' };
  });
  const balance = String(entries.reduce((sum, { amount }) => sum + Number(amount), 0));
  return { kind: 'ledger', n: 9, balance, entries } as const;
}

/** `target` names transactions in capitals, `model` in small letters; X and x are new in this call. */
function compare(target: string, model: string, ...unsettled: readonly string[]) {
  const match = new Match();
  for (const name of ['a', 'b', 'c']) match.pair('transaction', name.toUpperCase(), name);
  const comparing = { match } as Comparing;
  return compareLedgers(outcomeOf(target), outcomeOf(model), new Set(unsettled), comparing);
}

const ALIKE: readonly (readonly [words: string, target: string, model: string, ...string[]])[] = [
  ['NS-3: of two transactions either is booked first', 'B 100, A 25, A -25', 'a 25, b 100, a -25'],
  ['NS-27: which way the first goes is open', 'B 100, A -25, A 25', 'a 25, b 100, a -25'],
  ['what stands for none yet is paired in order', 'A 25, - 3, X 7', 'x 7, a 25, - 3'],
  ['NS-3: what is on its way is not booked', 'B 100', 'a 25, b 100', 'a'],
  ['NS-3: or it is booked already', 'A 25, B 100', 'b 100', 'a'],
];
for (const [words, ...row] of ALIKE) ledgers(words, () => assert.is(compare(...row), null));

ledgers('a difference in one transaction is found at any position', () => {
  for (const target of ['B 25, A 100', 'A 25, A 25, B 100']) {
    assert.is(compare(target, 'a 25, b 100')?.at, 'entries', target);
  }
  assert.is(compare('A 25, - 3, X 8', 'x 7, a 25, - 3')?.at, 'entries');
  assert.is(compare('B 100, A 26', 'a 25, b 100')?.target, '26, 100');
  assert.is(compare('A 25', 'a 25, b 100')?.model, '25, 100');
});

ledgers.run();
