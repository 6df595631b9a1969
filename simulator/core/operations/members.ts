// What a call names: texts of its body that may be missing, and the owning account of its query.
import type { Body, RequestContext } from '../pipeline/request-context.ts';

/** A text member; null stands for a missing one as well as for an explicit null. */
export function optionalText(body: Body, name: string): string | null {
  const value = body[name];
  return typeof value === 'string' ? value : null;
}

/** NS-58: the `account_id` of the query that counts where there are several; null where none is. */
export function ownerNamed({ query, behaviour }: RequestContext): string | null {
  const named = query.getAll('account_id');
  return named.at(behaviour.settings.repeated_account_id === 'last' ? -1 : 0) ?? null;
}
