// Attribution of findings that presume other rules: across scenarios, in chains and cycles.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { exchangeOf, resultOf } from '../testing/exchanges.ts';
import type { Exchange, Finding, Judged, RuleId, ScenarioResult } from '../types.ts';
import { attribute, followRefusals, unexamined } from './attribute.ts';

/** `ACC-5`: this rule deviates; `ACC-5 passed`: an expectation about it passed. */
type Found = RuleId | `${RuleId} passed`;

function scenario(id: string, ...found: Found[]): ScenarioResult {
  const findings = found.map((each): Finding => {
    const [rule, verdict = 'deviates'] = each.split(' ') as [RuleId, Judged?];
    return { rules: [rule], verdict, expected: 'e', actual: 'a', exchanges: [1] };
  });
  const byRule = Object.fromEntries(findings.map(({ rules: [rule], verdict }) => [rule, verdict]));
  return resultOf(id, byRule, { verdict: 'deviates', findings });
}

const verdictsOf = (...results: ScenarioResult[]) =>
  Object.assign({}, ...attribute(results).map(({ byRule }) => byRule));

const blame = suite('attribution of findings');

// ACC-13 presumes ACC-5 and ACC-1, ACC-5 presumes ACC-7, ACC-1 presumes ACC-18. BULK-3 presumes
// BULK-8, BULK-8 presumes BULK-12, BULK-12 presumes BULK-3; BULK-7 presumes them.
const ROWS: readonly (readonly [
  words: string,
  scenarios: readonly Found[][],
  verdicts: Partial<Record<RuleId, Judged>>,
])[] = [
  [
    'a finding stands if the rules that it presumes pass',
    [['ACC-5 passed'], ['ACC-13']],
    { 'ACC-5': 'passed', 'ACC-13': 'deviates' },
  ],
  [
    'a finding that presumes a deviating rule is blocked',
    [['ACC-13'], ['ACC-5']],
    { 'ACC-13': 'blocked', 'ACC-5': 'deviates' },
  ],
  [
    'an explained failure blocks its rule, even if other expectations passed',
    [['ACC-5'], ['ACC-13 passed', 'ACC-13']],
    { 'ACC-5': 'deviates', 'ACC-13': 'blocked' },
  ],
  [
    'only the first rule of a chain deviates',
    [['ACC-13'], ['ACC-1'], ['ACC-18']],
    { 'ACC-13': 'blocked', 'ACC-1': 'blocked', 'ACC-18': 'deviates' },
  ],
  [
    'a circle is reported unchanged, and explains the findings that presume it',
    [['BULK-3'], ['BULK-8'], ['BULK-12'], ['BULK-7']],
    { 'BULK-3': 'deviates', 'BULK-8': 'deviates', 'BULK-12': 'deviates', 'BULK-7': 'blocked' },
  ],
  ['a rule does not explain itself', [['ACC-5'], ['ACC-5']], { 'ACC-5': 'deviates' }],
];
for (const [words, scenarios, verdicts] of ROWS) {
  blame(words, () => {
    assert.equal(verdictsOf(...scenarios.map((each, at) => scenario(`${at}`, ...each))), verdicts);
  });
}

blame('a blocked finding names the first rule of its chain', () => {
  const [, , chained] = attribute(
    (['ACC-18', 'ACC-1', 'ACC-13'] as const).map((rule) => scenario(`s-${rule}`, rule)),
  );
  assert.is(chained!.verdict, 'blocked');
  assert.is(chained!.findings[0]!.explainedBy, 'ACC-18');
  assert.match(chained!.findings[0]!.actual, 'ACC-18, which deviates in s-ACC-18');
});

blame('if a finding has two rules, only the rule with a deviating precondition is blocked', () => {
  const found = scenario('b', 'ACC-13', 'ACC-2');
  const both = { ...found, findings: [{ ...found.findings[0]!, rules: found.rules }] };
  const wanted = { 'ACC-5': 'deviates', 'ACC-13': 'blocked', 'ACC-2': 'deviates' };
  assert.equal(verdictsOf(scenario('a', 'ACC-5'), both), wanted);
});

blame('the early end of a scenario still counts', () => {
  const ended = { ...scenario('b', 'ACC-13'), ending: 'harness_error' } as const;
  assert.is(verdictsOf(scenario('a', 'ACC-5'), ended)['ACC-13'], 'harness_error');
});

