// Builds the report of every judge, and that of a run on an API: judges each rule over its scenarios,
// redacts secrets, and counts.
import { rules as catalogue, findFamily, type Rule } from '../../fixtures/rules.ts';
import { CAPABILITIES } from '../engine/capabilities.ts';
import { REACHED } from '../engine/judge/attribute.ts';
import { fingerprintOf } from '../engine/judge/fingerprint.ts';
import { suggestAdditions } from '../engine/judge/testability.ts';
import { judgeRule, judgeRun } from '../engine/judge/verdicts.ts';
import type { RunResult } from '../engine/run/run.ts';
import { isSelected, type Selection } from '../engine/run/select.ts';
import { callsIn } from '../engine/send/answer.ts';
import type { Finding, Judged, RunVerdict, Scenario, ScenarioResult } from '../engine/types.ts';
import { reportExchange } from './exchanges.ts';
import { observedRows, soundObservations } from './observed.ts';
import type { Redactor } from './redact.ts';
import type {
  Report,
  ReportCause,
  ReportFinding,
  ReportInventory,
  ReportRule,
  ReportScenario,
  ReportTarget,
} from './report.ts';
import { countVerdicts, VERDICTS } from './verdict-words.ts';

export interface ReportOptions {
  readonly version: string;
  readonly target: ReportTarget;
  readonly run: RunResult & { readonly requests: number };
  readonly scenarios: readonly Scenario[];
  readonly selection: Selection;
  readonly redactor: Redactor;
  readonly notes: readonly string[];
  readonly strict: boolean;
  readonly inventory?: ReportInventory;
  /** The command that runs a scenario again. */
  readonly replay: (scenario: string) => string;
}

/** The result of a run of any judge. */
type JudgedRun = Pick<RunResult, 'startedAt' | 'durationMs' | 'interrupted'> & {
  readonly requests: number;
};

/** The report of a judge. A judge of checks creates nothing on its target. */
export function makeReport(
  options: { version: string; run: JudgedRun; strict?: boolean | undefined },
  own: Pick<Report, 'target' | 'notes' | 'rules' | 'scenarios'> & Partial<Report>,
): Report {
  const { version, run, strict = false } = options;
  return {
    schema: 1,
    tool: { name: 'conformance', version },
    seed: 1,
    started_at: run.startedAt,
    duration_ms: Math.round(run.durationMs),
    verdict: verdictOfRun(own, strict),
    summary: countVerdicts(own.rules),
    requests: run.requests,
    interrupted: run.interrupted,
    mark: own.judge ?? '',
    observed: [],
    unlock: [],
    baseline: null,
    ...own,
  };
}

type CheckParts = 'id' | 'family' | 'words' | 'verdict' | 'scenarios' | 'findings';

/** A check in the form of a rule. */
export function checkRule(
  own: Pick<ReportRule, CheckParts> & Partial<Pick<ReportRule, 'unlock'>>,
  why: string | null,
): ReportRule {
  const reason = why === null ? {} : { why };
  return { needs: [], unlock: [], lost: [], ...reason, reason: null, ...own };
}

export function buildReport(options: ReportOptions): Report {
  const { run, redactor, target, inventory } = options;
  const refused = refusedOrders(run, redactor);
  const judged = catalogue.map((rule) => judgeRule(rule, run.scenarios));
  const rules = catalogue.map((rule, at) => reportRule(rule, judged[at]!, options, refused.orders));
  const why = run.refusedToStart === null ? null : redactor.text(run.refusedToStart);
  const start = why && `Nothing was tried: ${why}${/[.?!]$/.test(why) ? '' : '.'}`;
  const observed = observedRows(options.scenarios, soundObservations(run.scenarios)).map((row) => ({
    ...row,
    observed: row.observed === null ? null : redactor.text(row.observed),
    // If both do the same, use the description of the target; the catalogue has no secrets.
    simulator: row.same === true ? redactor.text(row.simulator) : row.simulator,
  }));
  const titles = new Map(options.scenarios.map(({ id, title }) => [id, title]));
  // The capabilities that would unlock selected rules; the others lack nothing.
  const lacking = judged.map(({ lacks }) => lacks);
  return makeReport(options, {
    target: {
      ...target,
      base_url: redactor.text(target.base_url),
      control_url: target.control_url && redactor.text(target.control_url),
    },
    seed: run.seed,
    mark: run.mark,
    ...crashesOf(run, rules, redactor),
    ...(start !== null && { not_started: start }),
    notes: [
      ...(start === null ? [] : [start]),
      ...options.notes.map((note) => redactor.text(note)),
    ],
    rules,
    scenarios: run.scenarios.map((each) =>
      reportScenario(each, titles.get(each.id) ?? each.id, redactor),
    ),
    observed,
    unlock: suggestAdditions(lacking, refused),
    ...(inventory !== undefined && { inventory }),
  });
}

/** Orders are the one part of a profile that is tried during the run and not before it. */
function refusedOrders({ scenarios }: RunResult, redactor: Redactor): { orders?: string } {
  const found = scenarios.find(
    ({ missing, why, attempts }) => attempts > 0 && why !== null && missing.includes('orders'),
  );
  return found === undefined ? {} : { orders: redactor.text(found.why!.replace(/^add /, '')) };
}

