// Ids of records that do not exist.

/** Decimal, within every width of integer that ids are kept in, and far above what is in use. */
export const UNKNOWN_ID = '2147483641';
