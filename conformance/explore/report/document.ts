// A report as a document of a few kinds of parts, which text, Markdown and HTML are made of.
import { findQuestion } from '../../../fixtures/questions.ts';
import { findRule } from '../../../fixtures/rules.ts';
import { squeezed } from '../../reports/plain-text.ts';
import { count, duration } from '../../reports/verdict-words.ts';
import { ROLE_WORDS } from '../findings/title.ts';
import { operatorWords } from './operator-words.ts';
import type { ExploreReport, ReportAnswer, ReportDifference, ReportStep } from './schema.ts';

export type Part =
  | { readonly kind: 'heading'; readonly level: 1 | 2; readonly text: string }
  | { readonly kind: 'words'; readonly text: string }
  | { readonly kind: 'list'; readonly items: readonly string[] }
  | { readonly kind: 'steps'; readonly steps: readonly StepPart[] }
  | { readonly kind: 'command'; readonly text: string }
  | { readonly kind: 'script'; readonly text: string };

/** One call, or what an operator did. Texts of a target stand in `code` parts alone. */
export interface StepPart {
  readonly n: number;
  readonly what: string;
  /** Whether `what` is a request line. */
  readonly isCall: boolean;
  readonly as: string;
  readonly sent: readonly string[];
  readonly answered: string;
  readonly differs?: { readonly at: string; readonly expected: string; readonly came: string };
}

export function documentOf(report: ExploreReport): readonly Part[] {
  const { target, differences, unexplained, open, notes, interrupted } = report;
  const words = (text: string): Part => ({ kind: 'words', text });
  const isKept = report.inventory !== null;
  return [
    { kind: 'heading', level: 1, text: `${target.base_url} ${headlineOf(report)}` },
    words(`${muchOf(report)}.${interrupted ? ' Interrupted: what is known so far.' : ''}`),
    ...differences.flatMap(partsOf),
    ...(unexplained.length === 0 ? [] : [words(UNEXPLAINED), ...unexplained.flatMap(partsOf)]),
    ...(differences.length + unexplained.length === 0 ? [] : [words(EXPECTED)]),
    ...(open.length === 0
      ? []
      : [words(OPEN), { kind: 'list', items: open.map(openLine) } satisfies Part]),
    ...notes.map(words),
    ...inconclusiveLines(report).map(words),
    ...(isKept ? [words(inventoryLine(report))] : []),
  ];
}

const UNEXPLAINED =
  'No rule says what is right in the following: the model does otherwise by an assumption of its own.';
const EXPECTED = 'Expected is what a model of the specification answers to the same calls.';
const OPEN = 'Open, so not counted: the specification does not say what is right.';

/** What a run came to, after the name of its target. */
export function headlineOf({ verdict, differences }: ExploreReport): string {
  if (verdict === 'agrees') return 'agrees with the model in everything that was compared';
  if (verdict === 'invalid') return 'could not be compared, or not to the end';
  return `differs from the model in ${count(differences.length, 'way')}`;
}

export const muchOf = ({ sequences, requests, duration_ms: ms, seed }: ExploreReport): string =>
  `${count(sequences, 'sequence')}, ${count(requests, 'request')}, ${duration(ms)}, seed ${seed}`;

function openLine({ question, seen }: ExploreReport['open'][number]): string {
  const asked = findQuestion(question)?.question;
  return `${asked === undefined ? question : `${question}: ${asked}`} (${count(seen, 'time')})`;
}

/** Why some could not be compared. */
function inconclusiveLines({ inconclusive, lost }: ExploreReport): readonly string[] {
  const losses = lost === 0 ? [] : [`Lost: ${count(lost, 'call')} without an answer.`];
  if (inconclusive.length === 0) return losses;
  const times = new Map<string, number>();
  const reasons = inconclusive.map((why) => why.replace(/^(step|call) \d+: /, ''));
  for (const why of reasons) times.set(why, (times.get(why) ?? 0) + 1);
  const all = [...times].map(([why, n]) => (n === 1 ? why : `${why} (${n} times)`));
  const many = count(inconclusive.length, 'sequence');
  return [...losses, `Not compared: ${many}, because ${all.join('; ')}.`];
}

function inventoryLine({ inventory }: ExploreReport): string {
  const { accounts, transactions, positions, subscriptions, enabled } = inventory!;
  const made = [
    count(accounts, 'account'),
    count(transactions, 'transaction'),
    count(positions, 'position'),
    count(subscriptions, 'subscription'),
  ].join(', ');
  const still = enabled.length === 0 ? 'none enabled' : `still enabled: ${enabled.join(', ')}`;
  return `Made on the target, and left there: ${made} (${still}).`;
}

