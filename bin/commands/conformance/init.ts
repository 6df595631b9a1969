// `conformance init`: writes a profile with every possible field, and explains the fields, because JSON
// has no comments and unknown fields are errors.
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { EXAMPLE_PROFILE, profileFields } from '../../../conformance/providers/profile.ts';
import { wrapText } from '../../../conformance/reports/plain-text.ts';
import { addHelp } from '../help-text.ts';
import { type CommandIo, systemIo, UsageError } from '../io.ts';
import { checkWritable, writeText } from './input-files.ts';

const FILE = 'conformance.profile.json';
const TEXT = `${JSON.stringify(EXAMPLE_PROFILE, null, 2)}\n`;

export function defineInit(command: Command, io = systemIo()): void {
  addHelp(command, {
    examples: ['npx conformance init', 'npx conformance init --print'],
  });
  command
    .argument('[file]', 'where to write it', FILE)
    .option('--force', 'overwrite a file that is there')
    .option('--print', 'print the profile and write nothing')
    .action((file: string, { force, print }: { force?: boolean; print?: boolean }) =>
      print ? io.out(TEXT) : init(file, force ?? false, io),
    );
}

function init(file: string, force: boolean, io: CommandIo): void {
  checkWritable('FILE', file, io.cwd);
  if (existsSync(resolve(io.cwd, file)) && !force) {
    throw new UsageError(`${file} is there already; --force overwrites it`);
  }
  writeText(file, io.cwd, TEXT);
  const lines = [
    `Wrote ${file}. Set base_url, the ids, and the variables that it names: FIRM_TOKEN alone is enough.`,
    'A part whose variable is not set counts as not given, and leaves rules untested, never failed.',
    '',
    ...explainFields(Math.min(io.columns, 100)),
    '',
    `Then: npx conformance run --profile ${file}`,
  ];
  io.out(`${lines.join('\n')}\n`);
}

/** Every field by its path with its purpose; only the fields below `under` if it is given. */
export function explainFields(width: number, under = ''): string[] {
  return profileFields().flatMap(({ path, words, required }) => {
    const at = path.join('.');
    if (under !== '' && at !== under && !at.startsWith(`${under}.`)) return [];
    const margin = '  '.repeat(path.length - 1);
    const optional = required && path.length > 1 ? '' : ' (optional)';
    const lines = wrapText(words, width - margin.length - 4).map((line) => `${margin}    ${line}`);
    return [`${margin}${path.at(-1)}${optional}`, ...lines];
  });
}
