// Attributes findings: if a finding presumes another rule that deviates in the same run, it is
// reported under that rule and not as a deviation of its own.

import { type OperationName, operationOf } from '../../spec/operations.ts';
import { explains, presumedBy } from '../../spec/presumes.ts';
import { apiPathOf } from '../send/client.ts';
import type { Finding, RuleId, ScenarioResult } from '../types.ts';
import { judgeInScenario, withVerdicts } from './verdicts.ts';

/** The same results, with every finding that another one explains marked as blocked. */
export function attribute(results: readonly ScenarioResult[]): ScenarioResult[] {
  const explained = explain(results);
  if (explained.size === 0) return [...results];
  return results.map((result) =>
    result.findings.some((each) => explained.has(each)) ? without(result, explained) : result,
  );
}

/** Presumed rules that no scenario of these results has tested. */
export function unexamined(results: readonly ScenarioResult[]): RuleId[] {
  const examined = new Set(
    results.filter(({ attempts }) => attempts > 0).flatMap(({ rules }) => rules),
  );
  const presumed = results.flatMap(deviating).flatMap(presumptions);
  return [...new Set(presumed)].filter((rule) => !examined.has(rule));
}

interface Deviation {
  readonly finding: Finding;
  readonly scenario: string;
  /** What its evidence is about. */
  readonly operations: readonly OperationName[];
}

interface Explanation {
  readonly rule: RuleId;
  readonly scenario: string;
}

type Explained = ReadonlyMap<Finding, Explanation>;

function deviating({ id, findings, exchanges }: ScenarioResult): Deviation[] {
  return findings
    .filter(({ verdict }) => verdict === 'deviates')
    .map((finding) => {
      const evidence = exchanges.filter(({ n }) => finding.exchanges.includes(n));
      return { finding, scenario: id, operations: operationsOf(evidence) };
    });
}

function operationsOf(exchanges: ScenarioResult['exchanges']): OperationName[] {
  const calls = exchanges.filter(({ kind }) => kind === 'call');
  const names = calls.map(({ request: { method, url } }) => operationOf(method, apiPathOf(url)));
  return [...new Set(names)].filter((name) => name !== undefined);
}

function presumptions({ finding, operations }: Deviation): RuleId[] {
  const { presumes = [], rules } = finding;
  const all = [...presumes, ...presumedBy(rules, operations)];
  return all.filter((rule) => !rules.includes(rule));
}

/**
 * A finding stands if no rule that it presumes deviates. Every other finding is explained by one
 * that stands, directly or through others. Findings that presume each other in a circle stand too:
 * otherwise none of them would be reported.
 */
function explain(results: readonly ScenarioResult[]): Explained {
  const causesOf = causesAmong(results.flatMap(deviating));
  const explained = new Map<Finding, Explanation>();
  for (const each of results.flatMap(deviating)) {
    const behind = [...reach(each, causesOf)];
    const root = behind.find((other) => causesOf(other).length === 0);
    const inCircle = behind.some(({ finding }) => finding === each.finding);
    const cause = root ?? (inCircle ? undefined : behind[0]);
    if (cause === undefined) continue;
    const presumed = presumptions(each);
    const { rules } = cause.finding;
    const rule = rules.find((own) => presumed.includes(own)) ?? rules[0]!;
    explained.set(each.finding, { rule, scenario: cause.scenario });
  }
  return explained;
}

type CausesOf = (from: Deviation) => readonly Deviation[];

function causesAmong(all: readonly Deviation[]): CausesOf {
  const byRule = new Map<RuleId, Deviation[]>();
  for (const each of all) {
    for (const rule of each.finding.rules) {
      const own = byRule.get(rule);
      if (own === undefined) byRule.set(rule, [each]);
      else own.push(each);
    }
  }
  const found = new Map<Finding, readonly Deviation[]>();
  return (from) => {
    const known = found.get(from.finding);
    if (known !== undefined) return known;
    const causes = [...new Set(presumptions(from))].flatMap((rule) =>
      (byRule.get(rule) ?? []).filter(({ operations }) =>
        explains(rule, operations, from.operations),
      ),
    );
    found.set(from.finding, causes);
    return causes;
  };
}

/** All direct and indirect causes of a deviation, the nearest first. */
function reach(from: Deviation, causesOf: CausesOf): Set<Deviation> {
  const seen = new Set<Deviation>(causesOf(from));
  for (const each of seen) for (const further of causesOf(each)) seen.add(further);
  return seen;
}

function without(result: ScenarioResult, explained: Explained): ScenarioResult {
  const findings = result.findings.map((finding): Finding => {
    const cause = explained.get(finding);
    if (cause === undefined) return finding;
    const { rule, scenario } = cause;
    const actual = `${finding.actual} (this rests on ${rule}, which deviates in ${scenario})`;
    return { ...finding, verdict: 'blocked', actual, explainedBy: rule };
  });
  const byRule = { ...result.byRule };
  for (const rule of Object.keys(byRule) as RuleId[]) {
    if (byRule[rule] !== 'deviates') continue;
    byRule[rule] = judgeInScenario(rule, findings, result.ending ?? undefined);
  }
  return withVerdicts({ ...result, findings }, byRule);
}
