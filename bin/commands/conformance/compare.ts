// `conformance compare OLD NEW`: what became worse, better or different between two JSON reports.
import { type Command, Option } from 'commander';
import { compareReports, comparisonDocument } from '../../../conformance/reports/compare.ts';
import { markdownPage } from '../../../conformance/reports/markdown.ts';
import { jsonText } from '../../../conformance/reports/plain-text.ts';
import { textPage } from '../../../conformance/reports/text.ts';
import { addHelp } from '../help-text.ts';
import { type CommandIo, systemIo, UsageError } from '../io.ts';
import { rewordErrors } from '../options.ts';
import { REPORT_ADVICE, readJson, reportIn } from './input-files.ts';

const FORMATS = ['text', 'json', 'markdown'] as const;

interface Given {
  readonly format?: (typeof FORMATS)[number];
  readonly json?: boolean;
}

export function defineCompare(command: Command, io = systemIo()): void {
  addHelp(command, {
    words: [
      'Worse is: a new failure, a different failure of the same rule, or a rule that passed and was not judged this time. Inconclusive rules, and numbers that change with the load, do not count.',
    ],
    examples: [
      'npx conformance run --profile staging.json --report json=old.json',
      'npx conformance run --profile staging.json --report json=new.json',
      'npx conformance compare old.json new.json --format markdown',
    ],
    exits: ['0 nothing is worse', '1 something is worse', '2 usage'],
  });
  rewordErrors(command, (text) =>
    text.includes('missing required argument')
      ? `give two JSON reports: conformance compare old.json new.json; ${REPORT_ADVICE}`
      : undefined,
  );
  command
    .argument('<old>', 'a JSON report (conformance run --report json=FILE)')
    .argument('<new>', 'a later report on the same target, or a report on another target')
    .addOption(new Option('--format <name>', 'output format').choices(FORMATS).default('text'))
    .option('--json', 'the same as --format json')
    .action((old: string, now: string) =>
      io.finish(compareFiles(old, now, command.opts<Given>(), io)),
    );
}

/** Prints the comparison and returns the exit code. */
export function compareFiles(old: string, now: string, given: Given, io: CommandIo): number {
  const read = (name: string, file: string) =>
    reportIn(readJson(name, file, io.cwd, REPORT_ADVICE), name, file);
  const [before, after] = [read('OLD', old), read('NEW', now)];
  const [oldSubject, newSubject] = [before, after].map(({ judge = 'API' }) => judge);
  if (oldSubject !== newSubject)
    throw new UsageError(`OLD is about the ${oldSubject} and NEW about the ${newSubject}`);
  const comparison = compareReports(before, after);
  const format = given.json ? 'json' : (given.format ?? 'text');
  const document = comparisonDocument(comparison);
  const width = io.columns;
  if (format === 'json') io.out(`${jsonText(comparison, 2)}\n`);
  else if (format === 'markdown') io.out(markdownPage(document));
  else io.out(`${textPage(document, { color: false, width }).join('\n').trimStart()}\n`);
  return comparison.verdict === 'worse' ? 1 : 0;
}
