// What to add to a target so that more of its rules can be tested, and how many rules each addition
// unlocks.
import { CAPABILITIES, type Capability, isOperatorCapability } from '../capabilities.ts';

interface TargetAddition {
  /** What to add to the profile. */
  add: string;
  /** Rules that become testable with this addition alone. */
  rules: number;
  /** Rules that need this addition and others. */
  with_others: number;
}

const CONTROL_PLANE =
  'a control plane (--control-url), which the sandbox has and a live target does not';

/**
 * Additions, sorted by what they unlock, from the missing capabilities of each untested rule.
 * `refused` has the words for parts that were given, but that the target refuses.
 */
export function suggestAdditions(
  lacking: readonly (readonly Capability[])[],
  refused: Readonly<Partial<Record<Capability, string>>> = {},
): TargetAddition[] {
  const found = new Map<string, TargetAddition>();
  for (const needs of lacking) {
    const all = needs.map((need) =>
      isOperatorCapability(need) ? CONTROL_PLANE : (refused[need] ?? CAPABILITIES[need].add),
    );
    const additions = new Set(all);
    for (const add of additions) {
      const counts = found.get(add) ?? { add, rules: 0, with_others: 0 };
      found.set(add, counts);
      if (additions.size === 1) counts.rules += 1;
      else counts.with_others += 1;
    }
  }
  const plane = found.get(CONTROL_PLANE);
  // A control plane provides all the others.
  const rules = lacking.filter((needs) => needs.length > 0).length;
  if (plane !== undefined) found.set(CONTROL_PLANE, { ...plane, rules, with_others: 0 });
  return [...found.values()].sort((a, b) => b.rules - a.rules || b.with_others - a.with_others);
}
