// What an account says of its person, each member with a value that any target takes: the judge's
// own list, apart from the simulator's on purpose.

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
