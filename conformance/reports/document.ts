// What a report says, as parts of a document: findings by cause, and everything else in sections.
import { KINDS, type Kind, kindWords } from '../engine/inventory/inventory.ts';
import { clock, exchangeLines, timelineLines } from './exchanges.ts';
import {
  code,
  type Fact,
  facts,
  heading,
  type Item,
  item,
  list,
  type Part,
  words,
} from './parts.ts';
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
  readonly parts: readonly Part[];
}

function section(place: Section['place'], title: string, items: readonly Item[]): Section[] {
  return items.length === 0 ? [] : [{ title, place, parts: [heading(title), ...list(items)] }];
}

/** Everything but the findings, in order; `isBrief` leaves out answers that the simulator gives too. */
export function sectionsOf(report: Report, { isBrief = false } = {}): Section[] {
  const { crashes = [], inventory, notes, not_started: start, unlock } = report;
  const isStarted = start === undefined;
  return [
    ...section(
      'first',
      'Requests that the target never answers properly',
      crashes.map(({ operation, distinguishes, failure, times, of, rules }) => {
        const what = `${operation} ${distinguishes}`.trim();
        const ids = rules.join(', ');
        const waiting = ids === '' ? '' : ` Cannot be judged until then: ${ids}.`;
        return item(`${what}: ${failure}, ${times} of ${count(of, 'request')}.${waiting}`);
      }),
    ),
    ...(isStarted ? [...doubtful(report), ...untested(report)] : []),
    ...baselineSections(report),
    ...section(
      'later',
      'What would unlock more rules',
      unlock.map(({ add, rules, with_others: others }) => {
        const alone = rules > 0 ? [`+${rules}`] : [];
        const more = others > 0 ? [`${others} together with others`] : [];
        return item(`${add} (${[...alone, ...more].join(', and ')})`);
      }),
    ).filter(() => isStarted),
    ...observedSection(report, isBrief),
    // The reason why nothing was tried stands with the verdict.
    ...section(
      'later',
      'Notes',
      notes.filter((each) => each !== start).map((each) => item(each)),
    ),
    ...section(
      'last',
      'Made and left',
      inventory === undefined ? [] : inventoryLines(inventory).map((each) => item(each)),
    ),
  ];
}

/** What could not be judged, by the reason that many rules share. */
function doubtful(report: Report): Section[] {
  const { findingsOf, noun, verdicts } = vocabularyOf(report);
  // If a receiver refuses every valid delivery, the reason stands in the notes.
  if (report.verdict === 'invalid' && report.judge !== undefined) return [];
  return (['blocked', 'inconclusive'] as const).flatMap((verdict) => {
    const rules = report.rules.filter(
      (rule) =>
        rule.verdict === verdict &&
        !(findingsOf.includes(verdict) && rule.findings.length > 0) &&
        !isFollower(rule, report),
    );
    const { name, meaning } = verdicts[verdict];
    const title = `${count(rules.length, noun)} ${name}: ${meaning}`;
    return section('doubt', title, byReason(rules, whyNot));
  });
}

/** What nothing in "What would unlock more rules" explains. */
function untested({ rules, interrupted, judge }: Report): Section[] {
  if (judge !== undefined) return [];
  const open = rules.filter((each) => each.verdict === 'not_tested' && each.reason === null);
  const lost = open.filter((each) => each.lost.length > 0);
  const others = open.filter((each) => each.unlock.length === 0);
  const why = interrupted ? 'the run was interrupted before' : 'for another reason';
  const titleOf = (own: readonly ReportRule[], reason: string) =>
    `${count(own.length, 'rule')} not tested: ${reason}`;
  return [
    ...section(
      'doubt',
      titleOf(lost, 'what was given no longer works'),
      byReason(lost, (rule) => rule.lost.join(', ')),
    ),
    ...section('doubt', titleOf(others, why), byReason(others, whyNot)),
  ];
}

function baselineSections({ rules, baseline }: Report): Section[] {
  const { stale = [], expired = [] } = baseline ?? {};
  const known = rules.filter((each) => each.verdict === 'known');
  const accepted = rules.filter(isAccepted);
  return [
    ...section(
      'later',
      count(known.length, 'known deviation'),
      known.map(({ id, reason }) => item(reason ?? '', id)),
    ),
    ...section(
      'later',
      `${count(accepted.length, 'rule')} accepted as not tested`,
      byReason(accepted, ({ reason }) => reason!),
    ),
    ...section(
      'later',
      'Baseline entries whose date has passed; they count as deviations again',
      expired.map((each) => item(`(${each.expires}) ${each.reason}`, each.rule)),
    ),
    ...section(
      'later',
      'Baseline entries that no longer deviate; remove them with --update-baseline',
      stale.map((each) => item(`in ${each.scenario}: ${each.reason}`, each.rule)),
    ),
  ];
}

