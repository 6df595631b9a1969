// The code in guides and doc comments.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../dev/root.ts';

export function blocksOf(guide: string, language = '\\w+'): string[] {
  const text = readFileSync(join(root, guide), 'utf8');
  const block = new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm');
  return [...text.matchAll(block)].map(([, code = '']) => code);
}

/** The code block that starts by naming this file. */
export function codeOf(guide: string, file: string): string {
  const found = blocksOf(guide).filter((code) => /^(?:#|\/\/) (\S+):/.exec(code)?.[1] === file);
  if (found.length !== 1) throw new Error(`${guide} shows ${file} ${found.length} times`);
  return found[0] as string;
}

/** The output that code declares: `console.log(…); // this`. */
export const printsOf = (code: string): string[] =>
  [...code.matchAll(/^ *console\.log\(.*\); \/\/ (.*)$/gm)].map(([, words = '']) => words);
