// The end of a run: compares with the baseline, writes the reports, prints, and says with which
// code to exit.
import { countHindered, EXIT_CODES, exitCode } from '../../../conformance/engine/run/exit-code.ts';
import { annotations } from '../../../conformance/reports/annotations.ts';
import {
  applyBaseline,
  dayOf,
  updatedBaseline,
} from '../../../conformance/reports/baseline/baseline.ts';
import {
  type Baseline,
  printBaseline,
  unexplained,
} from '../../../conformance/reports/baseline/parse-baseline.ts';
import { consoleReport } from '../../../conformance/reports/console.ts';
import { render } from '../../../conformance/reports/formats.ts';
import { observedConfig } from '../../../conformance/reports/observed.ts';
import { jsonText } from '../../../conformance/reports/plain-text.ts';
import type { Report } from '../../../conformance/reports/report.ts';
import { count } from '../../../conformance/reports/verdict-words.ts';
import { writeText } from './input-files.ts';
import type { JudgeIo } from './io.ts';
import type { RunOptions } from './run-options.ts';

export async function finishRun(
  options: RunOptions,
  io: JudgeIo,
  found: Report,
  baseline: Baseline | undefined,
): Promise<number> {
  const { report, notes } = withBaseline(options, io, found, baseline);
  const written = [...notes, ...writeObserved(options, io, report)];
  for (const { format, file } of options.reports) {
    writeText(file, io.cwd, await render(format, report));
    written.push(`${format} report: ${file}`);
  }
  const { verdict, summary, interrupted } = report;
  const stale = report.baseline?.stale.length ?? 0;
  const hindered = countHindered(report.rules);
  const outcome = { verdict, summary, interrupted, stale, hindered };
  const code = exitCode(outcome, options.allowIncomplete);
  if (code === EXIT_CODES.incomplete) written.push(incompleteWords(hindered));
  if (code === EXIT_CODES.staleBaseline) written.push(staleWords(stale));
  print(options, io, report, written);
  return code;
}

function staleWords(stale: number): string {
  const what = `${count(stale, 'entry', 'entries')} of the baseline no longer deviate`;
  return `exit code ${EXIT_CODES.staleBaseline}: ${what}; --update-baseline takes them out`;
}

function incompleteWords(hindered: number): string {
  const code = `exit code ${EXIT_CODES.incomplete}: not everything could be judged`;
  if (hindered === 0) {
    return `${code} (accept it in a baseline, or --allow-incomplete makes it 0)`;
  }
  const which = 'blocked or inconclusive, or what was given for it is of no use now';
  const many = `${count(hindered, 'rule')} that no option forgives`;
  return `${code}; ${many} (${which})`;
}

/** A run that was cut off or could not start says too little to change a baseline by. */
function withBaseline(
  options: RunOptions,
  io: JudgeIo,
  report: Report,
  baseline: Baseline | undefined,
): { report: Report; notes: string[] } {
  if (baseline === undefined) return { report, notes: [] };
  const today = dayOf(io.nowMs());
  const apply = (known: Baseline) => applyBaseline(report, known, today, options.strict);
  if (!options.updateBaseline) return { report: apply(baseline), notes: [] };
  if (report.interrupted || report.verdict === 'invalid') {
    const note = `baseline: ${options.baseline} is left as it was, because the run did not finish`;
    return { report: apply(baseline), notes: [note] };
  }
  const updated = updatedBaseline(report, baseline, io.nowMs());
  writeText(options.baseline!, io.cwd, printBaseline(updated));
  const blank = unexplained(updated);
  const hint =
    blank === 0 ? '' : `; ${blank} without a reason: write it there, until then it is refused`;
  const accepted = (updated.not_tested ?? []).flatMap(({ rules }) => rules).length;
  const size = `${updated.known.length} known, ${count(accepted, 'rule')} not tested`;
  return {
    report: apply(updated),
    notes: [`baseline: ${options.baseline}, ${size}${hint}`],
  };
}

function writeObserved(options: RunOptions, io: JudgeIo, report: Report): string[] {
  if (options.observed === undefined) return [];
  const { config, dropped } = observedConfig(report.observed);
  writeText(options.observed, io.cwd, `${jsonText(config, 2)}\n`);
  const size = Object.keys(config.settings).length;
  return [
    `observed: ${options.observed}, ${size} settings; sandbox start --config takes it`,
    ...dropped.map((each) => `  not possible in the simulator: ${each}`),
  ];
}

function print(options: RunOptions, io: JudgeIo, report: Report, written: readonly string[]): void {
  const onGitHub = io.env.GITHUB_ACTIONS === 'true';
  const marks = onGitHub ? annotations(report).map((line) => `${line}\n`) : [];
  if (options.json) {
    io.out(`${jsonText(report)}\n`);
    for (const each of [...marks, ...written.map((line) => `${line}\n`)]) io.err(each);
    return;
  }
  const jsonFile = options.reports.find(({ format }) => format === 'json')?.file;
  const lines = consoleReport(report, { color: io.color, width: io.columns, jsonFile });
  // What a target says must not be taken for a workflow command.
  const pause = `stop-${report.mark}`;
  if (onGitHub) io.out(`::stop-commands::${pause}\n`);
  io.out(`${lines.join('\n')}\n`);
  if (written.length > 0) io.out(`${written.join('\n')}\n`);
  if (onGitHub) io.out(`::${pause}::\n`);
  for (const each of marks) io.out(each);
}
