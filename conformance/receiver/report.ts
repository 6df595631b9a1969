// The report on a receiver, in the same form as one on an API: each check stands as a rule.
import { fingerprintOf } from '../engine/judge/fingerprint.ts';
import { judgeRun } from '../engine/judge/verdicts.ts';
import { countVerdicts } from '../reports/build-report.ts';
import type { Redactor } from '../reports/redact.ts';
import type { Report, ReportRule, ReportScenario } from '../reports/report.ts';
import { reportExchange } from '../reports/report-exchange.ts';
import { receiverMark } from '../reports/verdict-words.ts';
import { type Check, groupWords, wordsOf } from './check.ts';
import type { CheckResult, ReceiverRun } from './run.ts';

export interface ReceiverReportParts {
  readonly version: string;
  readonly url: string;
  readonly run: ReceiverRun;
  readonly redactor: Redactor;
  /** A command that tries one check again. */
  readonly replay: (check: Check) => string;
}

export function receiverReport({
  version,
  url,
  run,
  redactor,
  replay,
}: ReceiverReportParts): Report {
  const rules = run.results.map((result) => ruleOf(result, redactor, replay));
  const notes = [
    ...(run.refused === null
      ? []
      : [`Nothing was judged: ${run.refused}${run.refused.endsWith('?') ? '' : '.'}`]),
    ...uncheckedNotes(run),
    ...run.observed,
  ];
  return {
    schema: 1,
    tool: { name: 'conformance', version },
    target: { base_url: redactor.text(url), control_url: null },
    seed: 1,
    started_at: run.startedAt,
    duration_ms: Math.round(run.durationMs),
    verdict: judgeRun(rules),
    summary: countVerdicts(rules),
    requests: run.requests,
    interrupted: run.interrupted,
    mark: receiverMark,
    notes: notes.map((note) => redactor.text(note)),
    rules,
    scenarios: run.results.map((result) => scenarioOf(result, redactor)),
    observed: [],
    unlock: [],
    baseline: null,
  };
}

/** Where to begin with the many findings of a receiver that does not look. */
function uncheckedNotes({ results }: ReceiverRun): string[] {
  const forged = results.filter(({ check }) => check.group === 'refuse');
  const isTaken = ({ judgement }: CheckResult) => judgement.verdict === 'deviates';
  if (forged.length === 0 || !forged.every(isTaken)) return [];
  return [
    'Everything that must be refused was accepted: the signature is not checked at all. Begin ' +
      'with that, and judge again: most of these findings have this one cause.',
  ];
}

function ruleOf(
  result: CheckResult,
  redactor: Redactor,
  replay: ReceiverReportParts['replay'],
): ReportRule {
  const { judgement, why, check } = result;
  const { id, group } = check;
  const expected = redactor.text(judgement.expected);
  const actual = redactor.text(judgement.actual);
  const { stake = check } = judgement;
  const bad = judgement.verdict !== 'passed';
  const finding = {
    scenario: id,
    verdict: judgement.verdict,
    expected,
    actual,
    exchanges: judgement.exchanges,
    ...(judgement.verdict === 'deviates' || judgement.verdict === 'advisory'
      ? { advice: { why: check.why, at_stake: stake.gains, mend: stake.fix } }
      : {}),
    replay: replay(check),
    fingerprint: fingerprintOf(id, id, { expected, actual }),
  };
  return {
    id,
    family: groupWords[group],
    words: wordsOf(check),
    verdict: judgement.verdict,
    scenarios: [id],
    needs: [],
    unlock: judgement.verdict === 'not_tested' && why !== null ? [why] : [],
    lost: [],
    reason: null,
    findings: bad ? [finding] : [],
  };
}

function scenarioOf(result: CheckResult, redactor: Redactor): ReportScenario {
  const { check, judgement, why, exchanges } = result;
  const { id } = check;
  const shown = { rules: [id], expected: judgement.expected, exchanges: judgement.exchanges };
  return {
    id,
    title: wordsOf(check),
    verdict: judgement.verdict,
    rules: [id],
    by_rule: { [id]: judgement.verdict },
    why: why === null ? null : redactor.text(why),
    attempts: 1,
    duration_ms: exchanges.reduce((sum, each) => sum + each.durationMs, 0),
    shown: judgement.verdict === 'passed' ? [shown] : [],
    exchanges: exchanges.map((each) => reportExchange(each, redactor)),
  };
}
