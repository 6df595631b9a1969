// IDEM-6: a passing failure that is repeated under its key is the fault of the key, not of a limit.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { answered } from '../testing/outcomes.ts';
import { keptFailureAt } from './blame.ts';
import type { Shown } from './found.ts';

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
    const first = answered(`${status}`, { sent: [['idempotency-key', 'k']] });
    const second = answered(`${again}`, { n: 2, sent: [['idempotency-key', key]] });
    const outcomes = new Map([first, second].map((each) => [each.n, each]));
    const recorded = { target: { outcomes } } as unknown as Shown['recorded'];
    assert.equal(keptFailureAt(recorded, 2), rules);
  });
}

blame.run();
