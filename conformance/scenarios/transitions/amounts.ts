// The money that a ledger has booked for a transaction.
import { sum } from '../../engine/judge/matchers.ts';
import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import type { Place } from '../../providers/target.ts';

export interface Books {
  /** The balance of the trading account, in the shortest form. */
  readonly balance: string;
  /** Amounts of the entries of one transaction, in order. */
  readonly entries: readonly string[];
}

/** The entries of one transaction, and the balance. Needs `ledger`. */
export async function booksOf(
  t: ScenarioContext,
  transaction: Place & { id: string },
): Promise<Books> {
  const ledger = await t.operator.ledger(transaction.trading_account_id);
  const own = ledger.entries.filter((each) => each.transaction_id === transaction.id);
  return { balance: sum(ledger.balance), entries: own.map((each) => sum(each.amount)) };
}

export function quoteBooks({ balance, entries }: Books): string {
  return `entries [${entries.join(', ')}], balance ${balance}`;
}
