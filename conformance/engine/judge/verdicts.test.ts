// The algebra of verdicts as tables: findings to scenario, scenarios to rule, rules to run, run to
// exit code.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Capability } from '../capabilities.ts';
import { resultOf } from '../testing/exchanges.ts';
import type { Finding, Judged, RunVerdict, ScenarioResult, Verdict } from '../types.ts';
import {
  exitCode,
  judgeInScenario,
  judgeRule,
  judgeRun,
  type RunOutcome,
  worst,
} from './verdicts.ts';

const finding = (verdict: Judged, rule: 'ACC-1' | 'ACC-2' = 'ACC-1'): Finding => ({
  ...{ rules: [rule], verdict, expected: 'e', actual: 'a', exchanges: [1] },
});

type Parts = Partial<ScenarioResult>;
const result = (id: string, verdict: Judged | 'not_selected', parts: Parts = {}) =>
  resultOf(id, { 'ACC-1': verdict }, parts);

const lacking = (id: string, ...missing: Capability[]) => result(id, 'not_tested', { missing });

const algebra = suite('the algebra of verdicts');

const MILDEST_FIRST: readonly Judged[] = [
  ...(['passed', 'advisory', 'not_tested', 'inconclusive'] as const),
  ...(['blocked', 'harness_error', 'deviates'] as const),
];

algebra('the worst of several verdicts decides', () => {
  assert.is(worst([]), undefined);
  MILDEST_FIRST.forEach((own, at) => {
    for (const milder of MILDEST_FIRST.slice(0, at)) assert.is(worst([milder, own]), own);
  });
});

const IN_SCENARIO: [
  name: string,
  findings: Finding[],
  ending: Judged | undefined,
  verdict: Judged,
][] = [
  ['held to the end', [finding('passed')], undefined, 'passed'],
  ['one miss among hits', [finding('passed'), finding('deviates')], undefined, 'deviates'],
  ['nothing was expected', [], undefined, 'inconclusive'],
  ['another rule’s hits show nothing', [finding('passed', 'ACC-2')], undefined, 'inconclusive'],
  ['ended early after hits', [finding('passed')], 'blocked', 'blocked'],
  ['ended early after a miss', [finding('deviates')], 'blocked', 'deviates'],
  ['ended early before anything', [], 'inconclusive', 'inconclusive'],
  ['a fault of the scenario', [finding('passed')], 'harness_error', 'harness_error'],
  ['wanted something late', [finding('passed')], 'not_tested', 'not_tested'],
  ['advice', [finding('passed'), finding('advisory')], undefined, 'advisory'],
];
for (const [name, findings, ending, verdict] of IN_SCENARIO) {
  algebra(`a rule in a scenario: ${name}: ${verdict}`, () => {
    assert.is(judgeInScenario('ACC-1', findings, ending), verdict);
  });
}

const passed = result('a', 'passed');
const unplayed = lacking('b', 'clock');
const OVER_SCENARIOS: [
  name: string,
  needs: string[],
  results: ScenarioResult[],
  verdict: Verdict,
][] = [
  ['no scenario', [], [], 'not_tested'],
  ['all passed', [], [passed, result('b', 'passed')], 'passed'],
  ['one deviates', [], [passed, result('b', 'deviates')], 'deviates'],
  ['one blocked', [], [passed, result('b', 'blocked')], 'blocked'],
  ['blocked and deviates', [], [result('a', 'blocked'), result('b', 'deviates')], 'deviates'],
  ['none selected', [], [result('a', 'not_selected')], 'not_selected'],
  ['one selected', [], [result('a', 'not_selected'), result('b', 'passed')], 'passed'],
  ['lacking everything', ['clock'], [unplayed], 'not_tested'],
  ['depth beyond the rule’s needs is lacking', [], [passed, unplayed], 'passed'],
  ['a need of the rule itself is lacking', ['clock'], [passed, unplayed], 'not_tested'],
  ['only depth, and it is lacking', [], [unplayed], 'not_tested'],
  ['interrupted before it', [], [passed, result('b', 'not_tested')], 'not_tested'],
];
for (const [name, needs, results, verdict] of OVER_SCENARIOS) {
  algebra(`a rule over scenarios: ${name}: ${verdict}`, () => {
    assert.is(judgeRule({ id: 'ACC-1', needs }, results).verdict, verdict);
  });
}

