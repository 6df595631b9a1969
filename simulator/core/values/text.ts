// Lengths, blanks, ids and entity tags in the texts of a request.

/** NS-40: Unicode code points; a lone surrogate counts as one. */
export const countCodePoints = (text: string): number =>
  /[\ud800-\udfff]/.test(text) ? [...text].length : text.length;

const encoder = new TextEncoder();

export function countBytes(text: string): number {
  return encoder.encode(text).byteLength;
}

/** ACC-6, TXN-2: ignores case; `toLowerCase` alone writes a final sigma differently. */
export function foldCase(text: string): string {
  return text.toLowerCase().replaceAll('ς', 'σ');
}

export function isBlank(text: string): boolean {
  return text.trim() === '';
}

const digits = /^\d+$/;

/** CONV-1c, NS-48: the id of a decimal string without leading zeros; null for anything else. */
export function parseId(text: string): string | null {
  if (!digits.test(text)) return null;
  return text.charCodeAt(0) === 48 ? text.replace(/^0+(?=\d)/, '') : text;
}

/** NS-48, the other choice: an id has a single spelling. */
export function parseExactId(text: string): string | null {
  return /^(0|[1-9]\d*)$/.test(text) ? text : null;
}

/** Untrusted text, cut to a length that a sentence can quote. */
export function shortened(text: string): string {
  return text.length <= longestShown ? text : `${text.slice(0, longestShown)}…`;
}

const longestShown = 40;

/** `If-Match`: the tags without their quotes, any tag, or why the header cannot be used. */
export type IfMatch = readonly string[] | '*' | 'missing' | 'malformed';

const strongTag = /^"([\x21\x23-\x7e\x80-\xff]*)"$/;

/** UPD-9: one strong tag; weak, unquoted, several or `*` are malformed (NS-39). */
export function parseIfMatch(header: string | undefined): IfMatch {
  if (header === undefined) return 'missing';
  const tag = strongTag.exec(header.trim())?.[1];
  return tag === undefined ? 'malformed' : [tag];
}

/** NS-39, the other choice: `*` and lists as HTTP defines them (RFC 9110 §13.1.1). */
export function parseIfMatchList(header: string | undefined): IfMatch {
  const single = parseIfMatch(header);
  if (single !== 'malformed' || header === undefined) return single;
  if (header.trim() === '*') return '*';
  const tags = header.split(',').map((part) => strongTag.exec(part.trim())?.[1]);
  return tags.every((tag) => tag !== undefined) ? tags : 'malformed';
}
