// The categories of events, as the specification names them.
export const CATEGORIES = ['account', 'order', 'position', 'transaction'] as const;

export type Category = (typeof CATEGORIES)[number];

/** All of them, those with the fewest events first. */
export const CATEGORIES_QUIET_FIRST = [...CATEGORIES].sort(
  (a, b) => Number(b === 'order' || b === 'position') - Number(a === 'order' || a === 'position'),
);
