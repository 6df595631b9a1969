// Which scenarios a run plays, by globs over rule and scenario ids and by what the target offers.
import type { Provider } from '../../providers/target.ts';
import type { Capability } from '../capabilities.ts';
import { notPlayed } from '../judge/verdicts.ts';
import type { RuleId, Scenario, ScenarioResult } from '../types.ts';

export interface Selection {
  readonly only: readonly string[];
  readonly skip: readonly string[];
}

export const EVERYTHING: Selection = { only: [], skip: [] };

/** The selected rules of a scenario; empty if it need not run. */
export function selectedRules(scenario: Scenario, { only, skip }: Selection): RuleId[] {
  if (matchesAny(skip, scenario.id)) return [];
  const isWhole = only.length === 0 || matchesAny(only, scenario.id);
  return scenario.rules.filter(
    (rule) => (isWhole || matchesAny(only, rule)) && !matchesAny(skip, rule),
  );
}

/** Whether a selection of rules includes this one, by its own id. */
export function isSelected(rule: string, { only, skip }: Selection): boolean {
  return !matchesAny(skip, rule) && (only.length === 0 || matchesAny(only, rule));
}

/** Globs that match no id: most likely a typing error. */
export function unmatchedGlobs(globs: readonly string[], ids: readonly string[]): string[] {
  return globs.filter((glob) => !ids.some(globTest(glob)));
}

/** `*` matches any characters, `?` one; case does not matter. */
export function globTest(glob: string): (id: string) => boolean {
  const escaped = glob.replace(/[.+^${}()|[\]\\]/g, '\\$&');
  const pattern = new RegExp(`^${escaped.replaceAll('*', '.*').replaceAll('?', '.')}$`, 'i');
  return (id) => pattern.test(id);
}

function matchesAny(globs: readonly string[], id: string): boolean {
  return globs.some((glob) => globTest(glob)(id));
}

export interface SelectedScenario {
  readonly scenario: Scenario;
  readonly rules: readonly RuleId[];
}

/** `lost` are the capabilities that were configured but do not work. */
type Offers = Pick<Provider, 'offers' | 'lost'>;

/**
 * The scenarios to play, and a result for each of those left out. Scenarios of the profile family
 * have no rules; they are played earlier.
 */
export function chooseScenarios(
  scenarios: readonly Scenario[],
  selection: Selection,
  { offers, lost: configured }: Offers,
) {
  const chosen: SelectedScenario[] = [];
  const left: ScenarioResult[] = [];
  for (const scenario of scenarios.filter((each) => each.rules.length > 0)) {
    const rules = selectedRules(scenario, selection);
    const missing = missingCapabilities(scenario, offers);
    if (rules.length === 0) left.push(notPlayed(scenario, [], 'not_tested', 'not selected'));
    else if (!isNeeded(scenario, scenarios, offers)) {
      left.push(notPlayed(scenario, [], 'not_tested', 'others show the same with more means'));
    } else if (missing.length > 0) {
      const lost = missing.filter((need) => configured?.has(need));
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

/** A scenario that replaces others is needed if one of those cannot run. */
function isNeeded(
  { standsInFor }: Scenario,
  scenarios: readonly Scenario[],
  offers: Provider['offers'],
): boolean {
  if (standsInFor === undefined) return true;
  return scenarios.some(
    (each) => standsInFor.includes(each.id) && missingCapabilities(each, offers).length > 0,
  );
}

/** The needs of the selected scenarios: only these parts of a profile are checked first. */
export function neededCapabilities(
  scenarios: readonly Scenario[],
  selection: Selection,
): ReadonlySet<Capability> {
  const selected = scenarios.filter((each) => selectedRules(each, selection).length > 0);
  return new Set(selected.flatMap(({ needs = [] }) => needs));
}
