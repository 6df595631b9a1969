// The document of a report: what fails with its evidence first, then what could not be judged, what is
// known or open, and in the end what remains on the target.
import { ruleFamilies } from '../../fixtures/rules.ts';
import { CONTROL_PLANE } from '../engine/judge/testability.ts';
import { GONE } from '../engine/record/exchange-recorder.ts';
import {
  causeOf,
  type Detail,
  evidenceOf,
  type Group,
  groupParts,
  groupsOf,
  isAccepted,
  isFollower,
  lastLines,
  tellingFindings,
  whyNot,
} from './findings.ts';
import { inventoryParts } from './inventory-words.ts';
import {
  code,
  type Document,
  fold,
  heading,
  type Item,
  item,
  list,
  type Part,
  section,
  table,
  words,
} from './parts.ts';
import { type BaselineLine, NOT_TESTED, type Report, type ReportRule } from './report.ts';
import {
  count,
  countsOf,
  countVerdicts,
  effortLine,
  headline,
  knownRules,
  nameOf,
  TONES,
  versionLine,
  vocabularyOf,
} from './verdict-words.ts';

/** A terminal shows the least, a comment on a pull request more, and a page everything. */
type Form = 'text' | 'markdown' | 'html';

/** The most findings of one rule that are shown in full. */
const FINDINGS_SHOWN: Readonly<Record<Form, number>> = { text: 3, markdown: 2, html: 10 };
/** The most lines that a command printed last, if nothing could be tried with it. */
const OUTPUT_SHOWN = 10;

export function documentOf(report: Report, form: Form, detail: Partial<Detail> = {}): Document {
  const { client, interrupted, inventory, not_started: start, rules, scenarios, target } = report;
  const { title, noun, findingsOf } = vocabularyOf(report);
  const whole: Detail = {
    ...{ most: FINDINGS_SHOWN[form], hasFingerprint: form === 'html', ...detail },
  };
  const groups = findingsOf.flatMap((verdict) => groupsOf(report, verdict));
  const inFull = groups.map((group) => group.rules[0]);
  const evidence = (rule: ReportRule) =>
    form !== 'html' || inFull.includes(rule) ? [] : evidenceOf(rule, report, whole);
  const ending = scenarios.find((each) => each.ending !== undefined)?.ending;
  const output = start === undefined ? [] : lastLines(ending?.output ?? '', OUTPUT_SHOWN);
  const isGone = rules.some((rule) => rule.findings.some(({ actual }) => actual === GONE));
  const passed = rules.filter(({ verdict }) => verdict === 'passed').map(({ id }) => id);
  const isShort = form === 'text' && start === undefined && passed.length > 0;
  const made = inventoryParts(inventory);
  const cut = interrupted ? ' (interrupted: this is what was done until then)' : '';
  return {
    ...{ title, verdict: report.verdict, tone: TONES[report.verdict] },
    ...{ subject: target.base_url, headline: `${headline(report)}${cut}` },
    about: [
      ...(start === undefined ? [] : [words(start, true)]),
      ...code(output.map((line) => `| ${line}`)),
      ...(isGone ? [words('It stopped answering during the run; the rest was not sent.')] : []),
      words(`${count(rules.length, noun)}: ${countsOf(report, report.summary)}`),
      ...(isShort && client !== undefined
        ? list([item(passed.join(', '), nameOf(report, 'passed'))])
        : []),
      ...(client === undefined ? [] : [words(`The first run: ${client.does}.`)]),
      words(`${effortLine(report)}. ${versionLine(report)}`),
      ...made.about,
    ],
    parts: [
      ...(form === 'html' ? list(groups.map(linkTo)) : []),
      ...crashSection(report),
      ...groups.flatMap((group) => groupParts(group, report, whole)),
      ...(start === undefined ? unjudgedParts(report) : []),
      ...(form === 'text' ? [] : ruleParts(report, form, evidence)),
      ...baselineSections(report),
      ...observedSection(report, form),
      // The reason why nothing was tested is shown with the verdict.
      ...section(
        'Notes',
        report.notes.filter((each) => each !== start).map((each) => item(each)),
      ),
    ],
    end: made.end,
  };
}

function linkTo({ title, cause, rules: [first] }: Group): Item {
  return item(cause === null ? first!.words : title, first!.id);
}

