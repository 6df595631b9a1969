// The report for a person at a terminal.
import { Chalk } from 'chalk';
import { printable, wrapText } from '../../reports/plain-text.ts';
import { count, duration } from '../../reports/verdict-words.ts';
import { operatorWords } from './operator-words.ts';
import type { ExploreReport, ReportDifference, ReportStep } from './schema.ts';
import {
  alsoLine,
  atOnceLine,
  callerLines,
  EXPECTED,
  headerTexts,
  headlineOf,
  inconclusiveLine,
  inventoryLine,
  judgeLine,
  legible,
  placeOf,
  ruleLines,
  type Side,
  sidesOf,
  timeline,
  UNEXPLAINED,
} from './words.ts';

export interface TextOptions {
  readonly color: boolean;
  readonly width: number;
}

export function textReport(report: ExploreReport, options: TextOptions): string[] {
  const paint = new Chalk({ level: options.color ? 1 : 0 });
  const width = Math.max(60, Math.min(options.width, 110));
  const lines = report.differences.flatMap((each) => differenceLines(each, paint, width));
  if (report.unexplained.length > 0) lines.push(...wrapText(UNEXPLAINED, width));
  lines.push(...report.unexplained.flatMap((each) => differenceLines(each, paint, width)));
  if (report.verdict === 'differs') lines.push(...wrapText(EXPECTED, width));
  if (report.open.length > 0) {
    const open = report.open.map(({ question, seen }) => `${question} (${seen})`).join(', ');
    const tells = 'conformance explain tells what each asks';
    lines.push(...wrapText(`open, so not counted (${tells}): ${open}`, width));
  }
  for (const each of report.notes) lines.push(...wrapText(each, width));
  for (const each of [inconclusiveLine(report), inventoryLine(report)]) {
    if (each !== null) lines.push(...wrapText(each, width));
  }
  const { requests, sequences, duration_ms: ms } = report;
  const much = `${count(sequences, 'sequence')}, ${count(requests, 'request')}, ${duration(ms)}`;
  const paints = { agrees: paint.green, differs: paint.red, invalid: paint.yellow };
  const verdict = paints[report.verdict](headlineOf(report));
  lines.push(`${report.target.base_url} ${verdict} (${much}, seed ${report.seed})`);
  if (report.interrupted) lines.push('Interrupted: this is what is known so far.');
  return lines;
}

type Paint = InstanceType<typeof Chalk>;

function differenceLines(found: ReportDifference, paint: Paint, width: number): string[] {
  const lines = wrapText(`${found.id}  ${found.title}`, width).map((each) => paint.red(each));
  const shrunk = `${count(found.calls, 'call')}, shrunk from ${found.shrunk_from}`;
  for (const each of ruleLines(found)) lines.push(...indented(each, width));
  const shown = `shown ${found.reproduced}; ${shrunk}. ${judgeLine(found)}`;
  lines.push(...indented(shown, width));
  const also = alsoLine(found);
  if (also !== null) lines.push(...indented(also, width));
  for (const step of found.steps) lines.push(...stepLines(step, paint, width));
  for (const each of [...callerLines(found), ...[atOnceLine(found)].flatMap((one) => one ?? [])]) {
    lines.push(...indented(each, width));
  }
  lines.push(...wrapText(`    again: ${found.replay}`, 1000), '');
  return lines;
}

function stepLines(step: ReportStep, paint: Paint, width: number): string[] {
  const { n, as, request, operator, model, target, differs } = step;
  if (request === null) {
    const lines = indented(`${n}. ${operatorWords(operator)}`, width);
    return differs ? [...lines, ...answerLines(step, paint, width)] : lines;
  }
  const special = headerTexts(step);
  const times = timeline(step);
  const when = times === null ? '' : `  (${times})`;
  const lines = [`    ${n}. ${request.method} ${request.path}  as ${as}${when}`];
  if (special.length > 0) lines.push(`       ${special.join('  ')}`);
  if (request.body !== null) lines.push(`       ${legible(request.body)}`);
  const cut = lines.map((each) => cutAt(width * 2, printable(each)));
  if (!differs) {
    const body = times === null || target === null ? '' : ` ${legible(target.body)}`;
    const status = (target ?? model)?.status ?? 'no answer';
    return [...cut, cutAt(width * 3, printable(`       -> ${status}${body}`))];
  }
  return [...cut, ...answerLines(step, paint, width)];
}

function answerLines(step: ReportStep, paint: Paint, width: number): string[] {
  const [model, target] = sidesOf(step);
  const line = (name: string, side: Side) => {
    const words = 'words' in side ? side.words : `${side.status ?? ''} ${legible(side.body)}`;
    return cutAt(width * 3, printable(`       ${name} ${words}`));
  };
  const place = placeOf(step);
  const where =
    place === null ? [] : [`       in ${place.name} ${place.came} in place of ${place.expected}`];
  return [
    ...where.map((each) => cutAt(width * 2, printable(each))),
    paint.green(line('expected', model)),
    paint.red(line('came    ', target)),
  ];
}

const margin = '    ';

function indented(text: string, width: number): string[] {
  return wrapText(text, width - margin.length).map((each) => margin + each);
}

function cutAt(most: number, text: string): string {
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}
