// Compares balances and their entries: what money was moved, whatever the answers said.
import type { LedgerOutcome } from '../play/outcome.ts';
import type { Difference } from './difference.ts';
import { type Comparing, normalDecimal } from './values.ts';

/** NS-3: entries of `unsettled`, by the model's names, are let be. */
export function compareLedgers(
  target: LedgerOutcome,
  model: LedgerOutcome,
  unsettled: ReadonlySet<string>,
  { match }: Comparing,
): Difference | null {
  const wrong = (at: string, own: string, other: string): Difference => ({
    n: target.n,
    operation: 'ledger',
    at,
    model: other,
    target: own,
    modelAnswer: 'entries',
    targetAnswer: 'entries',
    basis: undefined,
  });
  const isOpen = (id: string | null | undefined) => id != null && unsettled.has(id);
  const own = target.entries.filter(
    ({ transaction_id: id }) => id === null || !isOpen(match.modelOf('transaction', id)),
  );
  const other = model.entries.filter(({ transaction_id: id }) => !isOpen(id));
  const [said, expected] = [amountsOf(own), amountsOf(other)];
  if (said !== expected) return wrong('entries', said, expected);
  for (const [index, { transaction_id: id }] of own.entries()) {
    const counterpart = other[index]?.transaction_id ?? null;
    if (id === null || counterpart === null) continue;
    if (!match.pair('transaction', id, counterpart)) return wrong('entries.of', id, counterpart);
  }
  if (unsettled.size > 0) return null;
  const [balance, due] = [normalDecimal(target.balance), normalDecimal(model.balance)];
  return balance === due ? null : wrong('balance', balance, due);
}

function amountsOf(entries: LedgerOutcome['entries']): string {
  return entries.length === 0
    ? 'none'
    : entries.map(({ amount }) => normalDecimal(amount)).join(', ');
}
