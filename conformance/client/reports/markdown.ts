// The report on a client as Markdown, for a pull request, a wiki or a CI summary.
import { codeSpan, httpBlock, plainWords, tableCell } from '../../reports/markdown-text.ts';
import { count, duration } from '../../reports/verdict-words.ts';
import { wordsIn } from '../checks/glossary.ts';
import type { ClientReport, ReportCheck, ReportFinding } from '../report.ts';
import { callsOf, clock, recordingAt, request, result } from './timeline.ts';
import { byKind, countsLine, runLine, typed, verdictWords } from './words.ts';

export function markdownReport(report: ClientReport): string {
  const { verdict, command, unusable } = report;
  const took = `${count(report.runs, 'run')} in ${duration(report.duration_ms)}`;
  const told = report.checks.filter(({ findings }) => findings.length > 0);
  const parts = [
    `# Client: ${verdict}`,
    `${codeSpan(typed(command))} ${runLine(report)}. ${took}, seed ${report.seed}, ` +
      `${report.started_at}${report.interrupted ? ', interrupted' : ''}.`,
    ...(unusable === null ? [] : [`${plainWords(unusable)}.`]),
    ...report.notes.map(plainWords),
    `${countsLine(report)}. The first run: ${plainWords(report.does)}.`,
    table(report),
    ...told.map((check) => section(check, report)),
    ...words(told),
    ...baseline(report),
  ];
  return `${parts.join('\n\n')}\n`;
}

function table({ checks }: ClientReport): string {
  const tried = checks.filter(({ verdict }) => verdict !== 'not_selected');
  const rows = tried.map(({ id, title, verdict, places }) => {
    const { sign, name } = verdictWords[verdict];
    return `| ${sign} ${name} | ${id} | ${tableCell(title)} | ${places || ''} |`;
  });
  return ['| | check | what goes wrong | places |', '|---|---|---|---:|', ...rows].join('\n');
}

function section(check: ReportCheck, report: ClientReport): string {
  const { sign, name } = verdictWords[check.verdict];
  const rules = check.rules.map((rule) => `- ${rule.id}: ${plainWords(rule.words)}`);
  const parts = [
    `## ${sign} ${check.id} ${name}: ${plainWords(check.title)}`,
    plainWords(check.orders),
    ...byKind(check).map((group) => finding(group, report)),
    `**A right client** ${plainWords(check.expected)}.`,
    `**At stake:** ${plainWords(check.at_stake)}`,
    `**Mend:** ${plainWords(check.mend.words)}`,
    httpBlock(check.mend.example.split('\n')),
    ['Rules:', '', ...rules].join('\n'),
    `Try again: ${codeSpan(check.findings[0]?.replay ?? '')}`,
  ];
  return parts.join('\n\n');
}

function words(told: readonly ReportCheck[]): string[] {
  const lines = wordsIn(told.flatMap(({ title, orders, expected }) => [title, orders, expected]));
  if (lines.length === 0) return [];
  return ['## Words', lines.map(({ word, meaning }) => `- **${word}**: ${meaning}`).join('\n')];
}

function finding(group: readonly ReportFinding[], report: ClientReport): string {
  const [first, ...others] = group;
  if (first === undefined) return '';
  const words = `**${plainWords(first.place)}**: ${plainWords(first.actual)} (in ${first.seen}).`;
  const also = others.map(({ place }) => plainWords(place)).join('; ');
  const recording = recordingAt(report, first.run);
  const calls = recording === undefined ? [] : callsOf(recording, first);
  const lines = calls.flatMap((call) => [
    `${clock(call.at_ms)}  ${call.n}. ${request(call)}`,
    `            ${result(call)}`,
  ]);
  const ending = recording?.ending;
  const end =
    ending === undefined ? [] : [`${clock(ending.duration_ms)}  the command ${ending.words}`];
  const parts = [words, httpBlock([...lines, ...end])];
  return [...parts, ...(also === '' ? [] : [`The same at ${also}.`])].join('\n\n');
}

function baseline(report: ClientReport): string[] {
  const known = report.checks.filter(({ verdict }) => verdict === 'known');
  const { stale = [], expired = [] } = report.baseline ?? {};
  const lines = [
    ...known.map(({ id, reason }) => `- known: ${id}: ${plainWords(reason ?? '')}`),
    ...expired.map(({ check, expires }) => `- its date is past (${expires}): ${check}`),
    ...stale.map(({ check }) => `- no longer fails so: ${check}`),
  ];
  return lines.length === 0 ? [] : ['## Baseline', lines.join('\n')];
}
