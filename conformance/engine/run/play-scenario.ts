// Plays one scenario on one target, again with fresh data after a disturbance, and judges its
// rules.
import type { Target } from '../../providers/target.ts';
import { type Capability, laneOf } from '../capabilities.ts';
import { Findings } from '../judge/findings.ts';
import { judgeEach, judgeInScenario, withVerdicts } from '../judge/verdicts.ts';
import { MONITORED_RULES } from '../record/answer-monitor.ts';
import { ExchangeRecorder, type RunContext } from '../record/exchange-recorder.ts';
import { ScenarioContext } from '../scenario/scenario-context.ts';
import { EarlyEnd, MissingCapability, ScenarioEnded, UsedUp } from '../scenario-errors.ts';
import { printJson } from '../send/json.ts';
import type { CrashedCall, Finding, Judged, RuleId, ScenarioResult } from '../types.ts';
import { CRASHES, crashedCalls, stillCrashed } from './crashes.ts';
import { type SelectedScenario, selectedRules } from './select.ts';

/** The most attempts at a scenario that a gateway, a rate limit or a passing 500 disturbed. */
const ATTEMPTS = 3;

/** The time for the event loop to run on time again before the next attempt. */
const CALM_WITHIN_MS = 3_000;

/** Never throws: every error becomes a verdict. */
export async function playScenario(
  selected: SelectedScenario,
  run: RunContext,
): Promise<ScenarioResult> {
  const startedAtMs = performance.now();
  const { signal, eventLoop } = run;
  let crashed: readonly CrashedCall[] = [];
  for (let attempt = 1; ; attempt += 1) {
    const { result, isStarved } = await playOnce(selected, run, attempt);
    const calls = crashedCalls(result);
    crashed = attempt === 1 ? calls : stillCrashed(crashed, calls);
    // A judged request is never repeated alone: the scenario starts again, and a deviation stands.
    const isSpoilt = Object.values(result.byRule).includes('inconclusive');
    const isOver = attempt >= (crashed.length > 0 ? CRASHES : ATTEMPTS) || signal.aborted;
    if (!isSpoilt || result.verdict === 'deviates' || isOver) {
      return { ...result, crashed, durationMs: performance.now() - startedAtMs };
    }
    if (isStarved) await eventLoop.waitUntilCalm(CALM_WITHIN_MS);
  }
}

async function playOnce(
  selected: SelectedScenario,
  run: RunContext,
  attempt: number,
): Promise<{ readonly result: ScenarioResult; readonly isStarved: boolean }> {
  const { scenario } = selected;
  const isShared = laneOf(scenario) === 'shared';
  const findings = new Findings(scenario, attempt >= ATTEMPTS || run.signal.aborted);
  let target: Target | undefined;
  let recorder: ExchangeRecorder | undefined;
  let context: ScenarioContext | undefined;
  let ending: ScenarioEnd | undefined;
  try {
    target = await (isShared ? run.provider.shared() : run.provider.own());
    recorder = new ExchangeRecorder(run, target);
    context = new ScenarioContext({ scenario, target, recorder, findings, attempt });
    await scenario.run(context);
  } catch (error) {
    ending = scenarioEndOf(error);
  }
  const starvation = context?.starvation;
  const doubt = starvation ?? findings.doubt;
  if (doubt !== undefined && ['blocked', 'not_tested'].includes(ending?.verdict ?? '')) {
    // The disturbance may be the reason for the early end.
    ending = { verdict: 'inconclusive', why: `${ending?.why} (${doubt})`, missing: [] };
  }
  await context?.cleanUp();
  if (!isShared) await target?.close().catch(() => {});
  const { list, observations, withoutOrders, lastCall } = findings;
  const own = starvation === undefined ? list : list.map((each) => doubted(each, starvation));
  // NS-1: rules that need orders are not tested without a known order payload.
  const parts: Omit<ScenarioResult, 'byRule' | 'verdict' | 'rules' | 'findings'> = {
    id: scenario.id,
    observations,
    exchanges: recorder?.exchanges ?? [],
    why: ending?.why ?? withoutOrders ?? null,
    ending: ending?.verdict ?? null,
    endedAt: ending && lastCall,
    restsOn: ending?.restsOn,
    missing: ending?.missing ?? (withoutOrders === undefined ? [] : ['orders']),
    lost: ending?.lost ?? [],
    standsInFor: scenario.standsInFor,
    attempts: attempt,
    durationMs: 0,
  };
  const all = [...own, ...(recorder?.monitorFindings ?? [])];
  const unseen = withoutOrders === undefined ? 'inconclusive' : 'not_tested';
  const result = judged(selected, run, parts, all, unseen);
  return { result, isStarved: starvation !== undefined };
}

/**
 * Findings against rules that the scenario does not list are reported as well. If those rules are not
 * selected, such a finding may still explain others.
 */
function judged(
  { scenario, rules }: SelectedScenario,
  { selection }: RunContext,
  parts: Omit<ScenarioResult, 'byRule' | 'verdict' | 'rules' | 'findings'>,
  all: readonly Finding[],
  unseen: Judged,
): ScenarioResult {
  const monitor = { ...scenario, rules: MONITORED_RULES };
  const watched = selectedRules(monitor, selection);
  const unskipped = selectedRules(monitor, { ...selection, only: [] });
  const findings = all.filter(({ rules: [rule], verdict }) => {
    const isInPassing = verdict === 'deviates' && unskipped.includes(rule!);
    return scenario.rules.includes(rule!) || isInPassing;
  });
  const byRule = judgeEach(scenario, rules, (rule) =>
    judgeInScenario(rule, findings, parts.ending ?? undefined, unseen),
  );
  for (const { rules: own, verdict } of findings) {
    const rule = watched.find((each) => own.includes(each));
    if (rule !== undefined && verdict === 'deviates') byRule[rule] = 'deviates';
  }
  return withVerdicts({ ...parts, findings, rules: Object.keys(byRule) as RuleId[] }, byRule);
}

/** This program's own stall may explain what was missed or late. */
function doubted(finding: Finding, why: string): Finding {
  if (finding.verdict !== 'deviates') return finding;
  return { ...finding, verdict: 'inconclusive', actual: `${finding.actual} (${why})` };
}

interface ScenarioEnd {
  readonly verdict: Judged;
  readonly why: string;
  readonly missing: readonly Capability[];
  readonly lost?: readonly Capability[];
  readonly restsOn?: readonly RuleId[] | undefined;
}

function scenarioEndOf(error: unknown): ScenarioEnd {
  const why = error instanceof Error ? error.message : printJson(error);
  if (error instanceof ScenarioEnded) {
    const rests = `it rests on an expectation that failed: ${why}`;
    return { verdict: 'blocked', why: rests, missing: [] };
  }
  const missing = error instanceof MissingCapability ? [error.capability] : [];
  if (error instanceof EarlyEnd) {
    const lost = error instanceof UsedUp ? missing : [];
    return { verdict: error.verdict, why, missing, lost, restsOn: error.restsOn };
  }
  const stack = error instanceof Error ? (error.stack ?? why) : why;
  return { verdict: 'harness_error', why: stack, missing };
}
