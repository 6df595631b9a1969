// Builds refusals: returned values with the rules they rest on, never thrown.
import type { RefusalCode } from '../../../fixtures/operations.ts';
import type { Cite, Decision, Reply } from '../call.ts';
import type { Problem } from '../serialize.ts';
import type { RequestContext } from './request-context.ts';

/**
 * A refusal in the API's own form (ERR-1, ERR-3). `field` names the invalid member, parameter or
 * header (NS-13); `status` overrides that of the code if a setting chooses another.
 */
export function refuse(
  context: RequestContext,
  code: RefusalCode,
  cites: readonly Cite[],
  detail: string,
  field?: string,
  status?: number,
): Decision {
  return { reply: refusalReply(context, code, detail, field, status), changes: [], cites };
}

/** 422 for a member, parameter or header. */
export function invalid(
  context: RequestContext,
  field: string,
  detail: string,
  ...cites: Cite[]
): Decision {
  return refuse(context, 'validation_failed', cites, detail, field);
}

export function refusalReply(
  context: RequestContext,
  code: RefusalCode,
  detail: string,
  field?: string,
  status?: number,
): Reply {
  const row = context.behaviour.refusedAs(code);
  const errors = field === undefined ? [] : [{ field, message: detail }];
  const problem = { status: status ?? row.status, title: row.title, code, detail, errors };
  return context.behaviour.refuse(context, problem);
}

/** A refusal with a code that the specification does not name (401, 405 and the like). */
export function refuseUnnamed(
  context: RequestContext,
  problem: Omit<Problem, 'errors'>,
  cites: readonly Cite[],
  headers: Readonly<Record<string, string>>,
): Decision {
  const reply = context.behaviour.refuse(context, { ...problem, errors: [] });
  return { reply: { ...reply, headers }, changes: [], cites };
}

/** ERR-2: an unreadable request is refused in plain text. */
export function refuseUnreadable(
  status: number,
  message: string,
  cites: readonly Cite[],
): Decision {
  const reply: Reply = { status, contentType: 'text/plain', body: `${message}\n` };
  return { reply, changes: [], cites };
}
