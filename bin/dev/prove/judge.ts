// Judges the simulator with one deviation, in process, with the scenarios and control plane of any target.
import { judgeRule } from '../../../conformance/engine/judge/verdicts.ts';
import { runScenarios } from '../../../conformance/engine/run/run.ts';
import { fetchSender } from '../../../conformance/engine/send/sender.ts';
import type { Scenario } from '../../../conformance/engine/types.ts';
import { controlProvider } from '../../../conformance/providers/control-provider.ts';
import { scenarios } from '../../../conformance/scenarios/all.ts';
import { rules } from '../../../fixtures/rules.ts';
import type { Deviation } from '../../../simulator/deviations/deviation.ts';
import { createSandbox } from '../../../simulator/index.ts';
import { ANY_SCENARIO, type Evaluated, evaluatedIn, FIXED_MARK } from './expectations.ts';

/** Without the stand-ins for targets whose clock cannot be moved: this clock can. */
export const playedScenarios = scenarios.filter(({ standsInFor }) => standsInFor === undefined);

export interface Judged {
  /** The id of the deviation, or `conforming`. */
  readonly id: string;
  /** Rules that deviate, with the scenarios that detected it. */
  readonly deviates: Readonly<Record<string, readonly string[]>>;
  /** Rules that could not be graded, with their verdicts. */
  readonly ungraded: Readonly<Record<string, string>>;
  /** Scenarios in which the judge itself failed, with the reason. */
  readonly failed: Readonly<Record<string, string>>;
  /** The expectations that were tripped; for the conforming service also those that were met. */
  readonly evaluated: readonly Evaluated[];
  readonly played: readonly string[];
}

/** Plays scenarios against a simulator with this deviation, or against the conforming one. */
export async function judgeDeviation(
  deviation: Deviation | null,
  chosen: readonly Scenario[],
): Promise<Judged> {
  const deviations = deviation === null ? [] : [deviation];
  const sandbox = await createSandbox({ clock: 'frozen', deviations });
  const sender = fetchSender(sandbox.fetch);
  // Calls are made in process; only the events channel needs a socket to connect to.
  const { base_url: baseUrl } = await sandbox.listen();
  const provider = await controlProvider({ baseUrl, controlUrl: `${baseUrl}/_sandbox`, sender });
  const given = { scenarios: chosen, provider, sender, mark: FIXED_MARK, timeoutMs: 10_000 };
  const { scenarios: results } = await runScenarios(given);
  await provider.close();
  await sandbox.close();
  const deviates: Record<string, string[]> = {};
  const ungraded: Record<string, string> = {};
  // The rules of the scenarios, and other rules that they found broken.
  const played = new Set(results.flatMap((result) => result.rules));
  for (const rule of rules.filter(({ id }) => played.has(id))) {
    const { verdict, findings } = judgeRule(rule, results);
    if (verdict === 'deviates') {
      const noticed = findings.filter((each) => each.verdict === 'deviates');
      deviates[rule.id] = [...new Set(noticed.map(({ scenario }) => scenario))];
    } else if (verdict !== 'passed') ungraded[rule.id] = verdict;
  }
  // An earlier verdict hides the failure that ended a scenario; its ending does not.
  const failures = results.filter(({ ending }) => ending === 'harness_error');
  return {
    id: deviation?.id ?? 'conforming',
    deviates,
    ungraded,
    failed: Object.fromEntries(failures.map(({ id, why }) => [id, why?.split('\n')[0] ?? ''])),
    evaluated: evaluatedIn(results).filter(({ tripped }) => tripped || deviation === null),
    played: [
      ...chosen.map(({ id }) => id),
      ...(chosen.length === playedScenarios.length ? [ANY_SCENARIO] : []),
    ],
  };
}

/**
 * Why a deviation is not caught by exactly its rules, or why the conforming simulator (null) does
 * not pass. `isWhole`: every scenario was played, which also shows unnecessary explanations.
 */
export function complaintsAbout(
  deviation: Deviation | null,
  judged: Pick<Judged, 'deviates'> & Partial<Judged>,
  isWhole = false,
): string[] {
  const { deviates, ungraded = {}, failed = {} } = judged;
  const breaks: readonly string[] = deviation?.breaks ?? [];
  const explained = Object.keys(deviation?.alsoSeenAs ?? {});
  const expected = [...breaks, ...explained];
  const isSure = isWhole && deviation?.byChance !== true;
  return [
    ...breaks.filter((rule) => !(rule in deviates)).map((rule) => `${rule} does not notice it`),
    ...Object.entries(deviates)
      .filter(([rule]) => !expected.includes(rule))
      .map(([rule, by]) => `${rule} is blamed (${by.join(', ')})`),
    ...Object.entries(failed).map(([scenario, why]) => `the judge failed in ${scenario} (${why})`),
    ...(isSure ? explained.filter((rule) => !(rule in deviates)) : []).map(
      (rule) => `explains ${rule}, which did not deviate`,
    ),
    ...Object.entries(deviation === null ? ungraded : {}).map(
      ([rule, verdict]) => `${rule} is ${verdict}`,
    ),
  ];
}
