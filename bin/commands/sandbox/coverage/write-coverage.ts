// The options of `sandbox exec --coverage`, and the output after the command has ended.
import { existsSync } from 'node:fs';
import { stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Command } from 'commander';
import { jsonText } from '../../../../conformance/reports/plain-text.ts';
import type { CoverageShown } from '../../../../simulator/control/coverage.ts';
import {
  FileProblem,
  findRealFile,
  replacePrivately,
  unwritableWords,
} from '../../../../simulator/host/storage/private-file.ts';
import { UsageError } from '../../io.ts';
import { addOptions, numberFrom } from '../../options.ts';
import { printError } from '../../terminal.ts';
import { coverageHtml, coverageMarkdown, coverageText, percentMet, rulesLine } from './document.ts';

const formats: Readonly<Record<string, (coverage: CoverageShown) => string>> = {
  text: coverageText,
  json: (coverage) => `${jsonText(coverage, 2)}\n`,
  html: coverageHtml,
  markdown: coverageMarkdown,
};

export interface CoverageOptions {
  readonly files: readonly { readonly format: string; readonly file: string }[];
  /** Percent of the rules; a lower coverage makes the exit code 1. */
  readonly least: number;
}

/** Adds `--coverage` and `--coverage-min`. */
export function addCoverageOptions(command: Command): Command {
  const forms = Object.keys(formats).join(', ');
  return addOptions(command, [
    [
      '--coverage [format=file]',
      `say which rules the command has reached, and write it to a file too (${forms}); repeatable`,
      () =>
        (text: string, before: unknown = []) => [
          ...(Array.isArray(before) ? before : []),
          readFile(text),
        ],
    ],
    ['--coverage-min <percent>', 'end with 1 below this percentage of rules', numberFrom(0, 100)],
  ]);
}

/** null: no coverage was requested. */
export function readCoverageOptions(command: Command): CoverageOptions | null {
  const { coverage, coverageMin: least = 0 } = command.opts<{
    readonly coverage?: true | CoverageOptions['files'];
    readonly coverageMin?: number;
  }>();
  if (coverage === undefined && command.getOptionValue('coverageMin') === undefined) return null;
  return { files: coverage === undefined || coverage === true ? [] : coverage, least };
}

/** Its lines contain tokens of this sandbox. Pipes and terminals are accepted too. */
async function writePrivately(file: string, text: string): Promise<void> {
  const found = await stat(file).catch(() => null);
  if (found !== null && !found.isFile()) return writeFile(file, text);
  await replacePrivately(await findRealFile(file), (half) => half.writeFile(text));
}

function readFile(text: string) {
  const [, format = '', file = ''] = /^([a-z]+)=(.+)$/.exec(text) ?? [];
  if (formats[format] !== undefined) {
    // Checked before the command runs, because it may run for minutes.
    const folder = dirname(file);
    if (!existsSync(folder)) {
      throw new UsageError(`--coverage=${text}: there is no folder ${folder}`);
    }
    return { format, file };
  }
  const forms = Object.keys(formats).map((each) => `--coverage=${each}=FILE`);
  throw new UsageError(`--coverage: "${text}" must be ${forms.join(', ')}`);
}

/** The exit code if the command itself succeeded. */
export async function reportCoverage(
  { files, least }: CoverageOptions,
  coverage: CoverageShown,
  print = printError,
): Promise<number> {
  print(`\n${coverageText(coverage)}`);
  if (Object.values(coverage.operations).every((times) => times === 0)) {
    const advice = 'its calls have to go to the address in SANDBOX_BASE_URL';
    print(`sandbox: the command called no operation of the API: ${advice}\n`);
  }
  for (const { format, file } of files) {
    const text = formats[format]?.(coverage) ?? '';
    try {
      await writePrivately(file, text);
    } catch (error) {
      const failed = error as NodeJS.ErrnoException;
      if (failed.code === undefined && !(error instanceof FileProblem)) throw error;
      const why = failed.code === undefined ? failed.message : unwritableWords(failed);
      print(`sandbox: --coverage=${format}=${file}: ${why}\n`);
      return 2;
    }
  }
  if (percentMet(coverage) >= least) return 0;
  print(`sandbox: ${rulesLine(coverage)} were met, fewer than the ${least} % of --coverage-min\n`);
  return 1;
}
