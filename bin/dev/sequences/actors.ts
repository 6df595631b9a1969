// Who acts in the sequences.

export const ACTORS = [
  'firm',
  'firm',
  'firm',
  'brandA',
  'brandB',
  'otherFirm',
  'noScopes',
  'noAmend',
  'amendOnly',
  'delegated',
  'readOnly',
  'slow',
] as const;
export type Actor = (typeof ACTORS)[number];
