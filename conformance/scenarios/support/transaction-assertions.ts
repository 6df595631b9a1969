// Reads transactions back with their ledger entries, and describes the differences between two
// answers about one of them.

import { isDeepStrictEqual } from 'node:util';
import { epochMs, oneOf, sameAmount, sum } from '../../engine/judge/matchers.ts';
import type { Rules, ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import type { GivenTransaction } from '../../engine/scenario/scenario-setup.ts';
import type { Answer, Json } from '../../engine/send/answer.ts';
import { printJson } from '../../engine/send/json.ts';
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

/** The members that the specification lists for a transaction. */
export const MEMBERS = [
  'id',
  'account_id',
  'trading_account_id',
  'currency',
  'amount',
  'method',
  'transaction_type',
  'status',
  'is_ftd',
  'created_at',
];

/** Every listed member is as before, except the named ones. Other rules judge other members. */
export function expectUnchanged(
  t: ScenarioContext,
  rules: Rules,
  first: Answer,
  later: Answer,
  ...but: string[]
): void {
  const changed = MEMBERS.filter(
    (name) => !but.includes(name) && !readsAlike(name, first.at(name), later.at(name)),
  );
  const seen = changed.map((name) => `${name}: ${printJson(later.at(name))}`).join(', ');
  const besides = but.length === 0 ? '' : ` except for ${but.join(' and ')}`;
  t.expect(rules, later).is(`every member as before${besides}`, seen === '', seen, first);
}

/** CONV-1a, CONV-2a, CONV-4 judge the form of ids, amounts and times. */
function readsAlike(name: string, was: Json | undefined, is: Json | undefined): boolean {
  if (isDeepStrictEqual(was, is)) return true;
  if (was === undefined || is === undefined) return false;
  if (name === 'amount') return sameAmount(String(was)).test(String(is));
  if (name === 'created_at') return !epochMs.test(was) || !epochMs.test(is);
  return /(^|_)id$/.test(name) && String(was) === String(is);
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
