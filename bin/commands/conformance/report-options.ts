// The options that say what becomes of a report, the same for every judge.
import type { Command } from 'commander';
import type { FinishOptions } from './finish-run.ts';
import { readReport } from './run-options.ts';

const FORMAT_NAMES = ['json', 'junit', 'html', 'markdown'] as const;

/** An option that can be repeated; it also takes commas. */
const listed = (value: string, before: readonly string[] = []) => [
  ...before,
  ...value.split(',').filter((each) => each !== ''),
];

export interface ReportGiven {
  readonly only?: readonly string[];
  readonly skip?: readonly string[];
  readonly report?: readonly string[];
  readonly json?: boolean;
  readonly baseline?: string;
  readonly updateBaseline?: boolean;
  readonly strict?: boolean;
  readonly allowIncomplete?: boolean;
}

/** For a judge of checks. */
export function addReportOptions(command: Command, example: string): Command {
  return command
    .option('--only <check...>', `checks to try, such as ${example}`, listed)
    .option('--skip <check...>', 'checks to leave out', listed)
    .option(
      '--report <format=file>',
      `write a report: ${FORMAT_NAMES.join(', ')}; repeatable`,
      (value: string, before: readonly string[] = []) => [...before, value],
    )
    .option('--json', 'print the JSON report instead of the text')
    .option('--baseline <file>', 'known failures, with reason and expiry')
    .option('--update-baseline', 'write the failures of this run into the baseline')
    .option('--strict', 'advice and known failures count as failures')
    .option('--allow-incomplete', 'exit with 0 although not everything could be judged');
}

export function readReportOptions(given: ReportGiven): FinishOptions {
  return {
    reports: (given.report ?? []).map((each) => readReport(each, FORMAT_NAMES)),
    json: given.json === true,
    baseline: given.baseline,
    updateBaseline: given.updateBaseline === true,
    strict: given.strict === true,
    allowIncomplete: given.allowIncomplete === true,
  };
}
