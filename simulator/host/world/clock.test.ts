// The clock of a world when the wall clock is set.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Clock } from './clock.ts';

const clocks = suite('clock');

clocks('a wall clock that is set back never moves it back, and it continues at its rate', () => {
  let wallMs = 1_000_000;
  const clock = new Clock({ mode: 'real', nowMs: null }, () => wallMs);
  wallMs += 500;
  assert.is(clock.nowMs(), 1_000_500);
  wallMs -= 3_600_000;
  assert.is(clock.nowMs(), 1_000_500);
  wallMs += 250;
  assert.is(clock.nowMs(), 1_000_750);
  clock.set('real', 2_000_000, 2);
  wallMs -= 10_000;
  assert.is(clock.nowMs(), 2_000_000);
  wallMs += 100;
  assert.is(clock.nowMs(), 2_000_200);
});

clocks.run();
