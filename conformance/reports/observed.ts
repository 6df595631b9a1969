// The target's behaviour where the specification is open, next to the simulator's choice, and the
// config file that makes the simulator do the same.
import { isDeepStrictEqual } from 'node:util';
import { questions } from '../../fixtures/questions.ts';
import { defaultSettings, parseSettings, type SettingKey } from '../../fixtures/settings.ts';
import type { Observation, QuestionId, RuleId, Scenario, ScenarioResult } from '../engine/types.ts';
import type { ReportObserved } from './report.ts';

interface Seen extends Observation {
  /** A deviation hides what the target does. */
  readonly isUnknown?: true;
}

/**
 * The observations of these scenarios. A scenario in which a rule deviates shows nothing of an open
 * question: the deviation may look like one of its answers.
 */
export function soundObservations(results: readonly ScenarioResult[]): Seen[] {
  const sound = results.flatMap((each) => (causeIn(each) === undefined ? each.observations : []));
  const known = new Set(sound.map(({ id }) => id));
  const doubtful = results.flatMap((each) => {
    const text = `not known, because ${causeIn(each)} deviates`;
    const open = each.observations.filter(({ id }) => !known.has(id));
    return open.map(({ id }): Seen => ({ id, text, settings: {}, isUnknown: true }));
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

/** What the simulator shows where no setting imitates a target, in the words of the scenarios. */
const SIMULATOR_SHOWS: Readonly<Partial<Record<QuestionId, readonly string[]>>> = {
  'NS-5': ['5 of 5 made-up statuses taken'],
  'NS-29': ['the ETag of the first response'],
  'NS-30': ['an unreadable body is not kept under its key'],
  'NS-51': ['X-RateLimit-Limit: 10 at the token endpoint'],
  'NS-59': ['refusals count', 'replays count'],
  'NS-61': ['after a second rotation these sign: the newest, the one before'],
};

/** One row for each question that some scenario observes, by number. */
export function observedRows(
  scenarios: readonly Scenario[],
  seen: readonly Seen[],
): ReportObserved[] {
  const visible = new Set(scenarios.flatMap((each) => each.observes ?? []));
  return questions
    .filter(({ id }) => visible.has(id) || seen.some((each) => each.id === id))
    .map(({ id, question, choice }) => {
      const own = seen.filter((each) => each.id === id);
      const values = own.flatMap(({ settings }) =>
        Object.entries(settings).filter(([, value]) => value !== undefined),
      );
      const texts = [...new Set(own.map((each) => each.text))];
      const observed = texts.length === 0 ? null : texts.join('; ');
      const same = isLikeSimulator(own, values);
      // If both do the same, the simulator would be described in the same words.
      const simulator = same === true && observed !== null ? observed : choice;
      return { id, question, observed, simulator, same, settings: agreed(values) };
    });
}

type Setting = readonly [key: string, value: unknown];

/** Settings that have the same value in every observation. */
function agreed(values: readonly Setting[]): Record<string, unknown> {
  const agreeing = values.filter(([key, value]) =>
    values.every(([other, each]) => other !== key || isDeepStrictEqual(each, value)),
  );
  return Object.fromEntries(agreeing);
}

function isDefault([key, value]: Setting): boolean {
  return isDeepStrictEqual(defaultSettings[key as SettingKey], withoutOwnNames(value));
}

/** Null if it cannot be decided. */
function isLikeSimulator(own: readonly Seen[], values: readonly Setting[]): boolean | null {
  if (own.some(({ isUnlike }) => isUnlike)) return false;
  if (values.length > 0) return values.every(isDefault);
  const [first] = own;
  const shown = first && SIMULATOR_SHOWS[first.id];
  if (shown === undefined || own.some(({ isUnknown }) => isUnknown)) return null;
  return own.every(({ text }) => shown.includes(text));
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
