// Judges one client from beginning to end: plays the checks, compares with the baseline, writes the
// reports, and says with which code to exit.

import { availableParallelism } from 'node:os';
import { applyBaseline, updatedBaseline } from '../../../conformance/client/baseline.ts';
import { checks } from '../../../conformance/client/checks/all.ts';
import type { Check } from '../../../conformance/client/checks/check.ts';
import { glossary } from '../../../conformance/client/checks/glossary.ts';
import { CommandError } from '../../../conformance/client/command.ts';
import { type ClientRun, judgeClient } from '../../../conformance/client/judge.ts';
import { makeReport } from '../../../conformance/client/make-report.ts';
import { whatItDoes } from '../../../conformance/client/observation.ts';
import type { ClientReport } from '../../../conformance/client/report.ts';
import { textReport } from '../../../conformance/client/reports/text.ts';
import { typed } from '../../../conformance/client/reports/words.ts';
import { EXIT_CODES } from '../../../conformance/engine/run/exit-code.ts';
import { isSelected, unmatchedGlobs } from '../../../conformance/engine/run/selection.ts';
import { dayOf } from '../../../conformance/reports/baseline/baseline.ts';
import {
  type Baseline,
  printBaseline,
  unexplained,
} from '../../../conformance/reports/baseline/parse-baseline.ts';
import { jsonText, wrapText } from '../../../conformance/reports/plain-text.ts';
import { about, ProgressLine } from '../../../conformance/reports/progress/progress-line.ts';
import { count } from '../../../conformance/reports/verdict-words.ts';
import { findNamedWorld } from '../../../simulator/compose/read-world.ts';
import { suggestIds } from '../suggest-ids.ts';
import type { ClientOptions, ClientReportFile } from './client-options.ts';
import { openWorlds } from './client-sandbox.ts';
import { checkWritable, readBaselineFile, writeText } from './input-files.ts';
import { type JudgeIo, UsageError } from './io.ts';

/** Runs mostly wait, for time limits and for each other: more of them than cores. */
const jobsPerCore = 4;

/** Columns of what stands beside an id. */
const listWidth = 79;

export function listChecks({ json }: ClientOptions, io: JudgeIo): number {
  if (json) {
    const rows = checks.map(({ id, title, expected, rules }) => ({ id, title, expected, rules }));
    io.out(`${jsonText({ checks: rows })}\n`);
    return EXIT_CODES.conformant;
  }
  const say = (name: string, ...texts: readonly string[]) => {
    const lines = texts.flatMap((text) => wrapText(text, listWidth));
    for (const [n, line] of lines.entries()) {
      io.out(`${(n === 0 ? name : '').padEnd(20)} ${line}\n`);
    }
  };
  for (const { word, meaning } of glossary) say(word, meaning);
  io.out('\n');
  for (const { id, title, expected } of checks) say(id, title, `a right client ${expected}`);
  return EXIT_CODES.conformant;
}

export async function judgeCommand(
  options: ClientOptions,
  io: JudgeIo,
  signal: AbortSignal,
): Promise<number> {
  const selected = selectedChecks(options);
  for (const { format, file } of options.reports) checkWritable(`--report ${format}`, file, io.cwd);
  if (options.updateBaseline) checkWritable('--baseline', options.baseline!, io.cwd);
  const baseline =
    options.baseline === undefined
      ? undefined
      : readBaselineFile(options.baseline, io.cwd, options.updateBaseline);
  const { fixture, problems } = findNamedWorld(options.world, io.cwd);
  if (problems !== undefined) throw new UsageError(`--world ${problems.join('\n')}`);
  const jobs = options.jobs ?? jobsPerCore * availableParallelism();
  io.err(
    `Judging ${typed(options.command)}: ${count(selected.length, 'check')}, ${count(jobs, 'run')} at a time\n`,
  );
  const run = await play(options, io, {
    checks: selected,
    jobs,
    signal,
    openWorld: openWorlds({ fixture, plan: options.plan }),
  });
  const report = makeReport({
    version: io.version,
    command: options.command,
    seed: options.seed,
    run,
    unselected: checks.filter((check) => !selected.includes(check)),
    replay: (check) => againCommand(options, check),
    strict: options.strict,
  });
  return finish(
    options,
    io,
    baseline === undefined ? report : compare(options, io, report, baseline),
  );
}

