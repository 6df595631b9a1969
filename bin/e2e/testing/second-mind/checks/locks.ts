// Defects in which a key that is under way stands in the way of what it has nothing to do with, or
// does not where it should (IDEM-2a, IDEM-2b, IDEM-15).
import { type RequestContext, refuse } from '../request-context.ts';
import type { Answer } from '../values/records.ts';

/** Where a key runs for another subject, or for somebody else. */
export function lockedAnswer(ctx: RequestContext, subject: string): Answer | null {
  const { mind, key, credential } = ctx;
  const isLocked = mind.keys.some(
    (each) =>
      each.answer === null &&
      each.key === key &&
      ((mind.has('race-key-lock') && each.clientId === credential.clientId) ||
        (mind.has('race-key-credentials') && each.subject === subject)),
  );
  const words = 'an attempt with this key still runs';
  return isLocked ? refuse(ctx, 409, 'idempotency_in_flight', words) : null;
}

/** While a call that is under way decides another transaction under the same key. */
export const decidesAnother = ({
  mind,
  key,
  pathId,
  operation: { name },
}: RequestContext): boolean =>
  /^(approve|reject|cancel)/.test(name) &&
  mind.underway.some((each) => each.key === key && each.pathId !== pathId);
