// What a move of a transaction does: its status, the first-time deposit, the money, the event, the
// settlement to come.

import type { EventKind } from '../../../fixtures/event-kinds.ts';
import type { Change } from '../change.ts';
import { emit } from '../delivery/emit-event.ts';
import type { RequestContext } from '../pipeline/request-context.ts';
import type { Account, Entry, Transaction } from '../records.ts';
import type { Transition, Trigger } from '../tables/transitions.ts';
import { negateDecimal } from '../values/decimal.ts';

type Context = Pick<RequestContext, 'world' | 'behaviour' | 'atMs'>;
type AppliedTransition = Extract<Transition, { readonly kind: 'move' }>;

const kinds: Readonly<Record<Trigger, EventKind>> = {
  approve: 'transaction.approved',
  reject: 'transaction.rejected',
  cancel: 'transaction.cancelled',
  settle: 'transaction.settled',
};

export interface TransitionResult {
  readonly transaction: Transaction;
  readonly changes: readonly Change[];
}

/** `before` already carries reason and operator where the trigger brings them. */
export function transitionChanges(
  context: Context,
  before: Transaction,
  move: AppliedTransition,
  trigger: Trigger,
): TransitionResult {
  const { behaviour, world } = context;
  const first = trigger === 'approve' && becomesFirstDeposit(context, before);
  const transaction: Transaction = { ...before, status: move.to, is_ftd: before.is_ftd || first };
  const changes: Change[] = [{ type: 'transaction-changed', transaction }];
  if (first) {
    const account = world.accounts.get(before.account_id);
    if (account === undefined) throw new Error(`transaction ${before.id} has no account`);
    // TXS-2: kept at the account, so that it is set once and never moves.
    const marked: Account = { ...account, first_deposit_id: before.id };
    changes.push({ type: 'account-changed', account: marked });
  }
  const amount = behaviour.transactions.movement(before);
  if (move.books === true) changes.push(book(context, before, amount, 'movement'));
  if (move.compensates === true) {
    // TXS-10: the movement stays, a second entry reverses it.
    changes.push(book(context, before, negateDecimal(amount), 'compensation'));
  }
  const body = behaviour.serialize.transaction(transaction);
  changes.push(...emit(context, kinds[trigger], transaction, body));
  const delay = behaviour.transactions.settlementDelayMs;
  if (move.to === 'approved' && delay !== null) {
    // NS-3: settles by itself.
    const dueAtMs = context.atMs + delay;
    changes.push({ type: 'timer-set', dueAtMs, kind: 'settle', ref: before.id });
  }
  return { transaction, changes };
}

function becomesFirstDeposit({ world, behaviour }: Context, transaction: Transaction): boolean {
  const account = world.accounts.get(transaction.account_id);
  return account !== undefined && behaviour.transactions.isFirstDeposit(transaction, account);
}

function book(
  { world, behaviour, atMs }: Context,
  { id, trading_account_id: tradingAccountId }: Transaction,
  amount: string,
  kind: Entry['kind'],
): Change {
  const tradingAccount = world.tradingAccounts.get(tradingAccountId);
  if (tradingAccount === undefined) throw new Error(`transaction ${id} has no trading account`);
  const entry: Entry = { transaction_id: id, amount, kind, at_ms: atMs };
  const balance = behaviour.values.add(tradingAccount.balance, amount);
  return { type: 'entry-booked', tradingAccountId, entry, balance };
}

/** Approved money reaches the balance: by its timer, or when an operator says so (NS-3). */
export function settleTransaction(
  context: Context,
  transaction: Transaction,
): TransitionResult | null {
  const move: Transition = context.behaviour.transactions.transitions[transaction.status].settle;
  return move.kind === 'move' ? transitionChanges(context, transaction, move, 'settle') : null;
}
