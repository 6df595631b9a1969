// Whom a run blames: findings that presuppose other rules, over scenarios, in chains and circles.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Finding, Judged, RuleId, ScenarioResult } from '../types.ts';
import { attribute, unexamined } from './attribute.ts';

interface Found {
  readonly rule: RuleId;
  readonly presumes?: readonly RuleId[];
  readonly verdict?: Judged;
}

function scenario(id: string, ...found: Found[]): ScenarioResult {
  const findings = found.map(
    ({ rule, presumes = [], verdict = 'deviates' }): Finding => ({
      ...{ rules: [rule], verdict, presumes, expected: 'e', actual: 'a', exchanges: [1] },
    }),
  );
  const byRule = Object.fromEntries(
    found.map(({ rule, verdict }) => [rule, verdict ?? 'deviates']),
  );
  return {
    id,
    rules: Object.keys(byRule) as RuleId[],
    verdict: 'deviates',
    byRule,
    findings,
    observations: [],
    exchanges: [],
    why: null,
    ending: null,
    missing: [],
    attempts: 1,
    durationMs: 1,
  };
}

const verdictsOf = (...results: ScenarioResult[]) =>
  Object.assign({}, ...attribute(results).map(({ byRule }) => byRule));

const blame = suite('whom a run blames');

blame('a finding stands where what it presupposes is kept', () => {
  const kept = scenario('a', { rule: 'ACC-5', verdict: 'passed' });
  const found = scenario('b', { rule: 'ACC-2', presumes: ['ACC-5'] });
  assert.equal(verdictsOf(kept, found), { 'ACC-5': 'passed', 'ACC-2': 'deviates' });
});

blame('one that rests on a rule which deviates elsewhere is blocked, and names it', () => {
  const cause = scenario('known', { rule: 'ACC-5' });
  const found = scenario('stored', { rule: 'ACC-2', presumes: ['ACC-5'] });
  assert.equal(verdictsOf(found, cause), { 'ACC-2': 'blocked', 'ACC-5': 'deviates' });
  const [blocked] = attribute([found, cause]);
  assert.is(blocked!.verdict, 'blocked');
  assert.is(blocked!.findings[0]!.explainedBy, 'ACC-5');
  assert.match(blocked!.findings[0]!.actual, 'ACC-5, which deviates in known');
});

blame('other evidence against the same rule stands', () => {
  const cause = scenario('a', { rule: 'ACC-5' });
  const both = scenario('b', { rule: 'ACC-2', presumes: ['ACC-5'] }, { rule: 'ACC-2' });
  assert.is(verdictsOf(cause, both)['ACC-2'], 'deviates');
});

blame('never passed: what was seen to fail is blocked though all else held', () => {
  const cause = scenario('a', { rule: 'ACC-5' });
  const held = scenario(
    'b',
    { rule: 'ACC-2', verdict: 'passed' },
    { rule: 'ACC-2', presumes: ['ACC-5'] },
  );
  assert.is(verdictsOf(cause, held)['ACC-2'], 'blocked');
});

blame('how a scenario ended is not forgotten', () => {
  const cause = scenario('a', { rule: 'ACC-5' });
  const found = scenario('b', { rule: 'ACC-2', presumes: ['ACC-5'] });
  const ended = { ...found, ending: 'harness_error' } as const;
  assert.is(verdictsOf(cause, ended)['ACC-2'], 'harness_error');
});

blame('in a chain only the first is blamed', () => {
  const chain = [
    scenario('c', { rule: 'ACC-2', presumes: ['ACC-5'] }),
    scenario('b', { rule: 'ACC-5', presumes: ['ACC-1'] }),
    scenario('a', { rule: 'ACC-1' }),
  ];
  const wanted = { 'ACC-2': 'blocked', 'ACC-5': 'blocked', 'ACC-1': 'deviates' };
  assert.equal(verdictsOf(...chain), wanted);
  assert.is(attribute(chain)[0]!.findings[0]!.explainedBy, 'ACC-1');
});

blame('a circle is told as it is, because someone must be', () => {
  const circle = [
    scenario('a', { rule: 'ACC-5', presumes: ['ACC-6'] }),
    scenario('b', { rule: 'ACC-6', presumes: ['ACC-5'] }),
  ];
  assert.equal(verdictsOf(...circle), { 'ACC-5': 'deviates', 'ACC-6': 'deviates' });
});

blame('who rests on a circle is explained by it', () => {
  const results = [
    scenario('a', { rule: 'ACC-5', presumes: ['ACC-6'] }),
    scenario('b', { rule: 'ACC-6', presumes: ['ACC-5'] }),
    scenario('c', { rule: 'ACC-2', presumes: ['ACC-5'] }),
  ];
  assert.is(verdictsOf(...results)['ACC-2'], 'blocked');
});

blame('a rule does not explain itself', () => {
  const results = [
    scenario('a', { rule: 'ACC-5' }),
    scenario('b', { rule: 'ACC-5', presumes: ['ACC-5'] }),
  ];
  assert.equal(
    attribute(results).map(({ verdict }) => verdict),
    ['deviates', 'deviates'],
  );
});

blame('no one looked at what is presupposed: it is named, once', () => {
  const found = scenario('b', { rule: 'ACC-2', presumes: ['ACC-5', 'ACC-1', 'ACC-5'] });
  const idle = { ...scenario('a', { rule: 'ACC-5', verdict: 'passed' }), attempts: 0 };
  assert.equal(unexamined([found, idle]), ['ACC-5', 'ACC-1']);
  assert.equal(unexamined([found, { ...idle, attempts: 1 }]), ['ACC-1']);
});

blame.run();
