// What stages ask of an attempt: its operation's row, and single headers.
import type { Attempt } from '../attempt.ts';
import type { OperationRow } from '../tables/operations.ts';

/** The row of the operation that the route stage found. */
export function rowOf(attempt: Attempt): OperationRow {
  if (attempt.operation === null) throw new Error('a stage ran before the route was found');
  return attempt.behaviour.table[attempt.operation];
}

/**
 * One header by lower-case name; several lines of it are one value joined by commas (RFC 9110
 * §5.3).
 */
export function headerOf(attempt: Attempt, name: string): string | undefined {
  const value = attempt.call.headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}
