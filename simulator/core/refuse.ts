// Makes refusals: returned values with the rules they rest on, never thrown.
import type { Attempt } from './attempt.ts';
import type { Problem } from './behaviour.ts';
import type { Decision, Reply } from './call.ts';
import type { RefusalCode } from './tables/refusals.ts';

export interface RefusalTerms {
  readonly code: RefusalCode;
  /** What is wrong and what to do about it. */
  readonly detail: string;
  readonly cites: readonly string[];
  /** The member, parameter or header at fault, for the `errors` list (NS-13). */
  readonly field?: string;
  /** Where an open question lets a setting choose another status. */
  readonly status?: number;
}

/** A refusal in the API's own form (ERR-1, ERR-3). */
export function refuse(attempt: Attempt, terms: RefusalTerms): Decision {
  return { reply: refusalReply(attempt, terms), changes: [], cites: terms.cites };
}

export function refusalReply(attempt: Attempt, terms: RefusalTerms): Reply {
  const row = attempt.behaviour.refusedAs(terms.code);
  return attempt.behaviour.refuse(attempt, {
    status: terms.status ?? row.status,
    title: row.title,
    code: terms.code,
    detail: terms.detail,
    errors: terms.field === undefined ? [] : [{ field: terms.field, message: terms.detail }],
  });
}

/** A refusal with a code that the specification does not name (401, 405 and the like). */
export function refuseUnnamed(
  attempt: Attempt,
  problem: Omit<Problem, 'errors'>,
  cites: readonly string[],
  headers?: Readonly<Record<string, string>>,
): Decision {
  const reply = attempt.behaviour.refuse(attempt, { ...problem, errors: [] });
  return { reply: headers === undefined ? reply : { ...reply, headers }, changes: [], cites };
}

/** ERR-2: what cannot be read at all is refused in plain text. */
export function refuseUnreadable(
  status: number,
  message: string,
  cites: readonly string[],
): Decision {
  return {
    reply: { status, contentType: 'text/plain', body: `${message}\n` },
    changes: [],
    cites,
  };
}
