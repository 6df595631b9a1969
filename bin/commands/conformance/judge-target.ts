// Judges one target from beginning to end: finds it, plays the scenarios, compares with the
// baseline, writes the reports, and says with which code to exit.

import {
  suggestAdditions,
  type TargetAddition,
} from '../../../conformance/engine/judge/testability.ts';
import { countHindered, EXIT_CODES, exitCode } from '../../../conformance/engine/run/exit-code.ts';
import { type RunResult, runScenarios } from '../../../conformance/engine/run/run.ts';
import { unmatchedGlobs } from '../../../conformance/engine/run/selection.ts';
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
import { buildReport } from '../../../conformance/reports/build-report.ts';
import { consoleReport } from '../../../conformance/reports/console.ts';
import { render } from '../../../conformance/reports/formats.ts';
import { observedConfig } from '../../../conformance/reports/observed.ts';
import { jsonText } from '../../../conformance/reports/plain-text.ts';
import { Progress } from '../../../conformance/reports/progress.ts';
import { Redactor } from '../../../conformance/reports/redact.ts';
import type { Report } from '../../../conformance/reports/report.ts';
import { count } from '../../../conformance/reports/verdict-words.ts';
import { scenarios } from '../../../conformance/scenarios/all.ts';
import { rules } from '../../../fixtures/rules.ts';
import { checkWritable, readBaselineFile, writeText } from './input-files.ts';
import { type JudgeIo, UsageError } from './io.ts';
import { type Found, findTarget } from './reach/find-target.ts';
import { openSender, reachOptions } from './reach/open-sender.ts';
import type { RunOptions } from './run-options.ts';

export async function judgeTarget(
  options: RunOptions,
  io: JudgeIo,
  signal: AbortSignal,
): Promise<number> {
  checkBefore(options, io);
  const baseline =
    options.baseline === undefined
      ? undefined
      : readBaselineFile(options.baseline, io.cwd, options.updateBaseline);
  const redactor = new Redactor();
  const sender = await openSender(options, io, redactor);
  // Time limits alone keep no program alive: without it one that waits for nothing else would end.
  const alive = setInterval(() => {}, 1_000);
  try {
    const found = await findTarget({ options, io, sender, redactor, signal });
    const lacking = suggestAdditions(rules, scenarios, found.provider.offers);
    const progress = new Progress(io, (text) => redactor.text(text));
    let run: RunResult;
    try {
      progress.start(found.baseUrl, found.controlUrl, scenarios, found.provider, options);
      run = await runScenarios({
        scenarios,
        provider: found.provider,
        sender: found.sender,
        selection: options,
        seed: options.seed,
        timeoutMs: options.timeoutS * 1000,
        ...(options.maxRate === undefined ? {} : { maxRate: options.maxRate }),
        signal,
        secret: (value) => redactor.learn(value),
        onResult: (result, done, total) => progress.played(result, done, total),
      });
    } finally {
      progress.end();
      await found.provider.close();
    }
    const report = reportOf({ options, io, found, run, lacking, redactor });
    return await finish(options, io, report, baseline);
  } finally {
    clearInterval(alive);
    await sender.close();
  }
}

/** Whatever can be wrong with the options is said before the first request. */
function checkBefore(options: RunOptions, io: JudgeIo): void {
  const ids = [...rules.map(({ id }) => id), ...scenarios.map(({ id }) => id)];
  for (const [option, globs] of [
    ['--only', options.only],
    ['--skip', options.skip],
  ] as const) {
    const [stray] = unmatchedGlobs(globs, ids);
    if (stray === undefined) continue;
    const advice = 'conformance list shows what there is';
    throw new UsageError(`${option}: "${stray}" matches no rule and no scenario; ${advice}`);
  }
  for (const { format, file } of options.reports) checkWritable(`--report ${format}`, file, io.cwd);
  if (options.observed !== undefined) checkWritable('--observed', options.observed, io.cwd);
  if (options.updateBaseline) checkWritable('--baseline', options.baseline!, io.cwd);
}

function reportOf(parts: {
  readonly options: RunOptions;
  readonly io: JudgeIo;
  readonly found: Found;
  readonly run: RunResult;
  readonly lacking: readonly TargetAddition[];
  readonly redactor: Redactor;
}): Report {
  const { options, found, run, redactor } = parts;
  for (const secret of found.provider.secrets()) redactor.learn(secret);
  return buildReport({
    version: parts.io.version,
    target: { base_url: found.baseUrl, control_url: found.controlUrl },
    run,
    scenarios,
    selection: options,
    redactor,
    additions: parts.lacking,
    notes: [...found.notes, ...found.provider.notes],
    strict: options.strict,
    replay: (scenario) => commandFor(options, found, scenario),
  });
}

function commandFor(options: RunOptions, found: Found, scenario: string): string {
  const { profile, controlUrl, controlTokenEnv, tokenEnv, seed } = options;
  const parts = ['conformance run', `--base-url ${found.baseUrl}`];
  if (controlUrl !== undefined) parts.push(`--control-url ${controlUrl}`);
  if (profile !== undefined) parts.push(`--profile ${profile}`);
  if (controlTokenEnv !== undefined) parts.push(`--control-token-env ${controlTokenEnv}`);
  if (tokenEnv !== undefined) parts.push(`--token-env ${tokenEnv}`);
  parts.push(...reachOptions(options));
  return [...parts, `--only ${scenario}`, `--seed ${seed}`].join(' ');
}

async function finish(
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
  print(options, io, report, written);
  return code;
}

function incompleteWords(hindered: number): string {
  const code = `exit code ${EXIT_CODES.incomplete}: not everything could be judged`;
  if (hindered === 0) {
    return `${code} (accept it in a baseline, or --allow-incomplete makes it 0)`;
  }
  const why = `${count(hindered, 'rule')} for a reason that nothing excuses`;
  return `${code}, ${why}: blocked, inconclusive, or given what is of no use now`;
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
  const hint = blank === 0 ? '' : `; say in it why, ${blank} times: until then it is refused`;
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
  writeText(options.observed, io.cwd, `${JSON.stringify(config, null, 2)}\n`);
  const size = Object.keys(config.settings).length;
  return [
    `observed: ${options.observed}, ${size} settings; start the simulator with --config`,
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
