// Exact sums of decimal strings, and the money that a ledger has booked for a transaction.
import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import type { Place } from '../../providers/target.ts';

/** The exact sum in its shortest form, so that equal sums are equal texts; NaN if there is none. */
export function sum(...amounts: readonly string[]): string {
  const parts = amounts.map((each) => /^(-?)([0-9]+)(?:\.([0-9]+))?$/.exec(each));
  if (parts.includes(null)) return 'NaN';
  const places = Math.max(0, ...parts.map((each) => each?.[3]?.length ?? 0));
  let units = 0n;
  for (const part of parts) {
    const [, sign = '', whole = '0', fraction = ''] = part ?? [];
    units += BigInt(`${sign}${whole}${fraction.padEnd(places, '0')}`);
  }
  const digits = String(units < 0n ? -units : units).padStart(places + 1, '0');
  const whole = digits.slice(0, digits.length - places);
  const fraction = digits.slice(digits.length - places).replace(/(?<!0)0+$/, '');
  return `${units < 0n ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`;
}

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
