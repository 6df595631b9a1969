// Words that the readable reports of an exploration share.
import { isDeepStrictEqual } from 'node:util';
import { findQuestion } from '../../../fixtures/questions.ts';
import { findRule } from '../../../fixtures/rules.ts';
import { type Json, memberAt } from '../../engine/send/answer.ts';
import { squeezed } from '../../reports/plain-text.ts';
import { count } from '../../reports/verdict-words.ts';
import { ROLE_WORDS } from '../findings/callers.ts';
import {
  type ExploreReport,
  IN_WORDS,
  type ReportAnswer,
  type ReportDifference,
  type ReportStep,
} from './schema.ts';

/** Only the first few of the rules are said: the rest only had a part in the model's answer. */
const MOST_RULES = 3;

export function ruleLines({ rules }: ReportDifference): readonly string[] {
  return rules.slice(0, MOST_RULES).map((id) => {
    const words = findRule(id)?.words;
    return words === undefined ? id : `${id}: ${words}`;
  });
}

const SAYS = {
  deviates: (rule: string) => `\`conformance run --only ${rule}\` finds it too.`,
  passes: (rule: string) =>
    `\`conformance run --only ${rule}\` passes: it shows only in a mixture like this one.`,
  'cannot tell': (rule: string) => `\`conformance run --only ${rule}\` could not tell.`,
  'was not asked': () => 'The scripted judge was not asked of it.',
} as const;

export function judgeLine({ judge }: ReportDifference): string {
  return SAYS[judge.says](judge.rule ?? '');
}

export const EXPECTED =
  "Expected is what a model of the specification answers to the same calls, under the target's ids and times as far as they are known.";

/** Who made the calls, in words: `brand: bound to one brand`. */
export function callerLines({ steps }: ReportDifference): readonly string[] {
  const names = [...new Set(steps.flatMap(({ as }) => (as === null ? [] : [as])))];
  return names.flatMap((name) => {
    const words = ROLE_WORDS[name];
    return words === undefined ? [] : [`${name}: ${words}`];
  });
}

/** Headers that a call was sent with, but those that every call has. */
export function headerTexts({ request }: ReportStep): readonly string[] {
  return Object.entries(request?.headers ?? {})
    .filter(([name]) => name !== 'content-type')
    .map(([name, value]) => `${name}: ${legible(value)}`);
}

/** A text as it stands, anything else as JSON; of a letter many times over it is said how many. */
export function legible(value: unknown, indent?: number): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value, null, indent) ?? '');
  return squeezed(text);
}

/** Where in the answer the two differ, and what each has there; null where that is no body. */
export function placeOf({ at, differs, model, target }: ReportStep): Place | null {
  const path = /^body\.(.+)$/.exec(at ?? '')?.[1];
  if (!differs || path === undefined) return null;
  const [due, came] = [model, target].map((each) => memberAt(each?.body as Json, path));
  // A secret that is redacted on both sides says nothing.
  if (due === undefined ? came === undefined : isDeepStrictEqual(due, came)) return null;
  const said = (value: Json | undefined) =>
    value === undefined ? 'nothing' : cut(legible(JSON.stringify(value)), LONGEST_VALUE);
  return { name: path.replace(/\.(\d+)/g, '[$1]'), expected: said(due), came: said(came) };
}

export interface Place {
  readonly name: string;
  readonly expected: string;
  readonly came: string;
}

const LONGEST_VALUE = 300;

const cut = (text: string, most: number): string =>
  text.length > most ? `${text.slice(0, most / 2)}…${text.slice(-most / 2)}` : text;

/** Of calls at once one answer is right or wrong by the others; null where there were none. */
export function atOnceLine({ steps }: ReportDifference): string | null {
  return steps.some((each) => each.at_once !== undefined)
    ? 'No order of the calls at once explains all that was answered.'
    : null;
}

/** What a long run of one letter is told as; null where there is none. */
export function runLine({ steps }: ReportDifference): string | null {
  const whole = JSON.stringify(steps);
  return squeezed(whole) === whole ? null : 'A letter with a number, `x{200}`, is there so often.';
}

/** Null where it was met in one way alone. */
export function alsoLine({ also }: ReportDifference): string | null {
  return also.length === 0 ? null : `The same rule is broken too: ${also.join('; ')}.`;
}

/** `Shown 2 of 2 times`, or why no more often. */
export function shownLine({ reproduced, calls, shrunk_from: from }: ReportDifference): string {
  const often = /^\d/.test(reproduced) ? `${reproduced} times` : reproduced;
  return `Shown ${often}; ${count(calls, 'call')}, shrunk from ${from}.`;
}

