// What stages ask of a call: its operation's row, and single headers.

import type { OperationRow } from '../../../fixtures/operations.ts';
import type { RequestContext } from './request-context.ts';

/** The row of the operation that the route stage found. */
export function operationRowOf(context: RequestContext): OperationRow {
  if (context.operation === null) throw new Error('a stage ran before the route was found');
  return context.behaviour.table[context.operation];
}

/**
 * One header by lower-case name; several lines of it are one value joined by commas (RFC 9110
 * §5.3).
 */
export function headerOf(context: RequestContext, name: string): string | undefined {
  const value = context.call.headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}
