// Money on its way: settlement, and the entries that change a balance.
import type { Transaction } from './records.ts';
import type { World } from './types.ts';
import { absolute, isZero, type JsonObject, negated, sumOf } from './values.ts';

/** TXN-8 */
export function transactionBody(each: Transaction): JsonObject {
  return {
    id: each.id,
    account_id: each.account_id,
    trading_account_id: each.trading_account_id,
    currency: each.currency,
    amount: each.amount,
    method: each.method,
    transaction_type: each.transaction_type,
    status: each.status,
    is_ftd: each.is_ftd,
    created_at: each.created_at,
  };
}

/** NS-43: withdrawals and debits take away, whatever the sign of the amount. */
export function effectOf({ amount, transaction_type: type }: Transaction): string {
  const takes = type === 'Withdrawal' || type === 'Debit';
  return takes ? negated(absolute(amount)) : absolute(amount);
}

export function bookMovement(world: World, { id, ...each }: Transaction, amount: string): void {
  const entry = { transaction_id: id, amount, kind: 'movement', at_ms: world.clock.now() } as const;
  world.store.book(each.trading_account_id, entry);
}

/** TXS-10: what it has brought to the balance is taken back. */
export function compensate(world: World, each: Transaction): void {
  const entries = world.store.tradingAccount(each.trading_account_id)!.entries;
  const own = entries.filter((entry) => entry.transaction_id === each.id);
  const brought = sumOf(own.map((entry) => entry.amount));
  if (isZero(brought)) return;
  world.store.book(each.trading_account_id, {
    transaction_id: each.id,
    amount: negated(brought),
    kind: 'compensation',
    at_ms: world.clock.now(),
  });
}

export function settle(world: World, each: Transaction): Transaction {
  if (each.status !== 'approved') return each;
  if (world.style.creditsAt === 'settled') bookMovement(world, each, effectOf(each));
  return changeStatus(world, each, { status: 'settled' });
}

/** NS-3: settles what is due by now. */
export function settleDue(world: World): void {
  const nowMs = world.clock.now();
  for (const each of world.store.transactions()) {
    if (each.settles_ms !== null && each.settles_ms <= nowMs) settle(world, each);
  }
}

/** A new state, and the event of it. */
export function changeStatus(
  world: World,
  each: Transaction,
  change: Pick<Transaction, 'status'> & Partial<Transaction>,
): Transaction {
  const changed_ms = world.clock.now();
  const changed = world.store.saveTransaction({ ...each, settles_ms: null, ...change, changed_ms });
  announce(world, changed, `transaction.${change.status}`);
  return changed;
}

export function announce(world: World, each: Transaction, kind: string): void {
  const { id, firm_id: firmId, brand_id: brandId } = world.store.account(each.account_id)!;
  world.emit('transaction', kind, { firmId, brandId, accountId: id }, transactionBody(each));
}
