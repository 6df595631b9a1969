// Plays one scenario on one target: again with fresh data when something in between spoilt it, and
// judges its rules.
import type { Target } from '../../providers/target.ts';
import type { Capability } from '../capabilities.ts';
import { verdictOfError } from '../judge/findings.ts';
import { judgeInScenario, worst } from '../judge/verdicts.ts';
import { ExchangeRecorder, type RunContext } from '../record/exchange-recorder.ts';
import { ScenarioContext } from '../scenario/scenario-context.ts';
import { MissingCapability, ScenarioEnded, UsedUp } from '../scenario-errors.ts';
import { printJson } from '../send/json.ts';
import type { Finding, Judged, RuleId, Scenario, ScenarioResult } from '../types.ts';

/**
 * A scenario that a gateway, a limit or a passing 500 came into is played again this often at most.
 */
export const ATTEMPTS = 3;

/** Before it is played again, the event loop should run in time again. */
const CALM_WITHIN_MS = 3_000;

export interface PlayOptions {
  readonly scenario: Scenario;
  readonly rules: readonly RuleId[];
  /** Rules that every answer is watched for, as far as they are selected. */
  readonly watched: readonly RuleId[];
  /** Those of them that may explain what others found, though no one selected them. */
  readonly unskipped: readonly RuleId[];
  readonly runContext: RunContext;
  readonly mark: string;
  /** Opens the target for one attempt, and says how to leave it. */
  readonly enter: () => Promise<{ target: Target; leave: () => Promise<void> }>;
}

/** Never throws: whatever goes wrong is a verdict. */
export async function playScenario(options: PlayOptions): Promise<ScenarioResult> {
  const startedAt = performance.now();
  let lasting: ReadonlySet<number> | null = null;
  for (let attempt = 1; ; attempt += 1) {
    const last = attempt === ATTEMPTS || options.runContext.signal.aborted;
    const known = last ? (lasting ?? new Set<number>()) : null;
    const { result, troubled, starved } = await playOnce(options, attempt, known, startedAt);
    lasting = lasting === null ? troubled : intersection(lasting, troubled);
    // Nothing that was judged is sent again: the whole scenario starts over, and a deviation
    // stands.
    const spoilt = Object.values(result.byRule).includes('inconclusive');
    if (!spoilt || result.verdict === 'deviates' || last || options.runContext.signal.aborted)
      return result;
    if (starved) await options.runContext.eventLoop.waitUntilCalm(CALM_WITHIN_MS);
  }
}

