// Workflow commands with which GitHub shows deviations next to a run.
import type { Report, ReportRule } from './report.ts';

/** GitHub shows ten of each type for one step. */
const MOST = 10;

export function annotations({ rules, baseline, not_started: start }: Report): string[] {
  // All rules have the same reason.
  if (start !== undefined) return [command('error', 'nothing was judged', start)];
  const of = (level: 'error' | 'warning', ...verdicts: readonly ReportRule['verdict'][]) => {
    const own = rules.filter(({ verdict }) => verdicts.includes(verdict));
    const listed = own.length > MOST ? own.slice(0, MOST - 1) : own;
    const rest = own.slice(listed.length).map(({ id }) => id);
    return [
      ...listed.map(({ id, verdict, words, findings }) => {
        const first = findings.find((each) => each.verdict === verdict);
        const proof =
          first === undefined ? '' : `\nexpected ${first.expected}\nactual ${first.actual}`;
        return command(level, `${id} ${verdict}`, `${words}${proof}`);
      }),
      ...(rest.length === 0 ? [] : [command(level, `${rest.length} more rules`, rest.join(', '))]),
    ];
  };
  const stale = (baseline?.stale ?? []).map(({ rule, scenario }) => `${rule} in ${scenario}`);
  return [
    ...of('error', 'deviates', 'harness_error'),
    ...(stale.length === 0
      ? []
      : [command('error', 'stale baseline', `no longer deviates: ${stale.join(', ')}`)]),
    ...of('warning', 'advisory', 'blocked', 'inconclusive'),
  ];
}

function command(level: string, title: string, message: string): string {
  const escaped = (text: string) =>
    text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
  const name = escaped(title).replaceAll(':', '%3A').replaceAll(',', '%2C');
  return `::${level} title=${name}::${escaped(message)}`;
}
