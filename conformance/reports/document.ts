// The content of a report as parts of a document: findings by cause, and everything else in sections.
import { KINDS, type Kind, kindWords } from '../engine/inventory/inventory.ts';
import { CONTROL_PLANE } from '../engine/judge/testability.ts';
import { endingLine, exchangeLines, timelineLines } from './exchanges.ts';
import { code, facts, heading, type Item, item, list, type Part, words } from './parts.ts';
import {
  type BaselineLine,
  NOT_TESTED,
  type Report,
  type ReportCause,
  type ReportFinding,
  type ReportInventory,
  type ReportRule,
} from './report.ts';
import { count, knownRules, vocabularyOf } from './verdict-words.ts';

function section(title: string, items: readonly Item[]): Part[] {
  return items.length === 0 ? [] : [heading(title), ...list(items)];
}

/** Everything except the findings. `isBrief` leaves out behaviour that is the same as the simulator's. */
export function sectionsOf(report: Report, { isBrief = false } = {}) {
  const { crashes = [], inventory, notes, not_started: start, unlock } = report;
  const isStarted = start === undefined;
  const crashItems = crashes.map(({ operation, distinguishes, failure, times, of, rules }) => {
    const what = `${operation} ${distinguishes}`.trim();
    const waiting = rules.length === 0 ? '' : ` Cannot be judged until then: ${rules.join(', ')}.`;
    return item(`${what}: ${failure}, ${times} of ${count(of, 'request')}.${waiting}`);
  });
  const untestedCount = count(report.summary.not_tested, 'rule');
  // A live target has no control plane.
  const isLast = ({ add }: Report['unlock'][number]) => Number(add === CONTROL_PLANE);
  const additions = unlock.toSorted((a, b) => isLast(a) - isLast(b));
  const unlockItems = additions.map(({ add, rules, with_others: others }) => {
    const gains = [rules > 0 && `+${rules}`, others > 0 && `${others} together with others`];
    return item(`${add} (${gains.filter(Boolean).join(', and ')})`);
  });
  // The reason why nothing was tested is shown with the verdict.
  const noteItems = notes.filter((each) => each !== start).map((each) => item(each));
  return {
    /** Before the findings. */
    first: section('Requests that the target never answers properly', crashItems),
    /** Rules that could not be judged. */
    doubt: isStarted ? [...doubtful(report), ...untested(report)] : [],
    /** What to add so that more rules can be tested. */
    unlock: isStarted
      ? section(`What would unlock more (${untestedCount} not tested)`, unlockItems)
      : [],
    later: [
      ...baselineSections(report),
      ...observedSection(report, isBrief),
      ...section('Notes', noteItems),
    ],
    /** What was created on the target and remains there, one sentence each. */
    left: inventory === undefined ? [] : inventoryLines(inventory),
  };
}

/** Rules that could not be judged, grouped by their shared reason. */
function doubtful(report: Report): Part[] {
  const { findingsOf, noun, verdicts } = vocabularyOf(report);
  // If a receiver refuses every valid delivery, the reason is in the notes.
  if (report.verdict === 'invalid' && report.judge !== undefined) return [];
  return (['blocked', 'inconclusive'] as const).flatMap((verdict) => {
    const isShown = ({ findings }: ReportRule) =>
      findingsOf.includes(verdict) && findings.length > 0;
    const rules = report.rules.filter(
      (rule) => rule.verdict === verdict && !isShown(rule) && !isFollower(rule, report),
    );
    const { name, meaning } = verdicts[verdict];
    // The others are shown with the deviation that explains them.
    const unit = rules.length < report.summary[verdict] ? `more ${noun}` : noun;
    return section(`${count(rules.length, unit)} ${name}: ${meaning}`, byReason(rules, whyNot));
  });
}

/** Untested rules that "What would unlock more" does not explain. */
function untested({ rules, interrupted, judge }: Report): Part[] {
  if (judge !== undefined) return [];
  const open = rules.filter((each) => each.verdict === 'not_tested' && each.reason === null);
  const lost = open.filter((each) => each.lost.length > 0);
  const others = open.filter((each) => each.unlock.length === 0);
  const why = interrupted ? ': the run was interrupted before' : ', with the reason';
  const titled = (own: readonly ReportRule[], reason: string, of: (rule: ReportRule) => string) =>
    section(`${count(own.length, 'rule')} not tested${reason}`, byReason(own, of));
  return [
    ...titled(lost, ': what was given no longer works', (rule) => rule.lost.join(', ')),
    ...titled(others, why, whyNot),
  ];
}

