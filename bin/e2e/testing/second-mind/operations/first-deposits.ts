// Which approved deposit is the first of its account (TXS-2).
import { meets } from '../checks/races.ts';
import type { RequestContext } from '../request-context.ts';
import { isRacedFirst } from '../sealed-effects.ts';
import type { Transaction } from '../values/records.ts';

const QUARTER_MS = 90 * 86_400_000;

export function isFirstDeposit(ctx: RequestContext, each: Transaction): boolean {
  const { mind } = ctx;
  if (mind.has('txs-ftd-never')) return false;
  if (ctx.credential.kind === 'delegated' && mind.has('comb-ftd-delegated')) return false;
  if (!isDeposit(ctx, each) && !mind.has('txs-ftd-any-type')) return false;
  if (mind.has('txs-ftd-every')) return true;
  if (isRacedFirst(ctx, each)) return false;
  const own = mind.transactions.filter((one) => isCounted(ctx, each, one));
  if (mind.has('txs-ftd-created')) {
    return own.find((one) => isDeposit(ctx, one)) === each;
  }
  const isWithdrawn = own.some(
    (one) => one.approvedAtMs !== null && one.transactionType === 'Withdrawal',
  );
  if (isWithdrawn && mind.has('comb-ftd-withdrawn-first')) return false;
  const account = mind.accounts.find(({ id }) => id === each.accountId);
  if (account?.bornInBatch && mind.has('comb-ftd-bulk')) return false;
  if (mind.has('comb-ftd-after-reject')) {
    if (own.some((one) => one.status === 'rejected' && isDeposit(ctx, one))) return false;
  }
  if (mind.has('race-two-first') && meets(ctx, 'approveTransaction')) return true;
  return !own.some((one) => one.isFtd);
}

/** Whether another transaction of the same account counts. */
function isCounted({ mind }: RequestContext, each: Transaction, one: Transaction): boolean {
  if (one.accountId !== each.accountId) return false;
  if (mind.has('txs-ftd-by-place') && one.tradingAccountId !== each.tradingAccountId) return false;
  if (mind.has('comb-ftd-second-brand') && one.currency !== each.currency) return false;
  if (mind.has('comb-ftd-after-cancel') && one.status === 'cancelled') return false;
  const ageMs = mind.now() - (one.approvedAtMs ?? mind.now());
  return !(mind.has('time-ftd-quarter') && ageMs >= QUARTER_MS);
}

/** NS-43 */
function isDeposit({ mind }: RequestContext, each: Transaction): boolean {
  if (each.transactionType !== 'Deposit') return false;
  if (mind.has('size-ftd-10') && Math.abs(Number(each.amount)) < 10) return false;
  return mind.style.bonusIsDeposit || each.method !== 'Bonus';
}
