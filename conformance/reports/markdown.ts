// A document as Markdown, for a pull request, a wiki or the summary of a CI run.
import { CODE_FACTS, type Document, type Part } from './parts.ts';
import { printable } from './plain-text.ts';

/** GitHub refuses a comment of more than 65,536 characters. */
const MAX_CHARACTERS = 58_000;
const LONGEST_LINE = 700;

export function markdownPage(document: Document): string {
  const { title, verdict, subject, headline, about, parts, end } = document;
  const head = `# ${title}: ${verdict}\n\n${codeSpan(subject)} ${plainWords(headline)}.`;
  return markdownOf([head, ...about.map(markdownPart)].join('\n\n'), [...parts, ...end]);
}

/** Sections are included while there is room; the others are named. */
export function markdownOf(head: string, parts: readonly Part[]): string {
  const sections: { name: string; text: string }[] = [];
  for (const part of parts) {
    const text = markdownPart(part);
    const last = sections.at(-1);
    if (last === undefined || part.kind === 'heading') {
      sections.push({ name: part.kind === 'heading' ? part.text : '', text });
    } else last.text += `\n\n${text}`;
  }
  let room = MAX_CHARACTERS - head.length;
  const leftOut: string[] = [];
  const kept = sections.filter(({ name, text }) => {
    const fits = text.length + 2 <= room;
    if (fits) room -= text.length + 2;
    else leftOut.push(name);
    return fits;
  });
  const note = `Left out to keep this page short: ${plainWords(clip(leftOut.join(', '), 1_500))}.`;
  const all = [head, ...kept.map(({ text }) => text), ...(leftOut.length === 0 ? [] : [note])];
  return `${all.join('\n\n')}\n`;
}

function markdownPart(part: Part): string {
  switch (part.kind) {
    case 'heading':
      return `## ${plainWords(part.text)}`;
    case 'words':
      return part.isStrong ? `**${plainWords(part.text)}**` : plainWords(part.text);
    case 'list':
      return part.items
        .map(({ label, text, ids }) => {
          const name = label === '' ? '' : `**${plainWords(label)}** `;
          const colon = text.endsWith(':') ? '' : ':';
          const shared = ids.length === 0 ? '' : `${colon} ${ids.join(', ')}`;
          return `- ${name}${cell(text)}${shared}`;
        })
        .join('\n');
    case 'facts':
      return part.facts
        .map(([name, text]) => {
          const value = (CODE_FACTS.has(name) ? codeSpan : plainWords)(text);
          return `${part.isInset ? '  ' : ''}- ${name}: ${value}`;
        })
        .join('\n');
    case 'code':
      return codeBlock(part.lines);
    case 'table': {
      const row = (cells: readonly string[]) => `| ${cells.map(cell).join(' | ')} |`;
      return [row(part.head), row(part.head.map(() => '---')), ...part.rows.map(row)].join('\n');
    }
    case 'fold': {
      const title = `<summary>${plainWords(part.summary)}</summary>`;
      return ['<details>', title, ...part.parts.map(markdownPart), '</details>'].join('\n\n');
    }
  }
}

/** Any text: what stands between backticks is code, and nothing becomes a link, a tag or a mention. */
function plainWords(text: string): string {
  return text
    .split('`')
    .map((part, at) => (at % 2 === 0 || part.trim() === '' ? escaped(part) : codeSpan(part)))
    .join('');
}

function escaped(text: string): string {
  return printable(text)
    .replaceAll('\n', ' ')
    .replace(/[\\*_[\]<>|#]/g, (sign) => (sign === '<' ? '&lt;' : `\\${sign}`))
    .replace(/@(?=\w)/g, '@\u200b');
}

/** In a table a bar ends the cell, even in code. */
function cell(text: string): string {
  return plainWords(clip(text, 300)).replace(/(?<!\\)\|/g, '\\|');
}

function clip(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}

/** A code span, fenced by more backticks than it contains. */
function codeSpan(text: string): string {
  const line = printable(text).replaceAll('\n', ' ');
  const fence = '`'.repeat(longestRun(line) + 1);
  return fence.length === 1 ? `\`${line}\`` : `${fence} ${line} ${fence}`;
}

function codeBlock(lines: readonly string[]): string {
  const text = lines.map((line) => clip(printable(line), LONGEST_LINE)).join('\n');
  const fence = '`'.repeat(Math.max(3, longestRun(text) + 1));
  return `${fence}\n${text}\n${fence}`;
}

function longestRun(text: string): number {
  return Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
}
