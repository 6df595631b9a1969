// Globs select scenarios and rules, and a glob without a match is reported.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Scenario } from '../types.ts';
import { globTest, isSelected, selectedRules } from './select.ts';

const scenario: Scenario = {
  ...{ id: 'bulk-sizes', title: 't', rules: ['BULK-1', 'BULK-6'], run: async () => {} },
};

const select = suite('select');

const GLOBS: [glob: string, id: string, matches: boolean][] = [
  ['IDEM-4b', 'IDEM-4b', true],
  ['idem-4B', 'IDEM-4b', true],
  ['IDEM-4*', 'IDEM-4b', true],
  ['IDEM-4?', 'IDEM-4b', true],
  ['IDEM-4', 'IDEM-4b', false],
  ['IDEM-1', 'IDEM-11', false],
  ['*', 'x', true],
  ['a.c', 'abc', false],
  ['a(b', 'a(b', true],
  ['[ab]', 'a', false],
];
for (const [glob, id, matches] of GLOBS) {
  select(`${glob} ${matches ? 'matches' : 'does not match'} ${id}`, () => {
    assert.is(globTest(glob)(id), matches);
  });
}

const SELECTIONS: [only: string[], skip: string[], rules: string[]][] = [
  [[], [], ['BULK-1', 'BULK-6']],
  [['bulk-*'], [], ['BULK-1', 'BULK-6']],
  [['BULK-6'], [], ['BULK-6']],
  [['ACC-*'], [], []],
  [[], ['BULK-6'], ['BULK-1']],
  [[], ['bulk-sizes'], []],
  [['bulk-sizes'], ['BULK-1'], ['BULK-6']],
  [['BULK-6', 'BULK-1'], ['BULK-*'], []],
];
for (const [only, skip, rules] of SELECTIONS) {
  select(`only ${only} skip ${skip}: ${rules}`, () => {
    assert.equal(selectedRules(scenario, { only, skip }), rules);
  });
}

select('a rule without a scenario is selected by its own id', () => {
  for (const only of [[], ['LIM-*']]) assert.ok(isSelected('LIM-1', { only, skip: [] }));
  assert.not.ok(isSelected('LIM-1', { only: ['ACC-*'], skip: [] }));
  assert.not.ok(isSelected('LIM-1', { only: [], skip: ['LIM-1'] }));
});

select.run();