algebra('a rule that is not tested says what to add', () => {
  const judged = judgeRule({ id: 'ACC-1', needs: ['roles'] }, [lacking('a', 'brand', 'no_scopes')]);
  assert.equal(judged.needs, ['roles']);
  assert.is(judged.unlock.length, 2);
  assert.match(judged.unlock[0]!, 'credentials.brand');
});

const RUNS: [verdicts: Verdict[], strict: boolean, verdict: RunVerdict][] = [
  [['passed'], false, 'conformant'],
  [['passed', 'not_selected'], false, 'conformant'],
  [['passed', 'known', 'advisory'], false, 'conformant'],
  [['known'], false, 'conformant'],
  [['passed', 'known'], true, 'deviates'],
  [['passed', 'advisory'], true, 'deviates'],
  [['passed', 'deviates', 'harness_error', 'blocked'], false, 'deviates'],
  [['passed', 'harness_error'], false, 'invalid'],
  [['passed', 'not_tested'], false, 'incomplete'],
  [['passed', 'blocked'], false, 'incomplete'],
  [['passed', 'inconclusive'], false, 'incomplete'],
  [['not_tested', 'blocked', 'inconclusive'], false, 'invalid'],
  [['not_selected'], false, 'invalid'],
  [[], false, 'invalid'],
];
for (const [verdicts, strict, verdict] of RUNS) {
  algebra(`a run of ${verdicts.join(', ') || 'nothing'}${strict ? ', strict' : ''}`, () => {
    const rules = verdicts.map((each) => ({ verdict: each }));
    assert.is(judgeRun(rules, strict), verdict);
  });
}

const BROKEN = { harness_error: 1 };
const EXITS: [
  verdict: RunVerdict,
  over: Partial<RunOutcome> & { allow?: boolean },
  code: number,
][] = [
  ['conformant', {}, 0],
  ['deviates', {}, 1],
  ['invalid', {}, 3],
  ['incomplete', {}, 4],
  ['incomplete', { allow: true }, 0],
  ['incomplete', { allow: true, hindered: 1 }, 4],
  ['invalid', { allow: true }, 3],
  ['invalid', { summary: BROKEN }, 5],
  ['conformant', { stale: 1 }, 6],
  ['incomplete', { stale: 1 }, 6],
  ['incomplete', { stale: 1, allow: true }, 6],
  ['deviates', { stale: 1, summary: BROKEN }, 1],
  ['conformant', { interrupted: true }, 130],
  ['deviates', { interrupted: true }, 130],
  ['invalid', { interrupted: true, summary: BROKEN }, 130],
];
for (const [verdict, { allow, ...over }, code] of EXITS) {
  algebra(`exit ${code}: ${verdict} ${JSON.stringify({ ...over, allow })}`, () => {
    const plain = { summary: { harness_error: 0 }, interrupted: false, stale: 0 };
    assert.is(exitCode({ verdict, ...plain, ...over }, allow), code);
  });
}

algebra('a substitute scenario counts instead of its scenario, and of no other', () => {
  const [unplayed, other] = ['deep', 'other'].map((id) => ({
    ...lacking(id, 'clock'),
    attempts: 0,
  }));
  const stand = (verdict: Judged, attempts = 1) =>
    result('stand', verdict, { standsInFor: ['deep'], attempts });
  const judge = (...all: (ScenarioResult | undefined)[]) =>
    judgeRule(
      { id: 'ACC-1', needs: ['clock'] },
      all.map((each) => each!),
    ).verdict;
  assert.is(judge(unplayed), 'not_tested');
  assert.is(judge(unplayed, stand('passed')), 'passed');
  assert.is(judge(unplayed, stand('deviates')), 'deviates');
  assert.is(judge(unplayed, stand('inconclusive')), 'inconclusive');
  assert.is(judge(unplayed, other, stand('passed')), 'not_tested');
  assert.is(judge(unplayed, stand('not_tested', 0)), 'not_tested');
});

algebra.run();
