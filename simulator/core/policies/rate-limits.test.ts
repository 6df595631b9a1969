// Checks the buckets: how they fill, how far, and what a refusal says of the wait.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { defaultSettings } from '../../../fixtures/settings.ts';
import type { Credential } from '../records.ts';
import { limitPolicy } from './conforming.ts';

const limits = suite('limits');
const { level, headers, rate } = limitPolicy(defaultSettings);

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

limits('a refusal names whole seconds that suffice (LIM-6, LIM-7)', () => {
  for (const [waitMs, seconds] of [
    [1, '1'],
    [1000, '1'],
    [1001, '2'],
    [0, '1'],
  ] as const) {
    const told = headers(5, waitMs);
    assert.is(told['retry-after'], seconds, `${waitMs} ms`);
    assert.is(told['x-ratelimit-reset'], seconds);
  }
  assert.is(headers(50, 1)['x-ratelimit-limit'], '50');
  assert.is(headers(50, 1)['x-ratelimit-remaining'], '0');
});

limits(
  'plans, own limits, and the Sandbox rate of what is delegated (LIM-1, LIM-4, LIM-10)',
  () => {
    const credential = (more: Partial<Credential>) =>
      rate({ kind: 'server', plan: 'sandbox', rate_per_second: null, ...more } as Credential);
    assert.is(credential({}), 5);
    assert.is(credential({ plan: 'standard' }), 50);
    assert.is(credential({ plan: 'pro' }), 200);
    assert.is(credential({ plan: 'pro', rate_per_second: 7 }), 7);
    assert.is(credential({ plan: 'pro', kind: 'delegated' }), 5);
  },
);

limits.run();