function crashSection({ crashes = [] }: Report): Part[] {
  const items = crashes.map(({ operation, distinguishes, failure, times, of, rules }) => {
    const what = `${operation} ${distinguishes}`.trim();
    const waiting = rules.length === 0 ? '' : ` Cannot be judged until then: ${rules.join(', ')}.`;
    return item(`${what}: ${failure}, ${times} of ${count(of, 'request')}.${waiting}`);
  });
  return section('Requests that the target never answers properly', items);
}

/** Rules that were not judged, by their shared reason, and what to add so that more can be tested. */
function unjudgedParts(report: Report): Part[] {
  const { rules, judge, interrupted, summary, unlock } = report;
  const { findingsOf, noun, verdicts } = vocabularyOf(report);
  const own = (verdict: ReportRule['verdict']) => rules.filter((each) => each.verdict === verdict);
  const titled = (
    some: readonly ReportRule[],
    title: string,
    reasonOf = whyNot,
    unit: string = noun,
  ) => section(`${count(some.length, unit)} ${title}`, byReason(some, reasonOf));
  // If a receiver refuses every valid delivery, the reason is in the notes.
  const isRefused = report.verdict === 'invalid' && judge !== undefined;
  const doubtful = (isRefused ? [] : (['blocked', 'inconclusive'] as const)).flatMap((verdict) => {
    const isShown = ({ findings }: ReportRule) =>
      findingsOf.includes(verdict) && findings.length > 0;
    const some = own(verdict).filter((rule) => !isShown(rule) && !isFollower(rule, report));
    const { name, meaning } = verdicts[verdict];
    // The others are shown with the deviation that explains them.
    const unit = some.length < summary[verdict] ? `more ${noun}` : noun;
    return titled(some, `${name}: ${meaning}`, whyNot, unit);
  });
  const untested = own('not_tested').filter(({ reason }) => reason === null);
  const { name, meaning } = verdicts.not_tested;
  if (judge !== undefined) {
    const wayTo = (rule: ReportRule) => `to test it, add ${rule.unlock.join('; ')}`;
    return [...doubtful, ...titled(untested, `${name}: ${meaning}`, wayTo)];
  }
  const lost = untested.filter((rule) => rule.lost.length > 0);
  const others = untested.filter((rule) => rule.unlock.length === 0);
  // A live target has no control plane.
  const isLast = ({ add }: Report['unlock'][number]) => Number(add === CONTROL_PLANE);
  return [
    ...doubtful,
    ...titled(lost, `${name}: what was given no longer works`, (rule) => rule.lost.join(', ')),
    ...titled(
      others,
      `${name}${interrupted ? ': the run was interrupted before' : ', with the reason'}`,
    ),
    ...section(
      `What would unlock more (${count(summary.not_tested, noun)} ${name})`,
      unlock
        .toSorted((a, b) => isLast(a) - isLast(b))
        .map(({ add, rules: alone, with_others: more }) => {
          const gains = [alone > 0 && `+${alone}`, more > 0 && `${more} together with others`];
          return item(`${add} (${gains.filter(Boolean).join(', and ')})`);
        }),
    ),
  ];
}

/** Every rule by family. Markdown has no room for that: it has the counts of a family. */
function ruleParts(
  report: Report,
  form: Form,
  evidence: (rule: ReportRule) => readonly Part[],
): Part[] {
  const { noun } = vocabularyOf(report);
  const titles = new Map<string, string>(ruleFamilies.map((each) => [each.prefix, each.title]));
  const selected = report.rules.filter(({ verdict }) => verdict !== 'not_selected');
  const families = [...new Set(selected.map(({ family }) => family))].map((name) => {
    const own = selected.filter(({ family }) => family === name);
    const title = titles.has(name) ? `${name}: ${titles.get(name)}` : name;
    return { own, title, counts: countsOf(report, countVerdicts(own)) };
  });
  if (families.length === 0) return [];
  const isCounted = form === 'markdown' && noun === 'rule';
  return [
    heading(noun === 'rule' ? 'Rules by family' : 'Checks'),
    ...(isCounted ? list(families.map(({ title, counts }) => item(counts, title))) : []),
    ...families.flatMap(({ own, title, counts }) => {
      const rows = own.map((rule) => [
        ...[rule.id, rule.words, nameOf(report, rule.verdict), remarkOn(rule)],
        ...(noun === 'rule' ? [rule.scenarios.join(', ')] : []),
      ]);
      const head = [noun, 'what it says', 'verdict', 'remark'];
      if (noun === 'rule') head.push('tested by');
      const parts = [...table(head, rows), ...own.flatMap(evidence)];
      return isCounted ? [] : fold(`${title} (${counts})`, parts);
    }),
  ];
}

