// The report on a receiver in the common form: each check becomes a rule, and findings with one
// cause are grouped.
import { fingerprintOf } from '../engine/judge/fingerprint.ts';
import { checkRule, makeReport } from '../reports/build-report.ts';
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
  /** A command that runs one check again. */
  readonly replay: (check: Check) => string;
}

export function receiverReport(options: ReceiverReportOptions): Report {
  const { url, run, redactor } = options;
  const notes = [
    ...(run.refused === null ? [] : [`Nothing was judged: ${run.refused}.`.replace('?.', '?')]),
    ...run.observed,
  ];
  return makeReport(options, {
    judge: 'receiver',
    target: { base_url: redactor.text(url), control_url: null },
    notes: notes.map((note) => redactor.text(note)),
    causes: causesIn(run),
    rules: run.results.map((result) => ruleOf(result, options)),
    scenarios: run.results.map((result) => scenarioOf(result, redactor)),
  });
}

/** The common causes of failing checks, the most general first. */
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
      // A delivery that ends the receiver has a separate cause.
      const own = bad.filter(
        ({ check, judgement }) => check.cause === cause && judgement.stake === undefined,
      );
      return { title, mend, rules: own.map(({ check }) => check.id) };
    }),
  ].filter(({ rules }) => rules.length > 1);
}

function ruleOf(
  { judgement, why, check }: CheckResult,
  { redactor, replay }: ReceiverReportOptions,
): ReportRule {
  const { id, group, title } = check;
  const { verdict, stake = check, exchanges } = judgement;
  const expected = redactor.text(judgement.expected);
  const actual = redactor.text(judgement.actual);
  const isAdvised = verdict === 'deviates' || verdict === 'advisory';
  const finding = {
    ...{ scenario: id, verdict, expected, actual, exchanges },
    ...(isAdvised ? { advice: { why: check.why, at_stake: stake.gains, mend: stake.fix } } : {}),
    replay: redactor.text(replay(check)),
    fingerprint: fingerprintOf(id, id, { expected, actual }),
  };
  const findings = verdict === 'passed' ? [] : [finding];
  return checkRule(
    { id, family: groupWords[group], words: title, verdict, scenarios: [id], findings },
    why === null ? null : redactor.text(why),
  );
}

function scenarioOf(
  { check: { id, title }, judgement: { verdict }, why, exchanges }: CheckResult,
  redactor: Redactor,
): ReportScenario {
  return {
    ...{ id, title, verdict, rules: [id], by_rule: { [id]: verdict } },
    why: why === null ? null : redactor.text(why),
    attempts: 1,
    duration_ms: exchanges.reduce((sum, each) => sum + each.durationMs, 0),
    exchanges: exchanges.map((each) => reportExchange(each, redactor)),
  };
}
