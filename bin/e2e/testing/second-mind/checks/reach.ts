// Who reaches what: firm, brand, and the one account of a delegated token (AUTH-5, 6, 7).

import { invalid, notFound, plainId, type RequestContext } from '../request-context.ts';
import { isLetIn } from '../sealed-effects.ts';
import type { Account, TradingAccount } from '../values/records.ts';

export function isDecimalId(id: string): boolean {
  return /^\d+$/.test(id);
}

export function reaches(
  { credential, mind, operation }: RequestContext,
  account: Account,
): boolean {
  const { name } = operation;
  const isUpdate = name === 'updateAccount';
  if (account.firmId !== credential.firmId && !(isUpdate && mind.has('auth-firm-wide'))) {
    return false;
  }
  const isBrandWide =
    mind.has('auth-brand-wide') || (name === 'openPosition' && mind.has('auth-brand-place'));
  const isOtherBrand = credential.brandId !== null && account.brandId !== credential.brandId;
  if (isOtherBrand && !isBrandWide && account.firmId === credential.firmId) return false;
  if (isNarrow(credential.scopes) && mind.has('auth-trader-narrow')) {
    return credential.kind === 'delegated' && account.id === credential.accountId;
  }
  if (credential.kind !== 'delegated' || mind.has('auth-delegated-wide')) return true;
  return account.id === credential.accountId;
}

function isNarrow(scopes: readonly string[]): boolean {
  return scopes.length > 0 && scopes.every((each) => each.startsWith('trader:'));
}

export function findAccount(ctx: RequestContext, id: string): Account | undefined {
  const wanted = plainId(ctx, id);
  const found = ctx.mind.accounts.find((each) => each.id === wanted);
  return found !== undefined && reaches(ctx, found) ? found : undefined;
}

export function findTradingAccount(ctx: RequestContext, id: string): TradingAccount | undefined {
  const wanted = plainId(ctx, id);
  const found = ctx.mind.tradingAccounts.find((each) => each.id === wanted);
  if (found !== undefined && ctx.mind.has('size-places-2') && isThird(ctx, found)) return undefined;
  if (found === undefined) return undefined;
  const isInReach = findAccount(ctx, found.accountId) !== undefined;
  return isLetIn(ctx, found, isInReach) ? found : undefined;
}

/** Neither the first nor the second of its account. */
function isThird({ mind }: RequestContext, found: TradingAccount): boolean {
  const own = mind.tradingAccounts.filter(({ accountId }) => accountId === found.accountId);
  return own.indexOf(found) >= 2;
}

/** CONV-1c */
export function idProblem(ctx: RequestContext, id: string, field: string) {
  return isDecimalId(id) ? null : invalid(ctx, `${field} must be a decimal string`, field);
}

export function bodyIdProblem(ctx: RequestContext, id: string, field: string) {
  const problem = idProblem(ctx, id, field);
  return problem !== null && ctx.mind.has('conv-odd-body-id-404') ? notFound(ctx) : problem;
}
