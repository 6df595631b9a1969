// Checks the order of timers against a plain sort.
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { addTimer, type Timer } from './timers.ts';

const timers = suite('timers');

timers('timers fire in order of time, and equal times in the order they were set', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(20)), (dueTimes) => {
      const all = dueTimes.map(
        (dueAtMs, sequence): Timer => ({ dueAtMs, sequence, kind: 'settle', ref: `${sequence}` }),
      );
      const ordered: Timer[] = [];
      for (const timer of all) addTimer(ordered, timer);
      all.sort((a, b) => a.dueAtMs - b.dueAtMs || a.sequence - b.sequence);
      assert.equal(ordered, all);
    }),
  );
});

timers.run();
