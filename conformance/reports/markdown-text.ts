// Words, cells and code in Markdown, whatever stands in them.
import { printable } from './plain-text.ts';

/** Words of a target as words: nothing in them becomes a link, a tag or a mention. */
export function plainWords(words: string): string {
  return printable(words)
    .replaceAll('\n', ' ')
    .replace(/[\\`*_[\]<>|#]/g, (sign) => (sign === '<' ? '&lt;' : `\\${sign}`))
    .replace(/@(?=\w)/g, '@\u200b');
}

export function tableCell(words: string): string {
  const most = 300;
  return plainWords(words.length <= most ? words : `${words.slice(0, most - 1)}…`);
}

/** A code span, fenced by more backticks than it holds. */
export function codeSpan(words: string): string {
  const line = printable(words).replaceAll('\n', ' ');
  const fence = '`'.repeat(longestRun(line) + 1);
  return fence.length === 1 ? `\`${line}\`` : `${fence} ${line} ${fence}`;
}

export function httpBlock(lines: readonly string[]): string {
  const text = lines.map(printable).join('\n');
  const fence = '`'.repeat(Math.max(3, longestRun(text) + 1));
  return `${fence}http\n${text}\n${fence}`;
}

function longestRun(words: string): number {
  return Math.max(0, ...[...words.matchAll(/`+/g)].map(([run]) => run.length));
}
