// The names and numbers of the specification, in the judge's own literals: deliberately separate
// from the simulator's.

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

/** IDEM-7a, IDEM-7b: how long a key record is kept. */
export const KEY_KEPT_MS = 24 * HOUR_MS;

/** IDEM-1b, ACC-2, TXN-3: the maximum length of a key and of a reference. */
export const LONGEST = 255;

/** BULK-7: the maximum number of rows in a batch. */
export const MOST_ROWS = 1000;

/** AUTH-3b: the token requests that a client may make in a minute. */
export const TOKENS_A_MINUTE = 10;

/** The header that names a world of a sandbox. */
export const WORLD_HEADER = 'x-sandbox-world';

/** EVT-1: the categories of events. */
export const CATEGORIES = ['account', 'order', 'position', 'transaction'] as const;

export type Category = (typeof CATEGORIES)[number];

/** All categories, those with the fewest events first. */
export const CATEGORIES_QUIET_FIRST = [...CATEGORIES].sort(
  (a, b) => Number(b === 'order' || b === 'position') - Number(a === 'order' || a === 'position'),
);

/** The members of an account's profile, each with a value that any target accepts. */
export const PROFILE = {
  first_name: 'Maria',
  last_name: 'Mitchell',
  country: 'US',
  language: 'en-US',
} as const;

/** The profile of a new account. */
export const NEW_PROFILE = {
  first_name: 'Ada',
  last_name: 'Conformance',
  country: 'GB',
  language: 'en',
} as const satisfies Readonly<Record<keyof typeof PROFILE, string>>;

export const PROFILE_MEMBERS = Object.keys(PROFILE) as (keyof typeof PROFILE)[];

/** The members of an account, a transaction and the answer to a batch. */
export const ACCOUNT_MEMBERS: readonly string[] = [
  ...['id', 'revision', 'client_reference_id', ...PROFILE_MEMBERS],
  ...['phone', 'status', 'brand_id', 'firm_id'],
];
export const TRANSACTION_MEMBERS: readonly string[] = [
  ...['id', 'account_id', 'trading_account_id', 'currency', 'amount'],
  ...['method', 'transaction_type', 'status', 'is_ftd', 'created_at'],
];
export const BATCH_MEMBERS: readonly string[] = ['total', 'created', 'failed', 'rows'];

/** UPD-3, UPD-4. */
export const UPDATABLE_MEMBERS = [...PROFILE_MEMBERS, 'status'] as const;

/**
 * The id of a record that does not exist: decimal, within every integer width that ids may be
 * stored in, and far above real ids.
 */
export const UNKNOWN_ID = '2147483641';
