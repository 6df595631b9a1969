// Who may do what: scopes, read-only tokens, and what a firm is permitted (AUTH-2, 4, 8).
import type { DefectId } from '../defects.ts';
import { type RequestContext, refuse } from '../request-context.ts';
import { isWriter } from '../sealed-effects.ts';
import type { Answer, Credential } from '../values/records.ts';

/** Operations that these defects open to anybody. */
const OPENED: Partial<Record<DefectId, string>> = {
  'acc-scope-open': 'createAccount',
  'upd-scope-open': 'updateAccount',
  'bulk-scope-open': 'bulkCreateAccounts',
  'pos-open-to-all': 'openPosition',
  'pos-close-to-all': 'closePosition',
  'txn-scope-open': 'createTransaction',
  'txs-approve-scope-open': 'approveTransaction',
  'hook-scope-open': 'createWebhook',
  'hook-list-open': 'listWebhooks',
};

function scopesOf({ operation, mind, credential }: RequestContext): readonly string[] {
  const { name, scopes } = operation;
  if (mind.has('pos-trader-refused') && name === 'openPosition') return ['trades:write'];
  if (mind.has('pos-trades-refused') && name === 'closePosition') return ['trader:trade'];
  if (mind.has('txs-amend-alone') && name === 'cancelTransaction') {
    return [...scopes, 'transactions:amend'];
  }
  const isBeside = credential.scopes.includes('accounts:write') && name === 'cancelTransaction';
  if (isBeside && mind.has('comb-amend-accounts')) return [...scopes, 'transactions:amend'];
  const isTransition = /^(approve|reject|cancel)Transaction$/.test(name);
  if (isTransition && mind.has('auth-funds-no-approve')) return ['transactions:write'];
  if (mind.has('auth-hooks-by-accounts') && scopes.includes('webhooks:manage')) {
    return [...scopes, 'accounts:write'];
  }
  return scopes;
}

export function scopeProblem(ctx: RequestContext): Answer | null {
  const { operation, mind } = ctx;
  const credential = heldBy(ctx);
  const scopes = scopesOf(ctx);
  const isOpen =
    scopes.length === 0 || mind.defects.some((each) => OPENED[each] === operation.name);
  const isRole = scopes.includes('webhooks:manage') && isWriter(mind, credential);
  const holds = isRole || scopes.some((each) => credential.scopes.includes(each));
  const lacksScope = !isOpen && !holds;
  const isWrite = operation.keyed || (mind.style.readOnlyFirst && operation.method !== 'GET');
  const isReadOnly = isWrite && credential.readOnly && !mind.has('auth-read-only-writes');
  // A token with both faults is told of one of them.
  if (isReadOnly && (mind.style.readOnlyFirst || !lacksScope)) {
    const code = mind.has('auth-read-only-forbidden') ? 'forbidden' : 'read_only_credential';
    return refuse(ctx, 403, code, 'this token can only read');
  }
  if (lacksScope) {
    const words = `this needs the scope ${scopes.join(' or ')}`;
    if (mind.has('acc-scope-404') && operation.name === 'createAccount') {
      return refuse(ctx, 404, 'not_found', words);
    }
    return refuse(ctx, 403, 'forbidden', words);
  }
  return permissionProblem(ctx, operation.name);
}

/** Who asks; a defect takes the last to have asked, while several do. */
function heldBy({ mind, credential, overlaps }: RequestContext): Credential {
  const racing = overlaps.filter((each) => mind.underway.includes(each));
  return mind.has('race-scopes') ? (racing.at(-1)?.credential ?? credential) : credential;
}

/** Whether it is now; a defect keeps for a minute what it has seen. */
function wasPermitted({ mind, credential }: RequestContext, operation: string, isNow: boolean) {
  if (!mind.has('time-permission-cached')) return isNow;
  const row = `permitted ${operation} ${credential.firmId}`;
  if (isNow) mind.counts[row] = mind.now();
  return isNow || mind.now() - (mind.counts[row] ?? Number.NEGATIVE_INFINITY) < 60_000;
}

export function permissionProblem(ctx: RequestContext, operation: string): Answer | null {
  const { mind, credential } = ctx;
  const firm = mind.firms.find((each) => each.id === credential.firmId);
  const isPermitted = firm?.permissions[operation] !== false;
  if (wasPermitted(ctx, operation, isPermitted)) return null;
  if (mind.has('auth-permissions-ignored')) return null;
  const words = 'the firm is not permitted to do this';
  if (mind.has('auth-permissions-404')) return refuse(ctx, 404, 'not_found', words);
  return refuse(ctx, 403, 'forbidden', words);
}
