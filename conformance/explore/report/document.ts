// The document of an exploration: each difference with its steps, then what was open or not compared.
import { findQuestion } from '../../../fixtures/questions.ts';
import { findRule } from '../../../fixtures/rules.ts';
import { inventoryParts } from '../../reports/inventory-words.ts';
import {
  code,
  type Document,
  heading,
  item,
  list,
  type Part,
  section,
  words,
} from '../../reports/parts.ts';
import { squeezed } from '../../reports/plain-text.ts';
import { count, duration, versionLine } from '../../reports/verdict-words.ts';
import type { ExploreReport, ReportAnswer, ReportDifference, ReportStep } from './report.ts';
import { ROLE_WORDS } from './words.ts';

const TONES = { agrees: 'good', differs: 'bad', invalid: 'warn' } as const;

const HEADLINES = {
  agrees: () => 'answered like the model in everything that was compared',
  differs: ({ differences }: ExploreReport) =>
    `answered unlike the model in ${count(differences.length, 'way')}`,
  invalid: () => 'could not be compared, or not to the end',
} as const;

export function exploreDocument(report: ExploreReport): Document {
  const { verdict, target, differences, unexplained, open, inconclusive, lost } = report;
  const { sequences, requests, duration_ms: ms, seed, interrupted, notes, inventory } = report;
  const cut = interrupted ? ' (interrupted: this is what is known so far)' : '';
  const effort = [count(sequences, 'sequence'), count(requests, 'request'), duration(ms)];
  const losses = lost === 0 ? [] : [item(`${count(lost, 'call')} got no response`)];
  return {
    ...{ title: 'Exploration', verdict, tone: TONES[verdict], subject: target.base_url },
    headline: `${HEADLINES[verdict](report)}${cut}`,
    about: [words(`${effort.join(', ')}, seed ${seed}. ${versionLine(report)}`)],
    parts: [
      ...(differences.length + unexplained.length === 0 ? [] : [words(EXPECTED)]),
      ...differences.flatMap(differenceParts),
      ...(unexplained.length === 0 ? [] : [heading('Without a rule'), words(UNEXPLAINED)]),
      ...unexplained.flatMap(differenceParts),
      ...section('Open: the specification does not say what is right', open.map(openItem)),
      ...section('Not compared', [...losses, ...reasonItems(inconclusive)]),
      ...section(
        'Notes',
        notes.map((each) => item(each)),
      ),
    ],
    end: inventoryParts(inventory).end,
  };
}

const UNEXPLAINED = 'No rule says what is right here: the model has only an assumption of its own.';
const EXPECTED = 'Expected is what a model of the specification answers to the same calls.';

function openItem({ question, seen }: ExploreReport['open'][number]) {
  const asked = findQuestion(question)?.question ?? '';
  return item(`${asked} (${count(seen, 'time')})`.trim(), question);
}

/** Sequences that could not be compared, by their reason. */
function reasonItems(inconclusive: readonly string[]) {
  const times = new Map<string, number>();
  for (const each of inconclusive) {
    const why = each.replace(/^(step|call) \d+: /, '');
    times.set(why, (times.get(why) ?? 0) + 1);
  }
  return [...times].map(([why, n]) => item(`${count(n, 'sequence')}: ${why}`));
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
    `${answerText(answer)}${text === undefined || at === 'status' ? '' : ` (${at}: ${text})`}`;
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
