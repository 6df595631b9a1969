// The names and numbers of the specification, in the judge's own literals: on purpose not the
// simulator's.

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

/** IDEM-7a, IDEM-7b: how long a key record is kept. */
export const KEY_KEPT_MS = 24 * HOUR_MS;

/** IDEM-1b, ACC-2, TXN-3: the most characters of a key and of a reference. */
export const LONGEST = 255;

/** BULK-7: the most rows of a batch. */
export const MOST_ROWS = 1000;

/** AUTH-3b: what the token endpoint allows a client in a minute. */
export const TOKENS_A_MINUTE = 10;
