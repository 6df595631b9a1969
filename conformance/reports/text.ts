// The report for a terminal: crashes and failures with their evidence first, then rules that could not
// be judged, then a summary, and last the records that remain on the target.
import { Chalk } from 'chalk';
import { GONE } from '../engine/record/exchange-recorder.ts';
import { findingParts, lastLines, sectionsOf } from './document.ts';
import { CODE_FACTS, type Part } from './parts.ts';
import { printable, wrapText } from './plain-text.ts';
import type { Report } from './report.ts';
import { count, countsLine, effortLine, headline, vocabularyOf } from './verdict-words.ts';

export interface TextOptions {
  readonly color: boolean;
  /** The column at which text is wrapped. */
  readonly width: number;
  /** The JSON report, if one is written: requests can be printed from it. */
  readonly jsonFile?: string | undefined;
}

/** Ids listed for one shared reason. */
const IDS_LISTED = 12;
const FINDINGS_SHOWN = 3;

export function textReport(report: Report, options: TextOptions): string[] {
  const { paint, width, labelled } = layoutOf(options);
  const { first, doubt, unlock, later, left } = sectionsOf(report, { isBrief: true });
  const { jsonFile } = options;
  const findings = findingParts(report, FINDINGS_SHOWN, { width: width - 4, jsonFile });
  const { verdict, target, client, interrupted, rules, not_started: start } = report;
  const { noun, verdicts } = vocabularyOf(report);
  const style = { conformant: paint.green, deviates: paint.red }[verdict as string] ?? paint.yellow;
  const cut = interrupted ? ' (interrupted: this is what was done until then)' : '';
  const subject = printable(target.base_url).replaceAll('\n', ' ');
  const isGone = rules.some((rule) => rule.findings.some(({ actual }) => actual === GONE));
  const ending = report.scenarios.find((each) => each.ending !== undefined)?.ending;
  const output = start === undefined ? [] : lastLines(ending?.output ?? '', 10);
  const idsOf = (each: 'not_tested' | 'passed') => {
    const ids = rules.filter((rule) => rule.verdict === each).map(({ id }) => id);
    const { sign, name } = verdicts[each];
    return ids.length === 0 ? [] : labelled(`${sign} ${name}: `, ids.join(', '));
  };
  const isDone = client !== undefined && start === undefined;
  return [
    ...textOf([...first, ...findings, ...doubt, ...unlock, ...later], options),
    '',
    style.bold(`${verdict}: ${subject} ${headline(report)}${cut}`),
    ...(start === undefined ? [] : wrapText(start, width).map((each) => paint.bold(each))),
    ...output.flatMap((each) => labelled('  | ', each)),
    ...(isGone ? ['It stopped answering during the run; the rest was not sent.'] : []),
    ...wrapText(`${count(rules.length, noun)}: ${countsLine(report)}`, width),
    ...(isDone ? [...idsOf('not_tested'), ...idsOf('passed')] : []),
    ...[effortLine(report), ...(client === undefined ? [] : [`The first run: ${client.does}.`])]
      .concat(left)
      .flatMap((each) => wrapText(each, width))
      .map((each) => paint.dim(each)),
  ];
}

function layoutOf({ color, width: columns }: TextOptions) {
  const paint = new Chalk({ level: color ? 1 : 0 });
  const width = Number.isFinite(columns) ? Math.max(60, Math.min(columns, 110)) : columns;
  const labelled = (label: string, text: string, isCode = false) => {
    const [first = '', ...rest] = isCode ? [printable(text)] : wrapText(text, width - label.length);
    return [paint.dim(label) + first, ...rest.map((each) => ' '.repeat(label.length) + each)];
  };
  return { paint, width, labelled };
}

/** Any parts, as lines for a terminal. */
export function textOf(parts: readonly Part[], options: TextOptions): string[] {
  const { paint, width, labelled } = layoutOf(options);
  const indented = (text: string, margin: string) =>
    wrapText(text, width - margin.length).map((each) => margin + each);
  const tones = { bad: paint.red.bold, warn: paint.yellow.bold, plain: paint.bold };
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
    }
  };
  return parts.flatMap(layOut);
}

function listed(ids: readonly string[]): string {
  if (ids.length <= IDS_LISTED) return ids.join(', ');
  return `${ids.slice(0, IDS_LISTED).join(', ')} and ${ids.length - IDS_LISTED} more`;
}
