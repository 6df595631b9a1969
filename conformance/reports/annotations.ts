// Workflow commands with which GitHub shows deviations beside a run.
import type { Report, ReportRule } from './report.ts';

/** GitHub shows ten of a kind for one step. */
const MOST = 10;

export function annotations(report: Report): string[] {
  const lines: string[] = [];
  const add = (level: 'error' | 'warning', rules: readonly ReportRule[]) => {
    const shown = rules.length > MOST ? rules.slice(0, MOST - 1) : rules;
    for (const rule of shown) {
      const first = rule.findings.find((each) => each.verdict === rule.verdict);
      const proof =
        first === undefined ? '' : `\nexpected ${first.expected}\nactual ${first.actual}`;
      lines.push(command(level, `${rule.id} ${rule.verdict}`, `${rule.words}${proof}`));
    }
    const rest = rules.slice(shown.length).map((each) => each.id);
    if (rest.length > 0) {
      lines.push(command(level, `${rest.length} more rules`, rest.join(', ')));
    }
  };
  // One reason stands for all rules.
  if (report.not_started !== undefined) {
    return [command('error', 'nothing was judged', report.not_started)];
  }
  const of = (...verdicts: string[]) =>
    report.rules.filter((each) => verdicts.includes(each.verdict));
  add('error', of('deviates', 'harness_error'));
  const stale = report.baseline?.stale ?? [];
  if (stale.length > 0) {
    const which = stale.map(({ rule, scenario }) => `${rule} in ${scenario}`).join(', ');
    lines.push(command('error', 'stale baseline', `no longer deviates: ${which}`));
  }
  add('warning', of('advisory', 'blocked', 'inconclusive'));
  return lines;
}

function command(level: string, title: string, message: string): string {
  return `::${level} title=${property(title)}::${escaped(message)}`;
}

function escaped(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function property(text: string): string {
  return escaped(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
