// Known deviations: which failures are borne with, why and until when. A different failure of the
// same rule is new, and one that no longer fails is stale.
import { judgeRun } from '../../engine/judge/verdicts.ts';
import { countVerdicts } from '../build-report.ts';
import type { BaselineLine, Report, ReportFinding, ReportRule } from '../report.ts';
import { acceptedNow, acceptUntested, isAccepted } from './accepted.ts';
import { type Baseline, type BaselineEntry, UNEXPLAINED } from './parse-baseline.ts';

const LASTS_DAYS = 90;
const DAY_MS = 86_400_000;

/** The report with known deviations marked as such. `today` is `2026-01-31`, in UTC. */
export function applyBaseline(
  report: Report,
  baseline: Baseline,
  today: string,
  strict: boolean,
): Report {
  const expired = baseline.known.filter((entry) => isOver(entry, today));
  const valid = baseline.known.filter((entry) => !expired.includes(entry));
  const stale = baseline.known.filter((entry) => isStale(report, entry));
  const borne = report.rules.map((rule) => borneWith(rule, valid));
  const accepted = (baseline.not_tested ?? []).filter((entry) => !isOver(entry, today));
  const over = (baseline.not_tested ?? []).filter((entry) => isOver(entry, today));
  const rules = borne
    .map((rule) => restingOn(rule, borne))
    .map((rule) => acceptUntested(rule, accepted));
  const known = rules.filter((each) => each.verdict === 'known').length;
  const relevant = expired.filter((entry) => !stale.includes(entry));
  return {
    ...report,
    rules,
    summary: countVerdicts(rules),
    verdict: judgeRun(rules, strict),
    baseline: {
      known,
      accepted: rules.filter(isAccepted).length,
      stale: stale.map(line),
      expired: [
        ...relevant.map(line),
        ...over.map(({ rules: ids, reason, expires }) => ({
          rule: ids.join(', '),
          scenario: 'not tested',
          reason,
          expires,
        })),
      ],
    },
  };
}

function line({ rule, scenario, reason, expires }: BaselineEntry): BaselineLine {
  return { rule, scenario, reason, expires };
}

function isOver({ expires }: { readonly expires: string | null }, today: string): boolean {
  return expires !== null && expires < today;
}

function isSame(entry: BaselineEntry, rule: string, finding: ReportFinding): boolean {
  return (
    entry.rule === rule &&
    entry.scenario === finding.scenario &&
    entry.fingerprint === finding.fingerprint
  );
}

function deviations(rule: ReportRule): ReportFinding[] {
  return rule.findings.filter((each) => each.verdict === 'deviates');
}

/** Known only if every failure of the rule is: one that is new among them must not hide. */
function borneWith(rule: ReportRule, entries: readonly BaselineEntry[]): ReportRule {
  if (rule.verdict !== 'deviates') return rule;
  const matching = deviations(rule).map((finding) =>
    entries.find((entry) => isSame(entry, rule.id, finding)),
  );
  if (matching.length === 0 || matching.includes(undefined)) return rule;
  const reasons = [...new Set(matching.map((entry) => entry!.reason))];
  return { ...rule, verdict: 'known', reason: reasons.join('; ') };
}

/** A rule that nothing but known deviations keep from being judged is borne with as they are. */
function restingOn(rule: ReportRule, rules: readonly ReportRule[]): ReportRule {
  if (rule.verdict !== 'blocked') return rule;
  const causes = rule.findings
    .filter(({ verdict }) => verdict !== 'passed' && verdict !== 'advisory')
    .map(({ because_of: cause }) => rules.find(({ id }) => id === cause));
  if (causes.length === 0 || causes.some((each) => each?.verdict !== 'known')) return rule;
  const ids = [...new Set(causes.map((each) => each!.id))];
  return { ...rule, verdict: 'known', reason: `cannot be judged because of ${ids.join(', ')}` };
}

/**
 * An entry whose scenario was played and found the rule kept, or that names nothing that exists.
 * One that was not tried this time may still hold.
 */
function isStale(report: Report, entry: BaselineEntry): boolean {
  const rule = report.rules.find((each) => each.id === entry.rule);
  const scenario = report.scenarios.find((each) => each.id === entry.scenario);
  if (rule === undefined || scenario === undefined) return true;
  const verdict = scenario.by_rule[entry.rule];
  return verdict === undefined || verdict === 'passed' || verdict === 'advisory';
}

/**
 * The baseline that fits a report: every deviation of it is known. What was there keeps its reason,
 * and its date unless that is over; what is stale goes; what was not tried this time stays.
 */
export function updatedBaseline(report: Report, before: Baseline, nowMs: number): Baseline {
  const today = dayOf(nowMs);
  const inNinetyDays = dayOf(nowMs + LASTS_DAYS * DAY_MS);
  const found = report.rules.flatMap((rule) =>
    deviations(rule).map((finding) => ({ rule: rule.id, finding })),
  );
  const kept = before.known.filter((entry) => {
    const again = found.some(({ rule, finding }) => isSame(entry, rule, finding));
    const judged = report.scenarios.find((each) => each.id === entry.scenario)?.by_rule[entry.rule];
    return !again && judged !== 'deviates' && !isStale(report, entry);
  });
  const now = found.map(({ rule, finding }): BaselineEntry => {
    const old = before.known.find((entry) => isSame(entry, rule, finding));
    const { scenario, fingerprint, expected, actual } = finding;
    const reason = old?.reason ?? UNEXPLAINED;
    const expires = old === undefined || isOver(old, today) ? inNinetyDays : old.expires;
    return { rule, scenario, fingerprint, reason, expires, expected, actual };
  });
  const order = new Map(report.rules.map((each, index) => [each.id, index]));
  const at = (entry: BaselineEntry) => order.get(entry.rule) ?? order.size;
  return {
    known: unique([...now, ...kept]).sort((a, b) => at(a) - at(b)),
    not_tested: acceptedNow(report, before.not_tested ?? []),
  };
}

function unique(entries: readonly BaselineEntry[]): BaselineEntry[] {
  const key = (each: BaselineEntry) => `${each.rule} ${each.scenario} ${each.fingerprint}`;
  return [...new Map(entries.map((each) => [key(each), each])).values()];
}

export function dayOf(nowMs: number): string {
  return new Date(nowMs).toISOString().slice(0, 10);
}