/** Null for a step by itself. */
export function timeline({ at_once: times }: ReportStep): string | null {
  if (times === undefined) return null;
  return `at once: sent at ${times.sent_ms} ms, answered at ${times.answered_ms} ms`;
}

export function inventoryLine({ inventory }: ExploreReport): string | null {
  if (inventory === null) return null;
  const { accounts, transactions, positions, subscriptions, enabled } = inventory;
  const made = [
    count(accounts, 'account'),
    count(transactions, 'transaction'),
    count(positions, 'position'),
    count(subscriptions, 'subscription'),
  ].join(', ');
  const still = enabled.length === 0 ? 'none enabled' : `still enabled: ${enabled.join(', ')}`;
  return `Made on the target, and left there: ${made} (${still}).`;
}

/** Why some could not be compared; null where all were. */
export function inconclusiveLine({ inconclusive }: ExploreReport): string | null {
  if (inconclusive.length === 0) return null;
  const times = new Map<string, number>();
  // Nobody has seen the sequence that a number of a step is of.
  const reasons = inconclusive.map((why) =>
    why.replace(/^step \d+: it /, 'one of its steps ').replace(/^(step|call) \d+: /, ''),
  );
  for (const why of reasons) times.set(why, (times.get(why) ?? 0) + 1);
  const said = [...times].map(([why, n]) => (n === 1 ? why : `${why} (${n} times)`));
  return `Not compared: ${count(inconclusive.length, 'sequence')}, because ${said.join('; ')}.`;
}

/** Of deliveries and of many calls it is no answer that a step has. */
export const cameVerb = ({ at, there }: ReportStep): 'answered' | 'had' =>
  there === undefined || IN_WORDS.test(at ?? '') ? 'answered' : 'had';

/** What each side has on the step that differs: in words where it is no answer. */
export function sidesOf({ at, there, model, target }: ReportStep): readonly [Side, Side] {
  if (there === undefined) return [answerSide(model), answerSide(target)];
  if (at !== undefined && IN_WORDS.test(at)) {
    const [name, said] = [at.replace(IN_WORDS, ''), target?.status ?? ''];
    const words = (text: string) => (/^(body|bytes)$/.test(name) ? text : `with ${name}: ${text}`);
    return [
      { words: `${model?.status ?? ''} ${words(there.model)}` },
      { words: `${said} ${words(there.target)}` },
    ];
  }
  const where = at === undefined || at === 'count' ? '' : `${at}: `;
  return [{ words: `${where}${there.model}` }, { words: `${where}${there.target}` }];
}

/** An answer, or words in its place. */
export type Side =
  | { readonly words: string }
  | { readonly status: number | null; readonly body: unknown };

function answerSide(answer: ReportAnswer | null): Side {
  if (answer === null) return { words: 'nothing' };
  return { status: answer.status, body: answer.body };
}

export const UNEXPLAINED =
  'Where no rule says what is right: the model does otherwise by an assumption of its own.';

/** Of a question of the register what it asks; of anything else its own words. */
export function openLine({ question, seen }: ExploreReport['open'][number]): string {
  const asked = findQuestion(question)?.question;
  return `${asked === undefined ? question : `${question}: ${asked}`} (${count(seen, 'time')})`;
}

export const OPEN = 'Where the specification does not say what is right: seen, and not counted.';

/** What a run came to, after the name of its target. */
export function headlineOf({ verdict, differences }: ExploreReport): string {
  if (verdict === 'agrees') return 'agrees with the model in everything that was compared';
  if (verdict === 'invalid') return 'could not be compared, or not to the end';
  return `differs from the model in ${count(differences.length, 'way')}`;
}

/** Why there is no script of a difference. */
export const NO_SCRIPT =
  'There is no script of it: curl alone shows no delivery, no events channel and not very many calls.';

interface Written {
  readonly format: string;
  readonly file: string;
}

/** For whoever sees only the end of what a run prints; nothing where nothing differs. */
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
    ...(readable === undefined ? [] : [`next: ${readable} says of each what to file`]),
    ...(json === undefined || scripted === undefined
      ? []
      : [`next: conformance replay ${json} ${scripted.id} | bash sends it again with curl alone`]),
    ...(json === undefined ? [] : [`next: explore --replay ${json}#${first.id} plays it again`]),
  ];
}
