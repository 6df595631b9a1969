// Trading accounts, which the API cannot make, and settlement on order.
import { evolve } from '../evolve.ts';
import { transitionChanges } from '../operations/transition-changes.ts';
import type { TradingAccount } from '../records.ts';
import type { Transition } from '../tables/transitions.ts';
import { type CommandContext, type CommandOutcome, done, refused } from './command.ts';

export interface CreateTradingAccount {
  readonly account_id: string;
  readonly currency?: string;
  readonly provider_payouts?: boolean;
}

export function createTradingAccount(
  { world }: CommandContext,
  args: CreateTradingAccount,
): CommandOutcome {
  if (!world.accounts.has(args.account_id)) {
    return refused('id', `there is no account ${args.account_id}`, 404);
  }
  const tradingAccount: TradingAccount = {
    id: String(world.counters.tradingAccount + 1),
    account_id: args.account_id,
    currency: args.currency ?? 'USD',
    provider_payouts: args.provider_payouts ?? false,
    balance: '0.00',
    entries: [],
  };
  evolve(world, [{ type: 'trading-account-set', tradingAccount }]);
  return done({ tradingAccount });
}

/** NS-3: settles an approved transaction now, whatever its timer says. */
export function settle(context: CommandContext, args: { readonly id: string }): CommandOutcome {
  const { world, behaviour } = context;
  const transaction = world.transactions.get(args.id);
  if (transaction === undefined) return refused('id', `there is no transaction ${args.id}`, 404);
  const move: Transition = behaviour.transactions.transitions[transaction.status].settle;
  if (move.kind === 'refused') {
    const message = `transaction ${args.id} is ${transaction.status}; only an approved one settles`;
    return refused('id', message, 409);
  }
  if (move.kind === 'unchanged') return done({ transaction });
  const moved = transitionChanges(context, transaction, move, 'settle');
  evolve(world, moved.changes);
  return done({ transaction: moved.transaction });
}
