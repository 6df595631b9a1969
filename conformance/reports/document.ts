// What a report says, as sections of entries and groups of findings. The text, Markdown, HTML and
// JUnit reports only lay it out.
import { KINDS, type Kind, kindWords } from '../engine/inventory/inventory.ts';
import { clock, exchangeLines, timelineLines } from './exchanges.ts';
import type {
  Report,
  ReportCause,
  ReportExchange,
  ReportFinding,
  ReportInventory,
  ReportRule,
  ReportScenario,
} from './report.ts';
import { count, vocabularyOf } from './verdict-words.ts';

export interface Section {
  readonly title: string;
  readonly place: 'first' | 'doubt' | 'later' | 'last';
  readonly entries: readonly Entry[];
  /** Names of the details, if the entries are the rows of a table. */
  readonly columns?: readonly string[];
}

export interface Entry {
  /** An id, or empty. */
  readonly label: string;
  readonly text: string;
  /** Ids that share the text, or the further cells of a row. */
  readonly details: readonly string[];
}

const line = (text: string, label = ''): Entry => ({ label, text, details: [] });

/** Everything but the findings, in order; `isBrief` leaves out answers that the simulator gives too. */
export function sectionsOf(report: Report, { isBrief = false } = {}): Section[] {
  const { crashes = [], inventory, notes, not_started: start } = report;
  const isStarted = start === undefined;
  const sections: Section[] = [
    {
      title: 'Requests that the target never answers properly',
      place: 'first',
      entries: crashes.map((crash) => {
        const { operation, distinguishes, failure, times, of, rules } = crash;
        const what = `${operation} ${distinguishes}`.trim();
        const waiting =
          rules.length === 0 ? '' : ` Cannot be judged until then: ${rules.join(', ')}.`;
        return line(`${what}: ${failure}, ${times} of ${count(of, 'request')}.${waiting}`);
      }),
    },
    ...(isStarted ? [...doubtful(report), ...untested(report)] : []),
    ...baselineSections(report),
    ...(isStarted ? [unlockSection(report)] : []),
    observedSection(report, isBrief),
    // The reason why nothing was tried stands with the verdict.
    {
      title: 'Notes',
      place: 'later',
      entries: notes.filter((each) => each !== start).map((each) => line(each)),
    },
    {
      title: 'Made and left',
      place: 'last',
      entries: inventory === undefined ? [] : inventoryLines(inventory).map((each) => line(each)),
    },
  ];
  return sections.filter(({ entries }) => entries.length > 0);
}

/** What could not be judged, by the reason that many rules share. */
function doubtful(report: Report): Section[] {
  const { findingsOf, noun, verdicts } = vocabularyOf(report);
  // If a receiver refuses every valid delivery, the reason stands in the notes.
  if (report.verdict === 'invalid' && report.judge !== undefined) return [];
  return (['blocked', 'inconclusive'] as const).map((verdict) => {
    const rules = report.rules.filter(
      (rule) =>
        rule.verdict === verdict &&
        !(findingsOf.includes(verdict) && rule.findings.length > 0) &&
        !isFollower(rule, report),
    );
    const { name, meaning } = verdicts[verdict];
    const title = `${count(rules.length, noun)} ${name}: ${meaning}`;
    return { title, place: 'doubt', entries: byReason(rules, whyNot) };
  });
}

/** What nothing in "What would unlock more rules" explains. */
function untested({ rules, interrupted, judge }: Report): Section[] {
  if (judge !== undefined) return [];
  const open = rules.filter((each) => each.verdict === 'not_tested' && each.reason === null);
  const lost = open.filter((each) => each.lost.length > 0);
  const others = open.filter((each) => each.unlock.length === 0);
  const why = interrupted ? 'the run was interrupted before' : 'for another reason';
  return [
    {
      title: `${count(lost.length, 'rule')} not tested: what was given no longer works`,
      place: 'doubt',
      entries: byReason(lost, (rule) => rule.lost.join(', ')),
    },
    {
      title: `${count(others.length, 'rule')} not tested: ${why}`,
      place: 'doubt',
      entries: byReason(others, whyNot),
    },
  ];
}

