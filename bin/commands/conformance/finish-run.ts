// The end of every judge: compares with the baseline, writes the reports, prints, and returns the
// exit code.
import { countHindered, EXIT_CODES, exitCode } from '../../../conformance/engine/judge/verdicts.ts';
import { annotations } from '../../../conformance/reports/annotations.ts';
import {
  applyBaseline,
  type Baseline,
  dayOf,
  printBaseline,
  unexplained,
  updatedBaseline,
} from '../../../conformance/reports/baseline.ts';
import { documentOf } from '../../../conformance/reports/document.ts';
import { jsonReport, render } from '../../../conformance/reports/formats.ts';
import { observedConfig } from '../../../conformance/reports/observed.ts';
import { jsonText } from '../../../conformance/reports/plain-text.ts';
import type { Report } from '../../../conformance/reports/report.ts';
import { textPage } from '../../../conformance/reports/text.ts';
import { count } from '../../../conformance/reports/verdict-words.ts';
import type { CommandIo } from '../io.ts';
import { checkWritable, readBaselineFile, writeText } from './input-files.ts';
import type { ReportFiles, ReportOptions } from './options.ts';

/** Checks the output files before any request is sent. */
export function checkFiles({ report, observed }: ReportFiles<string>, { cwd }: CommandIo): void {
  for (const { format, file } of report) checkWritable(`--report ${format}`, file, cwd);
  if (observed !== undefined) checkWritable('--observed', observed, cwd);
}

/** Checks the output files and the baseline. */
export function prepareFinish(options: ReportOptions, io: CommandIo): Baseline | undefined {
  checkFiles(options, io);
  const { baseline, updateBaseline = false } = options;
  const { cwd } = io;
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
  written.push(...(await writeReports(options, io, (format) => render(format, report))));
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
  const jsonFile = options.report.find(({ format }) => format === 'json')?.file;
  const document = documentOf(report, 'text', { width: io.columns - 4, jsonFile });
  const lines = textPage(document, { color: io.color, width: io.columns });
  const isOnGitHub = io.env.GITHUB_ACTIONS === 'true';
  const marks = isOnGitHub ? annotations(report) : [];
  // No text of a target may be read as a workflow command.
  const pause = `stop-${report.mark}`;
  const all = isOnGitHub
    ? [`::stop-commands::${pause}`, ...lines, ...written, `::${pause}::`, ...marks]
    : [...lines, ...written];
  if (options.json) printReport(io, jsonReport(report), [...marks, ...written]);
  else io.out(`${all.join('\n')}\n`);
  return code;
}

function incompleteWords(hindered: number, { judge }: Report): string {
  const code = `exit code ${EXIT_CODES.incomplete}: not everything could be judged`;
  if (judge !== undefined) return code;
  if (hindered === 0) return `${code} (list it in a baseline, or use --allow-incomplete)`;
  const which = 'blocked or inconclusive, or what was given for it no longer works';
  return `${code}; ${count(hindered, 'rule')} that no option forgives (${which})`;
}

/** A run that was interrupted or could not start does not change a baseline. */
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
    const note = `baseline: ${options.baseline} is unchanged, because the run did not finish`;
    return { report: apply(baseline), notes: [note] };
  }
  const updated = updatedBaseline(report, baseline, io.nowMs());
  writeText(options.baseline!, io.cwd, printBaseline(updated));
  const blank = count(unexplained(updated), 'entry', 'entries');
  const rest = (updated.not_tested ?? []).flatMap(({ rules }) => rules).length;
  const notes = [
    `baseline: wrote ${options.baseline}: ${count(updated.known.length, 'known deviation')}, ${count(rest, 'rule')} accepted as not tested`,
    ...(unexplained(updated) === 0
      ? []
      : [`  next: write a reason for ${blank}; a run refuses the file until then`]),
  ];
  return { report: apply(updated), notes };
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

/** Writes each report to its file, and prints one line for each. */
export async function writeReports<F extends string>(
  { report }: ReportFiles<F>,
  { cwd }: CommandIo,
  render: (format: F) => string | Promise<string>,
): Promise<string[]> {
  for (const { format, file } of report) writeText(file, cwd, await render(format));
  return report.map(({ format, file }) => `${format} report: ${file}`);
}

/** Prints a JSON report on standard output, and the notes on standard error. */
export function printReport(io: CommandIo, json: string, notes: readonly string[]): void {
  io.out(`${json}\n`);
  for (const note of notes) io.err(`${note}\n`);
}
