// The file of a baseline: what it may say, and what is wrong with it by its field.
import type { BaselineLine } from '../report.ts';

export interface BaselineEntry extends BaselineLine {
  /** Of the failure, as a report's finding has it. */
  readonly fingerprint: string;
  /** What was asked and what came, for the reader of the file. */
  readonly expected?: string | undefined;
  readonly actual?: string | undefined;
}

/** Rules that need not be tested, because of what the target lacks. */
export interface AcceptedEntry {
  readonly rules: readonly string[];
  /** What is lacking, as a report says it; lacking more is not accepted. */
  readonly lacks: readonly string[];
  readonly reason: string;
  readonly expires: string | null;
}

export interface Baseline {
  readonly known: readonly BaselineEntry[];
  readonly not_tested?: readonly AcceptedEntry[];
}

export type ParsedBaseline =
  | { readonly baseline: Baseline; readonly problems?: undefined }
  | { readonly baseline?: undefined; readonly problems: readonly string[] };

/** Stands where a person has to say why. */
export const UNEXPLAINED = 'not explained yet';

const KNOWN = ['rule', 'scenario', 'fingerprint', 'reason', 'expires', 'expected', 'actual'];
const ACCEPTED = ['rules', 'lacks', 'reason', 'expires'];

/**
 * Reads the JSON of a baseline file; whatever is wrong with it is named by its field. A draft is
 * about to be written anew, so reasons may still be lacking.
 */
export function parseBaseline(given: unknown, { isDraft = false } = {}): ParsedBaseline {
  if (!isRecord(given) || !Array.isArray(given.known)) {
    return { problems: ['must be an object with a list "known"'] };
  }
  const accepted: unknown = given.not_tested ?? [];
  const problems: string[] = [];
  for (const key of Object.keys(given)) {
    if (!['schema', 'known', 'not_tested'].includes(key)) {
      problems.push(`${key} is not known; take it out`);
    }
  }
  if (given.schema !== undefined && given.schema !== 1) problems.push('schema must be 1');
  const add = (name: string, found: readonly string[]) =>
    problems.push(...found.map((each) => `${name}${each}`));
  given.known.forEach((entry: unknown, at) => {
    add(`known[${at}]`, knownProblems(entry, isDraft));
  });
  if (!Array.isArray(accepted)) problems.push('not_tested must be a list');
  else {
    accepted.forEach((entry: unknown, at) => {
      add(`not_tested[${at}]`, acceptedProblems(entry, isDraft));
    });
  }
  if (problems.length > 0) return { problems };
  return {
    baseline: {
      known: given.known as BaselineEntry[],
      not_tested: accepted as AcceptedEntry[],
    },
  };
}

type Fields = Readonly<Record<string, unknown>>;

function knownProblems(entry: unknown, isDraft: boolean): string[] {
  if (!isRecord(entry)) return [' must be an object'];
  const problems = strangeFields(entry, KNOWN);
  for (const key of ['rule', 'scenario']) problems.push(...textProblems(entry, key));
  problems.push(
    ...reasonProblems(entry, `${entry.rule} in ${entry.scenario} is borne with`, isDraft),
  );
  if (typeof entry.fingerprint !== 'string' || !/^[0-9a-f]{12}$/.test(entry.fingerprint)) {
    problems.push('.fingerprint must be 12 hex digits, as a report shows it');
  }
  problems.push(...dateProblems(entry));
  for (const key of ['expected', 'actual']) {
    if (entry[key] !== undefined && typeof entry[key] !== 'string') {
      problems.push(`.${key} must be a string`);
    }
  }
  return problems;
}

function acceptedProblems(entry: unknown, isDraft: boolean): string[] {
  if (!isRecord(entry)) return [' must be an object'];
  const problems = strangeFields(entry, ACCEPTED);
  for (const key of ['rules', 'lacks']) {
    const value = entry[key];
    const isList = Array.isArray(value) && value.every((each) => typeof each === 'string');
    if (!isList) problems.push(`.${key} must be a list of strings`);
    else if (key === 'rules' && value.length === 0) problems.push('.rules names no rule');
  }
  const rules: readonly unknown[] = Array.isArray(entry.rules) ? entry.rules : [];
  const more = rules.length > 1 ? ` (and ${rules.length - 1} more)` : '';
  problems.push(...reasonProblems(entry, `${rules[0]}${more} need not be tested`, isDraft));
  return [...problems, ...dateProblems(entry)];
}

function strangeFields(entry: Fields, fields: readonly string[]): string[] {
  const strange = Object.keys(entry).filter((key) => !fields.includes(key));
  return strange.map((key) => `.${key} is not known; use ${fields.join(', ')}`);
}

function textProblems(entry: Fields, key: string): string[] {
  const value = entry[key];
  const isGood = typeof value === 'string' && value.trim() !== '';
  return isGood ? [] : [`.${key} must be a string that is not blank`];
}

/** A gate rests on what somebody stands for: what nobody explained is no entry. */
function reasonProblems(entry: Fields, what: string, isDraft: boolean): string[] {
  const wrong = textProblems(entry, 'reason');
  if (isDraft) return typeof entry.reason === 'string' ? [] : wrong;
  if (wrong.length > 0) return wrong.map((each) => `${each}: say why ${what}`);
  const said = (entry.reason as string)
    .trim()
    .toLowerCase()
    .replace(/(?<![.!])[.!]+$/, '');
  if (said !== UNEXPLAINED) return [];
  return [`.reason is still "${UNEXPLAINED}": say why ${what}`];
}

function dateProblems({ expires }: Fields): string[] {
  const isDay = typeof expires === 'string' && /^\d{4}-\d\d-\d\d$/.test(expires);
  if (expires === null || (isDay && Number.isFinite(Date.parse(expires)))) return [];
  return ['.expires must be a date such as "2027-01-31", or null for never'];
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** How many reasons a person has still to give. */
export function unexplained({ known, not_tested: accepted = [] }: Baseline): number {
  const blank = (reason: string) => reason === UNEXPLAINED || reason.trim() === '';
  return [...known, ...accepted].filter(({ reason }) => blank(reason)).length;
}

/** The file's text, stable so that its changes read well in a review. */
export function printBaseline({ known, not_tested: accepted = [] }: Baseline): string {
  const text = JSON.stringify({ schema: 1, known, not_tested: accepted }, null, 2);
  // A list of ids on one line: a rule that comes or goes is one change.
  const lines = text.replace(
    /"rules": \[\n([^[\]]*)\]/g,
    (_, list: string) => `"rules": [${list.trim().replace(/,\n\s+/g, ', ')}]`,
  );
  return `${lines}\n`;
}
