// `conformance compare OLD NEW`: what is worse, better or other than it was, from two JSON reports.
import { type Command, Option } from 'commander';
import { compareReports } from '../../../conformance/reports/compare/compare-reports.ts';
import {
  compareMarkdown,
  compareText,
} from '../../../conformance/reports/compare/compare-words.ts';
import { jsonText, printable } from '../../../conformance/reports/plain-text.ts';
import manifest from '../../../package.json' with { type: 'json' };
import { addHelp, type HelpText } from '../help-text.ts';
import { REPORT_ADVICE, readJson, reportIn } from './input-files.ts';
import { type JudgeIo, systemJudgeIo, UsageError } from './io.ts';

const help: HelpText = {
  words: [
    'Failures are told apart by their fingerprints, as in a baseline: another failure of the same rule is worse, too, and so is a rule that was kept and is no longer shown to be.',
  ],
  examples: [
    'npx conformance run --profile staging.json --report json=old.json',
    'npx conformance run --profile staging.json --report json=new.json',
    'npx conformance compare old.json new.json --format markdown',
  ],
  exits: ['0 nothing is worse', '1 something is worse', '2 usage'],
};

const FORMATS = ['text', 'json', 'markdown'] as const;

interface Given {
  readonly format?: (typeof FORMATS)[number];
  readonly json?: boolean;
}

export function defineCompare(command: Command): void {
  addHelp(command, help);
  command
    .argument('<old>', 'a JSON report (conformance run --report json=FILE)')
    .argument('<new>', 'a later one of the same target, or one of another target')
    .addOption(new Option('--format <name>', 'how to tell it').choices(FORMATS).default('text'))
    .option('--json', 'the same as --format json')
    .action((old: string, now: string) => {
      const io = systemJudgeIo(manifest.version);
      try {
        process.exitCode = compareFiles(old, now, command.opts<Given>(), io);
      } catch (error) {
        if (!(error instanceof UsageError)) throw error;
        io.err(`error: ${printable(error.message)}\n`);
        process.exitCode = 2;
      }
    });
}

/** The exit code. */
export function compareFiles(old: string, now: string, given: Given, io: JudgeIo): number {
  const [before, after] = [readReportFile('OLD', old, io), readReportFile('NEW', now, io)];
  if ((before.mark === 'receiver') !== (after.mark === 'receiver')) {
    throw new UsageError('OLD is of a webhook receiver and NEW of an API, or the other way round');
  }
  const comparison = compareReports(before, after);
  const format = given.json ? 'json' : (given.format ?? 'text');
  if (format === 'json') io.out(`${jsonText(comparison, 2)}\n`);
  else if (format === 'markdown') io.out(compareMarkdown(comparison));
  else io.out(`${compareText(comparison, io.columns).join('\n')}\n`);
  return comparison.verdict === 'worse' ? 1 : 0;
}

function readReportFile(name: string, file: string, { cwd }: JudgeIo) {
  return reportIn(readJson(name, file, cwd, REPORT_ADVICE), name, file);
}