function baselineSections(report: Report): Part[] {
  const { rules, baseline } = report;
  const { noun, hasScenarios } = vocabularyOf(report);
  const { stale = [], expired = [] } = baseline ?? {};
  const { deviations, unjudged } = knownRules(rules);
  const accepted = rules.filter(isAccepted);
  const lineItem = ({ rule, scenario, reason, expires }: BaselineLine) =>
    baselineItem(rule, reason, scenario === NOT_TESTED ? scenario : `in ${scenario}`, expires);
  const knownItem = (rule: ReportRule) => {
    const [first, ...more] = new Set(tellingFindings(rule).map(({ scenario }) => scenario));
    const where = more.length === 0 ? first : `${more.length + 1} scenarios`;
    return baselineItem(rule.id, rule.reason ?? '', hasScenarios && `in ${where}`, rule.until);
  };
  return [
    ...section(count(deviations.length, 'known deviation'), deviations.map(knownItem)),
    ...section(
      `${count(unjudged.length, noun)} that known deviations keep from being judged`,
      byReason(unjudged, ({ reason }) => reason ?? ''),
    ),
    ...section(
      `${count(accepted.length, 'rule')} accepted as not tested`,
      byReason(accepted, ({ reason }) => reason!),
    ),
    ...section(
      'Baseline entries whose date has passed; they count as deviations again',
      expired.map(lineItem),
    ),
    ...section(
      'Baseline entries that no longer deviate; remove them with --update-baseline',
      stale.map(lineItem),
    ),
  ];
}

/** `in sample-one, until 2027-01-31: ticket 7`, labelled with the rule. */
function baselineItem(
  rule: string,
  reason: string,
  where: string | false,
  until: string | null = null,
): Item {
  const parts = [where, until !== null && `until ${until}`].filter(Boolean);
  return item([...(parts.length === 0 ? [] : [parts.join(', ')]), reason].join(': '), rule);
}

function observedSection({ observed }: Report, isBrief: boolean): Part[] {
  const seen = observed.filter((row) => row.observed !== null);
  const table = (rows: typeof seen, summary?: string): Part[] => {
    if (rows.length === 0) return [];
    const cells = rows.map(({ id, question, observed: target, simulator, same }) => {
      return [id, question, target!, same === true ? 'the same' : simulator];
    });
    const head = ['', '', 'target', 'simulator'];
    return [{ kind: 'table', head, rows: cells, ...(summary !== undefined && { summary }) }];
  };
  const unlike = seen.filter(({ same }) => same === false);
  const different = 'Open questions that the target answers differently from the simulator';
  if (isBrief) return unlike.length === 0 ? [] : [heading(different), ...table(unlike)];
  if (seen.length === 0) return [];
  const others = seen.filter(({ same }) => same !== false);
  const unseen = observed.length - seen.length;
  const rest = `${count(others.length, 'open question')} without a known difference`;
  const more = unseen === 0 ? '' : `; ${unseen} more were not seen in this run`;
  return [
    heading(unlike.length === 0 ? 'Where the specification is open' : different),
    ...table(unlike),
    ...table(others, `${rest}${more}`),
  ];
}

/** Ids grouped by their reason. */
function byReason(rules: readonly ReportRule[], reasonOf: (rule: ReportRule) => string): Item[] {
  const reasons = [...new Set(rules.map(reasonOf))];
  return reasons.map((text) =>
    item(text, '', idsOf(rules.filter((rule) => reasonOf(rule) === text))),
  );
}

const idsOf = (rules: readonly ReportRule[]) => rules.map(({ id }) => id);

/** Whether the baseline accepts that the rule was not tested. */
export function isAccepted({ verdict, reason }: ReportRule): boolean {
  return verdict === 'not_tested' && reason !== null;
}

/** Rules with the same verdict that are shown together. */
interface Group {
  /** `no age check: 8 checks`, or the id and verdict of a single rule. */
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
    const members = idsOf(rules);
    const followers = report.rules.filter((rule) => members.includes(causeOf(rule) ?? ''));
    return { title, cause, rules, followers };
  };
  const shared = (report.causes ?? []).flatMap((cause) => {
    const rules = cause.rules.flatMap((id) => [...left].filter((rule) => rule.id === id));
    const title = `${cause.title}: ${count(rules.length, noun)}`;
    return rules.length > 1 ? [groupOf(title, cause, rules)] : [];
  });
  const single = [...left].map((rule) =>
    groupOf(`${rule.id} ${verdicts[verdict].name}`, null, [rule]),
  );
  return [...shared, ...single];
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

