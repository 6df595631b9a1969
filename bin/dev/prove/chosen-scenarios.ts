// The scenarios that the proof plays, and those that it cannot use.
import { scenarios } from '../../../conformance/scenarios/all.ts';

/** Scenarios that are not played, each with the reason. */
export const unplayed: Readonly<Record<string, string>> = {
  'lim-firm-in-real-time': 'it is only for targets whose clock cannot be moved',
  'evt-real-time': 'it is only for targets whose clock cannot be moved',
};

/** Scenarios that no deviation of this simulator can trip, each with the reason. */
export const untrippable: Readonly<Record<string, string>> = {
  'idem-key-spaces': 'HTTP removes the spaces around a header value before a service sees it',
  'idem-reference-in-a-crowd':
    'the core is synchronous, so this simulator cannot lose a race for a reference',
};

export const playedScenarios = scenarios.filter(({ id }) => !(id in unplayed));

/** The scenarios that carry one of these rules (all when `null`), and others by name. */
export const scenariosOf = (ruleIds: readonly string[] | null, names: readonly string[] = []) =>
  playedScenarios.filter(
    ({ id, rules }) =>
      ruleIds === null || names.includes(id) || rules.some((rule) => ruleIds.includes(rule)),
  );
