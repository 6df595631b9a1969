// The report as Markdown, for a pull request, a wiki or the summary of a CI run.
import {
  type Group,
  groupsOf,
  membersOf,
  proofLines,
  type Section,
  sectionsOf,
  tellingFindings,
} from './document.ts';
import { printable } from './plain-text.ts';
import type { Report, ReportFinding, ReportRule } from './report.ts';
import { count, effortLine, headline, VERDICTS, vocabularyOf } from './verdict-words.ts';

/** GitHub refuses a comment of more than 65,536 characters. */
const MOST_CHARACTERS = 60_000;
const FINDINGS_SHOWN = 2;

/** A part of the document; if it has no room, its name is listed at the end. */
interface Part {
  readonly name: string;
  readonly text: string;
}

export function markdownReport(report: Report): string {
  const { title, findingsOf, verdicts } = vocabularyOf(report);
  const { target, verdict, not_started: start, client, interrupted, started_at: when } = report;
  const sections = sectionsOf(report);
  const head = [
    `# ${title}: ${verdict}`,
    `${codeSpan(target.base_url)} ${headline(report)}. ${effortLine(report)}, ` +
      `${when}${interrupted ? ', interrupted' : ''}.`,
    ...(start === undefined ? [] : [plainWords(start)]),
    ...(client === undefined ? [] : [`The first run: ${plainWords(client.does)}.`]),
    ...sections.filter(({ place }) => place === 'first').map((each) => sectionPart(each).text),
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
  const tail = sections.filter(({ place }) => place !== 'first').map(sectionPart);
  return fit(head, [...findings, ...tail]);
}

/** Parts take the room that there is, the first ones first; what is left out is named. */
function fit(head: readonly string[], parts: readonly Part[]): string {
  let room = MOST_CHARACTERS - 2_000 - head.join('\n\n').length;
  const leftOut: string[] = [];
  const kept = parts.flatMap(({ text, name }) => {
    if (text.length + 2 > room) {
      leftOut.push(name);
      return [];
    }
    room -= text.length + 2;
    return [text];
  });
  const all = leftOut.join(', ');
  const which = plainWords(all.length <= 1_500 ? all : `${all.slice(0, 1_500)}…`);
  const note = `Left out to keep this page short: ${which}. The JSON and HTML reports have everything.`;
  return `${[...head, ...kept, ...(leftOut.length === 0 ? [] : [note])].join('\n\n')}\n`;
}

function capital(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function sectionPart({ title, entries, columns }: Section): Part {
  const body =
    columns === undefined
      ? entries.map(({ label, text, details }) => {
          const head = label === '' ? '' : `**${plainWords(label)}** `;
          const ids = details.length === 0 ? '' : `: ${details.join(', ')}`;
          return `- ${head}${tableCell(text)}${ids}`;
        })
      : table(
          ['', '', ...columns],
          entries.map(({ label, text, details }) => [label, text, ...details].map(tableCell)),
        );
  return { name: title, text: `## ${capital(title)}\n\n${body.join('\n')}` };
}

function table(head: readonly string[], rows: readonly string[][]): string[] {
  const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [row(head), row(head.map(() => '---')), ...rows.map(row)];
}

/** Verdicts by family; the checks of a client one by one. */
function countsTable(report: Report): string {
  const { verdicts } = vocabularyOf(report);
  const words = (verdict: ReportRule['verdict']) =>
    `${verdicts[verdict].sign} ${verdicts[verdict].name}`;
  if (report.judge === 'client') {
    const own = report.rules.filter(({ verdict }) => verdict !== 'not_selected');
    const rows = own.map((rule) => [words(rule.verdict), rule.id, tableCell(rule.words)]);
    return table(['', 'check', 'what goes wrong'], rows).join('\n');
  }
  const used = VERDICTS.filter((each) => report.summary[each] > 0);
  const rowOf = (name: string, rules: readonly ReportRule[]) => [
    name,
    ...used.map((each) => String(rules.filter(({ verdict }) => verdict === each).length || '')),
  ];
  const families = [...new Set(report.rules.map((each) => each.family))];
  const rows = families.map((each) =>
    rowOf(
      each,
      report.rules.filter(({ family }) => family === each),
    ),
  );
  return table(['', ...used.map(words)], [...rows, rowOf('**all**', report.rules)]).join('\n');
}

function groupPart({ title, cause, rules, followers }: Group, report: Report): string {
  const first = rules[0]!;
  const telling = tellingFindings(first);
  const more = telling.length - FINDINGS_SHOWN;
  const head =
    cause === null
      ? [`### ${first.id}: ${plainWords(first.words)}`]
      : [
          `### ${plainWords(title)}`,
          `**Mend:** ${plainWords(cause.mend)}`,
          rules.map(({ id, words }) => `- ${id}: ${plainWords(words)}`).join('\n'),
          `One of them, ${first.id}:`,
        ];
  const ids = followers.map(({ id }) => id).join(', ');
  return [
    ...head,
    ...telling.slice(0, FINDINGS_SHOWN).flatMap((each) => findingParts(each, report)),
    ...(more > 0 ? [`And ${count(more, 'more finding')} of ${first.id}.`] : []),
    ...(followers.length > 0 ? [`Follows from ${first.id}: ${ids}.`] : []),
  ].join('\n\n');
}

const AS_CODE = new Set(['scenario', 'try again']);

function findingParts(finding: ReportFinding, report: Report): string[] {
  const members = membersOf(finding, report).map(
    ([name, text]) => `- ${name}: ${AS_CODE.has(name) ? codeSpan(text) : plainWords(text)}`,
  );
  const proof = proofLines(finding, report, 160);
  const example = finding.advice?.example;
  return [
    members.join('\n'),
    ...(proof.length === 0 ? [] : [httpBlock(proof)]),
    ...(example === undefined ? [] : ['Right:', httpBlock(example.split('\n'))]),
  ];
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
