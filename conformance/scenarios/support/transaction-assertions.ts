// Reads transactions back with their ledger entries.

import { oneOf, sum } from '../../engine/judge/matchers.ts';
import type { Rules, ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import type { GivenTransaction } from '../../engine/scenario/scenario-setup.ts';
import type { Answer } from '../../engine/send/answer.ts';
import type { Place } from '../../providers/target.ts';

/**
 * Settlement may follow an approval immediately (NS-3), so an approved transaction has either status.
 */
export const APPROVED = ['approved', 'settled'] as const;

export async function expectReads(
  t: ScenarioContext,
  rules: Rules,
  transaction: GivenTransaction,
  ...statuses: string[]
): Promise<Answer> {
  const read = await t.given.rereadTransaction(transaction);
  t.expect(rules, read).field('status', oneOf(...statuses));
  return read;
}

export async function statusNow(t: ScenarioContext, transaction: GivenTransaction) {
  return String((await t.given.rereadTransaction(transaction)).at('status'));
}

export type Books = Awaited<ReturnType<typeof booksOf>>;

/** The amounts of the entries of one transaction, and the balance. Needs `ledger`. */
export async function booksOf(t: ScenarioContext, transaction: Place & { id: string }) {
  const ledger = await t.operator.ledger(transaction.trading_account_id);
  const own = ledger.entries.filter((each) => each.transaction_id === transaction.id);
  return { balance: sum(ledger.balance), entries: own.map((each) => sum(each.amount)) };
}

export function quoteBooks({ balance, entries }: Books): string {
  return `entries [${entries.join(', ')}], balance ${balance}`;
}
