// Judges one simulator with a deviation: in process, with the scenarios and control plane of any
// target.

import { judgeRule } from '../../../conformance/engine/judge/verdicts.ts';
import { runScenarios } from '../../../conformance/engine/run/run.ts';
import { fetchSender } from '../../../conformance/engine/send/sender.ts';
import type { Scenario, ScenarioResult } from '../../../conformance/engine/types.ts';
import { controlProvider } from '../../../conformance/providers/control-provider.ts';
import { rules } from '../../../fixtures/rules.ts';
import type { Settings } from '../../../fixtures/settings.ts';
import type { Deviation } from '../../../simulator/deviations/deviation.ts';
import { createSandbox } from '../../../simulator/index.ts';
import { type Evaluated, evaluatedIn, FIXED_MARK } from './expectations.ts';

/** What the judge said of one simulator. */
export interface JudgedDeviation {
  readonly id: string;
  /** Rules that deviate, with the scenarios that noticed. */
  readonly deviates: Readonly<Record<string, readonly string[]>>;
  /** Rules that could not be graded, with their verdicts. */
  readonly ungraded: Readonly<Record<string, string>>;
  /** Scenarios in which the judge itself failed, with the reason. */
  readonly failed: Readonly<Record<string, string>>;
  /** Every expectation that was evaluated. */
  readonly evaluated: readonly Evaluated[];
  /** Ids of the scenarios that were played. */
  readonly played: readonly string[];
  readonly durationMs: number;
}

/** Plays scenarios against a simulator with this deviation, or against the conforming one. */
export async function judgeDeviation(
  deviation: Deviation | null,
  chosen: readonly Scenario[],
  seed = 1,
  settings: Partial<Settings> = {},
): Promise<JudgedDeviation> {
  const startedMs = performance.now();
  const sandbox = await createSandbox({
    clock: 'frozen',
    settings,
    ...(deviation === null ? {} : { deviations: [deviation] }),
  });
  const sender = fetchSender(sandbox.fetch);
  // Calls are made in process; only the events channel needs a socket to connect to.
  const { base_url: baseUrl } = await sandbox.listen();
  const controlUrl = `${baseUrl}/_sandbox`;
  const provider = await controlProvider({ baseUrl, controlUrl, sender });
  const run = await runScenarios({
    scenarios: chosen,
    provider,
    sender,
    seed,
    mark: FIXED_MARK,
    timeoutMs: 10_000,
  });
  await provider.close();
  await sandbox.close();
  const deviates: Record<string, string[]> = {};
  const ungraded: Record<string, string> = {};
  for (const rule of rules) {
    // What was seen in passing is told by what was played, though it was about others.
    if (!run.scenarios.some((played) => played.rules.includes(rule.id))) continue;
    const { verdict, findings } = judgeRule(rule, run.scenarios);
    if (verdict === 'deviates') {
      const noticed = findings.filter((each) => each.verdict === 'deviates');
      deviates[rule.id] = [...new Set(noticed.map(({ scenario }) => scenario))];
    } else if (verdict !== 'passed') ungraded[rule.id] = verdict;
  }
  return {
    id: deviation?.id ?? 'conforming',
    deviates,
    ungraded,
    failed: failuresOf(run.scenarios),
    evaluated: evaluatedIn(
      run.scenarios,
      (id) => chosen.find((scenario) => scenario.id === id)?.rules ?? [],
    ),
    played: chosen.map(({ id }) => id),
    durationMs: Math.round(performance.now() - startedMs),
  };
}

/** A verdict that was found before hides the failure that ended a scenario; its ending does not. */
function failuresOf(results: readonly ScenarioResult[]): Record<string, string> {
  const failed = results.filter(({ ending }) => ending === 'harness_error');
  return Object.fromEntries(failed.map(({ id, why }) => [id, why?.split('\n')[0] ?? 'no reason']));
}
