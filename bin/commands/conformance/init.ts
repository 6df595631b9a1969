// `conformance init`: writes a profile with every field there is, and explains them, because JSON
// has no comments and unknown fields are errors.
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import {
  type Field,
  type Group,
  isGroup,
  isList,
  type List,
  profileFields,
} from '../../../conformance/providers/profile-fields.ts';
import { wrapText } from '../../../conformance/reports/plain-text.ts';
import manifest from '../../../package.json' with { type: 'json' };
import { addHelp } from '../help-text.ts';
import { checkWritable, writeText } from './input-files.ts';
import { type JudgeIo, systemJudgeIo, UsageError } from './io.ts';

const FILE = 'conformance.profile.json';

export function defineInit(command: Command): void {
  addHelp(command, {
    examples: ['npx conformance init', 'npx conformance init --print'],
  });
  command
    .argument('[file]', 'where to write it', FILE)
    .option('--force', 'overwrite a file that is there')
    .option('--print', 'print the profile and write nothing')
    .action((file: string, options: { force?: boolean; print?: boolean }) => {
      const io = systemJudgeIo(manifest.version);
      try {
        init(file, options, io);
      } catch (error) {
        if (!(error instanceof UsageError)) throw error;
        io.err(`error: ${error.message}\n`);
        process.exitCode = 2;
      }
    });
}

function init(
  file: string,
  options: { readonly force?: boolean; readonly print?: boolean },
  io: JudgeIo,
): void {
  const text = `${JSON.stringify(exampleOf(profileFields), null, 2)}\n`;
  if (options.print) {
    io.out(text);
    return;
  }
  if (existsSync(resolve(io.cwd, file)) && !options.force) {
    throw new UsageError(`${file} is there already; --force overwrites it`);
  }
  checkWritable('FILE', file, io.cwd);
  writeText(file, io.cwd, text);
  const lines = [
    `Wrote ${file}. Fill in what you have and delete the rest: every part is`,
    'optional but one credential, and what is missing leaves rules untested, never failed.',
    '',
    ...explainFields(Math.min(io.columns, 100)),
    '',
    `Then: conformance run --profile ${file}`,
  ];
  io.out(`${lines.join('\n')}\n`);
}

/** The profile filled with examples; secrets are references to variables. */
function exampleOf(node: Field | Group | List): unknown {
  if (isGroup(node)) {
    const fields = Object.entries(node.fields);
    return Object.fromEntries(fields.map(([name, each]) => [name, exampleOf(each)]));
  }
  if (isList(node)) return [exampleOf(node.each)];
  return node.example;
}

/** Every field by its path, with what it is for; only what lies under a path when one is given. */
export function explainFields(width: number, under = ''): string[] {
  const lines = explainGroup(profileFields, [], width);
  const wanted = lines.filter(
    ({ path }) => under === '' || path === under || path.startsWith(`${under}.`),
  );
  return wanted.map(({ text }) => text);
}

interface Explained {
  readonly path: string;
  readonly text: string;
}

function explainGroup(group: Group, above: readonly string[], width: number): Explained[] {
  return Object.entries(group.fields).flatMap(([name, node]) => {
    const path = [...above, name];
    const at = path.join('.');
    const margin = '  '.repeat(above.length);
    const optional = 'required' in node && node.required && above.length > 0 ? '' : ' (optional)';
    const words = wrapText(node.words, width - margin.length - 4).map(
      (each) => `${margin}    ${each}`,
    );
    const own = [`${margin}${name}${isList(node) ? '[]' : ''}${optional}`, ...words];
    const inside = isGroup(node) ? node : isList(node) ? node.each : undefined;
    return [
      ...own.map((text) => ({ path: at, text })),
      ...(inside === undefined ? [] : explainGroup(inside, path, width)),
    ];
  });
}