/** Only the first few of the rules are named: the rest only had a part in the model's answer. */
const MOST_RULES = 3;

function partsOf(found: ReportDifference): readonly Part[] {
  const { id, title, rules, steps, replay, script, also } = found;
  const ruleLines = rules.slice(0, MOST_RULES).map((rule) => {
    const words = findRule(rule)?.words;
    return words === undefined ? rule : `${rule}: ${words}`;
  });
  const callers = [...new Set(steps.flatMap(({ as }) => as ?? []))].flatMap((as) =>
    ROLE_WORDS[as] === undefined ? [] : [`${as}: ${ROLE_WORDS[as]}`],
  );
  const atOnce = steps.some((each) => each.at_once !== undefined)
    ? ['No order of the calls at the same time explains all the answers.']
    : [];
  const more = also.length === 0 ? [] : [`The same rule is broken here too: ${also.join('; ')}.`];
  return [
    { kind: 'heading', level: 2, text: `${id}: ${title}` },
    { kind: 'list', items: ruleLines },
    { kind: 'words', text: [shownLine(found), ...more, ...atOnce].join(' ') },
    { kind: 'steps', steps: steps.map(stepPart) },
    { kind: 'list', items: callers },
    { kind: 'command', text: replay },
    ...(script === null ? [] : [{ kind: 'script', text: script } satisfies Part]),
  ];
}

/** `Shown 2 of 2 times`, or why no more often. */
function shownLine({ reproduced, calls, shrunk_from: from }: ReportDifference): string {
  const often = /^\d/.test(reproduced) ? `${reproduced} times` : reproduced;
  return `Shown ${often}; ${count(calls, 'call')}, shrunk from ${from}.`;
}

function stepPart(step: ReportStep): StepPart {
  const { n, as, request, operator, model, target, differs, at, there } = step;
  const times = step.at_once;
  const when =
    times === undefined
      ? ''
      : ` at the same time (sent at ${times.sent_ms} ms, answered at ${times.answered_ms} ms)`;
  const headers = Object.entries(request?.headers ?? {}).filter(
    ([name, value]) => name !== 'content-type' || value !== 'application/json',
  );
  const sides = {
    at: at ?? '',
    expected: `${answerText(model)}${there === undefined ? '' : ` (${at}: ${there.model})`}`,
    came: `${answerText(target)}${there === undefined ? '' : ` (${at}: ${there.target})`}`,
  };
  return {
    n,
    what: request === null ? operatorWords(operator) : `${request.method} ${request.path}`,
    isCall: request !== null,
    as: as === null ? '' : `as ${as}${when}`,
    sent: [
      ...headers.map(([name, value]) => `${name}: ${legible(value)}`),
      ...(request?.body == null ? [] : [legible(request.body)]),
    ],
    answered:
      target === null ? 'done' : times === undefined ? `${target.status}` : answerText(target),
    ...(differs ? { differs: sides } : {}),
  };
}

const answerText = (answer: ReportAnswer | null): string =>
  answer === null ? '' : `${answer.status ?? ''} ${legible(answer.body)}`.trim();

/** A text as it stands, anything else as JSON; of a letter many times over it is said how many. */
function legible(value: unknown): string {
  return squeezed(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));
}

interface Written {
  readonly format: string;
  readonly file: string;
}

/** What to do next, at the end of what a run prints; nothing where nothing differs. */
export function nextSteps(
  { differences }: Pick<ExploreReport, 'differences'>,
  written: readonly Written[],
): readonly string[] {
  const [first] = differences;
  if (first === undefined) return [];
  const fileOf = (format: string) => written.find((each) => each.format === format)?.file;
  const json = fileOf('json');
  const readable = fileOf('markdown') ?? fileOf('html');
  if (json === undefined && readable === undefined) {
    return ['next: --report markdown=FILE writes each with its steps, ready to be filed'];
  }
  const scripted = differences.find(({ script }) => script !== null);
  return [
    ...(readable === undefined ? [] : [`next: ${readable} holds what to file`]),
    ...(json === undefined || scripted === undefined
      ? []
      : [`next: conformance replay ${json} ${scripted.id} prints it as curl commands`]),
    ...(json === undefined ? [] : [`next: explore --replay ${json}#${first.id} plays it again`]),
  ];
}
