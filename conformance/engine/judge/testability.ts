// What to add to a target so that more of its rules can be tested, and how many rules each addition
// unlocks.
import { CAPABILITIES, type Capability, isOperatorCapability } from '../capabilities.ts';

export const CONTROL_PLANE =
  'a control plane (--control-url), which the sandbox has and a live target does not';

/**
 * Additions, sorted by what they unlock, from the missing capabilities of each untested rule: `rules`
 * become testable with it alone, `with_others` need more. `refused` has the words for parts that were
 * given, but that the target refuses.
 */
export function suggestAdditions(
  lacking: readonly (readonly Capability[])[],
  refused: Readonly<Partial<Record<Capability, string>>> = {},
) {
  const nameOf = (need: Capability) => {
    if (isOperatorCapability(need)) return CONTROL_PLANE;
    // A receiver has a public URL.
    return refused[need] ?? CAPABILITIES[need === 'public_url' ? 'receiver' : need].add;
  };
  const wanted = lacking.map((needs) => new Set(needs.map(nameOf))).filter(({ size }) => size > 0);
  const additions = [...new Set(wanted.flatMap((names) => [...names]))].map((add) => {
    // A control plane provides all the others.
    if (add === CONTROL_PLANE) return { add, rules: wanted.length, with_others: 0 };
    const own = wanted.filter((names) => names.has(add));
    const rules = own.filter(({ size }) => size === 1).length;
    return { add, rules, with_others: own.length - rules };
  });
  return additions.sort((a, b) => b.rules - a.rules || b.with_others - a.with_others);
}
