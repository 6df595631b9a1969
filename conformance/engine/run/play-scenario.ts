// Plays one scenario on one target, again with fresh data after a disturbance, and judges its
// rules.
import type { Target } from '../../providers/target.ts';
import type { Capability } from '../capabilities.ts';
import { judgeEach, judgeInScenario, withVerdicts } from '../judge/verdicts.ts';
import { MONITORED_RULES } from '../record/answer-monitor.ts';
import { ExchangeRecorder, type RunContext } from '../record/exchange-recorder.ts';
import { ScenarioContext } from '../scenario/scenario-context.ts';
import { EarlyEnd, MissingCapability, ScenarioEnded, UsedUp } from '../scenario-errors.ts';
import { printJson } from '../send/json.ts';
import type { CrashedCall, Finding, Judged, RuleId, Scenario, ScenarioResult } from '../types.ts';
import { CRASHES, crashedCalls, stillCrashed } from './crashes.ts';
import { type Selection, selectedRules } from './select.ts';

/**
 * The most attempts at a scenario that a gateway, a rate limit or a passing 500 disturbed.
 */
const ATTEMPTS = 3;

/** The time for the event loop to run on time again before the next attempt. */
const CALM_WITHIN_MS = 3_000;

export interface PlayOptions {
  readonly scenario: Scenario;
  /** The selected ones among its rules. */
  readonly rules: readonly RuleId[];
  readonly selection: Selection;
  readonly runContext: RunContext;
  readonly mark: string;
  /** Opens the target for one attempt, and returns a function that closes it. */
  readonly enter: () => Promise<{ target: Target; leave: () => Promise<void> }>;
}

/** Never throws: every error becomes a verdict. */
export async function playScenario(options: PlayOptions): Promise<ScenarioResult> {
  const startedAtMs = performance.now();
  const { signal, eventLoop } = options.runContext;
  let crashed: readonly CrashedCall[] = [];
  for (let attempt = 1; ; attempt += 1) {
    const { result, isStarved } = await playOnce(options, attempt);
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
  options: PlayOptions,
  attempt: number,
): Promise<{ readonly result: ScenarioResult; readonly isStarved: boolean }> {
  const { scenario, runContext, mark } = options;
  const recorder = new ExchangeRecorder(runContext);
  let context: ScenarioContext | undefined;
  let ending: ScenarioEnd | undefined;
  let leave = async () => {};
  try {
    const entered = await options.enter();
    leave = entered.leave;
    const { target } = entered;
    recorder.addedHeaders = target.addedHeaders ?? [];
    const isLastAttempt = attempt >= ATTEMPTS || runContext.signal.aborted;
    context = new ScenarioContext({ scenario, target, recorder, mark, attempt, isLastAttempt });
    await scenario.run(context);
  } catch (error) {
    ending = scenarioEndOf(error);
  }
  const starvation = context?.starvation;
  const doubt = starvation ?? context?.findings.doubt;
  if (doubt !== undefined && ['blocked', 'not_tested'].includes(ending?.verdict ?? '')) {
    // The disturbance may be the reason for the early end.
    ending = { verdict: 'inconclusive', why: `${ending?.why} (${doubt})`, missing: [] };
  }
  await context?.cleanUp();
  await leave().catch(() => {});
  const list = context?.findings.list ?? [];
  const own = starvation === undefined ? list : list.map((each) => doubted(each, starvation));
  // NS-1: rules that need orders are not tested without a known order payload.
  const withoutOrders = context?.findings.withoutOrders;
  const parts: Omit<ScenarioResult, 'byRule' | 'verdict' | 'rules' | 'findings'> = {
    id: scenario.id,
    observations: context?.findings.observations ?? [],
    exchanges: recorder.exchanges,
    why: ending?.why ?? withoutOrders ?? null,
    ending: ending?.verdict ?? null,
    endedAt: ending && context?.findings.lastCall,
    missing: ending?.missing ?? (withoutOrders === undefined ? [] : ['orders']),
    lost: ending?.lost ?? [],
    standsInFor: scenario.standsInFor,
    attempts: attempt,
    durationMs: 0,
  };
  const findings = [...own, ...recorder.monitorFindings];
  const unseen = withoutOrders === undefined ? 'inconclusive' : 'not_tested';
  return { result: judged(options, parts, findings, unseen), isStarved: starvation !== undefined };
}

/**
 * Findings against rules that the scenario does not list are reported as well. If those rules are not
 * selected, such a finding may still explain others.
 */
function judged(
  { scenario, rules, selection }: PlayOptions,
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
}

function scenarioEndOf(error: unknown): ScenarioEnd {
  const why = error instanceof Error ? error.message : printJson(error);
  if (error instanceof ScenarioEnded) {
    const rests = `it rests on an expectation that failed: ${why}`;
    return { verdict: 'blocked', why: rests, missing: [] };
  }
  const missing = error instanceof MissingCapability ? [error.capability] : [];
  if (error instanceof EarlyEnd) {
    return { verdict: error.verdict, why, missing, lost: error instanceof UsedUp ? missing : [] };
  }
  const stack = error instanceof Error ? (error.stack ?? why) : why;
  return { verdict: 'harness_error', why: stack, missing };
}
