// Makes refusals: returned values with the rules they rest on, never thrown.

import type { RefusalCode } from '../../../fixtures/operations.ts';
import type { Problem } from '../behaviour.ts';
import type { Cite, Decision, Reply } from '../call.ts';
import type { RequestContext } from './request-context.ts';

export interface RefusalOptions {
  readonly code: RefusalCode;
  /** What is wrong and what to do about it. */
  readonly detail: string;
  readonly cites: readonly Cite[];
  /** The member, parameter or header at fault, for the `errors` list (NS-13). */
  readonly field?: string;
  /** Where an open question lets a setting choose another status. */
  readonly status?: number;
}

/** A refusal in the API's own form (ERR-1, ERR-3). */
export function refuse(context: RequestContext, options: RefusalOptions): Decision {
  return { reply: refusalReply(context, options), changes: [], cites: options.cites };
}

export function refusalReply(context: RequestContext, options: RefusalOptions): Reply {
  const row = context.behaviour.refusedAs(options.code);
  return context.behaviour.refuse(context, {
    status: options.status ?? row.status,
    title: row.title,
    code: options.code,
    detail: options.detail,
    errors: options.field === undefined ? [] : [{ field: options.field, message: options.detail }],
  });
}

/** A refusal with a code that the specification does not name (401, 405 and the like). */
export function refuseUnnamed(
  context: RequestContext,
  problem: Omit<Problem, 'errors'>,
  cites: readonly Cite[],
  headers?: Readonly<Record<string, string>>,
): Decision {
  const reply = context.behaviour.refuse(context, { ...problem, errors: [] });
  return { reply: headers === undefined ? reply : { ...reply, headers }, changes: [], cites };
}

/** ERR-2: what cannot be read at all is refused in plain text. */
export function refuseUnreadable(
  status: number,
  message: string,
  cites: readonly Cite[],
): Decision {
  return {
    reply: { status, contentType: 'text/plain', body: `${message}\n` },
    changes: [],
    cites,
  };
}
