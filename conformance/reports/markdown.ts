// The report as Markdown, for a pull request, a wiki or the summary of a CI run.
import { isAccepted } from './baseline.ts';
import { citedBy, clock, exchangeLines, recordingOf, timelineLines } from './exchanges.ts';
import { type Group, groupsOf, groupTitle, tellingFindings, whyNot } from './groups.ts';
import { crashWords, inventoryLines } from './inventory.ts';
import { printable } from './plain-text.ts';
import type { Report, ReportFinding, ReportRule } from './report.ts';
import {
  adviceOf,
  count,
  effortLine,
  headline,
  notesOf,
  VERDICTS,
  vocabularyOf,
} from './verdict-words.ts';

/** GitHub refuses a comment of more than 65,536 characters. */
const MOST_CHARACTERS = 60_000;
const FINDINGS_SHOWN = 2;
const EXCHANGES_SHOWN = 4;
const TIMELINE_SHOWN = 12;

/** A part of the document; what has no room is named at the end. */
interface Part {
  readonly text: string;
  /** What to say if it has no room. */
  readonly name: string;
}

export function markdownReport(report: Report): string {
  const { title, findingsOf, verdicts } = vocabularyOf(report);
  const { target, verdict, not_started: start } = report;
  const isStarted = start === undefined;
  const head = [
    `# ${title}: ${verdict}`,
    `${codeSpan(target.base_url)} ${headline(report)}. ${effortLine(report)}, ` +
      `${report.started_at}${report.interrupted ? ', interrupted' : ''}.`,
    ...(isStarted ? [] : [plainWords(start)]),
    ...(report.client === undefined ? [] : [`The first run: ${plainWords(report.client.does)}.`]),
    ...list(
      '## Requests that the target never answers properly',
      (report.crashes ?? []).map(crashWords),
    ),
    countsTable(report),
  ];
  const findings = findingsOf.flatMap((each) => {
    const groups = groupsOf(report, each);
    const size = groups.reduce((sum, { rules }) => sum + rules.length, 0);
    const heading = `## ${capital(verdicts[each].name)} (${size})`;
    return groups.map((group, at) => ({
      text: at === 0 ? `${heading}\n\n${groupPart(group, report)}` : groupPart(group, report),
      name: group.rules.map(({ id }) => id).join(', '),
    }));
  });
  const tail = [
    ...(isStarted ? [...reasons(report, 'blocked'), ...reasons(report, 'inconclusive')] : []),
    ...list('## Baseline', baselineLines(report)),
    ...(isStarted ? unlock(report) : []),
    ...observed(report),
    ...list('## Notes', notesOf(report)),
    ...list(
      '## Made and left',
      report.inventory === undefined ? [] : inventoryLines(report.inventory),
    ),
  ];
  return fit(head, findings, tail);
}

/** Findings take the room that the other parts leave; what is left out is named. */
function fit(head: readonly string[], findings: readonly Part[], tail: readonly string[]): string {
  let room = MOST_CHARACTERS - 2_000 - head.join('\n\n').length;
  const leftOut: string[] = [];
  const kept = (parts: readonly Part[]) =>
    parts.flatMap(({ text, name }) => {
      room -= text.length + 2;
      if (room >= 0) return [text];
      room += text.length + 2;
      leftOut.push(name);
      return [];
    });
  const shown = kept(findings);
  const rest = kept(
    tail.map((text) => ({ text, name: text.split('\n', 1)[0]!.replace('## ', '') })),
  );
  const more = leftOut.length === 0 ? [] : [leftOutWords(leftOut)];
  return `${[...head, ...shown, ...rest, ...more].join('\n\n')}\n`;
}

function leftOutWords(names: readonly string[]): string {
  const all = names.join(', ');
  const which = all.length <= 1_500 ? all : `${all.slice(0, 1_500)}…`;
  return `Left out to keep this page short: ${plainWords(which)}. The JSON and HTML reports have everything.`;
}

function list(heading: string, lines: readonly string[]): string[] {
  if (lines.length === 0) return [];
  return [heading, lines.map((each) => `- ${plainWords(each)}`).join('\n')];
}