/** Each kind of crash, with the rules that deviate only because of it. */
function crashesOf(
  { crashes = [] }: RunResult,
  rules: readonly ReportRule[],
  redactor: Redactor,
): Pick<Report, 'crashes' | 'causes'> {
  if (crashes.length === 0) return {};
  const redacted = crashes.map((crash) => {
    return { ...crash, distinguishes: redactor.text(crash.distinguishes) };
  });
  const mend =
    'Find the error in the log of the target, and answer such requests as the rules say.';
  const causes = redacted.map(({ operation, distinguishes, failure }): ReportCause => {
    const what = `${operation} ${distinguishes}`.trim();
    const own = rules.filter(
      ({ verdict, findings }) =>
        verdict === 'deviates' &&
        findings.every((each) => each.verdict !== 'deviates' || each.actual.endsWith(what)),
    );
    return { title: `${what}: ${failure}`, mend, rules: own.map(({ id }) => id) };
  });
  return { crashes: redacted, causes: causes.filter((cause) => cause.rules.length > 0) };
}

/**
 * The verdict of a run. Checks that do not apply to a client leave nothing open. If the first run
 * failed, nothing is judged unless a check fails.
 */
export function verdictOfRun(
  report: Pick<Report, 'judge' | 'rules' | 'not_started'>,
  strict = false,
): RunVerdict {
  const { judge, rules, not_started: start } = report;
  if (judge !== 'client') return judgeRun(rules, strict);
  const tested = rules.filter(({ verdict }) => verdict !== 'not_tested');
  const verdict = judgeRun(tested, strict);
  return start !== undefined && verdict !== 'deviates' ? 'invalid' : verdict;
}

function reportRule(
  rule: Rule,
  judged: ReturnType<typeof judgeRule>,
  options: ReportOptions,
  orders: string = CAPABILITIES.orders.add,
): ReportRule {
  const { redactor } = options;
  const untried = judged.scenarios.length === 0 && !isSelected(rule.id, options.selection);
  const found = [...judged.findings, ...unfinished(rule, options.run.scenarios)];
  const rank = (each: ReportFinding) => VERDICTS.indexOf(each.verdict);
  const size = ({ scenario }: ReportFinding) =>
    options.run.scenarios.find(({ id }) => id === scenario)?.exchanges.length ?? 0;
  const findings = found.map((each): ReportFinding => {
    const expected = redactor.text(each.expected);
    const actual = redactor.text(each.actual);
    return {
      scenario: each.scenario,
      verdict: each.verdict,
      expected,
      actual,
      exchanges: evidenceOf(each, options.run.scenarios),
      ...(each.explainedBy === undefined ? {} : { because_of: each.explainedBy }),
      replay: redactor.text(options.replay(each.scenario)),
      fingerprint: fingerprintOf(rule.id, each.scenario, { expected, actual }),
    };
  });
  return {
    id: rule.id,
    family: findFamily(rule.id).prefix,
    words: rule.words,
    verdict: untried ? 'not_selected' : judged.verdict,
    scenarios: judged.scenarios,
    needs: judged.needs,
    unlock: judged.unlock.map((each) => (each === CAPABILITIES.orders.add ? orders : each)),
    lost: judged.lost,
    reason: null,
    // The scenario with the fewest requests is the easiest to follow.
    findings: findings.sort((a, b) => rank(a) - rank(b) || size(a) - size(b)),
  };
}

/** The exchanges of a finding; if one repeats a key, with the first call under it. */
function evidenceOf(
  { scenario, exchanges }: Finding & { readonly scenario: string },
  results: readonly ScenarioResult[],
): number[] {
  const calls = callsIn(results.find(({ id }) => id === scenario)?.exchanges ?? []);
  const keys = calls.filter(({ n }) => exchanges.includes(n)).flatMap(({ key }) => key ?? []);
  const firsts = keys.flatMap((key) => calls.find((each) => each.key === key)?.n ?? []);
  return [...new Set([...exchanges, ...firsts])].sort((a, b) => a - b);
}

/** The reason why a scenario ended early becomes a finding of its rules. */
function unfinished(
  rule: Rule,
  results: readonly ScenarioResult[],
): (Finding & { readonly scenario: string })[] {
  const ends: readonly unknown[] = ['blocked', 'inconclusive', 'harness_error'];
  return results.flatMap((result) => {
    const verdict = result.byRule[rule.id];
    const isFound = result.findings.some(
      (each) => each.rules.includes(rule.id) && each.verdict !== 'passed',
    );
    if (!ends.includes(verdict) || isFound) return [];
    const last = result.exchanges.findLast((each) => each.kind === 'call')?.n;
    return [
      {
        rules: [rule.id],
        scenario: result.id,
        verdict: verdict as Judged,
        expected: REACHED,
        actual: result.why ?? `${result.id} did not reach a point that shows it`,
        exchanges: last === undefined ? [] : [last],
      },
    ];
  });
}

function reportScenario(result: ScenarioResult, title: string, redactor: Redactor): ReportScenario {
  let exchanges: ReportScenario['exchanges'] | undefined;
  const { id, verdict, rules, attempts, why } = result;
  return {
    ...{ id, title, verdict, rules, attempts },
    by_rule: result.byRule,
    why: why === null ? null : redactor.text(why),
    duration_ms: Math.round(result.durationMs),
    // Made when they are read: only the JSON report has those of scenarios without a finding.
    get exchanges() {
      // In order of their start; concurrent requests end in another order.
      exchanges ??= [...result.exchanges]
        .sort((a, b) => a.n - b.n)
        .map((each) => reportExchange(each, redactor));
      return exchanges;
    },
  };
}
