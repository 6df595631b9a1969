// The two words of a report that somebody may meet for the first time.

export const glossary: readonly { readonly word: string; readonly meaning: string }[] = [
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
