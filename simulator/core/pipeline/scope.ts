// Seventh stage: what this credential, and its firm, may do at all.

import type { Decision } from '../call.ts';
import { operationRowOf } from './operation-row.ts';
import { refuse } from './refuse.ts';
import { callerOf, type RequestContext, type Stage, scopesOf } from './request-context.ts';

/** The rule by which each operation wants its scope, for the journal. */
const scopeRules: Readonly<Record<string, string>> = {
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
};

export const scopeStage: Stage = {
  name: 'scope',
  decide(context) {
    const row = operationRowOf(context);
    if (row.auth !== 'bearer') return null;
    const credential = callerOf(context);
    // AUTH-2: said before the scope, because no scope would help.
    if (row.writes && credential.readOnly) {
      return refuse(context, {
        code: 'read_only_credential',
        detail: 'This token was minted read-only. Use one that may write.',
        cites: ['AUTH-2'],
      });
    }
    const held = scopesOf(context);
    if (row.scopes.length > 0 && !row.scopes.some((scope) => held.includes(scope))) {
      const rule = scopeRules[context.operation ?? ''] ?? 'AUTH-4';
      return forbid(context, `This needs the scope ${row.scopes.join(' or ')}.`, rule, 'AUTH-4');
    }
    const firm = context.world.firms.get(credential.firmId);
    if (context.operation !== null && firm?.permissions[context.operation] === false) {
      return forbid(context, `The firm may not use ${context.operation} any more.`, 'AUTH-8');
    }
    return null;
  },
};

function forbid(context: RequestContext, detail: string, ...cites: string[]): Decision {
  return refuse(context, { code: 'forbidden', detail, cites });
}
