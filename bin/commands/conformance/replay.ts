// `conformance replay REPORT SCENARIO`: prints the requests of a scenario as a script of curl
// commands.
import type { Command } from 'commander';
import { isExploreReport } from '../../../conformance/explore/report/again.ts';
import { curlScript } from '../../../conformance/reports/replay.ts';
import { addHelp } from '../help-text.ts';
import { type CommandIo, systemIo, UsageError } from '../io.ts';
import { rewordErrors } from '../options.ts';
import { suggestIds } from '../suggest-ids.ts';
import { REPORT_ADVICE, readJson, reportIn } from './input-files.ts';

export function defineReplay(command: Command, io = systemIo()): void {
  addHelp(command, {
    words: [
      'The script sends the requests of the scenario again, with new names and with ids from the responses. Tokens come from variables such as FIRM_TOKEN. To judge a scenario again use conformance run --only SCENARIO.',
    ],
    examples: [
      'npx conformance replay report.json bulk-sizes \\',
      '  | BASE_URL=http://127.0.0.1:7420 FIRM_TOKEN=… bash',
    ],
  });
  rewordErrors(command, (text) =>
    text.includes('missing required argument')
      ? `give a JSON report and a scenario: conformance replay report.json bulk-sizes; ${REPORT_ADVICE}`
      : undefined,
  );
  command
    .argument('<report>', 'the JSON report of a run')
    .argument('<scenario>', 'the id of a scenario in it')
    .action((file: string, scenario: string) => io.out(replay(file, scenario, io)));
}

/** The text of the script; throws UsageError if there is nothing to repeat. */
export function replay(file: string, id: string, io: Pick<CommandIo, 'cwd'>): string {
  const given = readJson('REPORT', file, io.cwd, REPORT_ADVICE);
  if (isExploreReport(given)) {
    const again = `conformance explore --replay ${file}#${id}`;
    throw new UsageError(`REPORT: ${file} is of an exploration; ${again} plays it again`);
  }
  const report = reportIn(given, 'REPORT', file);
  if (report.judge !== undefined) {
    const again = `conformance ${report.judge} --only ${id}`;
    throw new UsageError(`REPORT: ${file} is about a ${report.judge}; ${again} repeats a check`);
  }
  const scenario = report.scenarios.find((each) => each.id === id);
  if (scenario === undefined) {
    const rule = report.rules.find((each) => each.id === id);
    const judging = [...new Set(rule?.findings.map((each) => each.scenario))];
    if (rule !== undefined) {
      throw new UsageError(
        `SCENARIO: ${id} is a rule; give one of its scenarios: ${judging.join(', ')}`,
      );
    }
    const ids = report.scenarios.map((each) => each.id);
    throw new UsageError(`SCENARIO: ${file} has no scenario "${id}"${suggestIds(id, ids)}`);
  }
  if (scenario.exchanges.length === 0) {
    const why = scenario.why === null ? '' : `: ${scenario.why}`;
    throw new UsageError(`SCENARIO: "${id}" sent nothing in that run${why}`);
  }
  return curlScript(report, scenario);
}
