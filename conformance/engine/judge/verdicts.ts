// The algebra of verdicts: from findings to a scenario, from scenarios to a rule, from rules to the
// run, from the run to its exit code.
import { CAPABILITIES, type Capability, nameInProfile } from '../capabilities.ts';
import type {
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
  const seen = worst(
    findings.filter((each) => each.rules.includes(rule)).map((each) => each.verdict),
  );
  // The scenario may have skipped every expectation of this rule, which proves nothing.
  if (seen === 'deviates' || ending === undefined) return seen ?? unseen;
  return seen === undefined ? ending : worst([seen, ending])!;
}

/** The result with these verdicts of its rules, and the worst of them as its verdict. */
export function withVerdicts(
  result: Omit<ScenarioResult, 'byRule' | 'verdict'>,
  byRule: ScenarioResult['byRule'],
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
  return Object.fromEntries(
    scenario.rules.map((rule) => [rule, selected.includes(rule) ? judge(rule) : 'not_selected']),
  );
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

/** The verdict of one rule over all its scenarios. */
export function judgeRule(
  { id, needs }: { readonly id: RuleId; readonly needs: readonly string[] },
  results: readonly ScenarioResult[],
) {
  const own = results.filter((each) => each.rules.includes(id));
  const wordOf = (need: Capability) => CAPABILITIES[need].coarse;
  const isOwnNeed = (need: Capability) => needs.includes(wordOf(need));
  const replaced = own
    .filter(({ attempts }) => attempts > 0)
    .flatMap(({ standsInFor = [] }) => standsInFor);
  const verdicts: Judged[] = [];
  const missing = new Set<Capability>();
  const lost = new Set<Capability>();
  for (const result of own) {
    const verdict = result.byRule[id];
    if (verdict === undefined || verdict === 'not_selected') continue;
    if (verdict === 'not_tested' && result.attempts === 0 && replaced.includes(result.id)) continue;
    if (verdict === 'not_tested' && result.missing.length > 0) {
      for (const need of result.missing) missing.add(need);
      for (const need of result.lost ?? []) lost.add(need);
      // A scenario that needs more than the rule itself does not weaken the results of others.
      if (!result.missing.some(isOwnNeed)) continue;
    }
    verdicts.push(verdict);
  }
  const unselected = own.length > 0 && own.every((each) => each.byRule[id] === 'not_selected');
  const verdict: Verdict = worst(verdicts) ?? (unselected ? 'not_selected' : 'not_tested');
  const wanting = verdict === 'not_tested' ? [...missing] : [];
  return {
    id,
    verdict,
    scenarios: own.map((each) => each.id),
    /** In the catalogue's words. */
    needs: [...new Set(wanting.map(wordOf))],
    /** What to add to a profile so that the rule can be tested. */
    unlock: wanting.map((need): string => CAPABILITIES[need].add),
    /** The missing capabilities that the rule itself needs. */
    lacks: wanting.some(isOwnNeed) ? wanting.filter(isOwnNeed) : wanting,
    /** Of the missing ones, those that were configured but do not work. */
    lost: wanting.filter((need) => lost.has(need)).map(nameInProfile),
    findings: own.flatMap((result) =>
      result.findings
        .filter((each) => each.rules.includes(id) && each.verdict !== 'passed')
        .map((each) => ({ ...each, scenario: result.id })),
    ),
  };
}

/** The verdict of the whole run. Rules that were not selected do not count. */
export function judgeRun(
  given: readonly { readonly verdict: Verdict; readonly reason?: string | null }[],
  strict = false,
): RunVerdict {
  // A rule that the baseline accepts as untested does not make the run incomplete.
  const rules = given.filter(({ verdict, reason }) => verdict !== 'not_tested' || reason == null);
  const has = (...some: Verdict[]) => rules.some(({ verdict }) => some.includes(verdict));
  if (has('deviates') || (strict && has('advisory', 'known'))) return 'deviates';
  if (has('harness_error') || !has('passed', 'known', 'advisory')) return 'invalid';
  return has('blocked', 'inconclusive', 'not_tested') ? 'incomplete' : 'conformant';
}

/** The exit codes that scripts rely on. */
export const EXIT_CODES = {
  conformant: 0,
  deviates: 1,
  usage: 2,
  ungraded: 3,
  incomplete: 4,
  harness: 5,
  staleBaseline: 6,
  interrupted: 130,
} as const;

/** What the exit code of a run depends on. */
export interface RunOutcome {
  readonly verdict: RunVerdict;
  readonly summary: Readonly<Pick<Record<Verdict, number>, 'harness_error'>>;
  readonly interrupted: boolean;
  /** Entries of a baseline that no longer deviate. */
  readonly stale: number;
  /** Rules that are open although the target offers the required capabilities. */
  readonly hindered?: number;
}

/** The exit code for the most urgent outcome of a run; always 130 if it was interrupted. */
export function exitCode(outcome: RunOutcome, allowIncomplete = false): number {
  if (outcome.interrupted) return EXIT_CODES.interrupted;
  if (outcome.verdict === 'deviates') return EXIT_CODES.deviates;
  if (outcome.summary.harness_error > 0) return EXIT_CODES.harness;
  if (outcome.verdict === 'invalid') return EXIT_CODES.ungraded;
  if (outcome.stale > 0) return EXIT_CODES.staleBaseline;
  const isForgiven = allowIncomplete && (outcome.hindered ?? 0) === 0;
  if (outcome.verdict === 'incomplete' && !isForgiven) return EXIT_CODES.incomplete;
  return EXIT_CODES.conformant;
}

/** Rules that --allow-incomplete does not accept: blocked, inconclusive, or needs are broken. */
export function countHindered(
  rules: readonly { readonly verdict: Verdict; readonly lost: readonly string[] }[],
): number {
  const isHindered = (verdict: Verdict) => verdict === 'blocked' || verdict === 'inconclusive';
  return rules.filter(({ verdict, lost }) => isHindered(verdict) || lost.length > 0).length;
}
