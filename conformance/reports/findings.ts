// The findings of a report: grouped by their cause, each with the exchanges that prove it.
import { endingLine, exchangeLines, timelineLines } from './exchanges.ts';
import { code, facts, fold, heading, item, list, type Part, words } from './parts.ts';
import type { Report, ReportCause, ReportFinding, ReportRule } from './report.ts';
import { count, vocabularyOf } from './verdict-words.ts';

/** Rules with the same verdict that are shown together. */
export interface Group {
  /** `✗ no age check: 8 checks`, or the id and verdict of a single rule. */
  readonly title: string;
  /** Null for a single rule. */
  readonly cause: ReportCause | null;
  readonly rules: readonly ReportRule[];
  /** Rules that cannot be judged, or deviate, only because of these. */
  readonly followers: readonly ReportRule[];
}

/** The rules of a verdict in groups, the most general cause first. */
export function groupsOf(report: Report, verdict: ReportRule['verdict']): Group[] {
  const { noun, verdicts } = vocabularyOf(report);
  const { sign, name } = verdicts[verdict];
  const left = new Set(
    report.rules.filter(
      (rule) =>
        rule.verdict === verdict &&
        // An inconclusive rule without a finding is listed by its reason.
        (verdict !== 'inconclusive' || rule.findings.length > 0) &&
        !isFollower(rule, report),
    ),
  );
  const groupOf = (title: string, cause: ReportCause | null, rules: readonly ReportRule[]) => {
    for (const rule of rules) left.delete(rule);
    const members = rules.map(({ id }) => id);
    const followers = report.rules.filter((rule) => members.includes(causeOf(rule) ?? ''));
    return { title, cause, rules, followers };
  };
  const shared = (report.causes ?? []).flatMap((cause) => {
    const rules = cause.rules.flatMap((id) => [...left].filter((rule) => rule.id === id));
    const title = `${sign} ${cause.title}: ${count(rules.length, noun)}`;
    return rules.length > 1 ? [groupOf(title, cause, rules)] : [];
  });
  const single = [...left].map((rule) => groupOf(`${sign} ${rule.id} ${name}`, null, [rule]));
  return [...shared, ...single];
}

/** Whether the baseline accepts that the rule was not tested. */
export function isAccepted({ verdict, reason }: ReportRule): boolean {
  return verdict === 'not_tested' && reason !== null;
}

/** The rule whose deviation explains this one: one of its findings, or all if it deviates itself. */
export function causeOf(rule: ReportRule): string | undefined {
  const causes = rule.findings
    .filter(({ verdict }) => verdict !== 'passed' && verdict !== 'advisory')
    .map(({ because_of: cause }) => cause);
  if (rule.verdict === 'deviates' && causes.includes(undefined)) return undefined;
  return causes.find((each) => each !== undefined);
}

/** Whether it is shown with the deviation that explains it. */
export function isFollower(rule: ReportRule, { rules }: Report): boolean {
  const cause = causeOf(rule);
  return rules.some(({ id, verdict }) => id === cause && id !== rule.id && verdict === 'deviates');
}

/** Each failure once. */
export function distinct(findings: readonly ReportFinding[]): readonly ReportFinding[] {
  const prints = findings.map(({ fingerprint }) => fingerprint);
  return findings.filter(({ fingerprint }, at) => prints.indexOf(fingerprint) === at);
}

/** The findings that decided a rule's verdict, each failure once. */
export function tellingFindings(rule: ReportRule): readonly ReportFinding[] {
  const verdict = rule.verdict === 'known' ? 'deviates' : rule.verdict;
  return distinct(rule.findings.filter((each) => each.verdict === verdict));
}

/** Why a rule could not be judged. */
export function whyNot(rule: ReportRule): string {
  const [finding] = tellingFindings(rule);
  if (finding !== undefined) return finding.actual;
  if (rule.why !== undefined) return rule.why;
  if (rule.scenarios.length === 0) return 'no scenario tests it';
  return 'the scenarios did not reach a point that shows it';
}

export interface Detail {
  /** Findings of one rule that are shown in full. */
  readonly most: number;
  readonly hasFingerprint?: boolean;
  /** Columns of a terminal, to which the lines of an exchange are wrapped. */
  readonly width?: number | undefined;
  readonly jsonFile?: string | undefined;
}

/** If more rules have one cause, only their ids are listed. */
const RULES_EXPLAINED = 12;