/** Why the verdict of a rule is what it is, if it did not pass. */
function remarkOn(rule: ReportRule): string {
  const cause = causeOf(rule);
  if (cause !== undefined) return `follows from ${cause}`;
  if (rule.reason !== null) return rule.reason;
  if (rule.unlock.length > 0) return `to test it, add: ${rule.unlock.join('; ')}`;
  return /passed|deviates|advisory/.test(rule.verdict) ? '' : whyNot(rule);
}

function baselineSections(report: Report): Part[] {
  const { rules, baseline } = report;
  const { noun } = vocabularyOf(report);
  const { deviations, unjudged } = knownRules(rules);
  const known = deviations.map((rule): BaselineLine => {
    const [first = '', ...more] = new Set(tellingFindings(rule).map(({ scenario }) => scenario));
    const scenario = more.length === 0 ? first : `${more.length + 1} scenarios`;
    return { rule: rule.id, scenario, reason: rule.reason ?? '', expires: rule.until ?? null };
  });
  const lines = (all: readonly BaselineLine[] = []) => all.map(baselineItem);
  const reasons = (some: readonly ReportRule[]) => byReason(some, ({ reason }) => reason ?? '');
  return [
    ...section(count(known.length, 'known deviation'), lines(known)),
    ...section(
      `${count(unjudged.length, noun)} that known deviations keep from being judged`,
      reasons(unjudged),
    ),
    ...section(
      `${count(baseline?.accepted ?? 0, 'rule')} accepted as not tested`,
      reasons(rules.filter(isAccepted)),
    ),
    ...section(
      'Baseline entries whose date has passed; they count as deviations again',
      lines(baseline?.expired),
    ),
    ...section(
      'Baseline entries that no longer deviate; remove them with --update-baseline',
      lines(baseline?.stale),
    ),
  ];
}

/** `in sample-one, until 2027-01-31: ticket 7`, labelled with the rule. */
function baselineItem({ rule, scenario, reason, expires }: BaselineLine): Item {
  const where = scenario === NOT_TESTED ? scenario : `in ${scenario}`;
  const parts = [scenario !== rule && where, expires !== null && `until ${expires}`];
  const place = parts.filter(Boolean).join(', ');
  return item(place === '' ? reason : `${place}: ${reason}`, rule);
}

function observedSection({ observed }: Report, form: Form): Part[] {
  const seen = observed.filter((row) => row.observed !== null);
  const tableOf = (rows: typeof seen) => {
    const cells = rows.map(({ id, question, observed: target, simulator, same }) => {
      return [id, question, target!, same === true ? 'the same' : simulator];
    });
    return table(['', '', 'target', 'simulator'], cells);
  };
  const unlike = seen.filter(({ same }) => same === false);
  const others = form === 'text' ? [] : seen.filter(({ same }) => same !== false);
  const title =
    unlike.length === 0
      ? 'Where the specification is open'
      : 'Open questions that the target answers differently from the simulator';
  const unseen = observed.length - seen.length;
  const rest = `${count(others.length, 'open question')} without a known difference`;
  const more = unseen === 0 ? '' : `; ${unseen} more were not seen in this run`;
  const parts = [...tableOf(unlike), ...fold(`${rest}${more}`, tableOf(others))];
  return parts.length === 0 ? [] : [heading(title), ...parts];
}

/** Ids grouped by their reason. */
function byReason(rules: readonly ReportRule[], reasonOf: (rule: ReportRule) => string): Item[] {
  const reasons = [...new Set(rules.map(reasonOf))];
  return reasons.map((text) => {
    const own = rules.filter((rule) => reasonOf(rule) === text);
    return item(
      text,
      '',
      own.map(({ id }) => id),
    );
  });
}
