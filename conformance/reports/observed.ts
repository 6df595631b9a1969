// The target's behaviour where the specification is open, next to the simulator's choice, and the
// config file that makes the simulator do the same.
import { isDeepStrictEqual } from 'node:util';
import { questions } from '../../fixtures/questions.ts';
import { defaultSettings, parseSettings, type SettingKey } from '../../fixtures/settings.ts';
import type { Observation, RuleId, Scenario, ScenarioResult } from '../engine/types.ts';
import type { ReportObserved } from './report.ts';

/**
 * The observations of these scenarios. A scenario in which a rule deviates shows nothing of an open
 * question: the deviation may look like one of its answers.
 */
export function soundObservations(results: readonly ScenarioResult[]): Observation[] {
  const sound = results.flatMap((each) => (causeIn(each) === undefined ? each.observations : []));
  const known = new Set(sound.map(({ id }) => id));
  const doubtful = results.flatMap((each) => {
    const text = `not known, because ${causeIn(each)} deviates`;
    const open = each.observations.filter(({ id }) => !known.has(id));
    return open.map(({ id }): Observation => ({ id, text, settings: {} }));
  });
  return [...sound, ...doubtful];
}

/** The rule that a finding of the scenario breaks, or rests on. */
function causeIn({ findings }: ScenarioResult): RuleId | undefined {
  const causes = findings.map(({ verdict, rules: [rule], explainedBy }) =>
    verdict === 'deviates' ? rule : explainedBy,
  );
  return causes.find((each) => each !== undefined);
}

/** One row for each question that some scenario observes, by number. */
export function observedRows(
  scenarios: readonly Scenario[],
  seen: readonly Observation[],
): ReportObserved[] {
  const visible = new Set(scenarios.flatMap((each) => each.observes ?? []));
  return questions
    .filter(({ id }) => visible.has(id) || seen.some((each) => each.id === id))
    .map(({ id, question, choice }) => {
      const own = seen.filter((each) => each.id === id);
      const settings = agreed(own);
      const texts = [...new Set(own.map((each) => each.text))];
      const observed = texts.length === 0 ? null : texts.join('; ');
      const same = sameAsSimulator(own);
      // If the settings agree, the simulator would be described in the same words.
      const simulator = same === true && observed !== null ? observed : choice;
      return { id, question, observed, simulator, same, settings };
    });
}

/** Settings that have the same value in every observation. */
function agreed(observations: readonly Observation[]): Record<string, unknown> {
  const found = new Map<string, unknown[]>();
  for (const { settings } of observations) {
    for (const [key, value] of Object.entries(settings)) {
      if (value === undefined) continue;
      const values = found.get(key) ?? [];
      if (!values.some((each) => isDeepStrictEqual(each, value))) values.push(value);
      found.set(key, values);
    }
  }
  const agreeing = [...found].filter(([, values]) => values.length === 1);
  return Object.fromEntries(agreeing.map(([key, [value]]) => [key, value]));
}

function sameAsSimulator(observations: readonly Observation[]): boolean | null {
  const pairs = observations
    .flatMap(({ settings }) => Object.entries(settings))
    .filter(([, value]) => value !== undefined);
  if (observations.some(({ isUnlike }) => isUnlike)) return false;
  if (pairs.length === 0) return null;
  return pairs.every(([key, value]) =>
    isDeepStrictEqual(defaultSettings[key as SettingKey], withoutOwnNames(value)),
  );
}

/** Drops the entries of a map of names that map a name to itself. */
function withoutOwnNames(value: unknown): unknown {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([key, name]) => key !== name));
}

/**
 * The JSON of a `sandbox.config.json` with which the simulator answers the open questions as the
 * target did, and the behaviour that it cannot imitate, with the reason.
 */
export function observedConfig(rows: readonly ReportObserved[]) {
  let settings: Record<string, unknown> = {};
  const dropped: string[] = [];
  for (const row of rows) {
    for (const [key, value] of Object.entries(row.settings)) {
      const with_ = { ...settings, [key]: value };
      const problem = parseSettings(with_).problems?.[0];
      if (problem === undefined) settings = with_;
      else dropped.push(`${row.id}: ${problem.field} ${problem.message}`);
    }
  }
  return { config: { settings }, dropped };
}
