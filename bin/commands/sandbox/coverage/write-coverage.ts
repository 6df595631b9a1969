// What `sandbox exec --coverage` asks for, and how it is told when the command has ended.
import { existsSync } from 'node:fs';
import { stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Command } from 'commander';
import { jsonText } from '../../../../conformance/reports/plain-text.ts';
import type { CoverageShown } from '../../../../simulator/control/schemas/coverage.ts';
import {
  FileProblem,
  findRealFile,
  replacePrivately,
  unwritableWords,
} from '../../../../simulator/host/storage/private-file.ts';
import { refuseUsage } from '../../command-io.ts';
import { terminalLine, terminalText } from '../../terminal.ts';
import { coverageHtml, coverageMarkdown, coverageText, percentMet, rulesLine } from './document.ts';

const formats: Readonly<Record<string, (coverage: CoverageShown) => string>> = {
  text: coverageText,
  json: (coverage) => `${jsonText(coverage, 2)}\n`,
  html: coverageHtml,
  markdown: coverageMarkdown,
};

export interface CoverageOptions {
  readonly files: readonly { readonly format: string; readonly file: string }[];
  /** Percent of the rules; less of them makes the exit code 1. */
  readonly least: number;
}

/** Adds `--coverage` and `--coverage-min`. */
export function addCoverageOptions(command: Command): Command {
  return command
    .option(
      '--coverage [format=file]',
      `tell which rules the command has met, and write it to a file too (${Object.keys(formats).join(', ')}); repeatable`,
      (text: string, before: unknown) => [...(Array.isArray(before) ? before : []), text],
    )
    .option('--coverage-min <percent>', 'end with 1 when fewer percent of the rules were met');
}

/** null: no coverage was asked for. */
export function readCoverageOptions(command: Command): CoverageOptions | null {
  const { coverage, coverageMin } = command.opts<{
    readonly coverage?: true | readonly string[];
    readonly coverageMin?: string;
  }>();
  if (coverage === undefined && coverageMin === undefined) return null;
  const least = Number(coverageMin ?? 0);
  if (!/^\d+(\.\d+)?$/.test(coverageMin ?? '0') || least > 100) {
    refuseUsage(command, `--coverage-min: "${coverageMin}" is no number from 0 to 100`);
  }
  const files = coverage === undefined || coverage === true ? [] : coverage;
  return { files: files.map((text) => readFile(command, text)), least };
}

/** Its lines name tokens of this sandbox. A pipe or a terminal takes it too. */
async function writePrivately(file: string, text: string): Promise<void> {
  const found = await stat(file).catch(() => null);
  if (found !== null && !found.isFile()) return writeFile(file, text);
  await replacePrivately(await findRealFile(file), (half) => half.writeFile(text));
}

function readFile(command: Command, text: string) {
  const [, format = '', file = ''] = /^([a-z]+)=(.+)$/.exec(text) ?? [];
  if (formats[format] !== undefined) {
    // Before the command has run for minutes, and not after.
    const folder = dirname(file);
    if (!existsSync(folder))
      refuseUsage(command, `--coverage=${text}: there is no folder ${folder}`);
    return { format, file };
  }
  const forms = Object.keys(formats).map((each) => `--coverage=${each}=FILE`);
  return refuseUsage(command, `--coverage: "${text}" is none of ${forms.join(', ')}`);
}

/** The exit code where the command itself ended well. */
export async function tellCoverage(
  { files, least }: CoverageOptions,
  coverage: CoverageShown,
  say: (text: string) => void,
): Promise<number> {
  say(`\n${terminalText(coverageText(coverage))}`);
  if (Object.values(coverage.operations).every((times) => times === 0)) {
    const advice = 'its calls have to go to the address in SANDBOX_BASE_URL';
    say(`sandbox: the command called no operation of the API: ${advice}\n`);
  }
  for (const { format, file } of files) {
    const text = formats[format]?.(coverage) ?? '';
    try {
      await writePrivately(file, text);
    } catch (error) {
      const failed = error as NodeJS.ErrnoException;
      if (failed.code === undefined && !(error instanceof FileProblem)) throw error;
      const why = failed.code === undefined ? failed.message : unwritableWords(failed);
      say(`sandbox: ${terminalLine(`--coverage=${format}=${file}`)}: ${why}\n`);
      return 2;
    }
  }
  if (percentMet(coverage) >= least) return 0;
  say(`sandbox: ${rulesLine(coverage)} were met, fewer than the ${least} % of --coverage-min\n`);
  return 1;
}
