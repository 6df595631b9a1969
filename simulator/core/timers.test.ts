// Checks the heap of timers against a plain sort, with equal times and with pops between pushes.
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { popTimer, pushTimer, type Timer, type TimerHeap } from './timers.ts';

const timers = suite('timers');

/** A number pushes a timer due then; null pops one. */
const commands = fc.array(fc.option(fc.nat(20), { freq: 4 }), { maxLength: 80 });

timers('the earliest comes first, and of equal ones the one set first', () => {
  fc.assert(
    fc.property(commands, (given) => {
      const heap: TimerHeap = [];
      const list: Timer[] = [];
      const pop = () => {
        list.sort((a, b) => a.dueAtMs - b.dueAtMs || a.sequence - b.sequence);
        assert.equal(popTimer(heap), list.shift());
      };
      for (const [sequence, dueAtMs] of given.entries()) {
        if (dueAtMs === null) pop();
        else {
          const timer: Timer = { dueAtMs, sequence, kind: 'settle', ref: `${sequence}` };
          pushTimer(heap, timer);
          list.push(timer);
        }
      }
      while (list.length > 0) pop();
      assert.is(popTimer(heap), undefined);
    }),
    { numRuns: 500 },
  );
});

timers.run();
