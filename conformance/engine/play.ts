// Plays one scenario on one target: again with fresh data when something in between spoilt it, and
// judges its rules.
import type { Target } from '../providers/target.ts';
import { Capture, type Line } from './capture.ts';
import { judgeInScenario, worst } from './judge.ts';
import type { Need } from './needs.ts';
import { verdictOfStop } from './notes.ts';
import { Ended, Wanting } from './stop.ts';
import { Trial } from './trial.ts';
import type { Finding, Judged, RuleId, Scenario, ScenarioResult } from './types.ts';

/**
 * A scenario that a gateway, a limit or a passing 500 came into is played again this often at most.
 */
const ATTEMPTS = 3;

/** Before it is played again, this program should get its turns again. */
const CALM_WITHIN_MS = 3_000;

export interface PlayParts {
  readonly scenario: Scenario;
  readonly rules: readonly RuleId[];
  /** Rules that every answer is watched for, as far as they are selected. */
  readonly watched: readonly RuleId[];
  readonly line: Line;
  readonly nonce: string;
  /** Opens the target for one attempt, and says how to leave it. */
  readonly enter: () => Promise<{ target: Target; leave: () => Promise<void> }>;
}

/** Never throws: whatever goes wrong is a verdict. */
export async function play(parts: PlayParts): Promise<ScenarioResult> {
  const startedAt = performance.now();
  let lasting: ReadonlySet<number> | null = null;
  for (let attempt = 1; ; attempt += 1) {
    const last = attempt === ATTEMPTS || parts.line.signal.aborted;
    const played = await playOnce(parts, attempt, last ? (lasting ?? new Set()) : null, startedAt);
    const { result, troubled, starved } = played;
    lasting = lasting === null ? troubled : intersection(lasting, troubled);
    // Nothing that was judged is sent again: the whole scenario starts over, and a deviation
    // stands.
    const spoilt = Object.values(result.byRule).includes('inconclusive');
    if (!spoilt || result.verdict === 'deviates' || last || parts.line.signal.aborted)
      return result;
    if (starved) await parts.line.turns.calm(CALM_WITHIN_MS);
  }
}

async function playOnce(
  parts: PlayParts,
  attempt: number,
  lasting: ReadonlySet<number> | null,
  startedAt: number,
): Promise<Played> {
  const { scenario, line, nonce } = parts;
  const capture = new Capture(line);
  let trial: Trial | undefined;
  let ending: Ending | undefined;
  let leave = async () => {};
  try {
    const entered = await parts.enter();
    leave = entered.leave;
    const { turns } = line;
    trial = new Trial({
      scenario,
      target: entered.target,
      capture,
      turns,
      nonce,
      attempt,
      lasting,
    });
    await scenario.run(trial);
  } catch (error) {
    ending = endingOf(error);
  }
  const starved = trial?.starved;
  const doubt = starved ?? trial?.notes.doubt;
  if (doubt !== undefined && ['blocked', 'not_tested'].includes(ending?.verdict ?? '')) {
    // It may have come to this end because of what came in between.
    ending = { verdict: 'inconclusive', why: `${ending?.why} (${doubt})`, missing: [] };
  }
  await trial?.finish();
  await leave().catch(() => {});
  const watched = capture.watched.filter(({ rules }) => parts.watched.includes(rules[0]!));
  const own = trial?.notes.findings ?? [];
  const findings = [...(starved === undefined ? own : doubted(own, starved)), ...watched];
  const byRule: Partial<Record<RuleId, Judged | 'not_selected'>> = {};
  for (const rule of scenario.rules) {
    const selected = parts.rules.includes(rule);
    byRule[rule] = selected ? judgeInScenario(rule, findings, ending?.verdict) : 'not_selected';
  }
  // What was found in passing is told where its exchange is, though the scenario is about others.
  for (const { rules } of watched) byRule[rules[0]!] = 'deviates';
  const judged = Object.values(byRule).filter((each): each is Judged => each !== 'not_selected');
  const result: ScenarioResult = {
    id: scenario.id,
    rules: Object.keys(byRule) as RuleId[],
    verdict: worst(judged) ?? 'not_selected',
    byRule,
    findings,
    observations: trial?.notes.observations ?? [],
    exchanges: capture.exchanges,
    why: ending?.why ?? null,
    ending: ending?.verdict ?? null,
    missing: ending?.missing ?? [],
    attempts: attempt,
    durationMs: performance.now() - startedAt,
  };
  return { result, troubled: trial?.notes.troubled ?? new Set(), starved: starved !== undefined };
}

/** What was missed or came late while this program had no turns may be its own doing. */
function doubted(findings: readonly Finding[], why: string): Finding[] {
  return findings.map((each) =>
    each.verdict === 'deviates'
      ? { ...each, verdict: 'inconclusive', actual: `${each.actual} (${why})` }
      : each,
  );
}

interface Played {
  readonly result: ScenarioResult;
  /** Numbers of the exchanges that met a 500 or a write contention. */
  readonly troubled: ReadonlySet<number>;
  /** Whether this program was not given its turns. */
  readonly starved: boolean;
}

function intersection(a: ReadonlySet<number>, b: ReadonlySet<number>): ReadonlySet<number> {
  return new Set([...a].filter((each) => b.has(each)));
}

interface Ending {
  readonly verdict: Judged;
  readonly why: string;
  readonly missing: readonly Need[];
}

function endingOf(error: unknown): Ending {
  const why = error instanceof Error ? error.message : String(error);
  if (error instanceof Ended) {
    return {
      verdict: 'blocked',
      why: `it rests on an expectation that failed: ${why}`,
      missing: [],
    };
  }
  if (error instanceof Wanting) return { verdict: 'not_tested', why, missing: [error.need] };
  const verdict = verdictOfStop(error);
  if (verdict !== undefined) return { verdict, why, missing: [] };
  const stack = error instanceof Error ? (error.stack ?? why) : why;
  return { verdict: 'harness_error', why: stack, missing: [] };
}

/** The result of a scenario that could not start for want of something. */
export function unplayed(
  scenario: Scenario,
  rules: readonly RuleId[],
  verdict: Judged,
  why: string,
  missing: readonly Need[] = [],
): ScenarioResult {
  const byRule: Partial<Record<RuleId, Judged | 'not_selected'>> = {};
  for (const rule of scenario.rules) byRule[rule] = rules.includes(rule) ? verdict : 'not_selected';
  return {
    id: scenario.id,
    rules: scenario.rules,
    verdict: rules.length === 0 ? 'not_selected' : verdict,
    byRule,
    findings: [],
    observations: [],
    exchanges: [],
    why,
    missing,
    attempts: 0,
    durationMs: 0,
  };
}
