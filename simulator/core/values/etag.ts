// Entity tags: how a revision is written, and what an `If-Match` header says.

export type IfMatch =
  | { readonly kind: 'tag'; readonly value: string }
  | { readonly kind: 'any'; readonly values: readonly string[] | null }
  | { readonly kind: 'missing' }
  | { readonly kind: 'malformed' };

/** ACC-19: a strong tag is the value in double quotes. */
export function formatEtag(revision: number): string {
  return `"${revision}"`;
}

const strongTag = /^"([\x21\x23-\x7e\x80-\xff]*)"$/;

/** UPD-9: one strong tag; weak, unquoted, several or `*` are malformed (NS-39). */
export function parseIfMatch(header: string | undefined): IfMatch {
  if (header === undefined) return { kind: 'missing' };
  const match = strongTag.exec(header.trim());
  return match === null ? { kind: 'malformed' } : { kind: 'tag', value: match[1] as string };
}

/** NS-39, the other choice: `*` and lists as HTTP defines them (RFC 9110 §13.1.1). */
export function parseIfMatchList(header: string | undefined): IfMatch {
  const single = parseIfMatch(header);
  if (single.kind !== 'malformed' || header === undefined) return single;
  if (header.trim() === '*') return { kind: 'any', values: null };
  const tags = header.split(',').map((part) => strongTag.exec(part.trim())?.[1]);
  return tags.every((tag) => tag !== undefined)
    ? { kind: 'any', values: tags as string[] }
    : { kind: 'malformed' };
}
