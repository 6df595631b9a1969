// Chooses what to run by globs over rule and scenario ids.
import type { RuleId, Scenario } from '../types.ts';

export interface Selection {
  readonly only: readonly string[];
  readonly skip: readonly string[];
}

export const EVERYTHING: Selection = { only: [], skip: [] };

/** The rules of a scenario that are selected; empty when it need not run. */
export function selectedRules(scenario: Scenario, { only, skip }: Selection): RuleId[] {
  const skips = skip.map(globTest);
  if (skips.some((test) => test(scenario.id))) return [];
  const wants = only.map(globTest);
  const whole = wants.length === 0 || wants.some((test) => test(scenario.id));
  return scenario.rules.filter(
    (rule) => (whole || wants.some((test) => test(rule))) && !skips.some((test) => test(rule)),
  );
}

/** `*` stands for any run of characters, `?` for one; case does not matter. */
export function globTest(glob: string): (id: string) => boolean {
  const escaped = glob.replace(/[.+^${}()|[\]\\]/g, '\\$&');
  const pattern = new RegExp(`^${escaped.replaceAll('*', '.*').replaceAll('?', '.')}$`, 'i');
  return (id) => pattern.test(id);
}

/** Whether a selection that names rules would take this one, by its own id. */
export function isSelected(rule: string, { only, skip }: Selection): boolean {
  if (skip.some((glob) => globTest(glob)(rule))) return false;
  return only.length === 0 || only.some((glob) => globTest(glob)(rule));
}

/** Globs that stand for no rule and no scenario: a typing error, most likely. */
export function unmatchedGlobs(globs: readonly string[], ids: readonly string[]): string[] {
  return globs.filter((glob) => !ids.some(globTest(glob)));
}
