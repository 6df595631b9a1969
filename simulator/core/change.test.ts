// Checks the order of timers against a plain sort.
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { evolve } from './change.ts';
import { createWorld } from './world.ts';

test('timers fire in order of time, and equal times in the order they were set', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(20)), (dueTimes) => {
      const options = { allowLocalWebhooks: false };
      const world = createWorld({ name: 'default', seed: '1', startedAtMs: 0, options });
      const all = dueTimes.map((dueAtMs, at) => ({
        dueAtMs,
        kind: 'settle' as const,
        ref: `${at}`,
      }));
      evolve(
        world,
        all.map((timer) => ({ type: 'timer', ...timer })),
      );
      const ordered = all.toSorted((a, b) => a.dueAtMs - b.dueAtMs);
      assert.equal(
        world.timers.map(({ ref }) => ref),
        ordered.map(({ ref }) => ref),
      );
    }),
  );
});

test.run();