/** A judgement that was cut off or could not begin says too little to change a baseline by. */
function compare(
  options: ClientOptions,
  io: JudgeIo,
  report: ClientReport,
  before: Baseline,
): ClientReport {
  const today = dayOf(io.nowMs());
  if (!options.updateBaseline) return applyBaseline(report, before, today, options.strict);
  if (report.interrupted || report.unusable !== null) {
    io.err(`baseline: ${options.baseline} is left as it was, because nothing whole was judged\n`);
    return applyBaseline(report, before, today, options.strict);
  }
  const updated = updatedBaseline(report, before, io.nowMs());
  writeText(options.baseline!, io.cwd, printBaseline(updated));
  const blank = unexplained(updated);
  const hint =
    blank === 0 ? '' : `; ${blank} without a reason: write it there, until then it is refused`;
  io.err(`baseline: ${options.baseline}, ${updated.known.length} known${hint}\n`);
  return applyBaseline(report, updated, today, options.strict);
}

async function play(
  options: ClientOptions,
  io: JudgeIo,
  run: Pick<Parameters<typeof judgeClient>[0], 'checks' | 'jobs' | 'signal' | 'openWorld'>,
): Promise<ClientRun> {
  let words = 'The command runs as it is';
  const line = new ProgressLine(io, () => words);
  line.start();
  try {
    return await judgeClient({
      ...run,
      command: options.command,
      cwd: io.cwd,
      env: io.env,
      timeoutMs: options.timeoutS * 1000,
      seed: options.seed,
      onFirst: (seen) => io.err(`  the first run: ${whatItDoes(seen)}\n`),
      onProgress: ({ done, planned, remainingMs, check }) => {
        const much = `${done} of ${planned} runs, ${about(remainingMs)} left`;
        words = `${much}  ${check.id}: ${check.title}`;
        if (io.isTerminal) line.draw();
      },
    });
  } catch (error) {
    if (error instanceof CommandError) throw new UsageError(error.message);
    throw error;
  } finally {
    line.end();
  }
}

function selectedChecks({ only, skip }: ClientOptions): readonly Check[] {
  const ids = checks.map(({ id }) => id);
  for (const [option, globs] of [
    ['--only', only],
    ['--skip', skip],
  ] as const) {
    const [stray] = unmatchedGlobs(globs, ids);
    if (stray === undefined) continue;
    const meant = unmatchedGlobs([`CLT-${stray}`], ids).length === 0;
    const near = suggestIds(stray, ids) || '; --list shows what there is';
    const hint = meant ? `; CLT-${stray} does` : near;
    throw new UsageError(`${option}: "${stray}" matches no check${hint}`);
  }
  const selected = checks.filter(({ id }) => isSelected(id, { only, skip }));
  if (selected.length === 0) throw new UsageError('--skip leaves no check to try');
  return selected;
}

function againCommand({ command, seed, world, plan, timeoutS }: ClientOptions, { id }: Check) {
  const parts = ['conformance client', `--only ${id}`, `--seed ${seed}`];
  if (world !== 'default') parts.push(`--world ${world}`);
  if (plan !== 'pro') parts.push(`--plan ${plan}`);
  if (timeoutS !== 60) parts.push(`--timeout-s ${timeoutS}`);
  return `${parts.join(' ')} -- ${typed(command)}`;
}

async function finish(options: ClientOptions, io: JudgeIo, report: ClientReport): Promise<number> {
  for (const { format, file } of options.reports) {
    writeText(file, io.cwd, await renderReport(format, report));
    io.err(`${format} report: ${file}\n`);
  }
  if (options.json) io.out(`${jsonText(report)}\n`);
  else io.out(`${textReport(report, { color: io.color, width: io.columns }).join('\n')}\n`);
  return exitCodeOf(report);
}

async function renderReport(
  format: ClientReportFile['format'],
  report: ClientReport,
): Promise<string> {
  switch (format) {
    case 'json':
      return `${jsonText(report, 1)}\n`;
    case 'junit':
      return (await import('../../../conformance/client/reports/junit.ts')).junitReport(report);
    case 'markdown':
      return (await import('../../../conformance/client/reports/markdown.ts')).markdownReport(
        report,
      );
    case 'html':
      return (await import('../../../conformance/client/reports/html.ts')).htmlReport(report);
  }
}

/** The most urgent thing that can be said; 130 whatever was found before it was cut off. */
function exitCodeOf({ verdict, interrupted, baseline }: ClientReport): number {
  if (interrupted) return EXIT_CODES.interrupted;
  if (verdict === 'deviates') return EXIT_CODES.deviates;
  if (verdict === 'invalid') return EXIT_CODES.ungraded;
  if ((baseline?.stale.length ?? 0) > 0) return EXIT_CODES.staleBaseline;
  return verdict === 'incomplete' ? EXIT_CODES.incomplete : EXIT_CODES.conformant;
}
