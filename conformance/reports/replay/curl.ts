// One recorded call as a curl command, with variables where values change from time to time.

import { shellWord } from '../../../fixtures/shell-word.ts';
import { REDACTED } from '../redact.ts';
import type { ReportExchange } from '../report.ts';
import { tokenVariable } from './credentials.ts';
import { type ReplayVariable, wholePattern } from './variables.ts';

/** Text of a shell word: literal, or the value of a variable. */
export type CurlPart = string | { readonly variable: string };

/** A text with the values that have names taken out of it. */
export function insertVariables(text: string, names: readonly ReplayVariable[]): CurlPart[] {
  let parts: CurlPart[] = [text];
  for (const { value, variable } of names) {
    // The mark stands inside longer names; everything else is only meant as a whole.
    const pattern = variable.endsWith('MARK') ? new RegExp(value, 'g') : wholePattern(value);
    parts = parts.flatMap((part) =>
      typeof part === 'string' ? split(part, pattern, variable) : [part],
    );
  }
  return parts;
}

function split(text: string, pattern: RegExp, variable: string): CurlPart[] {
  return text
    .split(pattern)
    .flatMap((each, at): CurlPart[] => (at === 0 ? [each] : [{ variable }, each]))
    .filter((part) => part !== '');
}

/** One word of a shell command. */
export function quoted(parts: readonly CurlPart[]): string {
  if (parts.length === 0) return "''";
  return parts
    .map((part) => (typeof part === 'string' ? shellWord(part) : `"$${part.variable}"`))
    .join('');
}

/** In a path or a body a tag is no tag: `"1"` may be the id of a firm. */
export const besidesTags = (names: readonly ReplayVariable[]): ReplayVariable[] =>
  names.filter(({ from }) => from?.header === undefined);

/** Longer bodies come by a here-document, because a command line has an end. */
const LONGEST_WORD = 60_000;

export function curlLines(
  exchange: ReportExchange,
  names: readonly ReplayVariable[],
  url: string,
): string[] {
  const { n, as, request } = exchange;
  const [base, ...rest] = url.split('$BASE_URL');
  const target = quoted([
    ...(base === '' ? [{ variable: 'BASE_URL' }] : []),
    ...insertVariables(rest.join(''), besidesTags(names)),
  ]);
  const options = request.headers.map(([name, value]) => {
    if (name.toLowerCase() === 'authorization') return authorization(value, as);
    // curl leaves a header with an empty value out unless it ends in a semicolon.
    const line = value === '' ? `${name};` : `${name}: ${value}`;
    return `-H ${quoted(insertVariables(line, names))}`;
  });
  const head = [`call ${n} ${request.method} ${target}`, ...options];
  if (request.body === null) return continued(head);
  const body = quoted(insertVariables(request.body, besidesTags(names)));
  // curl takes what opens with an at sign as the name of a file to send.
  const isWord = body.length <= LONGEST_WORD && !request.body.startsWith('@');
  if (isWord) return continued([...head, `--data-binary ${body}`]);
  return [
    `printf '%s' ${body} >"$work/${n}.request"`,
    ...continued([...head, `--data-binary "@$work/${n}.request"`]),
  ];
}

function authorization(value: string, as: string | null): string {
  if (value === `Bearer ${REDACTED}` && as !== null) {
    return `-H "Authorization: Bearer $${tokenVariable(as)}"`;
  }
  // AUTH-1: what was sent on purpose is no token, and need not be the same one.
  const scheme = /^(Bearer|Basic|Digest)\b/i.exec(value)?.[1] ?? '';
  return value.includes(REDACTED)
    ? `-H 'Authorization: ${`${scheme} not-a-token`.trim()}'`
    : `-H ${quoted([`Authorization: ${value}`])}`;
}

function continued(parts: readonly string[]): string[] {
  return parts.map((part, at) => {
    const margin = at === 0 ? '' : '  ';
    return `${margin}${part}${at === parts.length - 1 ? '' : ' \\'}`;
  });
}
