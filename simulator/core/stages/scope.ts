// Seventh stage: what this credential, and its firm, may do at all.
import { type Attempt, callerOf, type Stage, scopesOf } from '../attempt.ts';
import type { Decision } from '../call.ts';
import { refuse } from '../refuse.ts';
import { rowOf } from './row.ts';

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
  decide(attempt) {
    const row = rowOf(attempt);
    if (row.auth !== 'bearer') return null;
    const credential = callerOf(attempt);
    // AUTH-2: said before the scope, because no scope would help.
    if (row.writes && credential.readOnly) {
      return refuse(attempt, {
        code: 'read_only_credential',
        detail: 'This token was minted read-only. Use one that may write.',
        cites: ['AUTH-2'],
      });
    }
    const held = scopesOf(attempt);
    if (row.scopes.length > 0 && !row.scopes.some((scope) => held.includes(scope))) {
      const rule = scopeRules[attempt.operation ?? ''] ?? 'AUTH-4';
      return forbid(attempt, `This needs the scope ${row.scopes.join(' or ')}.`, rule, 'AUTH-4');
    }
    const firm = attempt.world.firms.get(credential.firmId);
    if (attempt.operation !== null && firm?.permissions[attempt.operation] === false) {
      return forbid(attempt, `The firm may not use ${attempt.operation} any more.`, 'AUTH-8');
    }
    return null;
  },
};

function forbid(attempt: Attempt, detail: string, ...cites: string[]): Decision {
  return refuse(attempt, { code: 'forbidden', detail, cites });
}
