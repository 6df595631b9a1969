// Who may do what: scopes, read-only tokens, and what a firm is permitted (AUTH-2, AUTH-4, AUTH-8).
import type { Reply } from '../records.ts';
import { refuse } from '../replies.ts';
import type { Context } from '../types.ts';

export function scopeProblem(context: Context): Reply | null {
  const { operation, world, credential } = context;
  const { scopes, takesKey, method } = operation;
  const lacksScope =
    scopes.length > 0 && !scopes.some((scope) => credential.scopes.includes(scope));
  const isWrite = takesKey || (world.style.readOnlyFirst && method !== 'GET');
  // NS-57: a token with both faults is told of one of them.
  if (isWrite && credential.read_only && (world.style.readOnlyFirst || !lacksScope)) {
    return refuse(context, 403, 'read_only_credential', 'this token can only read');
  }
  if (lacksScope) {
    return refuse(context, 403, 'forbidden', `this needs the scope ${scopes.join(' or ')}`);
  }
  return permissionProblem(context, operation.name);
}

export function permissionProblem(context: Context, operation: string): Reply | null {
  const { permissions } = context.world.firm(context.credential.firm_id);
  if (permissions[operation] !== false) return null;
  return refuse(context, 403, 'forbidden', 'the firm is not permitted to do this');
}
