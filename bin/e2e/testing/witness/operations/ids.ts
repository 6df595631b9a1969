// Ids, and the records that they name within a credential's reach.
import type { Account, Reply, TradingAccount } from '../records.ts';
import { invalid } from '../replies.ts';
import type { Context, World } from '../types.ts';

export const isDecimalId = (id: string): boolean => /^\d+$/.test(id);

/** CONV-1c */
export function idProblem(context: Context, id: string, field: string): Reply | null {
  return isDecimalId(id) ? null : invalid(context, `${field} must be a decimal string`, field);
}

/** NS-48 */
export function plainId({ style }: World, id: string): string {
  return style.leadingZeros ? BigInt(id).toString() : id;
}

export function findAccount({ world, credential }: Context, id: string): Account | undefined {
  const found = world.store.account(plainId(world, id));
  return found !== undefined && world.store.reaches(credential, found) ? found : undefined;
}

export function findTradingAccount(context: Context, id: string): TradingAccount | undefined {
  const found = context.world.store.tradingAccount(plainId(context.world, id));
  const isInReach = found !== undefined && findAccount(context, found.account_id) !== undefined;
  return isInReach ? found : undefined;
}
