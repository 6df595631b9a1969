// What to add to a target so that more of its rules can be tested, and how many each addition
// unlocks.

import { CAPABILITIES, type Capability, isOperatorCapability } from '../capabilities.ts';

import type { Scenario } from '../types.ts';
import { judgeRule, notPlayed, type RuleWords } from './verdicts.ts';

export interface TargetAddition {
  /** What to add, in the words of a profile. */
  readonly add: string;
  readonly needs: readonly Capability[];
  /** Rules that become testable with it alone. */
  readonly rules: number;
  /** Rules that take it and something else besides. */
  readonly withOthers: number;
}

const CONTROL_PLANE =
  'a control plane (--control-url), which the sandbox has and a live target not';

/** Additions by what they unlock; those that unlock nothing are left out. */
export function suggestAdditions(
  rules: readonly RuleWords[],
  scenarios: readonly Scenario[],
  offers: ReadonlySet<Capability>,
): TargetAddition[] {
  const lacking = rules.filter((rule) => !isTestable(rule, scenarios, offers));
  const missing = (Object.keys(CAPABILITIES) as Capability[]).filter((need) => !offers.has(need));
  const profile = new Set(missing.filter((need) => !isOperatorCapability(need)));
  const found = [...profile].map((need): TargetAddition => {
    const alone = new Set([...offers, need]);
    // With all of a profile, then without this one: what it has a part in.
    const rest = new Set([...offers, ...profile].filter((each) => each !== need));
    const all = new Set([...offers, ...profile]);
    const own = lacking.filter((rule) => isTestable(rule, scenarios, alone));
    const shared = lacking.filter(
      (rule) =>
        !own.includes(rule) &&
        isTestable(rule, scenarios, all) &&
        !isTestable(rule, scenarios, rest),
    );
    return {
      add: CAPABILITIES[need].add,
      needs: [need],
      rules: own.length,
      withOthers: shared.length,
    };
  });
  const powers = missing.filter(isOperatorCapability);
  if (powers.length > 0) {
    // A control plane makes everything else by itself.
    const everything = new Set(Object.keys(CAPABILITIES) as Capability[]);
    const own = lacking.filter((rule) => isTestable(rule, scenarios, everything));
    found.push({ add: CONTROL_PLANE, needs: powers, rules: own.length, withOthers: 0 });
  }
  return found
    .filter(({ rules, withOthers }) => rules + withOthers > 0)
    .sort((a, b) => b.rules - a.rules || b.withOthers - a.withOthers);
}

/** Whether the scenarios could come to a verdict on a rule on a target that offers so much. */
function isTestable(
  rule: RuleWords,
  scenarios: readonly Scenario[],
  offers: ReadonlySet<Capability>,
): boolean {
  const own = scenarios.filter((each) => each.rules.includes(rule.id));
  const results = own.map((scenario) => {
    const lacks = (scenario.needs ?? []).filter((need) => !offers.has(need));
    if (lacks.length > 0) return notPlayed(scenario, [rule.id], 'not_tested', '', lacks);
    return notPlayed(scenario, [rule.id], 'passed', '');
  });
  return judgeRule(rule, results).verdict === 'passed';
}
