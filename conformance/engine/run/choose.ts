// Which scenarios a run plays, and why the others are left out.
import type { Capability } from '../capabilities.ts';
import type { RuleId, Scenario, ScenarioResult } from '../types.ts';
import { notPlayed } from './play-scenario.ts';
import { EVERYTHING, type Selection, selectedRules } from './selection.ts';

export interface SelectedScenario {
  readonly scenario: Scenario;
  readonly rules: readonly RuleId[];
}

export interface Choice {
  readonly chosen: readonly SelectedScenario[];
  /** A result for each of the others. */
  readonly left: readonly ScenarioResult[];
}

interface ChoiceOptions {
  readonly scenarios: readonly Scenario[];
  readonly selection?: Selection;
  readonly offers: ReadonlySet<Capability>;
  /** What was given and is of no use. */
  readonly lost?: ReadonlySet<Capability> | undefined;
}

export function chooseScenarios(options: ChoiceOptions): Choice {
  const chosen: SelectedScenario[] = [];
  const left: ScenarioResult[] = [];
  for (const scenario of options.scenarios) {
    const rules = selectedRules(scenario, options.selection ?? EVERYTHING);
    const missing = missingCapabilities(scenario, options.offers);
    if (rules.length === 0) left.push(notPlayed(scenario, [], 'not_tested', 'not selected'));
    else if (!isNeeded(scenario, options)) {
      left.push(notPlayed(scenario, [], 'not_tested', 'others show the same with more means'));
    } else if (missing.length > 0) {
      const lost = missing.filter((need) => options.lost?.has(need));
      const why = 'the target offers too little';
      left.push(notPlayed(scenario, rules, 'not_tested', why, missing, lost));
    } else chosen.push({ scenario, rules });
  }
  return { chosen, left };
}

export function missingCapabilities(
  { needs = [] }: Scenario,
  offers: ReadonlySet<Capability>,
): Capability[] {
  return needs.filter((need) => !offers.has(need));
}

/** One that stands in for others is needed where one of those cannot be played. */
function isNeeded({ standsInFor }: Scenario, { scenarios, offers }: ChoiceOptions): boolean {
  if (standsInFor === undefined) return true;
  return scenarios.some(
    (each) => standsInFor.includes(each.id) && missingCapabilities(each, offers).length > 0,
  );
}

/** What the selected scenarios may take: nothing else of a target need be looked at beforehand. */
export function neededCapabilities(
  scenarios: readonly Scenario[],
  selection: Selection,
): ReadonlySet<Capability> {
  const selected = scenarios.filter((each) => selectedRules(each, selection).length > 0);
  return new Set(selected.flatMap(({ needs = [] }) => needs));
}
