// Judges one client: runs the command against worlds in which something goes wrong, and reports.
import { availableParallelism } from 'node:os';
import { checks, glossary } from '../../../conformance/client/checks/all.ts';
import type { Check } from '../../../conformance/client/checks/check.ts';
import { CommandError } from '../../../conformance/client/command.ts';
import { type ClientRun, judgeClient } from '../../../conformance/client/judge.ts';
import { whatItDoes } from '../../../conformance/client/recording.ts';
import { clientReport, typed } from '../../../conformance/client/report.ts';
import { EXIT_CODES } from '../../../conformance/engine/run/exit-code.ts';
import { jsonText, wrapText } from '../../../conformance/reports/plain-text.ts';
import { about, ProgressLine } from '../../../conformance/reports/progress.ts';
import { count } from '../../../conformance/reports/verdict-words.ts';
import { findNamedWorld } from '../../../simulator/compose/options.ts';
import type { ClientOptions } from './client.ts';
import { openWorlds } from './client-sandbox.ts';
import { finishRun, prepareFinish } from './finish-run.ts';
import { type JudgeIo, UsageError } from './io.ts';
import { selectChecks } from './selection.ts';

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
  const selected = selectChecks(checks, options, 'CLT');
  const baseline = prepareFinish(options, io);
  const { fixture, problems } = findNamedWorld(options.world, io.cwd);
  if (problems !== undefined) throw new UsageError(`--world ${problems.join('\n')}`);
  const jobs = options.jobs ?? jobsPerCore * availableParallelism();
  const much = `${count(selected.length, 'check')}, ${count(jobs, 'run')} at a time`;
  io.err(`Judging ${typed(options.command)}: ${much}\n`);
  const run = await play(options, io, {
    checks: selected,
    jobs,
    signal,
    openWorld: openWorlds({ fixture, plan: options.plan }),
  });
  const report = clientReport({
    version: io.version,
    command: options.command,
    seed: options.seed,
    run,
    unselected: checks.filter((check) => !selected.includes(check)),
    replay: (check) => replayCommand(options, check),
    strict: options.strict,
  });
  return finishRun(options, io, report, baseline);
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

function replayCommand({ command, seed, world, plan, timeoutS }: ClientOptions, { id }: Check) {
  const parts = ['npx conformance client', `--only ${id}`, `--seed ${seed}`];
  if (world !== 'default') parts.push(`--world ${world}`);
  if (plan !== 'pro') parts.push(`--plan ${plan}`);
  if (timeoutS !== 60) parts.push(`--timeout-s ${timeoutS}`);
  return `${parts.join(' ')} -- ${typed(command)}`;
}
