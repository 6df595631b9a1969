// The end of every judge: compares with the baseline, writes the reports, prints, and returns the
// exit code.
import { countHindered, EXIT_CODES, exitCode } from '../../../conformance/engine/run/exit-code.ts';
import { annotations } from '../../../conformance/reports/annotations.ts';
import {
  applyBaseline,
  type Baseline,
  dayOf,
  printBaseline,
  unexplained,
  updatedBaseline,
} from '../../../conformance/reports/baseline.ts';
import { jsonReport, render } from '../../../conformance/reports/formats.ts';
import { observedConfig } from '../../../conformance/reports/observed.ts';
import { jsonText } from '../../../conformance/reports/plain-text.ts';
import type { Report } from '../../../conformance/reports/report.ts';
import { textReport } from '../../../conformance/reports/text.ts';
import { count } from '../../../conformance/reports/verdict-words.ts';
import type { CommandIo } from '../io.ts';
import { checkWritable, readBaselineFile, writeText } from './input-files.ts';
import type { ReportOptions } from './options.ts';

/** Finds everything that can be wrong with the files before anything is sent. */
export function prepareFinish(
  { report, baseline, updateBaseline = false, observed }: ReportOptions,
  { cwd }: CommandIo,
): Baseline | undefined {
  for (const { format, file } of report) checkWritable(`--report ${format}`, file, cwd);
  if (observed !== undefined) checkWritable('--observed', observed, cwd);
  if (baseline === undefined) return undefined;
  if (updateBaseline) checkWritable('--baseline', baseline, cwd);
  return readBaselineFile(baseline, cwd, updateBaseline);
}

export async function finishRun(
  options: ReportOptions,
  io: CommandIo,
  found: Report,
  baseline: Baseline | undefined,
): Promise<number> {
  const { report, notes } = withBaseline(options, io, found, baseline);
  const written = [...notes, ...writeObserved(options, io, report)];
  for (const { format, file } of options.report) {
    writeText(file, io.cwd, await render(format, report));
    written.push(`${format} report: ${file}`);
  }
  const { verdict, summary, interrupted } = report;
  const stale = report.baseline?.stale.length ?? 0;
  const hindered = countHindered(report.rules);
  const outcome = { verdict, summary, interrupted, stale, hindered };
  const code = exitCode(outcome, options.allowIncomplete ?? false);
  if (code === EXIT_CODES.incomplete) written.push(incompleteWords(hindered, report));
  if (code === EXIT_CODES.staleBaseline) {
    const what = `${count(stale, 'entry', 'entries')} of the baseline no longer deviate`;
    written.push(`exit code ${code}: ${what}; --update-baseline removes them`);
  }
  print(options, io, report, written);
  return code;
}

function incompleteWords(hindered: number, { judge }: Report): string {
  const code = `exit code ${EXIT_CODES.incomplete}: not everything could be judged`;
  if (judge !== undefined) return code;
  if (hindered === 0) return `${code} (accept it in a baseline, or use --allow-incomplete)`;
  const which = 'blocked or inconclusive, or what was given for it no longer works';
  return `${code}; ${count(hindered, 'rule')} that no option forgives (${which})`;
}

/** A run that was interrupted or could not start says too little to change a baseline. */
function withBaseline(
  options: ReportOptions,
  io: CommandIo,
  report: Report,
  baseline: Baseline | undefined,
): { report: Report; notes: string[] } {
  if (baseline === undefined) return { report, notes: [] };
  const today = dayOf(io.nowMs());
  const apply = (known: Baseline) => applyBaseline(report, known, today, options.strict ?? false);
  if (!options.updateBaseline) return { report: apply(baseline), notes: [] };
  if (report.interrupted || report.verdict === 'invalid' || report.not_started !== undefined) {
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
  return { report: apply(updated), notes: [`baseline: ${options.baseline}, ${size}${hint}`] };
}

function writeObserved(options: ReportOptions, io: CommandIo, report: Report): string[] {
  if (options.observed === undefined) return [];
  const { config, dropped } = observedConfig(report.observed);
  writeText(options.observed, io.cwd, `${jsonText(config, 2)}\n`);
  const size = count(Object.keys(config.settings).length, 'setting');
  return [
    `observed: ${options.observed}, ${size}; sandbox start --config reads it`,
    ...dropped.map((each) => `  the simulator cannot do this: ${each}`),
  ];
}

function print(
  options: ReportOptions,
  io: CommandIo,
  report: Report,
  written: readonly string[],
): void {
  const isOnGitHub = io.env.GITHUB_ACTIONS === 'true';
  const marks = isOnGitHub ? annotations(report).map((line) => `${line}\n`) : [];
  if (options.json) {
    io.out(`${jsonReport(report)}\n`);
    for (const each of [...marks, ...written.map((line) => `${line}\n`)]) io.err(each);
    return;
  }
  const jsonFile = options.report.find(({ format }) => format === 'json')?.file;
  const lines = textReport(report, { color: io.color, width: io.columns, jsonFile });
  // Nothing that a target says must be read as a workflow command.
  const pause = `stop-${report.mark}`;
  if (isOnGitHub) io.out(`::stop-commands::${pause}\n`);
  io.out(`${lines.join('\n')}\n`);
  if (written.length > 0) io.out(`${written.join('\n')}\n`);
  if (isOnGitHub) io.out(`::${pause}::\n`);
  for (const each of marks) io.out(each);
}
