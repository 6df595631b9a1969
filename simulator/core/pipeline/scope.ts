// Seventh stage: what this credential, and its firm, may do at all.

import type { Cite, Decision } from '../call.ts';
import type { OperationName } from '../tables/operations.ts';
import { operationRowOf } from './operation-row.ts';
import { refuse } from './refuse.ts';
import { callerOf, type RequestContext, type Stage, scopesOf } from './request-context.ts';

/** The rule by which each operation wants its scope, for the journal. */
const scopeRules: Readonly<Partial<Record<OperationName, Cite>>> = {
  createAccount: 'ACC-21',
  updateAccount: 'UPD-13',
  bulkCreateAccounts: 'BULK-13',
  openPosition: 'POS-1',
  closePosition: 'POS-1',
  createTransaction: 'TXN-12',
  approveTransaction: 'TXS-17',
  rejectTransaction: 'TXS-17',
  cancelTransaction: 'TXS-17',
  createWebhook: 'HOOK-6',
  listWebhooks: 'HOOK-6',
  getWebhook: 'HOOK-6',
  rotateWebhookSecret: 'HOOK-6',
  disableWebhook: 'HOOK-6',
  listAccounts: 'NS-2',
  listTransactions: 'NS-2',
  getAccountStatus: 'NS-54',
};

export const scopeStage: Stage = {
  name: 'scope',
  decide(context) {
    const row = operationRowOf(context);
    if (row.auth !== 'bearer') return null;
    const credential = callerOf(context);
    const readOnly = row.writes && credential.read_only ? refuseReadOnly(context) : null;
    const unscoped = refuseScope(context, row.scopes);
    // NS-57: the first is the word that helps, because no scope would.
    const refused = context.behaviour.settings.read_only_before_scope
      ? (readOnly ?? unscoped)
      : (unscoped ?? readOnly);
    if (refused !== null) return refused;
    return context.operation === null ? null : refuseByFirm(context, context.operation);
  },
};

/** AUTH-2. */
function refuseReadOnly(context: RequestContext): Decision {
  return refuse(context, {
    code: 'read_only_credential',
    detail: 'This token was minted read-only. Use one that may write.',
    cites: ['AUTH-2', 'NS-57'],
  });
}

function refuseScope(context: RequestContext, wanted: readonly string[]): Decision | null {
  if (wanted.length === 0) return null;
  const held = scopesOf(context);
  if (wanted.some((scope) => held.includes(scope))) return null;
  const rule = (context.operation && scopeRules[context.operation]) ?? 'AUTH-4';
  return forbid(context, `This needs the scope ${wanted.join(' or ')}.`, rule, 'AUTH-4');
}

/** AUTH-8: also asked for an operation that runs as a part of another (BULK-3). */
export function refuseByFirm(context: RequestContext, operation: OperationName): Decision | null {
  const firm = context.world.firms.get(callerOf(context).firm_id);
  if (firm?.permissions[operation] !== false) return null;
  return forbid(context, `The firm may not use ${operation} any more.`, 'AUTH-8');
}

function forbid(context: RequestContext, detail: string, ...cites: Cite[]): Decision {
  return refuse(context, { code: 'forbidden', detail, cites });
}
