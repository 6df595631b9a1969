// The algebra of verdicts: from findings to a scenario, from scenarios to a rule, from rules to the
// run.
import {
  CAPABILITIES,
  type Capability,
  nameInProfile,
  reportedCapability,
} from '../capabilities.ts';
import type {
  ByRule,
  Finding,
  Judged,
  RuleId,
  RunVerdict,
  Scenario,
  ScenarioResult,
  Verdict,
} from '../types.ts';

/** Worst first: a rule's verdict is the worst of its expectations. */
const WORST_FIRST: readonly Judged[] = [
  'deviates',
  'harness_error',
  'blocked',
  'inconclusive',
  'not_tested',
  'advisory',
  'passed',
];

export function worst(verdicts: Iterable<Judged>): Judged | undefined {
  const seen = new Set(verdicts);
  return WORST_FIRST.find((each) => seen.has(each));
}

/**
 * The verdict of one rule in one scenario. `ending` says how the scenario ended early, if it did: a
 * rule that passed so far might have failed later, so it is not passed.
 */
export function judgeInScenario(
  rule: RuleId,
  findings: readonly Finding[],
  ending: Judged | undefined,
  unseen: Judged = 'inconclusive',
): Judged {
  const own = findings.filter((each) => each.rules.includes(rule)).map((each) => each.verdict);
  const seen = worst(own);
  if (seen === 'deviates') return 'deviates';
  if (ending !== undefined) return worst(seen === undefined ? [ending] : [seen, ending])!;
  // The scenario skipped every expectation of this rule, which proves nothing.
  return seen ?? unseen;
}

/** The result with these verdicts of its rules, and the worst of them as its verdict. */
export function withVerdicts(
  result: Omit<ScenarioResult, 'byRule' | 'verdict'>,
  byRule: ByRule,
): ScenarioResult {
  const judged = Object.values(byRule).filter((each) => each !== 'not_selected');
  return { ...result, byRule, verdict: worst(judged) ?? 'not_selected' };
}

/** The verdict of each rule of a scenario; rules that were left out have none. */
export function judgeEach(
  scenario: Scenario,
  selected: readonly RuleId[],
  judge: (rule: RuleId) => Judged,
): Partial<Record<RuleId, Judged | 'not_selected'>> {
  const verdicts = scenario.rules.map((rule) => {
    return [rule, selected.includes(rule) ? judge(rule) : 'not_selected'];
  });
  return Object.fromEntries(verdicts);
}

/** The result of a scenario that could not start, for example because a capability is missing. */
export function notPlayed(
  scenario: Scenario,
  selected: readonly RuleId[],
  verdict: Judged,
  why: string,
  missing: readonly Capability[] = [],
  lost: readonly Capability[] = [],
): ScenarioResult {
  const { id, rules } = scenario;
  const nothing = { findings: [], observations: [], exchanges: [], attempts: 0, durationMs: 0 };
  const byRule = judgeEach(scenario, selected, () => verdict);
  return withVerdicts({ ...nothing, id, rules, why, missing, lost }, byRule);
}

interface RuleWords {
  readonly id: RuleId;
  readonly needs: readonly string[];
}

/** The verdict of one rule over all its scenarios. */
export function judgeRule(rule: RuleWords, results: readonly ScenarioResult[]) {
  const own = results.filter((each) => each.rules.includes(rule.id));
  const verdicts: Judged[] = [];
  const isOwnNeed = (need: Capability) => rule.needs.includes(reportedCapability(need));
  const missing = new Set<Capability>();
  const lost = new Set<Capability>();
  const replaced = new Set(
    own.filter(({ attempts }) => attempts > 0).flatMap(({ standsInFor = [] }) => standsInFor),
  );
  for (const result of own) {
    const verdict = result.byRule[rule.id];
    if (verdict === undefined || verdict === 'not_selected') continue;
    if (verdict === 'not_tested' && result.attempts === 0 && replaced.has(result.id)) continue;
    if (verdict === 'not_tested' && result.missing.length > 0) {
      for (const need of result.missing) missing.add(need);
      for (const need of result.lost ?? []) lost.add(need);
      // A scenario that needs more than the rule itself does not weaken the results of others.
      if (!result.missing.some(isOwnNeed)) continue;
    }
    verdicts.push(verdict);
  }
  const unselected = own.length > 0 && own.every((each) => each.byRule[rule.id] === 'not_selected');
  const verdict: Verdict = worst(verdicts) ?? (unselected ? 'not_selected' : 'not_tested');
  const wanting = verdict === 'not_tested' ? [...missing] : [];
  const findings = own.flatMap((result) =>
    result.findings
      .filter((each) => each.rules.includes(rule.id) && each.verdict !== 'passed')
      .map((each) => ({ ...each, scenario: result.id })),
  );
  return {
    id: rule.id,
    verdict,
    scenarios: own.map((each) => each.id),
    /** In the catalogue's words. */
    needs: [...new Set(wanting.map(reportedCapability))],
    /** What to add to a profile so that the rule can be tested. */
    unlock: wanting.map((need): string => CAPABILITIES[need].add),
    /** The missing capabilities that the rule itself needs. */
    lacks: wanting.some(isOwnNeed) ? wanting.filter(isOwnNeed) : wanting,
    /** Of the missing ones, those that were configured but do not work. */
    lost: wanting.filter((need) => lost.has(need)).map(nameInProfile),
    findings,
  };
}

/** The verdict of the whole run. Rules that were not selected do not count. */
export function judgeRun(
  given: readonly { readonly verdict: Verdict; readonly reason?: string | null }[],
  strict = false,
): RunVerdict {
  // A rule that the baseline accepts as untested does not make the run incomplete.
  const rules = given.filter(({ verdict, reason }) => verdict !== 'not_tested' || reason == null);
  const seen = new Set(rules.map((each) => each.verdict));
  if (seen.has('deviates')) return 'deviates';
  if (strict && (seen.has('advisory') || seen.has('known'))) return 'deviates';
  if (seen.has('harness_error')) return 'invalid';
  if (!seen.has('passed') && !seen.has('known') && !seen.has('advisory')) return 'invalid';
  const open: Verdict[] = ['blocked', 'inconclusive', 'not_tested'];
  return open.some((each) => seen.has(each)) ? 'incomplete' : 'conformant';
}
