// The scope rule of each operation as rows: without any of its scopes it is refused.
import type { RuleId } from '../engine/types.ts';
import { FORBIDDEN } from '../spec/errors.ts';
import { OPERATIONS, type OperationName, SCOPES } from '../spec/operations.ts';
import { as, asHolderOf, type Fault, type RefusalRow } from './refusals.ts';

/** AUTH-4: it only widens what the scopes of funds grant; TXN-12 and TXS-17 say so themselves. */
export const AMEND = 'transactions:amend';

export function isOfFunds(operation: OperationName): boolean {
  return (OPERATIONS[operation].scopes as readonly string[]).includes('trader:funds');
}

const allOtherScopes: Fault = (t, valid) => {
  const own: readonly string[] = OPERATIONS[valid.operation].scopes;
  return asHolderOf(...SCOPES.filter((scope) => !own.includes(scope)))(t, valid);
};

/** Without any of its scopes an operation is 403 `forbidden`, by the rule of that operation. */
export function scopeRows(
  rule: RuleId,
  ...operations: readonly OperationName[]
): readonly RefusalRow[] {
  return operations.flatMap((operation): RefusalRow[] => [
    [rule, operation, 'no scope', as('no_scopes'), FORBIDDEN],
    ...(isOfFunds(operation)
      ? [[rule, operation, `${AMEND} alone`, as('amend_only'), FORBIDDEN] as const]
      : []),
    [rule, operation, 'all other scopes', allOtherScopes, FORBIDDEN],
  ]);
}
