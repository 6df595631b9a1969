// A report for people: as text for a terminal, as Markdown for an issue, and as one HTML page. All
// three lay out the same parts.
import { Chalk } from 'chalk';
import { findQuestion } from '../../../fixtures/questions.ts';
import { findRule } from '../../../fixtures/rules.ts';
import { inventoryLines } from '../../reports/document.ts';
import { html, Markup, withCode } from '../../reports/html/fragments.ts';
import { htmlPage } from '../../reports/html/page.ts';
import { plainWords } from '../../reports/markdown.ts';
import { printable, squeezed, wrapText } from '../../reports/plain-text.ts';
import { count, duration } from '../../reports/verdict-words.ts';
import { ROLE_WORDS } from '../findings/title.ts';
import type { ExploreReport, ReportAnswer, ReportDifference, ReportStep } from './report.ts';

type Part =
  | { readonly kind: 'heading'; readonly text: string }
  | { readonly kind: 'words'; readonly text: string }
  | { readonly kind: 'list'; readonly items: readonly string[] }
  /** Texts of the target stand in code alone. */
  | { readonly kind: 'code'; readonly lines: readonly string[] };

const words = (text: string): Part => ({ kind: 'words', text });
const list = (items: readonly string[]): Part[] =>
  items.length === 0 ? [] : [{ kind: 'list', items }];

/** What a run came to, after the name of its target. */
function headlineOf({ verdict, differences }: ExploreReport): string {
  if (verdict === 'agrees') return 'agrees with the model in everything that was compared';
  if (verdict === 'invalid') return 'could not be compared, or not to the end';
  return `differs from the model in ${count(differences.length, 'way')}`;
}

const effortOf = ({ sequences, requests, duration_ms: ms, seed }: ExploreReport): string =>
  `${count(sequences, 'sequence')}, ${count(requests, 'request')}, ${duration(ms)}, seed ${seed}`;

const UNEXPLAINED =
  'No rule says what is right in the following: the model has only an assumption of its own.';
const EXPECTED = 'Expected is what a model of the specification answers to the same calls.';
const OPEN = 'Open, so not counted: the specification does not say what is right.';

function partsOf(report: ExploreReport): readonly Part[] {
  const { differences, unexplained, open, notes, inventory, interrupted } = report;
  const isEmpty = differences.length + unexplained.length === 0;
  return [
    ...differences.flatMap(differenceParts),
    ...(unexplained.length === 0 ? [] : [words(UNEXPLAINED)]),
    ...unexplained.flatMap(differenceParts),
    ...(isEmpty ? [] : [words(EXPECTED)]),
    ...(open.length === 0 ? [] : [words(OPEN), ...list(open.map(openLine))]),
    ...[...notes, ...inconclusiveLines(report)].map(words),
    ...(inventory.kept ? list(inventoryLines(inventory)) : []),
    ...(interrupted ? [words('Interrupted: this is what is known so far.')] : []),
  ];
}

function openLine({ question, seen }: ExploreReport['open'][number]): string {
  const asked = findQuestion(question)?.question;
  return `${asked === undefined ? question : `${question}: ${asked}`} (${count(seen, 'time')})`;
}

function inconclusiveLines({ inconclusive, lost }: ExploreReport): readonly string[] {
  const losses = lost === 0 ? [] : [`Lost: ${count(lost, 'call')} without an answer.`];
  if (inconclusive.length === 0) return losses;
  const times = new Map<string, number>();
  for (const each of inconclusive) {
    const why = each.replace(/^(step|call) \d+: /, '');
    times.set(why, (times.get(why) ?? 0) + 1);
  }
  const all = [...times].map(([why, n]) => (n === 1 ? why : `${why} (${n} times)`));
  const many = count(inconclusive.length, 'sequence');
  return [...losses, `Not compared: ${many}, because ${all.join('; ')}.`];
}

/** The other rules only had a part in the model's answer. */
const MOST_RULES = 3;

