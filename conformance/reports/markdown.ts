// The report as Markdown, for a pull request, a wiki or a CI summary.
import { isAccepted } from './baseline/accepted.ts';
import { exchangeLines } from './exchange-lines.ts';
import { inventoryLines } from './inventory/inventory-words.ts';
import { codeSpan, httpBlock, plainWords, tableCell } from './markdown-text.ts';
import type { Report, ReportFinding, ReportRule } from './report.ts';
import {
  adviceOf,
  count,
  duration,
  headline,
  notesOf,
  reportWords,
  VERDICTS,
  verdictWords,
} from './verdict-words.ts';

/** Beyond this a summary is no longer one; the HTML report has the rest. */
const RULES_SHOWN = 40;
const FINDINGS_SHOWN = 2;

export function markdownReport(report: Report): string {
  const { target, verdict } = report;
  const took = `${count(report.requests, 'request')} in ${duration(report.duration_ms)}`;
  const { isReceiver } = reportWords(report);
  const seed = isReceiver ? '' : `seed ${report.seed}, `;
  const isStarted = report.not_started === undefined;
  const parts = [
    `# Conformance: ${verdict}`,
    `${codeSpan(target.base_url)} ${headline(report)}. ${took}, ${seed}` +
      `${report.started_at}${report.interrupted ? ', interrupted' : ''}.`,
    ...(isStarted ? [] : [plainWords(report.not_started!)]),
    familyTable(report),
    ...section(report, 'deviates', 'Deviations'),
    ...section(report, 'harness_error', 'Errors of the judge'),
    ...section(report, 'advisory', 'Worth a look'),
    ...(isStarted ? [...reasons(report, 'blocked'), ...reasons(report, 'inconclusive')] : []),
    ...baseline(report),
    ...(isStarted ? unlock(report) : []),
    ...observed(report),
    ...notes(report),
    ...inventory(report),
  ];
  return `${parts.join('\n\n')}\n`;
}

function familyTable(report: Report): string {
  const used = VERDICTS.filter((each) => report.summary[each] > 0);
  const families = [...new Set(report.rules.map((each) => each.family))];
  const row = (name: string, rules: readonly ReportRule[]) => {
    const cells = used.map((each) => rules.filter(({ verdict }) => verdict === each).length || '');
    return `| ${[name, ...cells].join(' | ')} |`;
  };
  return [
    `| | ${used.map((each) => `${verdictWords[each].sign} ${verdictWords[each].name}`).join(' | ')} |`,
    `|---|${used.map(() => '---:|').join('')}`,
    ...families.map((each) =>
      row(
        each,
        report.rules.filter(({ family }) => family === each),
      ),
    ),
    row('**all**', report.rules),
  ].join('\n');
}

function section(
  report: Report,
  verdict: 'deviates' | 'harness_error' | 'advisory',
  title: string,
): string[] {
  const rules = report.rules.filter((each) => each.verdict === verdict);
  if (rules.length === 0) return [];
  const shown = rules.slice(0, RULES_SHOWN).map((rule) => {
    const own = rule.findings.filter((each) => each.verdict === verdict);
    const proof = own.slice(0, FINDINGS_SHOWN).map((each) => finding(each, report));
    const more = own.length - FINDINGS_SHOWN;
    const rest = more > 0 ? [`And ${count(more, 'more finding')} of this rule.`] : [];
    return [`### ${rule.id}: ${plainWords(rule.words)}`, ...proof, ...rest].join('\n\n');
  });
  const rest = rules.slice(RULES_SHOWN).map((each) => each.id);
  const more = rest.length === 0 ? [] : [`And ${rest.join(', ')}.`];
  return [`## ${title} (${rules.length})`, ...shown, ...more];
}

function finding(each: ReportFinding, report: Report): string {
  const scenario = report.scenarios.find(({ id }) => id === each.scenario);
  const shown = (scenario?.exchanges ?? []).filter(({ n }) => each.exchanges.includes(n));
  const lines = shown.slice(0, 4).flatMap((exchange) => exchangeLines(exchange, 160));
  const head = [
    `- scenario: ${codeSpan(each.scenario)}`,
    `- expected: ${plainWords(each.expected)}`,
    `- actual: ${plainWords(each.actual)}`,
    ...adviceOf(each).map(([name, words]) => `- ${name}: ${plainWords(words)}`),
    `- try again: ${codeSpan(each.replay)}`,
  ].join('\n');
  return lines.length === 0 ? head : `${head}\n\n${httpBlock(lines)}`;
}

function reasons(report: Report, verdict: 'blocked' | 'inconclusive'): string[] {
  const rules = report.rules.filter((each) => each.verdict === verdict);
  if (rules.length === 0) return [];
  const { name, meaning } = verdictWords[verdict];
  const lines = rules.map((rule) => {
    const why = rule.findings.find((each) => each.verdict === verdict)?.actual ?? meaning;
    return `| ${rule.id} | ${tableCell(why)} |`;
  });
  const table = ['| rule | why |', '|---|---|', ...lines].join('\n');
  return [`## ${name[0]!.toUpperCase()}${name.slice(1)} (${rules.length}): ${meaning}`, table];
}

function baseline(report: Report): string[] {
  const known = report.rules.filter((each) => each.verdict === 'known');
  const { stale = [], expired = [] } = report.baseline ?? {};
  const accepted = report.rules.filter(isAccepted);
  const lines = [
    ...accepted.map(({ id, reason }) => `- accepted as not tested: ${id}: ${plainWords(reason!)}`),
    ...known.map(({ id, reason }) => `- known: ${id}: ${plainWords(reason ?? '')}`),
    ...expired.map(({ rule, expires }) => `- its date is past (${expires}): ${rule}`),
    ...stale.map(({ rule, scenario }) => `- no longer deviates: ${rule} in ${codeSpan(scenario)}`),
  ];
  return lines.length === 0 ? [] : ['## Baseline', lines.join('\n')];
}

function unlock(report: Report): string[] {
  if (report.unlock.length === 0) return [];
  const lines = report.unlock.map(
    ({ add, rules, with_others: others }) => `| ${tableCell(add)} | ${rules} | ${others || ''} |`,
  );
  const head = ['| add | rules | more together with others |', '|---|---:|---:|'];
  return ['## What would unlock more rules', [...head, ...lines].join('\n')];
}

function observed(report: Report): string[] {
  const rows = report.observed.filter((each) => each.observed !== null);
  if (rows.length === 0) return [];
  const lines = rows.map(({ id, question, observed: seen, simulator, same }) => {
    const sign = same === null ? '' : same ? '=' : '≠';
    const [asked, target, ours] = [question, seen ?? '', simulator].map(tableCell);
    return `| ${id} | ${asked} | ${target} | ${sign} | ${ours} |`;
  });
  const head = ['| | open question | target | | simulator |', '|---|---|---|:-:|---|'];
  return ['## Where the specification is open', [...head, ...lines].join('\n')];
}

function notes(report: Report): string[] {
  const known = notesOf(report);
  return known.length === 0
    ? []
    : ['## To know', known.map((each) => `- ${plainWords(each)}`).join('\n')];
}

function inventory({ inventory: made }: Report): string[] {
  if (made === undefined) return [];
  const lines = inventoryLines(made).map((each) => `- ${plainWords(each)}`);
  return ['## Made and left', lines.join('\n')];
}