function baselineSections({ rules, baseline }: Report): Section[] {
  const { stale = [], expired = [] } = baseline ?? {};
  const known = rules.filter((each) => each.verdict === 'known');
  const accepted = rules.filter(isAccepted);
  return [
    {
      title: count(known.length, 'known deviation'),
      place: 'later',
      entries: known.map(({ id, reason }) => line(reason ?? '', id)),
    },
    {
      title: `${count(accepted.length, 'rule')} accepted as not tested`,
      place: 'later',
      entries: byReason(accepted, ({ reason }) => reason!),
    },
    {
      title: 'Baseline entries whose date has passed; they count as deviations again',
      place: 'later',
      entries: expired.map((each) => line(`(${each.expires}) ${each.reason}`, each.rule)),
    },
    {
      title: 'Baseline entries that no longer deviate; remove them with --update-baseline',
      place: 'later',
      entries: stale.map((each) => line(`in ${each.scenario}: ${each.reason}`, each.rule)),
    },
  ];
}

function observedSection({ observed }: Report, isBrief: boolean): Section {
  return {
    title: isBrief
      ? 'Open questions that the target answers differently from the simulator'
      : 'Where the specification is open',
    place: 'later',
    columns: ['target', 'same', 'simulator'],
    entries: observed
      .filter(({ same }) => !isBrief || same === false)
      .map(({ id, question, observed: seen, simulator, same }) => {
        const sign = same === null ? '' : same ? '=' : '≠';
        return {
          label: id,
          text: question,
          details: [seen ?? 'not seen in this run', sign, simulator],
        };
      }),
  };
}

function unlockSection({ unlock }: Report): Section {
  return {
    title: 'What would unlock more rules',
    place: 'later',
    entries: unlock.map(({ add, rules, with_others: others }) => {
      const alone = rules > 0 ? [`+${rules}`] : [];
      const more = others > 0 ? [`${others} together with others`] : [];
      return line(`${add} (${[...alone, ...more].join(', and ')})`);
    }),
  };
}

/** Ids by the reason that they share. */
function byReason(
  rules: readonly ReportRule[],
  reasonOf: (rule: ReportRule) => string,
): readonly Entry[] {
  const reasons = new Map<string, string[]>();
  for (const rule of rules) {
    const reason = reasonOf(rule);
    reasons.set(reason, [...(reasons.get(reason) ?? []), rule.id]);
  }
  return [...reasons].map(([text, details]) => ({ label: '', text, details }));
}

/** Whether the baseline accepts that the rule was not tested. */
export function isAccepted({ verdict, reason }: ReportRule): boolean {
  return verdict === 'not_tested' && reason !== null;
}

/** Rules of one verdict that are shown together. */
export interface Group {
  /** `no age check: 8 checks fail`, or the id and verdict of a rule that stands alone. */
  readonly title: string;
  /** Null for a rule that stands alone. */
  readonly cause: ReportCause | null;
  readonly rules: readonly ReportRule[];
  /** Rules that cannot be judged, or deviate, only because of these. */
  readonly followers: readonly ReportRule[];
}

/** The rules of a verdict in groups, the most general cause first. */
export function groupsOf(report: Report, verdict: ReportRule['verdict']): Group[] {
  const { noun, verdicts } = vocabularyOf(report);
  const left = new Set(
    report.rules.filter(
      (rule) =>
        rule.verdict === verdict &&
        // What could not be judged and has no finding is listed by its reason.
        (verdict !== 'inconclusive' || rule.findings.length > 0) &&
        !isFollower(rule, report),
    ),
  );
  const groups: Group[] = [];
  const add = (title: string, cause: ReportCause | null, rules: readonly ReportRule[]) => {
    for (const rule of rules) left.delete(rule);
    const members = new Set(rules.map(({ id }) => id));
    const followers = report.rules.filter((rule) => members.has(causeOf(rule) ?? ''));
    groups.push({ title, cause, rules, followers });
  };
  for (const cause of report.causes ?? []) {
    const rules = [...left].filter(({ id }) => cause.rules.includes(id));
    if (rules.length > 1) add(`${cause.title}: ${count(rules.length, noun)}`, cause, rules);
  }
  for (const rule of left) add(`${rule.id} ${verdicts[verdict].name}`, null, [rule]);
  return groups;
}

/** The rule whose deviation explains every finding of this one. */
export function causeOf(rule: ReportRule): string | undefined {
  const causes = rule.findings
    .filter(({ verdict }) => verdict !== 'passed' && verdict !== 'advisory')
    .map(({ because_of: cause }) => cause);
  return causes.length > 0 && causes.every((each) => each !== undefined) ? causes[0] : undefined;
}

