// Whose fault it is: a finding that presupposes another rule is no evidence against its own where
// that other rule deviates in the same run.

import type { Finding, Judged, RuleId, ScenarioResult } from '../types.ts';
import { judgeInScenario, worst } from './verdicts.ts';

/** The same results, with every finding that another one explains taken for what it is: blocked. */
export function attribute(results: readonly ScenarioResult[]): ScenarioResult[] {
  const explained = explain(results);
  if (explained.size === 0) return [...results];
  return results.map((result) =>
    result.findings.some((each) => explained.has(each)) ? without(result, explained) : result,
  );
}

/** What presupposed rules are about that no scenario of these results has looked at. */
export function unexamined(results: readonly ScenarioResult[]): RuleId[] {
  const examined = new Set(
    results.filter(({ attempts }) => attempts > 0).flatMap(({ rules }) => rules),
  );
  const presumed = results.flatMap(deviating).flatMap(({ finding }) => presumptions(finding));
  return [...new Set(presumed)].filter((rule) => !examined.has(rule));
}

interface Deviation {
  readonly finding: Finding;
  readonly scenario: string;
}

interface Explanation {
  readonly rule: RuleId;
  readonly scenario: string;
}

type Explained = ReadonlyMap<Finding, Explanation>;

function deviating({ id, findings }: ScenarioResult): Deviation[] {
  return findings
    .filter(({ verdict }) => verdict === 'deviates')
    .map((finding) => ({ finding, scenario: id }));
}

function presumptions({ presumes = [], rules }: Finding): RuleId[] {
  return presumes.filter((rule) => !rules.includes(rule));
}

/**
 * A finding stands when no rule that it presupposes deviates. Every other is explained by those
 * that stand, through however many in between. Those that presuppose each other in a circle stand
 * too: else nobody would be told.
 */
function explain(results: readonly ScenarioResult[]): Explained {
  const causesOf = causesAmong(results.flatMap(deviating));
  const explained = new Map<Finding, Explanation>();
  for (const each of results.flatMap(deviating)) {
    const behind = [...reach(each.finding, causesOf)];
    const root = behind.find(({ finding }) => causesOf(finding).length === 0);
    const inCircle = behind.some(({ finding }) => finding === each.finding);
    const cause = root ?? (inCircle ? undefined : behind[0]);
    if (cause === undefined) continue;
    const presumed = presumptions(each.finding);
    const { rules } = cause.finding;
    const rule = rules.find((own) => presumed.includes(own)) ?? rules[0]!;
    explained.set(each.finding, { rule, scenario: cause.scenario });
  }
  return explained;
}

type CausesOf = (finding: Finding) => readonly Deviation[];

function causesAmong(all: readonly Deviation[]): CausesOf {
  const byRule = new Map<RuleId, Deviation[]>();
  for (const each of all) {
    for (const rule of each.finding.rules) {
      const own = byRule.get(rule);
      if (own === undefined) byRule.set(rule, [each]);
      else own.push(each);
    }
  }
  return (finding) => presumptions(finding).flatMap((rule) => byRule.get(rule) ?? []);
}

/** Everything that is behind one, at whatever distance, the nearest first. */
function reach(from: Finding, causesOf: CausesOf): Set<Deviation> {
  const seen = new Set<Deviation>(causesOf(from));
  for (const { finding } of seen) for (const further of causesOf(finding)) seen.add(further);
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
  const judged = Object.values(byRule).filter((each): each is Judged => each !== 'not_selected');
  return { ...result, findings, byRule, verdict: worst(judged) ?? 'not_selected' };
}
