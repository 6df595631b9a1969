// IDEM-6: a passing failure that is repeated under its key is the fault of the key, not of a limit.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { keptFailureAt } from './blame.ts';
import type { Shown } from './found.ts';

const answered = (n: number, status: number, key: string) => {
  return [n, { kind: 'answer', n, status, sent: { headers: [['idempotency-key', key]] } }] as const;
};

const ROWS: readonly (readonly [status: number, again: number, key: string, rules: string[]])[] = [
  [429, 429, 'k', ['IDEM-6a']],
  [503, 503, 'k', ['IDEM-6b']],
  [500, 500, 'k', ['IDEM-6c']],
  [429, 429, 'another', []],
  [429, 500, 'k', []],
  [422, 422, 'k', []],
];

const blame = suite('blame');

for (const [status, again, key, rules] of ROWS) {
  blame(`${status}, then ${again} under ${key === 'k' ? 'the same' : 'another'} key`, () => {
    const outcomes = new Map([answered(1, status, 'k'), answered(2, again, key)]);
    const recorded = { target: { outcomes } } as unknown as Shown['recorded'];
    assert.equal(keptFailureAt(recorded, 2), rules);
  });
}

blame.run();
