// How buckets refill, and their maximum.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { defaultSettings } from '../../../fixtures/settings.ts';
import { limitPolicy } from './conforming.ts';

const limits = suite('rate limits');
const { level } = limitPolicy(defaultSettings);

limits('a bucket holds one second of allowance, and at least one request (LIM-2)', () => {
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
    // A clock that moves backwards neither adds nor removes allowance.
    [5, 0, 0],
  ] as const;
  for (const [perSecond, atMs, units] of rows) {
    assert.is(level(empty, perSecond, atMs), units, `${perSecond}/s at ${atMs}`);
  }
});

limits('a bucket that is above a new, lower rate is cut to that rate', () => {
  assert.is(level({ units: 200_000, atMs: 1000 }, 5, 1000), 5000);
});

limits.run();
