// The report on a receiver in the common form: each check stands as a rule, and findings with one
// cause stand together.
import { fingerprintOf } from '../engine/judge/fingerprint.ts';
import { countVerdicts, verdictOfRun } from '../reports/build-report.ts';
import { reportExchange } from '../reports/exchanges.ts';
import type { Redactor } from '../reports/redact.ts';
import type { Report, ReportCause, ReportRule, ReportScenario } from '../reports/report.ts';
import { CAUSES, type Check, groupWords } from './check.ts';
import type { CheckResult, ReceiverRun } from './run.ts';

export interface ReceiverReportOptions {
  readonly version: string;
  readonly url: string;
  readonly run: ReceiverRun;
  readonly redactor: Redactor;
  readonly strict?: boolean;
  /** A command that tries one check again. */
  readonly replay: (check: Check) => string;
}

export function receiverReport(options: ReceiverReportOptions): Report {
  const { version, url, run, redactor, replay } = options;
  const rules = run.results.map((result) => ruleOf(result, redactor, replay));
  const notes = [
    ...(run.refused === null ? [] : [`Nothing was judged: ${run.refused}.`.replace('?.', '?')]),
    ...run.observed,
  ];
  return {
    schema: 1,
    judge: 'receiver',
    tool: { name: 'conformance', version },
    target: { base_url: redactor.text(url), control_url: null },
    seed: 1,
    started_at: run.startedAt,
    duration_ms: Math.round(run.durationMs),
    verdict: verdictOfRun({ judge: 'receiver', rules }, options.strict),
    summary: countVerdicts(rules),
    requests: run.requests,
    interrupted: run.interrupted,
    mark: 'receiver',
    notes: notes.map((note) => redactor.text(note)),
    causes: causesIn(run),
    rules,
    scenarios: run.results.map((result) => scenarioOf(result, redactor)),
    observed: [],
    unlock: [],
    baseline: null,
  };
}

/** What checks that fail have in common, the most general cause first. */
function causesIn({ results }: ReceiverRun): ReportCause[] {
  const bad = results.filter(({ judgement }) => /deviates|advisory/.test(judgement.verdict));
  const forged = results.filter(({ check }) => check.group === 'refuse');
  const isAccepted = ({ judgement }: CheckResult) => judgement.verdict === 'deviates';
  const blind: ReportCause = {
    title: 'the signature is not checked at all',
    mend: 'Verify the signature of every delivery before anything else, then run again.',
    rules: forged.length > 1 && forged.every(isAccepted) ? forged.map(({ check }) => check.id) : [],
  };
  return [
    blind,
    ...Object.entries(CAUSES).map(([cause, [title, , mend]]) => {
      // A delivery that ends the receiver has a cause of its own.
      const own = bad.filter(
        ({ check, judgement }) => check.cause === cause && judgement.stake === undefined,
      );
      return { title, mend, rules: own.map(({ check }) => check.id) };
    }),
  ].filter(({ rules }) => rules.length > 1);
}

function ruleOf(
  { judgement, why, check }: CheckResult,
  redactor: Redactor,
  replay: ReceiverReportOptions['replay'],
): ReportRule {
  const { id, group, title } = check;
  const { verdict, stake = check } = judgement;
  const expected = redactor.text(judgement.expected);
  const actual = redactor.text(judgement.actual);
  const isAdvised = verdict === 'deviates' || verdict === 'advisory';
  const finding = {
    scenario: id,
    verdict,
    expected,
    actual,
    exchanges: judgement.exchanges,
    ...(isAdvised ? { advice: { why: check.why, at_stake: stake.gains, mend: stake.fix } } : {}),
    replay: redactor.text(replay(check)),
    fingerprint: fingerprintOf(id, id, { expected, actual }),
  };
  return {
    id,
    family: groupWords[group],
    words: title,
    verdict,
    scenarios: [id],
    needs: [],
    unlock: [],
    lost: [],
    ...(why === null ? {} : { why: redactor.text(why) }),
    reason: null,
    findings: verdict === 'passed' ? [] : [finding],
  };
}

function scenarioOf({ check, judgement, why, exchanges }: CheckResult, redactor: Redactor) {
  const { id, title } = check;
  const { verdict, expected } = judgement;
  const shown = { rules: [id], expected, exchanges: judgement.exchanges };
  return {
    id,
    title,
    verdict,
    rules: [id],
    by_rule: { [id]: verdict },
    why: why === null ? null : redactor.text(why),
    attempts: 1,
    duration_ms: exchanges.reduce((sum, each) => sum + each.durationMs, 0),
    shown: verdict === 'passed' ? [shown] : [],
    exchanges: exchanges.map((each) => reportExchange(each, redactor)),
  } satisfies ReportScenario;
}