function observedSection({ observed }: Report, isBrief: boolean): Section[] {
  const seen = observed.filter((row) => row.observed !== null);
  const shown = isBrief ? seen.filter(({ same }) => same === false) : seen;
  const unseen = observed.length - seen.length;
  if (shown.length === 0) return [];
  const title = isBrief
    ? 'Open questions that the target answers differently from the simulator'
    : 'Where the specification is open';
  const rows = shown.map(({ id, question, observed: answer, simulator, same }) => [
    ...[id, question, answer!],
    same === true ? 'the same' : simulator,
  ]);
  const table: Part = { kind: 'table', head: ['', '', 'target', 'simulator'], rows };
  const rest = `${count(unseen, 'more question')} were not seen in this run.`;
  const more = isBrief || unseen === 0 ? [] : [words(rest)];
  return [{ title, place: 'later', parts: [heading(title), table, ...more] }];
}

/** Ids by the reason that they share. */
function byReason(rules: readonly ReportRule[], reasonOf: (rule: ReportRule) => string): Item[] {
  const reasons = new Map<string, string[]>();
  for (const rule of rules) {
    const reason = reasonOf(rule);
    reasons.set(reason, [...(reasons.get(reason) ?? []), rule.id]);
  }
  return [...reasons].map(([text, ids]) => item(text, '', ids));
}

/** Whether the baseline accepts that the rule was not tested. */
export function isAccepted({ verdict, reason }: ReportRule): boolean {
  return verdict === 'not_tested' && reason !== null;
}

