// A document for a terminal: its parts first and its verdict last, where a reader looks for it.
import { Chalk } from 'chalk';
import { CODE_FACTS, type Document, type Part } from './parts.ts';
import { printable, wrapText } from './plain-text.ts';

export interface TextOptions {
  readonly color: boolean;
  /** The column at which text is wrapped. */
  readonly width: number;
}

/** Ids listed for one shared reason. */
const IDS_LISTED = 12;

export function textPage(document: Document, options: TextOptions): string[] {
  const { verdict, tone, subject, headline, about, parts, end } = document;
  const { tones } = layoutOf(options);
  const line = `${verdict}: ${printable(subject).replaceAll('\n', ' ')} ${headline}`;
  return [...textOf(parts, options), '', tones[tone](line), ...textOf([...about, ...end], options)];
}

function layoutOf({ color, width: columns }: TextOptions) {
  const paint = new Chalk({ level: color ? 1 : 0 });
  const { red, yellow, green, bold } = paint;
  const tones = { good: green.bold, bad: red.bold, warn: yellow.bold, plain: bold };
  const width = Number.isFinite(columns) ? Math.max(60, Math.min(columns, 110)) : columns;
  return { paint, width, tones };
}

/** Any parts, as lines for a terminal. */
export function textOf(parts: readonly Part[], options: TextOptions): string[] {
  const { paint, width, tones } = layoutOf(options);
  const indented = (text: string, margin: string) =>
    wrapText(text, width - margin.length).map((each) => margin + each);
  const labelled = (label: string, text: string, isCode = false) => {
    const [first = '', ...rest] = isCode ? [printable(text)] : wrapText(text, width - label.length);
    return [paint.dim(label) + first, ...rest.map((each) => ' '.repeat(label.length) + each)];
  };
  const layOut = (part: Part): string[] => {
    switch (part.kind) {
      case 'heading':
        return ['', ...wrapText(part.text, width).map((each) => tones[part.tone](each))];
      case 'words':
        return indented(part.text, '  ').map((each) => (part.isStrong ? paint.bold(each) : each));
      case 'list':
        return part.items.flatMap(({ label, text, ids }) => [
          ...labelled(label === '' ? '  ' : `  ${label}: `, text),
          ...(ids.length === 0 ? [] : indented(listed(ids), '    ').map((each) => paint.dim(each))),
        ]);
      case 'facts':
        return part.facts.flatMap(([name, text]) =>
          labelled(
            `${part.isInset ? '    ' : '  '}${name.padEnd(10)} `,
            text,
            CODE_FACTS.has(name),
          ),
        );
      case 'code':
        return part.lines.map((line) => paint.dim(printable(`    ${line}`.trimEnd())));
      case 'table':
        return part.rows.flatMap(([id = '', text = '', ...cells]) => [
          ...labelled(`  ${id}: `, text),
          ...cells.flatMap((cell, at) =>
            labelled(`    ${(part.head[at + 2] ?? '').padEnd(10)} `, cell),
          ),
        ]);
      case 'fold':
        return part.parts.flatMap(layOut);
    }
  };
  return parts.flatMap(layOut);
}

function listed(ids: readonly string[]): string {
  if (ids.length <= IDS_LISTED) return ids.join(', ');
  return `${ids.slice(0, IDS_LISTED).join(', ')} and ${ids.length - IDS_LISTED} more`;
}
