// Two reports side by side: what deviates that did not, what no longer does, and what is other than
// it was. Failures are told apart by their fingerprints, as in a baseline.
import type { Report, ReportFinding, ReportObserved, ReportRule } from '../report.ts';

export type ChangeKind = 'new' | 'gone' | 'changed' | 'lost' | 'tested' | 'observed';

export interface Change {
  readonly kind: ChangeKind;
  /** A rule, a check or an open question. */
  readonly id: string;
  readonly words: string;
  readonly before: string;
  readonly after: string;
  /** What the failure of the newer report is, or of the older where it is gone. */
  readonly findings: readonly ComparedFinding[];
}

export interface ComparedFinding {
  readonly scenario: string;
  readonly expected: string;
  readonly actual: string;
  readonly fingerprint: string;
  readonly replay: string;
}

export interface ComparedReport {
  readonly base_url: string;
  readonly started_at: string;
  readonly verdict: string;
}

export interface Comparison {
  readonly schema: 'compare/1';
  readonly old: ComparedReport;
  readonly new: ComparedReport;
  readonly verdict: 'worse' | 'better' | 'same';
  readonly changes: readonly Change[];
}

/** A new failure, another one, or a rule that was kept and is no longer shown to be. */
export const WORSE: readonly ChangeKind[] = ['new', 'changed', 'lost'];

export function compareReports(old: Report, now: Report): Comparison {
  const before = new Map(old.rules.map((each) => [each.id, each]));
  const after = new Set(now.rules.map(({ id }) => id));
  const removed = old.rules.filter(({ id }) => !after.has(id));
  const changes = [
    ...now.rules.flatMap((rule) => ruleChange(before.get(rule.id), rule)),
    ...removed.flatMap((rule) => ruleChange(rule, undefined)),
    ...observedChanges(old, now),
  ];
  const isWorse = changes.some(({ kind }) => WORSE.includes(kind));
  const isBetter = changes.some(({ kind }) => kind === 'gone' || kind === 'tested');
  return {
    schema: 'compare/1',
    old: headOf(old),
    new: headOf(now),
    verdict: isWorse ? 'worse' : isBetter ? 'better' : 'same',
    changes,
  };
}

function headOf({ target, started_at, verdict }: Report): ComparedReport {
  return { base_url: target.base_url, started_at, verdict };
}

/** A baseline changes how a failure is counted, not that there is one. */
function failuresOf(rule: ReportRule | undefined): readonly ReportFinding[] {
  return (rule?.findings ?? []).filter(({ verdict }) => verdict === 'deviates');
}

function ruleChange(old: ReportRule | undefined, now: ReportRule | undefined): Change[] {
  const [was, is] = [failuresOf(old), failuresOf(now)];
  const fresh = is.filter((each) => !was.some((other) => isSame(each, other)));
  const { id, words } = (now ?? old)!;
  const common = { id, words, before: verdictOf(old), after: verdictOf(now) };
  const change = (kind: ChangeKind, findings: readonly ReportFinding[] = []): Change[] => [
    { kind, ...common, findings: findings.map(compared) },
  ];
  if (is.length > 0 && was.length === 0) return change('new', is);
  if (fresh.length > 0) return change('changed', fresh);
  const isKept = isShown(now);
  if (is.length === 0 && was.length > 0) return isKept ? change('gone', was) : change('lost');
  if (is.length > 0) return [];
  if (isShown(old) && !isKept && now?.verdict !== 'not_selected') return change('lost');
  if (isKept && !isShown(old) && old?.verdict !== 'not_selected') return change('tested');
  return [];
}

function isShown(rule: ReportRule | undefined): boolean {
  return rule?.verdict === 'passed' || rule?.verdict === 'advisory';
}

function verdictOf(rule: ReportRule | undefined): string {
  return rule === undefined ? 'absent' : rule.verdict;
}

function isSame(one: ReportFinding, other: ReportFinding): boolean {
  return one.scenario === other.scenario && one.fingerprint === other.fingerprint;
}

function compared(finding: ReportFinding): ComparedFinding {
  const { scenario, expected, actual, fingerprint, replay } = finding;
  return { scenario, expected, actual, fingerprint, replay };
}

/** Where the specification is open, another answer is no deviation, but clients may rest on it. */
function observedChanges(old: Report, now: Report): Change[] {
  const before = new Map(old.observed.map((each) => [each.id, each]));
  return now.observed.flatMap((row) => {
    const { id, question, observed } = row;
    const other = before.get(id);
    const was = other?.observed ?? null;
    if (other === undefined || was === null || observed === null) return [];
    if (isSameAnswer(other, row)) return [];
    const change: Change = {
      ...{ kind: 'observed', id, words: question },
      ...{ before: was, after: observed, findings: [] },
    };
    return [change];
  });
}

/** By the settings that imitate it, or by the words without the names that a run made up. */
function isSameAnswer(one: ReportObserved, other: ReportObserved): boolean {
  const settings = (row: ReportObserved) => JSON.stringify(row.settings);
  if (settings(one) !== '{}' || settings(other) !== '{}') return settings(one) === settings(other);
  const words = (row: ReportObserved) => (row.observed ?? '').replace(/"[^"]*"/g, '"…"');
  return words(one) === words(other);
}
