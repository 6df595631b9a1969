// Trading accounts, which the API cannot make, and settlement on order.
import { evolve } from '../evolve.ts';
import { moveChanges } from '../operations/move-changes.ts';
import type { TradingAccount } from '../records.ts';
import type { Move } from '../tables/moves.ts';
import { type ActContext, type ActOutcome, done, refused } from './act.ts';

export interface CreateTradingAccount {
  readonly account_id: string;
  readonly currency?: string;
  readonly provider_payouts?: boolean;
}

export function createTradingAccount(
  { world }: ActContext,
  args: CreateTradingAccount,
): ActOutcome {
  if (!world.accounts.has(args.account_id)) {
    return refused('id', `there is no account ${args.account_id}`, 404);
  }
  const tradingAccount: TradingAccount = {
    id: String(world.counters.tradingAccount + 1),
    accountId: args.account_id,
    currency: args.currency ?? 'USD',
    providerPayouts: args.provider_payouts ?? false,
    balance: '0.00',
    entries: [],
  };
  evolve(world, [{ type: 'trading-account-set', tradingAccount }]);
  return done({ tradingAccount });
}

/** NS-3: settles an approved transaction now, whatever its timer says. */
export function settle(context: ActContext, args: { readonly id: string }): ActOutcome {
  const { world, behaviour } = context;
  const transaction = world.transactions.get(args.id);
  if (transaction === undefined) return refused('id', `there is no transaction ${args.id}`, 404);
  const move: Move = behaviour.transactions.moves[transaction.status].settle;
  if (move.kind === 'refused') {
    const message = `transaction ${args.id} is ${transaction.status}; only an approved one settles`;
    return refused('id', message, 409);
  }
  if (move.kind === 'unchanged') return done({ transaction });
  const moved = moveChanges(context, transaction, move, 'settle');
  evolve(world, moved.changes);
  return done({ transaction: moved.transaction });
}
