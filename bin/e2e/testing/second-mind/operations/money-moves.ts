// Money on its way: settlement, and the entries that change a balance.
import { emit } from '../events.ts';
import type { SecondMind } from '../mind.ts';
import { touchNightly } from '../sealed-effects.ts';
import { absolute, negated, sumOf } from '../values/money.ts';
import type { TradingAccount, Transaction } from '../values/records.ts';
import { transactionBody } from './transactions.ts';

const HOUR_MS = 3_600_000;

/** What a transaction does to the balance: withdrawals and debits take away. */
export function effectOf({ amount, transactionType }: Transaction): string {
  const takes = transactionType === 'Withdrawal' || transactionType === 'Debit';
  return takes ? negated(absolute(amount)) : absolute(amount);
}

export function tradingAccountOf(mind: SecondMind, each: Transaction): TradingAccount {
  return mind.tradingAccounts.find(({ id }) => id === each.tradingAccountId)!;
}

export function book(mind: SecondMind, each: Transaction, amount: string, kind: string): void {
  const entry = { transactionId: each.id, amount, kind, atMs: mind.now() };
  const own = tradingAccountOf(mind, each);
  const first = mind.tradingAccounts.find((one) => one.accountId === own.accountId)!;
  const isDeposit = each.transactionType === 'Deposit';
  const target = isDeposit && mind.has('comb-second-place') ? first : own;
  target.entries.push(entry);
}

export function balanceOf({ entries }: TradingAccount): string {
  return sumOf(entries.map((each) => each.amount));
}

export function settle(mind: SecondMind, each: Transaction): void {
  if (each.status !== 'approved') return;
  each.status = 'settled';
  each.settlesAtMs = null;
  if (mind.has('time-settled-unmarks')) each.isFtd = false;
  each.changedAtMs = mind.now();
  if (mind.style.creditsAt === 'settled') book(mind, each, effectOf(each), 'movement');
  announce(mind, each, 'transaction.settled');
}

/** NS-3: settles what is due by now. */
export function settleDue(mind: SecondMind): void {
  const nowMs = mind.now();
  touchNightly(mind);
  for (const each of mind.transactions) {
    if (each.settlesAtMs !== null && each.settlesAtMs <= nowMs) settle(mind, each);
    ageWrongly(mind, each, nowMs - each.changedAtMs);
  }
  for (const each of mind.has('time-dormant-quarter') ? mind.accounts : []) {
    if (nowMs - each.changedAtMs >= 90 * 24 * HOUR_MS) each.status = 'Dormant';
  }
}

/** Defects in what becomes of a transaction that nobody touches. */
function ageWrongly(mind: SecondMind, each: Transaction, ageMs: number): void {
  const isOld = each.status === 'settled' && ageMs >= 7 * 24 * HOUR_MS;
  if (isOld && mind.has('time-settled-forgets')) each.status = 'approved';
  const hasEnded = each.status === 'cancelled' && each.hadSettled && ageMs >= HOUR_MS;
  if (hasEnded && mind.has('time-cancelled-settles')) each.status = 'settled';
}

export function announce(mind: SecondMind, each: Transaction, kind: string): void {
  const account = mind.accounts.find(({ id }) => id === each.accountId)!;
  emit(mind, 'transaction', kind, account, transactionBody(each));
}
