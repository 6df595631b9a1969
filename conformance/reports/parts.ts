// The parts of a document for readers. Text, Markdown and HTML lay these parts out and know nothing
// about where they come from.

/** Colours a heading. */
export type Tone = 'bad' | 'warn' | 'plain';

export interface Item {
  /** An id, or empty. */
  readonly label: string;
  readonly text: string;
  /** Ids that share the text. */
  readonly ids: readonly string[];
}

export type Fact = readonly [name: string, text: string];

export type Part =
  | { readonly kind: 'heading'; readonly text: string; readonly tone: Tone }
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
      /** Shown instead of the table until a reader opens it. */
      readonly summary?: string;
    };

export const heading = (text: string, tone: Tone = 'plain'): Part => ({
  kind: 'heading',
  text,
  tone,
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

/** `isInset` indents them below the fact before them. */
export const facts = (all: readonly Fact[], isInset = false): Part[] => {
  const own = all.filter(([, text]) => text !== '');
  return own.length === 0 ? [] : [{ kind: 'facts', facts: own, isInset }];
};

export const code = (lines: readonly string[]): Part[] =>
  lines.length === 0 ? [] : [{ kind: 'code', lines }];

export const FINGERPRINT = 'fingerprint (the baseline names it)';

/** Facts that are commands or names, to be copied verbatim. */
export const CODE_FACTS: ReadonlySet<string> = new Set([
  'scenario',
  'try again',
  'requests',
  FINGERPRINT,
]);
