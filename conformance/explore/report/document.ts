// A report for people: as text for a terminal, as Markdown for an issue, and as one HTML page. All
// three lay out the same parts.
import { Chalk } from 'chalk';
import { findQuestion } from '../../../fixtures/questions.ts';
import { findRule } from '../../../fixtures/rules.ts';
import { inventoryLines } from '../../reports/document.ts';
import { html, htmlOf, htmlPage } from '../../reports/html/layout.ts';
import { markdownOf, plainWords } from '../../reports/markdown.ts';
import { code, heading, item, list, type Part, words } from '../../reports/parts.ts';
import { squeezed } from '../../reports/plain-text.ts';
import { type TextOptions, textOf } from '../../reports/text.ts';
import { count, duration } from '../../reports/verdict-words.ts';
import type { ExploreReport, ReportAnswer, ReportDifference, ReportStep } from './report.ts';
import { ROLE_WORDS } from './words.ts';

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
    ...(open.length === 0 ? [] : [words(OPEN), ...list(open.map((each) => item(openLine(each))))]),
    ...[...notes, ...inconclusiveLines(report)].map((each) => words(each)),
    ...(inventory.kept ? list(inventoryLines(inventory).map((each) => item(each))) : []),
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

/** The other rules only contributed to the model's answer. */
const MOST_RULES = 3;

function differenceParts(found: ReportDifference): readonly Part[] {
  const { id, title, rules, steps, replay, reproduced, calls, shrunk_from: from } = found;
  const broken = rules.slice(0, MOST_RULES).map((rule) => item(findRule(rule)?.words ?? '', rule));
  const roles = [...new Set(steps.flatMap(({ as }) => as ?? []))];
  const callers = roles.flatMap((as) => (as in ROLE_WORDS ? [item(ROLE_WORDS[as]!, as)] : []));
  const often = /^\d/.test(reproduced) ? `${reproduced} times` : reproduced;
  const own = new Set(steps.map(({ n }) => n)).size;
  const made =
    own === calls
      ? count(calls, 'call')
      : `${count(own, 'step')}, ${calls} of which ${calls === 1 ? 'is a call' : 'are calls'}`;
  const isConcurrent = steps.some((each) => each.at_once !== undefined);
  const sentences = [
    `Shown ${often}; ${made}, shrunk from ${count(from, 'call')}.`,
    ...(isConcurrent ? ['No order of the concurrent calls explains all the answers.'] : []),
  ];
  return [
    heading(`${id}: ${title}`, 'bad'),
    ...list(broken),
    words(sentences.join(' ')),
    ...code(steps.flatMap(stepLines)),
    ...list(callers),
    words('Play it again:'),
    ...code([replay]),
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
  // The answers may be the same, and what followed differs, such as the deliveries.
  const isSame = answerText(model) === answerText(target);
  const sides = isSame
    ? [`   → ${answerText(target)}`.trimEnd(), `   ${at}: expected ${there?.model}`].concat(
        `   ${at}: actual   ${there?.target}`,
      )
    : [`   expected ${side(model, there?.model)}`, `   actual   ${side(target, there?.target)}`];
  return [
    `${n}. ${what}${as === null ? '' : `  as ${as}`}${when}`,
    ...headers.map(([name, value]) => `   ${name}: ${legible(value)}`),
    ...(request?.body == null ? [] : [`   ${legible(request.body)}`]),
    ...(differs
      ? sides
      : target === null
        ? []
        : [`   → ${isShown ? answerText(target) : target.status}`]),
  ];
}

const answerText = (answer: ReportAnswer | null): string =>
  answer === null ? '' : `${answer.status ?? ''} ${legible(answer.body)}`.trim();

const LONGEST = 330;

/** A text as it is, anything else as JSON; a run of one repeated letter is written as a count. */
function legible(value: unknown): string {
  const text = squeezed(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

export function textReport(report: ExploreReport, options: TextOptions): string[] {
  const paint = new Chalk({ level: options.color ? 1 : 0 });
  const paints = { agrees: paint.green, differs: paint.red, invalid: paint.yellow };
  const verdict = paints[report.verdict](headlineOf(report));
  const end = `${report.target.base_url} ${verdict} (${effortOf(report)})`;
  return [...textOf(partsOf(report), options), end];
}

export function markdownReport(report: ExploreReport): string {
  const title = plainWords(`${report.target.base_url} ${headlineOf(report)}`);
  return markdownOf(`# ${title}\n\n${effortOf(report)}.`, partsOf(report));
}

export function htmlReport(report: ExploreReport): string {
  const title = `${report.target.base_url} ${headlineOf(report)}`;
  const parts = htmlOf(partsOf(report));
  const page = html`<main><h1>${title}</h1><p>${effortOf(report)}.</p>${parts}</main>`;
  return htmlPage(title, page);
}
