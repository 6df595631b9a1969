// What to add to a target so that more of its rules can be tested, and how many each addition
// unlocks.

import {
  CAPABILITIES,
  type Capability,
  isOperatorCapability,
  reportedCapability,
} from '../capabilities.ts';
import type { Scenario } from '../types.ts';
import type { RuleWords } from './verdicts.ts';

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
  const scenariosOf = new Map(
    rules.map((rule) => [rule, scenarios.filter((each) => each.rules.includes(rule.id))]),
  );
  const testableWith = (own: ReadonlySet<Capability>) => (rule: RuleWords) =>
    isTestable(rule, scenariosOf.get(rule)!, own);
  const isTestableNow = testableWith(offers);
  const lacking = rules.filter((rule) => !isTestableNow(rule));
  const missing = (Object.keys(CAPABILITIES) as Capability[]).filter((need) => !offers.has(need));
  const profile = new Set(missing.filter((need) => !isOperatorCapability(need)));
  const found = [...profile].map((need): TargetAddition => {
    const alone = new Set([...offers, need]);
    // With all of a profile, then without this one: what it has a part in.
    const rest = new Set([...offers, ...profile].filter((each) => each !== need));
    const [withAll, withRest] = [
      testableWith(new Set([...offers, ...profile])),
      testableWith(rest),
    ];
    const own = lacking.filter(testableWith(alone));
    const shared = lacking.filter(
      (rule) => !own.includes(rule) && withAll(rule) && !withRest(rule),
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
    const own = lacking.filter(testableWith(everything));
    found.push({ add: CONTROL_PLANE, needs: powers, rules: own.length, withOthers: 0 });
  }
  return found
    .filter(({ rules, withOthers }) => rules + withOthers > 0)
    .sort((a, b) => b.rules - a.rules || b.withOthers - a.withOthers);
}

/** Whether the scenarios of a rule could come to a verdict on it on a target that offers so much. */
function isTestable(
  { needs: ruleNeeds }: RuleWords,
  own: readonly Scenario[],
  offers: ReadonlySet<Capability>,
): boolean {
  const lacks = own.map(({ needs = [] }) => needs.filter((need) => !offers.has(need)));
  // A scenario that needs more than the rule itself takes nothing from what others show.
  const blocking = lacks.flat().some((need) => ruleNeeds.includes(reportedCapability(need)));
  return !blocking && lacks.some((each) => each.length === 0);
}
