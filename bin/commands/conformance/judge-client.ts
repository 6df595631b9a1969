// Judges one client: runs the command against worlds in which something goes wrong, and reports.
import { availableParallelism } from 'node:os';
import { checks, glossary } from '../../../conformance/client/checks/all.ts';
import { CommandError } from '../../../conformance/client/command.ts';
import { type ClientRun, judgeClient } from '../../../conformance/client/judge.ts';
import { whatItDoes } from '../../../conformance/client/recording.ts';
import { clientReport, typed } from '../../../conformance/client/report.ts';
import { jsonText, wrapText } from '../../../conformance/reports/plain-text.ts';
import { about, ProgressLine } from '../../../conformance/reports/progress.ts';
import { count } from '../../../conformance/reports/verdict-words.ts';
import { findNamedWorld } from '../../../simulator/compose/options.ts';
import type { ClientOptions } from './client.ts';
import { openWorlds } from './client-sandbox.ts';
import { finishRun, prepareFinish } from './finish-run.ts';
import { type JudgeIo, UsageError } from './io.ts';
import { commandToRepeat } from './options.ts';
import { selectChecks } from './selection.ts';

/** Runs mostly wait, for time limits and for each other: more of them than cores. */
const jobsPerCore = 4;

/** Columns of what stands beside an id. */
const listWidth = 79;

export function listChecks({ json }: ClientOptions, io: JudgeIo): number {
  if (json) {
    const rows = checks.map(({ id, title, expected, rules }) => ({ id, title, expected, rules }));
    io.out(`${jsonText({ checks: rows })}\n`);
    return 0;
  }
  const print = (name: string, ...texts: readonly string[]) => {
    const lines = texts.flatMap((text) => wrapText(text, listWidth));
    for (const [n, line] of lines.entries()) {
      io.out(`${(n === 0 ? name : '').padEnd(20)} ${line}\n`);
    }
  };
  for (const { word, meaning } of glossary) print(word, meaning);
  io.out('\n');
  for (const { id, title, expected } of checks) print(id, title, `a right client ${expected}`);
  return 0;
}

export async function judgeCommand(
  options: ClientOptions,
  io: JudgeIo,
  signal: AbortSignal,
): Promise<number> {
  const { command, world, plan, seed, timeoutS, strict = false } = options;
  const selected = selectChecks(checks, options, 'CLT');
  const baseline = prepareFinish(options, io);
  const { fixture, problems } = findNamedWorld(world, io.cwd);
  if (problems !== undefined) throw new UsageError(`--world ${problems.join('\n')}`);
  const jobs = options.jobs ?? jobsPerCore * availableParallelism();
  const much = `${count(selected.length, 'check')}, ${count(jobs, 'run')} at a time`;
  io.err(`Judging ${typed(command)}: ${much}\n`);
  const openWorld = openWorlds({ fixture, plan });
  const run = await play(options, io, { checks: selected, jobs, signal, openWorld });
  const unselected = checks.filter((check) => !selected.includes(check));
  const report = clientReport({
    ...{ version: io.version, command, seed, run, unselected, strict },
    replay: ({ id }) => {
      const again = commandToRepeat('client', [
        ['only', id],
        ['seed', seed],
        ['world', world, 'default'],
        ['plan', plan, 'pro'],
        ['timeout-s', timeoutS, 60],
      ]);
      return `${again} -- ${typed(command)}`;
    },
  });
  return finishRun(options, io, report, baseline);
}

async function play(
  { command, timeoutS, seed }: ClientOptions,
  io: JudgeIo,
  run: Pick<Parameters<typeof judgeClient>[0], 'checks' | 'jobs' | 'signal' | 'openWorld'>,
): Promise<ClientRun> {
  let words = 'The command runs as it is';
  const line = new ProgressLine(io, () => words);
  try {
    return await judgeClient({
      ...{ ...run, command, cwd: io.cwd, env: io.env, timeoutMs: timeoutS * 1000, seed },
      onFirst: (seen) => io.err(`  the first run: ${whatItDoes(seen)}\n`),
      onProgress: ({ done, planned, remainingMs, check }) => {
        const much = `${done} of ${planned} runs, ${about(remainingMs)} left`;
        words = `${much}  ${check.id}: ${check.title}`;
      },
    });
  } catch (error) {
    if (error instanceof CommandError) throw new UsageError(error.message);
    throw error;
  } finally {
    line.end();
  }
}