// The scenario lists IDEM-4b too, and returned or ended at the deviation before it expected anything.
const unreached: [name: string, ending: Judged | null, findings: object, verdict: Judged][] = [
  ['returned after a deviation', null, {}, 'blocked'],
  ['ended at a deviation', 'blocked', { endsScenario: true }, 'blocked'],
  ['failed in a control after a deviation', 'blocked', {}, 'blocked'],
  ['was cut off after a deviation', 'inconclusive', { endsScenario: true }, 'inconclusive'],
  ['took a path without expectations', null, { verdict: 'passed' }, 'inconclusive'],
];
for (const [name, ending, over, verdict] of unreached) {
  blame(`what a scenario did not reach that ${name}`, () => {
    const found = scenario('a', 'IDEM-4a');
    const isCause = verdict === 'blocked' && name !== 'failed in a control after a deviation';
    const unseen = { 'IDEM-4a': 'deviates', 'IDEM-4b': ending ?? 'inconclusive' } as const;
    const findings = [{ ...found.findings[0]!, ...over }];
    const [result] = attribute([{ ...found, byRule: unseen, findings, ending }]);
    assert.is(result!.byRule['IDEM-4b'], verdict);
    assert.is(result!.findings[1]?.explainedBy, isCause ? 'IDEM-4a' : undefined);
  });
}

function about(...exchanges: Exchange[]): ScenarioResult {
  const found = scenario('found', 'ACC-2');
  const { n } = exchanges.at(-1)!;
  return { ...found, findings: [{ ...found.findings[0]!, exchanges: [n] }], exchanges };
}

blame('an account that is read back presumes ACC-5, a replay and a first create do not', () => {
  const cause = scenario('cause', 'ACC-5');
  const create = (n: number, key: string, name: string) =>
    exchangeOf({ n, key, body: { client_reference_id: name }, status: n === 1 ? 201 : 200 });
  const read = about(create(1, 'k1', 'a'), create(2, 'k2', 'a'));
  assert.is(verdictsOf(cause, read)['ACC-2'], 'blocked');
  const replay = about(create(1, 'k1', 'a'), create(2, 'k1', 'a'));
  const other = about(create(1, 'k1', 'a'), create(2, 'k2', 'b'));
  for (const each of [replay, other]) assert.is(verdictsOf(cause, each)['ACC-2'], 'deviates');
});

const failures: [string, path: string, string, Judged, isSame: boolean, restsOn?: RuleId][] = [
  ['refused in the same way', '/transactions/8/cancel', 'no reason 17', 'blocked', true],
  ['failing in the same way', '/transactions/8/cancel', 'no reason 17', 'inconclusive', true],
  ['refused with other words', '/transactions/8/cancel', 'no money', 'blocked', false],
  ['of another operation', '/transactions/8/approve', 'no reason 17', 'blocked', false],
  [
    'that rests on the same rule',
    '/transactions/8/approve',
    'no reason 17',
    'blocked',
    true,
    'ACC-2',
  ],
];
for (const [name, path, detail, ending, isSame, ...restsOn] of failures) {
  blame(`what waits for a setup ${name} as a deviation follows from it: ${isSame}`, () => {
    const refused = (n: number, path: string, detail: string) =>
      exchangeOf({ n, path, key: 'k', status: 422, answer: { code: 'validation_failed', detail } });
    const cause = about(refused(1, '/transactions/7/cancel', 'no reason 16'));
    const waiting = {
      ...scenario('waiting', 'TXS-9', 'TXS-5'),
      ...{ exchanges: [refused(4, path, detail)], ending, endedAt: 4, why: 'w', restsOn },
    };
    const byRule = { 'TXS-9': ending, 'TXS-5': ending } as const;
    const findings = [{ ...waiting.findings[0]!, verdict: ending, exchanges: [4], restsOn }];
    const results = [cause, { ...waiting, byRule, findings } as unknown as ScenarioResult];
    const followed = followRefusals(results)[1]!;
    const causes = ['TXS-9', 'TXS-5'].map(
      (rule) => followed.findings.find(({ rules: [own] }) => own === rule)?.explainedBy,
    );
    assert.equal(causes, isSame ? ['ACC-2', 'ACC-2'] : [undefined, undefined]);
    assert.is(followed.byRule['TXS-5'], isSame ? 'blocked' : ending);
  });
}

blame('a refusal without a code presumes ERR-1a', () => {
  const cause = scenario('cause', 'ERR-1a');
  const bare = about(exchangeOf({ status: 422 }));
  const coded = about(exchangeOf({ status: 422, answer: { code: 'invalid' } }));
  assert.is(verdictsOf(cause, bare)['ACC-2'], 'blocked');
  assert.is(verdictsOf(cause, coded)['ACC-2'], 'deviates');
});

blame('a presumed rule that no scenario has tested is named once', () => {
  const found = scenario('b', 'ACC-12', 'ACC-13');
  const idle = { ...scenario('a', 'ACC-5 passed'), attempts: 0 };
  const presumed = unexamined([found, idle]);
  assert.is(presumed.filter((rule) => rule === 'ACC-5').length, 1);
  assert.not(unexamined([found, { ...idle, attempts: 1 }]).includes('ACC-5'));
});

blame.run();