function differenceParts(found: ReportDifference): readonly Part[] {
  const { id, title, rules, steps, replay, also, reproduced, calls, shrunk_from: from } = found;
  const ruleLines = rules.slice(0, MOST_RULES).map((rule) => {
    const text = findRule(rule)?.words;
    return text === undefined ? rule : `${rule}: ${text}`;
  });
  const callers = [...new Set(steps.flatMap(({ as }) => as ?? []))].flatMap((as) =>
    ROLE_WORDS[as] === undefined ? [] : [`${as}: ${ROLE_WORDS[as]}`],
  );
  const often = /^\d/.test(reproduced) ? `${reproduced} times` : reproduced;
  const isConcurrent = steps.some((each) => each.at_once !== undefined);
  const sentences = [
    `Shown ${often}; ${count(calls, 'call')}, shrunk from ${from}.`,
    ...(also.length === 0 ? [] : [`The same rule is broken here too: ${also.join('; ')}.`]),
    ...(isConcurrent ? ['No order of the concurrent calls explains all the answers.'] : []),
  ];
  return [
    { kind: 'heading', text: `${id}: ${title}` },
    ...list(ruleLines),
    words(sentences.join(' ')),
    { kind: 'code', lines: steps.flatMap(stepLines) },
    ...list(callers),
    words('Play it again:'),
    { kind: 'code', lines: [replay] },
  ];
}

function stepLines(step: ReportStep): readonly string[] {
  const { n, as, request, operator, model, target, differs, at, there, at_once: times } = step;
  const when =
    times === undefined
      ? ''
      : ` (sent at ${times.sent_ms} ms, answered at ${times.answered_ms} ms)`;
  const headers = Object.entries(request?.headers ?? {}).filter(
    ([name, value]) => name !== 'content-type' || value !== 'application/json',
  );
  const what = request === null ? (operator ?? '') : `${request.method} ${request.path}`;
  const isShown = times !== undefined || target?.status == null;
  const side = (answer: ReportAnswer | null, text: string | undefined) =>
    `${answerText(answer)}${text === undefined ? '' : ` (${at}: ${text})`}`;
  return [
    `${n}. ${what}${as === null ? '' : `  as ${as}`}${when}`,
    ...headers.map(([name, value]) => `   ${name}: ${legible(value)}`),
    ...(request?.body == null ? [] : [`   ${legible(request.body)}`]),
    ...(differs
      ? [`   expected ${side(model, there?.model)}`, `   came     ${side(target, there?.target)}`]
      : target === null
        ? []
        : [`   -> ${isShown ? answerText(target) : target.status}`]),
  ];
}

const answerText = (answer: ReportAnswer | null): string =>
  answer === null ? '' : `${answer.status ?? ''} ${legible(answer.body)}`.trim();

/** A text as it is, anything else as JSON; a letter that is repeated is counted. */
const legible = (value: unknown): string =>
  squeezed(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));

const cut = (text: string, most: number): string =>
  text.length > most ? `${text.slice(0, most - 1)}…` : text;

export interface TextOptions {
  readonly color: boolean;
  readonly width: number;
}

export function textReport(report: ExploreReport, options: TextOptions): string[] {
  const paint = new Chalk({ level: options.color ? 1 : 0 });
  const width = Math.max(60, Math.min(options.width, 110));
  const paints = { agrees: paint.green, differs: paint.red, invalid: paint.yellow };
  const painted = (line: string): string => {
    if (/^ +expected /.test(line)) return paint.green(line);
    return /^ +came /.test(line) ? paint.red(line) : line;
  };
  const indented = (text: string) => wrapText(text, width - 4).map((each) => `    ${each}`);
  const lines = partsOf(report).flatMap((part): string[] => {
    if (part.kind === 'heading') return wrapText(part.text, width).map((each) => paint.red(each));
    if (part.kind === 'words') return wrapText(part.text, width);
    if (part.kind === 'list') return part.items.flatMap(indented);
    return part.lines.map((each) => painted(cut(printable(`    ${each}`), width * 3)));
  });
  const verdict = paints[report.verdict](headlineOf(report));
  return [...lines, `${report.target.base_url} ${verdict} (${effortOf(report)})`];
}

