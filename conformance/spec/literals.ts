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

/** EVT-1: the categories of events. */
export const CATEGORIES = ['account', 'order', 'position', 'transaction'] as const;

export type Category = (typeof CATEGORIES)[number];

/** All of them, those with the fewest events first. */
export const CATEGORIES_QUIET_FIRST = [...CATEGORIES].sort(
  (a, b) => Number(b === 'order' || b === 'position') - Number(a === 'order' || a === 'position'),
);

/** What an account says of its person, each member with a value that any target takes. */
export const PROFILE = {
  first_name: 'Maria',
  last_name: 'Mitchell',
  country: 'US',
  language: 'en-US',
} as const;

/** What a new account is given. */
export const NEW_PROFILE = {
  first_name: 'Ada',
  last_name: 'Conformance',
  country: 'GB',
  language: 'en',
} as const satisfies Readonly<Record<keyof typeof PROFILE, string>>;

export const PROFILE_MEMBERS = Object.keys(PROFILE) as (keyof typeof PROFILE)[];

/** UPD-3, UPD-4. */
export const UPDATABLE_MEMBERS = [...PROFILE_MEMBERS, 'status'] as const;

/**
 * The id of a record that does not exist: decimal, within every width of integer that ids are kept in,
 * and far above what is in use.
 */
export const UNKNOWN_ID = '2147483641';
