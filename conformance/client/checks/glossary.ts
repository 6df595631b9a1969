// Terms of a report that a reader may not know yet.

interface GlossaryEntry {
  readonly word: string;
  readonly meaning: string;
}

export const glossary: readonly GlossaryEntry[] = [
  {
    word: 'a write',
    meaning:
      'one of the nine calls that change something and take a key: an account is created (alone or in bulk) or updated, a position opened or closed, a transaction created, approved, rejected or cancelled.',
  },
  {
    word: 'a key',
    meaning:
      'the header Idempotency-Key. A write under a new key is run; sent again under the same key it is answered as it was the first time, and does not run again.',
  },
  {
    word: 'a tag',
    meaning:
      'the header ETag of an account, which an update sends back as If-Match. It says which state of the account the client has seen.',
  },
];

/** Those that stand in these texts. */
export function wordsIn(texts: readonly string[]): readonly GlossaryEntry[] {
  const all = texts.join('\n');
  return glossary.filter(({ word }) => new RegExp(`\\b${word.slice(2)}s?\\b`).test(all));
}
