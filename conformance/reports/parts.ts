// A document for readers. Text, Markdown and HTML lay it out and know nothing about where it comes
// from.

/** Colours a verdict or a heading. */
export type Tone = 'good' | 'bad' | 'warn' | 'plain';

/** The report of any judge. A terminal shows the verdict last, a page shows it first. */
export interface Document {
  /** What the report is about: `Conformance`, `API client`. */
  readonly title: string;
  readonly verdict: string;
  readonly tone: Tone;
  /** The URL or command that was judged. */
  readonly subject: string;
  /** Continues the subject: `breaks 2 rules`. */
  readonly headline: string;
  /** Counts, effort and time, next to the verdict. */
  readonly about: readonly Part[];
  readonly parts: readonly Part[];
  /** What remains on the target: last in every format. */
  readonly end: readonly Part[];
}

export interface Item {
  /** An id, or empty. */
  readonly label: string;
  readonly text: string;
  /** Ids that share the text. */
  readonly ids: readonly string[];
}

export type Fact = readonly [name: string, text: string];

export type Part =
  /** Links to `id` lead here. */
  | { readonly kind: 'heading'; readonly text: string; readonly tone: Tone; readonly id?: string }
  | { readonly kind: 'words'; readonly text: string; readonly isStrong: boolean }
  | { readonly kind: 'list'; readonly items: readonly Item[] }
  | { readonly kind: 'facts'; readonly facts: readonly Fact[]; readonly isInset: boolean }
  /** Lines from a target or a client: nothing in them is markup. */
  | { readonly kind: 'code'; readonly lines: readonly string[] }
  | {
      readonly kind: 'table';
      readonly head: readonly string[];
      /** The first two cells of a row are an id and its words. */
      readonly rows: readonly (readonly string[])[];
    }
  /** On a page only the summary is shown until a reader opens it. */
  | {
      readonly kind: 'fold';
      readonly summary: string;
      readonly parts: readonly Part[];
      readonly id?: string;
    };

export const heading = (text: string, tone: Tone = 'plain', id?: string): Part => ({
  ...{ kind: 'heading', text, tone },
  ...(id !== undefined && { id }),
});

export const words = (text: string, isStrong = false): Part => ({ kind: 'words', text, isStrong });

export const item = (text: string, label = '', ids: readonly string[] = []): Item => ({
  label,
  text,
  ids,
});

/** A list, or nothing if it has no items. */
export const list = (items: readonly Item[]): Part[] =>
  items.length === 0 ? [] : [{ kind: 'list', items }];

/** A list with a heading, or nothing if it has no items. */
export const section = (title: string, items: readonly Item[]): Part[] =>
  items.length === 0 ? [] : [heading(title), ...list(items)];

/** `isInset` indents them below the fact before them. */
export const facts = (all: readonly Fact[], isInset = false): Part[] => {
  const own = all.filter(([, text]) => text !== '');
  return own.length === 0 ? [] : [{ kind: 'facts', facts: own, isInset }];
};

export const code = (lines: readonly string[]): Part[] =>
  lines.length === 0 ? [] : [{ kind: 'code', lines }];

/** A table, or nothing if it has no rows. */
export const table = (head: readonly string[], rows: readonly (readonly string[])[]): Part[] =>
  rows.length === 0 ? [] : [{ kind: 'table', head, rows }];

export const fold = (summary: string, parts: readonly Part[], id?: string): Part[] =>
  parts.length === 0 ? [] : [{ kind: 'fold', summary, parts, ...(id !== undefined && { id }) }];

/** Facts that are commands or names, to be copied verbatim. */
export const CODE_FACTS: ReadonlySet<string> = new Set([
  'scenario',
  'try again',
  'requests',
  'fingerprint',
]);