/** A group with one rule of it in full. */
export function groupParts(group: Group, report: Report, detail: Detail): Part[] {
  const { title, cause, rules, followers } = group;
  const first = rules[0]!;
  const tone = /deviates|harness_error/.test(first.verdict) ? 'bad' : 'warn';
  const unjudged = followers.map(({ id }) => id);
  const explained =
    rules.length <= RULES_EXPLAINED
      ? rules.map((rule) => item(rule.words, rule.id))
      : [
          item(
            `all ${rules.length}:`,
            '',
            rules.map(({ id }) => id),
          ),
        ];
  return [
    heading(title, tone, first.id),
    ...(cause === null
      ? [words(first.words, true)]
      : [...facts([['fix', cause.mend]]), ...list(explained), words(`One of them, ${first.id}:`)]),
    // The cause already says how to fix it.
    ...ruleEvidence(first, report, detail, cause === null),
    ...list(
      followers.length === 0
        ? []
        : [item(`Because of ${first.id} these could not be judged:`, '', unjudged)],
    ),
  ];
}

/** The findings of a rule that decided its verdict. A failure that is already shown is only referenced. */
function ruleEvidence(rule: ReportRule, report: Report, detail: Detail, hasFix: boolean): Part[] {
  const telling = tellingFindings(rule);
  const isOther = ({ actual }: ReportFinding, at: number) =>
    telling.findIndex((each) => each.actual === actual) === at;
  const whole = telling.filter(isOther).slice(0, detail.most);
  const others = telling.filter((each) => !whole.includes(each));
  const places = [...new Set(others.map(({ place, scenario }) => place ?? scenario))];
  return [
    ...whole.flatMap((each, at) => {
      const before = whole[at - 1];
      const also = before === undefined ? [] : [words('Also:')];
      return [...also, ...findingDetail(each, report, { ...detail, before, hasFix })];
    }),
    ...facts([['and in', places.join(', ')]]),
  ];
}

/** The evidence of a rule that no group shows in full, folded. */
export function evidenceOf(rule: ReportRule, report: Report, detail: Detail): Part[] {
  const { sign, name } = vocabularyOf(report).verdicts[rule.verdict];
  return fold(`${sign} ${rule.id} ${name}`, ruleEvidence(rule, report, detail, true), rule.id);
}

interface FindingDetail extends Partial<Detail> {
  /** The finding shown above; none of its text is repeated. */
  readonly before?: ReportFinding | undefined;
  readonly hasFix?: boolean;
}

/** One finding with the exchanges that prove it. */
export function findingDetail(
  finding: ReportFinding,
  report: Report,
  { before, width, jsonFile, hasFix = true, hasFingerprint = false }: FindingDetail = {},
): Part[] {
  const { scenario, place = '', expected, actual, seen, advice, replay, exchanges } = finding;
  // The scenarios of a check have no names of their own.
  const hasName = report.judge === undefined;
  const isNew = before?.scenario !== scenario;
  const isProven = isNew || `${before?.exchanges}` !== `${exchanges}`;
  const unless = (text: string | undefined, earlier: string | undefined) =>
    text === earlier ? '' : (text ?? '');
  const requests = `npx conformance replay ${jsonFile} ${scenario}`;
  return [
    ...facts([
      ['scenario', hasName && isNew ? scenario : ''],
      ['where', place],
      ['expected', expected],
      ['actual', seen === undefined ? actual : `${actual} (in ${seen})`],
    ]),
    ...(isProven ? code(proofLines(finding, report, width)) : []),
    ...facts([
      ['why', unless(advice?.why, before?.advice?.why)],
      ['at stake', unless(advice?.at_stake, before?.advice?.at_stake)],
      ['fix', hasFix ? unless(advice?.mend, before?.advice?.mend) : ''],
      ['try again', unless(replay, before?.replay)],
      ['requests', jsonFile !== undefined && hasName && isNew ? requests : ''],
      ['fingerprint', hasFingerprint ? finding.fingerprint : ''],
    ]),
  ];
}

export function lastLines(output: string, most: number): string[] {
  return output.trimEnd() === '' ? [] : output.trimEnd().split('\n').slice(-most);
}

const EXCHANGES_SHOWN = 4;
const TIMELINE_SHOWN = 12;
const OUTPUT_SHOWN = 3;

/** The exchanges that a finding cites, and how the command of a client ended. */
function proofLines(finding: ReportFinding, report: Report, width?: number): string[] {
  // The calls of a client are shown with their times instead of headers and bodies.
  const isTimeline = report.judge === 'client';
  const id = finding.recording ?? finding.scenario;
  const { ending, exchanges = [] } = report.scenarios.find((each) => each.id === id) ?? {};
  const cited = exchanges
    .filter(({ n }) => finding.exchanges.includes(n))
    .slice(0, isTimeline ? TIMELINE_SHOWN : EXCHANGES_SHOWN);
  const printed = lastLines(ending?.output ?? '', OUTPUT_SHOWN);
  return [
    ...cited.flatMap((each) => (isTimeline ? timelineLines : exchangeLines)(each, width)),
    ...(ending === undefined ? [] : [endingLine(ending)]),
    ...printed.map((line) => `            | ${line}`),
  ];
}
