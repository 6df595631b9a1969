// Checks the buckets: how they fill, and how far.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { defaultSettings } from '../../../fixtures/settings.ts';
import { limitPolicy } from './conforming.ts';

const limits = suite('limits');
const { level } = limitPolicy(defaultSettings);

limits('one second of allowance gathers, and never less than one request (LIM-2)', () => {
  assert.is(level(undefined, 5, 1000), 5000);
  assert.is(level(undefined, 0.5, 1000), 1000);
  const empty = { units: 0, atMs: 1000 };
  const rows = [
    [5, 1000, 0],
    [5, 1199, 995],
    [5, 1200, 1000],
    [5, 2000, 5000],
    [5, 9_999_999, 5000],
    [0.5, 3000, 1000],
    [200, 1005, 1000],
    // A clock that went back gives nothing and takes nothing.
    [5, 0, 0],
  ] as const;
  for (const [perSecond, atMs, units] of rows) {
    assert.is(level(empty, perSecond, atMs), units, `${perSecond}/s at ${atMs}`);
  }
});

limits('a bucket that is fuller than a new, lower rate allows is cut to that', () => {
  assert.is(level({ units: 200_000, atMs: 1000 }, 5, 1000), 5000);
});

limits.run();
