// Judges one client: runs its command against worlds with injected failures, and reports.
import { availableParallelism } from 'node:os';
import { checks } from '../../../conformance/client/checks/all.ts';
import { type ClientRun, judgeClient } from '../../../conformance/client/judge.ts';
import { CommandError, type OpenWorld } from '../../../conformance/client/play.ts';
import { whatItDoes } from '../../../conformance/client/recording.ts';
import { clientReport, typed } from '../../../conformance/client/report.ts';
import { item, list } from '../../../conformance/reports/parts.ts';
import { jsonText } from '../../../conformance/reports/plain-text.ts';
import { ProgressLine } from '../../../conformance/reports/progress.ts';
import { textOf } from '../../../conformance/reports/text.ts';
import { count } from '../../../conformance/reports/verdict-words.ts';
import type { WorldFixture } from '../../../fixtures/worlds.ts';
import { findNamedWorld } from '../../../simulator/compose/options.ts';
import { createSandbox } from '../../../simulator/index.ts';
import { findVariables } from '../command-variables.ts';
import { type CommandIo, UsageError } from '../io.ts';
import type { ClientOptions } from './client.ts';
import { finishRun, prepareFinish } from './finish-run.ts';
import { commandToRepeat } from './options.ts';
import { selectChecks } from './selection.ts';

/** Runs mostly wait, for timeouts and for each other: start more of them than there are cores. */
const jobsPerCore = 4;

export function listChecks({ json }: ClientOptions, io: CommandIo): number {
  const rows = checks.map(({ id, title, expected, rules }) => ({ id, title, expected, rules }));
  const items = rows.map(({ id, title, expected }) =>
    item(`${title}: a right client ${expected}`, id),
  );
  const lines = textOf(list(items), { color: io.color, width: io.columns });
  io.out(`${json ? jsonText({ checks: rows }) : lines.join('\n')}\n`);
  return 0;
}

export async function judgeCommand(
  options: ClientOptions,
  io: CommandIo,
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
  const openWorld = openWorlds(fixture, plan);
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
  io: CommandIo,
  run: Pick<Parameters<typeof judgeClient>[0], 'checks' | 'jobs' | 'signal' | 'openWorld'>,
): Promise<ClientRun> {
  let words = 'The command runs as it is';
  const line = new ProgressLine(io, () => words);
  try {
    return await judgeClient({
      ...{ ...run, command, cwd: io.cwd, env: io.env, timeoutMs: timeoutS * 1000, seed },
      onFirst: (seen) => io.err(`  the first run: ${whatItDoes(seen)}\n`),
      onProgress: ({ done, planned, check }) => {
        words = `${done} of ${planned} runs  ${check.id}: ${check.title}`;
      },
    });
  } catch (error) {
    if (error instanceof CommandError) throw new UsageError(error.message);
    throw error;
  } finally {
    line.end();
  }
}

/** A separate world for each run, with the environment variables that `sandbox exec` sets. */
function openWorlds(world: WorldFixture, plan: ClientOptions['plan']): OpenWorld {
  return async (seed) => {
    const sandbox = await createSandbox({ world, plan, seed });
    const { credentials } = await sandbox.control.listCredentials();
    const [own] = credentials;
    let served: Promise<{ base_url: string }> | null = null;
    return {
      fetch: (request) => sandbox.fetch(request),
      listen: async () => {
        served ??= sandbox.listen();
        const { hostname: host, port } = new URL((await served).base_url);
        return { host, port: Number(port) };
      },
      variables: await findVariables(sandbox.control),
      secrets: credentials.flatMap(({ client_id: clientId, token, client_secret: secret }) =>
        [token, secret].filter((value) => value !== null).map((value) => ({ value, clientId })),
      ),
      otherToken: own?.token ?? '',
      close: () => sandbox.close(),
    };
  };
}
