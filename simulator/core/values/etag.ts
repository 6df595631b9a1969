// Parses what an `If-Match` header says.

/** The tags without their quotes, any tag, or why the header cannot be used. */
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