/** Whether it is shown with the deviation that explains it. */
function isFollower(rule: ReportRule, { rules }: Report): boolean {
  const cause = causeOf(rule);
  return rules.some(({ id, verdict }) => id === cause && id !== rule.id && verdict === 'deviates');
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

/** What a finding says, by name; `before` is the finding shown above, which is not repeated. */
export function membersOf(
  finding: ReportFinding,
  report: Report,
  before?: ReportFinding,
): readonly (readonly [name: string, text: string])[] {
  const { scenario, place, expected, actual, seen, advice, replay } = finding;
  const members: (readonly [name: string, text: string, isRepeated?: boolean])[] = [
    ['scenario', vocabularyOf(report).hasScenarios ? scenario : '', before?.scenario === scenario],
    ['where', place ?? ''],
    ['expected', expected],
    ['actual', seen === undefined ? actual : `${actual} (in ${seen})`],
    ['why', advice?.why ?? '', before?.advice?.why === advice?.why],
    ['at stake', advice?.at_stake ?? '', before?.advice?.at_stake === advice?.at_stake],
    ['mend', advice?.mend ?? '', before?.advice?.mend === advice?.mend],
    ['try again', replay, before?.replay === replay],
  ];
  return members.flatMap(([name, text, isRepeated = false]) =>
    text === '' || isRepeated ? [] : [[name, text] as const],
  );
}

const EXCHANGES_SHOWN = 4;
const TIMELINE_SHOWN = 12;

/** The exchanges that a finding cites, and how the command of a client ended. */
export function proofLines(finding: ReportFinding, report: Report, width: number): string[] {
  const { isTimeline } = vocabularyOf(report);
  const cited = citedBy(report, finding).slice(0, isTimeline ? TIMELINE_SHOWN : EXCHANGES_SHOWN);
  const ending = recordingOf(report, finding)?.ending;
  return [
    ...cited.flatMap((each) => (isTimeline ? timelineLines : exchangeLines)(each, width)),
    ...(ending === undefined ? [] : [`${clock(ending.at_ms)}  the command ${ending.words}`]),
  ];
}

/** The scenario that holds the exchanges of a finding. */
export function recordingOf(report: Report, finding: ReportFinding): ReportScenario | undefined {
  const id = finding.recording ?? finding.scenario;
  return report.scenarios.find((each) => each.id === id);
}

/** The exchanges that a finding cites. */
export function citedBy(report: Report, finding: ReportFinding): readonly ReportExchange[] {
  const { exchanges = [] } = recordingOf(report, finding) ?? {};
  return exchanges.filter(({ n }) => finding.exchanges.includes(n));
}

/** `217 accounts, 75 accounts by bulk`; kinds with none are left out. */
export function madeWords(made: Readonly<Record<Kind, number>>): string {
  const parts = KINDS.filter((kind) => made[kind] > 0).map((kind) =>
    count(made[kind], ...kindWords[kind]),
  );
  return parts.length === 0 ? 'nothing' : parts.join(', ');
}

/** What a run made on the target and what is left there, one sentence each. */
export function inventoryLines(inventory: ReportInventory): string[] {
  const { made, mark, enabled, unanswered, kept } = inventory;
  const { positions = [], pending = [], approved = [] } = inventory;
  const what = madeWords(made);
  if (what === 'nothing' && (!kept || unanswered === 0)) return ['Made nothing on the target.'];
  if (!kept) return [`Made ${what}, in worlds of its own that no longer exist.`];
  const left = (words: string, ids: readonly string[]) => {
    const more = ids.length > 10 ? ` and ${ids.length - 10} more` : '';
    const listed = `${ids.slice(0, 10).join(', ')}${more}`;
    return ids.length === 0 ? [] : [`${words}: ${ids.length} (${listed}).`];
  };
  const enabledIds = enabled.map(({ id }) => id).join(', ');
  const subscriptions = `${count(enabled.length, 'subscription')} ${enabledIds}`;
  const isTidy = made.subscriptions > 0 && enabled.length === 0;
  return [
    what === 'nothing'
      ? 'Made nothing on the target that it knows of.'
      : `Made on the target: ${what}. The names contain ${mark}. The records stay there.`,
    ...(isTidy ? ['Every subscription that it made is disabled again.'] : []),
    ...(enabled.length === 0 ? [] : [`Still enabled: ${subscriptions}. Disable them.`]),
    ...left('Positions still open', positions),
    ...left('Transactions still pending', pending),
    ...left('Transactions approved and not settled', approved),
    ...(unanswered === 0
      ? []
      : [`${count(unanswered, 'write')} got no response and may or may not have run.`]),
  ];
}
