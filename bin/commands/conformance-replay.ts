// `conformance replay REPORT SCENARIO`: prints what a scenario sent as a script of curl commands.
import type { Command } from 'commander';
import { replayScript } from '../../conformance/reports/replay.ts';
import type { Report } from '../../conformance/reports/report.ts';
import manifest from '../../package.json' with { type: 'json' };
import { readJson } from './conformance-files.ts';
import { type JudgeIo, systemJudgeIo, UsageError } from './conformance-io.ts';

export function defineReplay(command: Command): void {
  command
    .argument('<report>', 'a JSON report (conformance run --report json=FILE)')
    .argument('<scenario>', 'one of its scenarios')
    .addHelpText('after', '\nRun it:\n  conformance replay report.json bulk-sizes | bash')
    .action((file: string, scenario: string) => {
      const io = systemJudgeIo(manifest.version);
      try {
        io.out(replay(file, scenario, io));
      } catch (error) {
        if (!(error instanceof UsageError)) throw error;
        io.err(`error: ${error.message}\n`);
        process.exitCode = 2;
      }
    });
}

export function replay(file: string, id: string, io: JudgeIo): string {
  const advice = 'conformance run --report json=FILE writes one';
  const given = readJson('REPORT', file, io.cwd, advice);
  if (!isReport(given)) throw new UsageError(`REPORT: ${file} is not a JSON report; ${advice}`);
  const scenario = given.scenarios.find((each) => each.id === id);
  if (scenario === undefined) throw new UsageError(`SCENARIO: ${file} has no scenario "${id}"`);
  if (scenario.exchanges.length === 0) {
    const why = scenario.why === null ? '' : `: ${scenario.why}`;
    throw new UsageError(`SCENARIO: "${id}" sent nothing in that run${why}`);
  }
  return replayScript(given, scenario);
}

function isReport(given: unknown): given is Report {
  if (typeof given !== 'object' || given === null) return false;
  const tool: unknown = Reflect.get(given, 'tool');
  return (
    Reflect.get(given, 'schema') === 1 &&
    Reflect.get((tool ?? {}) as object, 'name') === 'conformance' &&
    Array.isArray(Reflect.get(given, 'scenarios'))
  );
}
