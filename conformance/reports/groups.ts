// Which findings belong together: several rules with one cause, and rules that follow from another.
import type { Report, ReportCause, ReportFinding, ReportRule } from './report.ts';
import { count, vocabularyOf } from './verdict-words.ts';

/** Rules of one verdict that are shown together. */
export interface Group {
  /** Null for a rule that stands alone. */
  readonly cause: ReportCause | null;
  readonly rules: readonly ReportRule[];
  /** Rules that cannot be judged, or deviate, only because of these. */
  readonly followers: readonly ReportRule[];
}

/** What could not be judged and has no finding is listed by its reason. */
function isShown({ verdict, findings }: ReportRule): boolean {
  return verdict !== 'inconclusive' || findings.length > 0;
}

/** The rules of a verdict in groups, the most general cause first. */
export function groupsOf(report: Report, verdict: ReportRule['verdict']): Group[] {
  const own = report.rules.filter((rule) => rule.verdict === verdict && isShown(rule));
  const left = new Set(own.filter((rule) => !isFollower(rule, report)));
  const groups: Group[] = [];
  const add = (cause: ReportCause | null, rules: readonly ReportRule[]) => {
    for (const rule of rules) left.delete(rule);
    const members = new Set(rules.map(({ id }) => id));
    const followers = report.rules.filter((rule) => members.has(causeOf(rule) ?? ''));
    groups.push({ cause, rules, followers });
  };
  for (const cause of report.causes ?? []) {
    const rules = [...left].filter(({ id }) => cause.rules.includes(id));
    if (rules.length > 1) add(cause, rules);
  }
  for (const rule of left) add(null, [rule]);
  return groups;
}

/** The rule whose deviation explains every finding of this one. */
export function causeOf(rule: ReportRule): string | undefined {
  const causes = rule.findings.filter(isTold).map(({ because_of: cause }) => cause);
  return causes.length > 0 && causes.every((each) => each !== undefined) ? causes[0] : undefined;
}

/** Whether it is shown with the deviation that explains it. */
export function isFollower(rule: ReportRule, { rules }: Report): boolean {
  const cause = causeOf(rule);
  return rules.some(({ id, verdict }) => id === cause && id !== rule.id && verdict === 'deviates');
}

function isTold({ verdict }: ReportFinding): boolean {
  return verdict !== 'passed' && verdict !== 'advisory';
}

/** `no age check: 8 checks fail`. */
export function groupTitle(group: Group, report: Report): string {
  const { noun, verdicts } = vocabularyOf(report);
  const [rule] = group.rules;
  if (group.cause === null) return `${rule!.id} ${verdicts[rule!.verdict].name}`;
  return `${group.cause.title}: ${count(group.rules.length, noun)}`;
}

/** The findings that made a rule's verdict, each failure once. */
export function tellingFindings(rule: ReportRule): readonly ReportFinding[] {
  const verdict = rule.verdict === 'known' ? 'deviates' : rule.verdict;
  const telling = rule.findings.filter((each) => each.verdict === verdict);
  return telling.filter(
    ({ fingerprint }, at) => telling.findIndex((e) => e.fingerprint === fingerprint) === at,
  );
}

/** Why a rule could not be judged. */
export function whyNot(rule: ReportRule): string {
  const [finding] = tellingFindings(rule);
  if (finding !== undefined) return finding.actual;
  if (rule.why !== undefined) return rule.why;
  if (rule.scenarios.length === 0) return 'no scenario tests it';
  return 'the scenarios did not reach a point that shows it';
}

/** Ids by the reason that they share. */
export function byReason(
  rules: readonly ReportRule[],
  reasonOf: (rule: ReportRule) => string,
): ReadonlyMap<string, readonly string[]> {
  const reasons = new Map<string, string[]>();
  for (const rule of rules) {
    const reason = reasonOf(rule);
    reasons.set(reason, [...(reasons.get(reason) ?? []), rule.id]);
  }
  return reasons;
}