/** Rules of one verdict that are shown together. */
export interface Group {
  /** `no age check: 8 checks`, or the id and verdict of a rule that stands alone. */
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

/** The rule whose deviation explains this one: one of its findings, or all if it deviates itself. */
export function causeOf(rule: ReportRule): string | undefined {
  const causes = rule.findings
    .filter(({ verdict }) => verdict !== 'passed' && verdict !== 'advisory')
    .map(({ because_of: cause }) => cause);
  if (rule.verdict === 'deviates' && causes.includes(undefined)) return undefined;
  return causes.find((each) => each !== undefined);
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

export interface Detail {
  /** Findings shown of one rule. */
  readonly findings: number;
  /** Columns of the lines of an exchange. */
  readonly width: number;
  readonly jsonFile?: string | undefined;
}

/** Every finding that needs attention: those with one cause together, one of them in full. */
export function findingParts(report: Report, detail: Detail): Part[] {
  const { findingsOf } = vocabularyOf(report);
  return findingsOf
    .flatMap((verdict) => groupsOf(report, verdict))
    .flatMap((group) => groupParts(group, report, detail));
}

/** More rules with one cause are named by their ids alone. */
const RULES_EXPLAINED = 12;

function groupParts(group: Group, report: Report, detail: Detail): Part[] {
  const { title, cause, rules, followers } = group;
  const first = rules[0]!;
  const { sign } = vocabularyOf(report).verdicts[first.verdict];
  const tone = /deviates|harness_error/.test(first.verdict) ? 'bad' : 'warn';
  const telling = tellingFindings(first);
  // A failure that is shown already needs no more than its place.
  const isOther = ({ actual }: ReportFinding, at: number) =>
    telling.findIndex((each) => each.actual === actual) === at;
  const whole = telling.filter(isOther).slice(0, detail.findings);
  const others = telling.filter((each) => !whole.includes(each));
  const places = [...new Set(others.map(({ place, scenario }) => place ?? scenario))];
  const unjudged = followers.map(({ id }) => id).join(', ');
  return [
    heading(`${sign} ${title}`, tone),
    ...(cause === null
      ? [words(first.words, true)]
      : [
          ...facts([['mend', cause.mend]]),
          ...list(
            rules.length <= RULES_EXPLAINED
              ? rules.map((rule) => item(rule.words, rule.id))
              : [
                  item(
                    `all ${rules.length}:`,
                    '',
                    rules.map(({ id }) => id),
                  ),
                ],
          ),
          words(`One of them, ${first.id}:`),
        ]),
    ...whole.flatMap((each, at) => oneFinding(each, whole[at - 1], report, { ...detail, cause })),
    ...facts([['and in', places.join(', ')]]),
    ...(followers.length === 0
      ? []
      : [words(`Because of ${first.id} these could not be judged: ${unjudged}.`)]),
  ];
}

/** What a finding says; `before` is the finding shown above it, which is not repeated. */
export function findingFacts(
  finding: ReportFinding,
  report: Report,
  before?: ReportFinding,
): { readonly seen: readonly Fact[]; readonly advice: readonly Fact[] } {
  const { scenario, place = '', expected, actual, seen, advice, replay } = finding;
  const isOther = before?.scenario !== scenario;
  const unless = (text: string | undefined, earlier: string | undefined) =>
    text === earlier ? '' : (text ?? '');
  return {
    seen: [
      ['scenario', vocabularyOf(report).hasScenarios && isOther ? scenario : ''],
      ['where', place],
      ['expected', expected],
      ['actual', seen === undefined ? actual : `${actual} (in ${seen})`],
    ],
    advice: [
      ['why', unless(advice?.why, before?.advice?.why)],
      ['at stake', unless(advice?.at_stake, before?.advice?.at_stake)],
      ['mend', unless(advice?.mend, before?.advice?.mend)],
      ['try again', unless(replay, before?.replay)],
    ],
  };
}

function oneFinding(
  finding: ReportFinding,
  before: ReportFinding | undefined,
  report: Report,
  { width, jsonFile, cause }: Detail & { readonly cause: ReportCause | null },
): Part[] {
  const { scenario, advice, exchanges } = finding;
  const { seen, advice: own } = findingFacts(finding, report, before);
  const isNew = before?.scenario !== scenario;
  const isShown = isNew || `${before?.exchanges}` !== `${exchanges}`;
  const canReplay = jsonFile !== undefined && vocabularyOf(report).hasScenarios && isNew;
  const output = recordingOf(report, finding)?.ending?.output ?? '';
  const printed = lastLines(output, 3).map((line) => `            | ${line}`);
  const isSaid = advice?.example === undefined || advice.example === before?.advice?.example;
  return [
    ...(before === undefined ? [] : [words('Also:')]),
    ...facts(seen),
    ...(isShown ? code([...proofLines(finding, report, width), ...printed]) : []),
    ...facts([
      // How to mend it stands with the cause.
      ...own.filter(([name]) => cause === null || name !== 'mend'),
      ['requests', canReplay ? `npx conformance replay ${jsonFile} ${scenario}` : ''],
    ]),
    ...(isSaid ? [] : [words('Right:'), ...code(advice.example.split('\n'))]),
  ];
}

export function lastLines(output: string, most: number): string[] {
  return output.trimEnd() === '' ? [] : output.trimEnd().split('\n').slice(-most);
}

const EXCHANGES_SHOWN = 4;
const TIMELINE_SHOWN = 12;

/** The exchanges that a finding cites, and how the command of a client ended. */
function proofLines(finding: ReportFinding, report: Report, width: number): string[] {
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
  const left = (text: string, ids: readonly string[]) => {
    const more = ids.length > 10 ? ` and ${ids.length - 10} more` : '';
    const listed = `${ids.slice(0, 10).join(', ')}${more}`;
    return ids.length === 0 ? [] : [`${text}: ${ids.length} (${listed}).`];
  };
  const enabledIds = enabled.map(({ id }) => id).join(', ');
  const subscriptions = `${count(enabled.length, 'subscription')} ${enabledIds}`;
  const writes = count(unanswered, 'write');
  return [
    what === 'nothing'
      ? 'Made nothing on the target that it knows of.'
      : `Made on the target: ${what}. The names contain ${mark}. The records stay there.`,
    ...(made.subscriptions > 0 && enabled.length === 0
      ? ['Every subscription that it made is disabled again.']
      : []),
    ...(enabled.length === 0 ? [] : [`Still enabled: ${subscriptions}. Disable them.`]),
    ...left('Positions still open', positions),
    ...left('Transactions still pending', pending),
    ...left('Transactions approved and not settled', approved),
    ...(unanswered === 0 ? [] : [`${writes} got no response and may or may not have run.`]),
  ];
}