interface Detail {
  /** Columns of a terminal, to which the lines of an exchange are wrapped. */
  readonly width?: number | undefined;
  readonly jsonFile?: string | undefined;
  /** The finding shown above; none of its text is repeated. */
  readonly before?: ReportFinding | undefined;
  readonly hasFix?: boolean;
}

/**
 * Every finding that needs attention, `most` of one rule: findings with one cause together, only one
 * in full.
 */
export function findingParts(report: Report, most: number, detail: Detail = {}): Part[] {
  return vocabularyOf(report)
    .findingsOf.flatMap((verdict) => groupsOf(report, verdict))
    .flatMap((group) => groupParts(group, report, most, detail));
}

/** If more rules have one cause, only their ids are listed. */
const RULES_EXPLAINED = 12;

function groupParts(group: Group, report: Report, most: number, detail: Detail): Part[] {
  const { title, cause, rules, followers } = group;
  const first = rules[0]!;
  const { sign } = vocabularyOf(report).verdicts[first.verdict];
  const tone = /deviates|harness_error/.test(first.verdict) ? 'bad' : 'warn';
  const telling = tellingFindings(first);
  // A failure that is already shown is only referenced.
  const isOther = ({ actual }: ReportFinding, at: number) =>
    telling.findIndex((each) => each.actual === actual) === at;
  const whole = telling.filter(isOther).slice(0, most);
  const others = telling.filter((each) => !whole.includes(each));
  const places = [...new Set(others.map(({ place, scenario }) => place ?? scenario))];
  const unjudged = idsOf(followers).join(', ');
  const explained =
    rules.length <= RULES_EXPLAINED
      ? rules.map((rule) => item(rule.words, rule.id))
      : [item(`all ${rules.length}:`, '', idsOf(rules))];
  return [
    heading(`${sign} ${title}`, tone),
    ...(cause === null
      ? [words(first.words, true)]
      : [...facts([['fix', cause.mend]]), ...list(explained), words(`One of them, ${first.id}:`)]),
    ...whole.flatMap((each, at) => {
      const before = whole[at - 1];
      const also = before === undefined ? [] : [words('Also:')];
      // The cause already says how to fix it.
      const hasFix = cause === null;
      return [...also, ...findingDetail(each, report, { ...detail, before, hasFix })];
    }),
    ...facts([['and in', places.join(', ')]]),
    ...(followers.length === 0
      ? []
      : [words(`Because of ${first.id} these could not be judged: ${unjudged}.`)]),
  ];
}

/** One finding with the exchanges that prove it. */
export function findingDetail(finding: ReportFinding, report: Report, detail: Detail = {}): Part[] {
  const { scenario, place = '', expected, actual, seen, advice, replay, exchanges } = finding;
  const { before, width, jsonFile, hasFix = true } = detail;
  const { hasScenarios } = vocabularyOf(report);
  const isNew = before?.scenario !== scenario;
  const isProven = isNew || `${before?.exchanges}` !== `${exchanges}`;
  const unless = (text: string | undefined, earlier: string | undefined) =>
    text === earlier ? '' : (text ?? '');
  const requests = `npx conformance replay ${jsonFile} ${scenario}`;
  return [
    ...facts([
      ['scenario', hasScenarios && isNew ? scenario : ''],
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
      ['requests', jsonFile !== undefined && hasScenarios && isNew ? requests : ''],
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
  const { isTimeline } = vocabularyOf(report);
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

/** `217 accounts, 75 accounts by bulk`; kinds with a count of zero are left out. */
export function madeWords(made: Readonly<Record<Kind, number>>): string {
  const parts = KINDS.filter((kind) => made[kind] > 0).map((kind) =>
    count(made[kind], kindWords[kind][0], kindWords[kind][1]),
  );
  return parts.length === 0 ? 'nothing' : parts.join(', ');
}

/** What a run created on the target and what remains there, one sentence each. */
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
    ...(unanswered === 0
      ? []
      : [`${count(unanswered, 'write')} got no response and may or may not have run.`]),
  ];
}
