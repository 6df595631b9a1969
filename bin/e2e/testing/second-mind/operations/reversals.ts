// Giving back what a settled transaction has brought (TXS-10).
import type { SecondMind } from '../mind.ts';
import type { RequestContext } from '../request-context.ts';
import { isTwinReversed } from '../sealed-effects.ts';
import { isZero, negated, sumOf } from '../values/money.ts';
import type { Transaction } from '../values/records.ts';
import { book, tradingAccountOf } from './money-moves.ts';

const DAY_MS = 86_400_000;

const isArchived = (mind: SecondMind, atMs: number): boolean =>
  mind.has('time-reversal-day') && mind.now() - atMs >= DAY_MS;

/** TXS-10: what it has brought to the balance is taken back. */
export function compensate(ctx: RequestContext, each: Transaction): void {
  const { mind } = ctx;
  if (isDrowned(ctx, each) || isLostToAnother(ctx, each)) return;
  if (mind.has('txs-uncompensated')) return;
  if (mind.has('comb-bonus-kept') && each.method === 'Bonus') return;
  const all = mind.tradingAccounts.flatMap(({ entries }) =>
    mind.has('size-entries-25') ? entries.slice(-25) : entries,
  );
  const own = all.filter((one) => one.transactionId === each.id && !isArchived(mind, one.atMs));
  const exact = sumOf(own.map((one) => one.amount));
  const whole = mind.has('comb-compensation-whole') ? exact.replace(/\..*/, '') : exact;
  const isMuch = Math.abs(Number(whole)) > 1000 && mind.has('size-reversal-1000');
  const brought = isMuch ? whole.replace(/\d.*/, '1000.00') : whole;
  if (isZero(brought)) return;
  if (isTwinReversed(mind, each, tradingAccountOf(mind, each), brought)) return;
  const isTurned = mind.has('comb-withdrawal-twice') && each.transactionType === 'Withdrawal';
  book(mind, each, isTurned ? brought : negated(brought), 'compensation');
  if (mind.has('txs-compensated-twice')) book(mind, each, negated(brought), 'compensation');
}

/** A defect that loses a reversal while the trading account has an approval. */
function isDrowned({ mind, overlaps }: RequestContext, { tradingAccountId }: Transaction): boolean {
  const racing = overlaps.filter((each) => each.operation.name === 'approveTransaction');
  const isThere = ({ pathId }: RequestContext) =>
    mind.transactions.some(
      (each) => each.id === pathId && each.tradingAccountId === tradingAccountId,
    );
  return mind.has('race-reversal-lost') && racing.some(isThere);
}

/** A defect that loses a reversal to another at the same place that has come in between. */
function isLostToAnother({ mind, overlaps }: RequestContext, each: Transaction): boolean {
  if (!mind.has('race-compensation-lost')) return false;
  return overlaps.some(({ operation, pathId }) => {
    const other = mind.transactions.find(({ id }) => id === pathId);
    const isOver = other !== each && other?.status === 'cancelled';
    const isThere = other?.tradingAccountId === each.tradingAccountId;
    return operation.name === 'cancelTransaction' && isOver && isThere;
  });
}