function capital(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function table(
  head: readonly string[],
  align: readonly string[],
  rows: readonly string[][],
): string {
  const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [row(head), row(align), ...rows.map(row)].join('\n');
}

/** Verdicts by family; the checks of a client one by one. */
function countsTable(report: Report): string {
  const { verdicts } = vocabularyOf(report);
  if (report.judge === 'client') {
    const rows = report.rules
      .filter(({ verdict }) => verdict !== 'not_selected')
      .map(({ id, words, verdict }) => {
        const { sign, name } = verdicts[verdict];
        return [`${sign} ${name}`, id, tableCell(words)];
      });
    return table(['', 'check', 'what goes wrong'], ['---', '---', '---'], rows);
  }
  const used = VERDICTS.filter((each) => report.summary[each] > 0);
  const families = [...new Set(report.rules.map((each) => each.family))];
  const rowOf = (name: string, rules: readonly ReportRule[]) => [
    name,
    ...used.map((each) => String(rules.filter(({ verdict }) => verdict === each).length || '')),
  ];
  return table(
    ['', ...used.map((each) => `${verdicts[each].sign} ${verdicts[each].name}`)],
    ['---', ...used.map(() => '---:')],
    [
      ...families.map((each) =>
        rowOf(
          each,
          report.rules.filter(({ family }) => family === each),
        ),
      ),
      rowOf('**all**', report.rules),
    ],
  );
}

function groupPart(group: Group, report: Report): string {
  const [first] = group.rules;
  const { cause, followers } = group;
  const telling = tellingFindings(first!);
  const more = telling.length - FINDINGS_SHOWN;
  const lines = group.rules.map(({ id, words }) => `- ${id}: ${plainWords(words)}`);
  const head =
    cause === null
      ? [`### ${first!.id}: ${plainWords(first!.words)}`]
      : [
          `### ${plainWords(groupTitle(group, report))}`,
          `**Mend:** ${plainWords(cause.mend)}`,
          lines.join('\n'),
          `One of them, ${first!.id}:`,
        ];
  const ids = followers.map(({ id }) => id).join(', ');
  return [
    ...head,
    ...telling.slice(0, FINDINGS_SHOWN).map((each) => findingPart(each, report)),
    ...(more > 0 ? [`And ${count(more, 'more finding')} of ${first!.id}.`] : []),
    ...(followers.length > 0 ? [`Follows from ${first!.id}: ${ids}.`] : []),
  ].join('\n\n');
}

function findingPart(finding: ReportFinding, report: Report): string {
  const { hasScenarios, isTimeline } = vocabularyOf(report);
  const cited = citedBy(report, finding).slice(0, isTimeline ? TIMELINE_SHOWN : EXCHANGES_SHOWN);
  const ending = recordingOf(report, finding)?.ending;
  const lines = [
    ...cited.flatMap((each) => (isTimeline ? timelineLines : exchangeLines)(each, 160)),
    ...(ending === undefined ? [] : [`${clock(ending.at_ms)}  the command ${ending.words}`]),
  ];
  const { place, seen, advice } = finding;
  const members = [
    ...(hasScenarios ? [`- scenario: ${codeSpan(finding.scenario)}`] : []),
    ...(place === undefined ? [] : [`- where: ${plainWords(place)}`]),
    `- expected: ${plainWords(finding.expected)}`,
    `- actual: ${plainWords(finding.actual)}${seen === undefined ? '' : ` (in ${seen})`}`,
    ...adviceOf(finding).map(([name, words]) => `- ${name}: ${plainWords(words)}`),
    `- try again: ${codeSpan(finding.replay)}`,
  ].join('\n');
  return [
    members,
    ...(lines.length === 0 ? [] : [httpBlock(lines)]),
    ...(advice?.example === undefined ? [] : ['Right:', httpBlock(advice.example.split('\n'))]),
  ].join('\n\n');
}

function reasons(report: Report, verdict: 'blocked' | 'inconclusive'): string[] {
  const { findingsOf, verdicts, noun } = vocabularyOf(report);
  const rules = report.rules.filter(
    (each) => each.verdict === verdict && !(findingsOf.includes(verdict) && each.findings.length),
  );
  if (rules.length === 0) return [];
  const { name, meaning } = verdicts[verdict];
  const rows = rules.map((rule) => [rule.id, tableCell(whyNot(rule))]);
  const heading = `## ${capital(name)} (${rules.length}): ${meaning}`;
  return [`${heading}\n\n${table([noun, 'why'], ['---', '---'], rows)}`];
}

function baselineLines({ rules, baseline }: Report): string[] {
  const { stale = [], expired = [] } = baseline ?? {};
  return [
    ...rules.filter(isAccepted).map(({ id, reason }) => `accepted as not tested: ${id}: ${reason}`),
    ...rules
      .filter(({ verdict }) => verdict === 'known')
      .map(({ id, reason }) => `known: ${id}: ${reason}`),
    ...expired.map(({ rule, expires }) => `its date has passed (${expires}): ${rule}`),
    ...stale.map(({ rule, scenario }) => `no longer deviates: ${rule} in ${scenario}`),
  ];
}

function unlock(report: Report): string[] {
  if (report.unlock.length === 0) return [];
  const rows = report.unlock.map(({ add, rules, with_others: others }) => [
    tableCell(add),
    String(rules),
    String(others || ''),
  ]);
  const head = ['add', 'rules', 'more together with others'];
  return [`## What would unlock more rules\n\n${table(head, ['---', '---:', '---:'], rows)}`];
}

function observed(report: Report): string[] {
  const rows = report.observed
    .filter((each) => each.observed !== null)
    .map(({ id, question, observed: seen, simulator, same }) => {
      const sign = same === null ? '' : same ? '=' : '≠';
      return [id, tableCell(question), tableCell(seen ?? ''), sign, tableCell(simulator)];
    });
  if (rows.length === 0) return [];
  const head = ['', 'open question', 'target', '', 'simulator'];
  const align = ['---', '---', '---', ':-:', '---'];
  return [`## Where the specification is open\n\n${table(head, align, rows)}`];
}

/** Text of a target as text: nothing in it becomes a link, a tag or a mention. */
export function plainWords(words: string): string {
  return printable(words)
    .replaceAll('\n', ' ')
    .replace(/[\\`*_[\]<>|#]/g, (sign) => (sign === '<' ? '&lt;' : `\\${sign}`))
    .replace(/@(?=\w)/g, '@\u200b');
}

function tableCell(words: string): string {
  const most = 300;
  return plainWords(words.length <= most ? words : `${words.slice(0, most - 1)}…`);
}

/** A code span, fenced by more backticks than it holds. */
export function codeSpan(words: string): string {
  const text = printable(words).replaceAll('\n', ' ');
  const fence = '`'.repeat(longestRun(text) + 1);
  return fence.length === 1 ? `\`${text}\`` : `${fence} ${text} ${fence}`;
}

function httpBlock(lines: readonly string[]): string {
  const text = lines.map(printable).join('\n');
  const fence = '`'.repeat(Math.max(3, longestRun(text) + 1));
  return `${fence}http\n${text}\n${fence}`;
}

function longestRun(words: string): number {
  return Math.max(0, ...[...words.matchAll(/`+/g)].map(([run]) => run.length));
}