async function playOnce(
  options: PlayOptions,
  attempt: number,
  lasting: ReadonlySet<number> | null,
  startedAt: number,
): Promise<PlayedOnce> {
  const { scenario, runContext, mark } = options;
  const recorder = new ExchangeRecorder(runContext);
  let context: ScenarioContext | undefined;
  let ending: ScenarioEnd | undefined;
  let leave = async () => {};
  try {
    const entered = await options.enter();
    leave = entered.leave;
    recorder.addedHeaders = entered.target.addedHeaders ?? [];
    const { eventLoop, learned } = runContext;
    const about = { scenario, target: entered.target, mark, attempt, lasting };
    context = new ScenarioContext({ ...about, recorder, eventLoop, learned });
    await scenario.run(context);
  } catch (error) {
    ending = scenarioEndOf(error);
  }
  const starved = context?.starvation;
  const doubt = starved ?? context?.findings.doubt;
  if (doubt !== undefined && ['blocked', 'not_tested'].includes(ending?.verdict ?? '')) {
    // It may have come to this end because of what came in between.
    ending = { verdict: 'inconclusive', why: `${ending?.why} (${doubt})`, missing: [] };
  }
  await context?.cleanUp();
  await leave().catch(() => {});
  const inPassing = starved === undefined ? (context?.findings.inPassing ?? []) : [];
  const isWatched = ({ rules }: Finding) => options.watched.includes(rules[0]!);
  const watched = [...recorder.monitorFindings, ...inPassing].filter(isWatched);
  const explaining = inPassing.filter(
    (each) => !isWatched(each) && options.unskipped.includes(each.rules[0]!),
  );
  const list = context?.findings.list ?? [];
  const own = starved === undefined ? list : markInconclusive(list, starved);
  const findings = [...own, ...watched, ...explaining];
  // NS-1: what was to be seen of orders alone is not tested without one.
  const withoutOrders = context?.findings.withoutOrders ?? false;
  const unseen = withoutOrders ? 'not_tested' : 'inconclusive';
  const byRule = eachRule(options, (rule) =>
    judgeInScenario(rule, findings, ending?.verdict, unseen),
  );
  // What was found in passing is told where its exchange is, though the scenario is about others.
  for (const { rules } of watched) byRule[rules[0]!] = 'deviates';
  const judged = Object.values(byRule).filter((each): each is Judged => each !== 'not_selected');
  const result: ScenarioResult = {
    id: scenario.id,
    rules: Object.keys(byRule) as RuleId[],
    verdict: worst(judged) ?? 'not_selected',
    byRule,
    findings,
    observations: context?.findings.observations ?? [],
    exchanges: recorder.exchanges,
    why: ending?.why ?? null,
    ending: ending?.verdict ?? null,
    missing: ending?.missing ?? (withoutOrders ? ['orders'] : []),
    lost: ending?.lost ?? [],
    standsInFor: scenario.standsInFor,
    attempts: attempt,
    durationMs: performance.now() - startedAt,
  };
  return {
    result,
    troubled: context?.findings.troubled ?? new Set(),
    starved: starved !== undefined,
  };
}

/** The verdict of each rule of a scenario; those that were left out have none. */
function eachRule(
  { scenario, rules }: Pick<PlayOptions, 'scenario' | 'rules'>,
  judge: (rule: RuleId) => Judged,
): Partial<Record<RuleId, Judged | 'not_selected'>> {
  const verdicts = scenario.rules.map((rule) => [
    rule,
    rules.includes(rule) ? judge(rule) : 'not_selected',
  ]);
  return Object.fromEntries(verdicts);
}

/** What was missed or came late while this program was stalled may be its own doing. */
function markInconclusive(findings: readonly Finding[], why: string): Finding[] {
  return findings.map((each) =>
    each.verdict === 'deviates'
      ? { ...each, verdict: 'inconclusive', actual: `${each.actual} (${why})` }
      : each,
  );
}

interface PlayedOnce {
  readonly result: ScenarioResult;
  /** Numbers of the exchanges that met a 500 or a write contention. */
  readonly troubled: ReadonlySet<number>;
  /** Whether the event loop of this program was held up. */
  readonly starved: boolean;
}

function intersection(a: ReadonlySet<number>, b: ReadonlySet<number>): ReadonlySet<number> {
  return new Set([...a].filter((each) => b.has(each)));
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
    return {
      verdict: 'blocked',
      why: `it rests on an expectation that failed: ${why}`,
      missing: [],
    };
  }
  if (error instanceof MissingCapability) {
    const missing = [error.capability];
    return { verdict: 'not_tested', why, missing, lost: error instanceof UsedUp ? missing : [] };
  }
  const verdict = verdictOfError(error);
  if (verdict !== undefined) return { verdict, why, missing: [] };
  const stack = error instanceof Error ? (error.stack ?? why) : why;
  return { verdict: 'harness_error', why: stack, missing: [] };
}

/** The result of a scenario that could not start because a capability is missing. */
export function notPlayed(
  scenario: Scenario,
  rules: readonly RuleId[],
  verdict: Judged,
  why: string,
  missing: readonly Capability[] = [],
  lost: readonly Capability[] = [],
): ScenarioResult {
  return {
    id: scenario.id,
    rules: scenario.rules,
    verdict: rules.length === 0 ? 'not_selected' : verdict,
    byRule: eachRule({ scenario, rules }, () => verdict),
    findings: [],
    observations: [],
    exchanges: [],
    why,
    missing,
    lost,
    attempts: 0,
    durationMs: 0,
  };
}
