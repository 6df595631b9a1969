// Checks the life of a transaction cell by cell against the table of the specification.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { findRule } from '../../../fixtures/rules.ts';
import { type Transition, type Trigger, transitionTable } from './transitions.ts';

const moves = suite('transaction moves');

// Status, then what approve, reject, cancel and settle make of it; = unchanged, x refused.
const table = `
  pending   approved  rejected  cancelled x
  approved  =         x         x         settled
  settled   =         x         cancelled =
  rejected  x         =         x         x
  cancelled x         x         =         x
`;
const triggers: readonly Trigger[] = ['approve', 'reject', 'cancel', 'settle'];

moves('every cell is as it is written', () => {
  for (const line of table.trim().split('\n')) {
    const [status = '', ...cells] = line.trim().split(/\s+/);
    const row: Readonly<Record<Trigger, Transition>> =
      transitionTable[status as keyof typeof transitionTable];
    for (const [index, cell] of cells.entries()) {
      const move = row[triggers[index] as Trigger];
      const shown = {
        move: () => (move as { to: string }).to,
        unchanged: () => '=',
        refused: () => 'x',
      };
      assert.is(shown[move.kind](), cell, `${triggers[index]} a ${status} one`);
      assert.ok(move.cites.length > 0);
      for (const id of move.cites) assert.ok(/^NS-/.test(id) || findRule(id), id);
    }
  }
});

moves('money moves with settlement, and back with the cancelling of what was settled', () => {
  assert.ok(transitionTable.approved.settle.books);
  assert.ok(transitionTable.settled.cancel.compensates);
  assert.is(transitionTable.settled.cancel.scope, 'transactions:amend');
  assert.ok(transitionTable.pending.approve.refusesProviderPayout);
  const all = Object.values(transitionTable).flatMap((row) => Object.values(row) as Transition[]);
  assert.is(all.filter((move) => move.kind === 'move' && move.books).length, 1);
  assert.is(all.filter((move) => move.kind === 'move' && move.compensates).length, 1);
});

moves.run();
