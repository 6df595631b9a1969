// Money on its way: settlement, and the entries that change a balance.
import { emit } from './events.ts';
import type { SecondMind } from './mind.ts';
import { absolute, negated, sumOf } from './money.ts';
import type { TradingAccount, Transaction } from './records.ts';
import { transactionBody } from './transactions.ts';

/** What a transaction does to the balance: withdrawals and debits take away. */
export function effectOf({ amount, transactionType }: Transaction): string {
  const takes = transactionType === 'Withdrawal' || transactionType === 'Debit';
  return takes ? negated(absolute(amount)) : amount.replace(/^\+/, '');
}

export function tradingAccountOf(mind: SecondMind, each: Transaction): TradingAccount {
  return mind.tradingAccounts.find(({ id }) => id === each.tradingAccountId)!;
}

export function book(mind: SecondMind, each: Transaction, amount: string, kind: string): void {
  const entry = { transactionId: each.id, amount, kind, atMs: mind.now() };
  tradingAccountOf(mind, each).entries.push(entry);
}

export function balanceOf({ entries }: TradingAccount): string {
  return sumOf(entries.map((each) => each.amount));
}

export function settle(mind: SecondMind, each: Transaction): void {
  if (each.status !== 'approved') return;
  each.status = 'settled';
  each.settlesAtMs = null;
  if (mind.style.creditsAt === 'settled') book(mind, each, effectOf(each), 'movement');
  announce(mind, each, 'transaction.settled');
}

/** NS-3: settles what is due by now. */
export function settleDue(mind: SecondMind): void {
  const nowMs = mind.now();
  for (const each of mind.transactions) {
    if (each.settlesAtMs !== null && each.settlesAtMs <= nowMs) settle(mind, each);
  }
}

export function announce(mind: SecondMind, each: Transaction, kind: string): void {
  const account = mind.accounts.find(({ id }) => id === each.accountId)!;
  emit(mind, 'transaction', kind, account, transactionBody(each));
}