/** An issue tracker takes 65,536 characters. */
const MOST_CHARACTERS = 59_000;
const LONGEST_LINE = 400;

export function markdownReport(report: ExploreReport): string {
  const head = `# ${plainWords(`${report.target.base_url} ${headlineOf(report)}`)}\n\n${effortOf(report)}.`;
  const blocks = partsOf(report).map((part) => ({ part, text: markdownPart(part) }));
  const kept = [head];
  let left = 0;
  for (const { part, text } of blocks) {
    const size = kept.reduce((sum, each) => sum + each.length + 2, 0);
    const isFull = size + text.length > MOST_CHARACTERS - 500 || left > 0;
    if (isFull && part.kind === 'heading') left += 1;
    if (!isFull) kept.push(text);
  }
  if (kept.length < blocks.length + 1) {
    const which = left === 0 ? 'the end' : count(left, 'difference');
    kept.push(`Left out to keep this short: ${which}. The JSON report has everything.`);
  }
  return `${kept.join('\n\n')}\n`;
}

function markdownPart(part: Part): string {
  if (part.kind === 'heading') return `## ${plainWords(part.text)}`;
  if (part.kind === 'words') return plainWords(part.text);
  if (part.kind === 'list') return part.items.map((each) => `- ${codeKept(each)}`).join('\n');
  const lines = part.lines.map((each) => cut(printable(each), LONGEST_LINE));
  // A fence that nothing in the lines ends.
  const runs = [...lines.join('\n').matchAll(/`+/g)].map(([run]) => run.length + 1);
  const fence = '`'.repeat(Math.max(3, ...runs));
  return [fence, ...lines, fence].join('\n');
}

/** Words of the catalogue, with backticks around code. */
const codeKept = (text: string): string =>
  text
    .split('`')
    .map((each, at) => (at % 2 === 0 ? plainWords(each) : `\`${each}\``))
    .join('');

const LONGEST_HTML = 4_000;

export function htmlReport(report: ExploreReport): string {
  const title = `${report.target.base_url} ${headlineOf(report)}`;
  const head = html`<h1>${title}</h1><p>${effortOf(report)}.</p>`;
  const parts = [head, ...partsOf(report).map(htmlPart)].map(({ text }) => text);
  return htmlPage(title, new Markup(`<main>${parts.join('\n')}</main>`));
}

function htmlPart(part: Part): Markup {
  if (part.kind === 'heading') return html`<h2>${part.text}</h2>`;
  if (part.kind === 'words') return html`<p>${part.text}</p>`;
  if (part.kind === 'list') {
    return html`<ul>${part.items.map((each) => html`<li>${withCode(each)}</li>`)}</ul>`;
  }
  return html`<pre>${part.lines.map((each) => cut(each, LONGEST_HTML)).join('\n')}</pre>`;
}

interface Written {
  readonly format: string;
  readonly file: string;
}

/** What to do next; nothing if nothing differs. */
export function nextSteps(
  { differences: [first] }: Pick<ExploreReport, 'differences'>,
  written: readonly Written[],
): readonly string[] {
  if (first === undefined) return [];
  const fileOf = (format: string) => written.find((each) => each.format === format)?.file;
  const json = fileOf('json');
  const readable = fileOf('markdown') ?? fileOf('html');
  if (json === undefined && readable === undefined) {
    return ['next: --report markdown=FILE writes each with its steps, ready to be filed'];
  }
  return [
    ...(readable === undefined ? [] : [`next: ${readable} holds what to file`]),
    ...(json === undefined
      ? []
      : [
          `next: conformance replay ${json} ${first.id} prints it as curl commands`,
          `next: explore --replay ${json}#${first.id} plays it again`,
        ]),
  ];
}
