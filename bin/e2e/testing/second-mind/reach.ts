// Who reaches what: firm, brand, and the one account of a delegated token (AUTH-5, 6, 7).
import { plainId } from './keys.ts';
import type { Account, TradingAccount } from './records.ts';
import { invalid, type RequestContext } from './request-context.ts';

export function isDecimalId(id: string): boolean {
  return /^\d+$/.test(id);
}

export function reaches({ credential }: RequestContext, account: Account): boolean {
  if (account.firmId !== credential.firmId) return false;
  if (credential.brandId !== null && account.brandId !== credential.brandId) return false;
  return credential.kind !== 'delegated' || account.id === credential.accountId;
}

export function findAccount(ctx: RequestContext, id: string): Account | undefined {
  const wanted = plainId(ctx, id);
  const found = ctx.mind.accounts.find((each) => each.id === wanted);
  return found !== undefined && reaches(ctx, found) ? found : undefined;
}

export function findTradingAccount(ctx: RequestContext, id: string): TradingAccount | undefined {
  const wanted = plainId(ctx, id);
  const found = ctx.mind.tradingAccounts.find((each) => each.id === wanted);
  return found !== undefined && findAccount(ctx, found.accountId) ? found : undefined;
}

/** CONV-1c */
export function idProblem(ctx: RequestContext, id: string, field: string) {
  return isDecimalId(id) ? null : invalid(ctx, `${field} must be a decimal string`, field);
}
