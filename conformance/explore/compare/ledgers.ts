// Compares balances and their entries: what money was moved, whatever the answers said.
import type { LedgerOutcome } from '../play/outcome.ts';
import type { Difference } from './difference.ts';
import { type Comparing, normalDecimal } from './values.ts';

export function compareLedgers(
  target: LedgerOutcome,
  model: LedgerOutcome,
  { match }: Comparing,
): Difference | null {
  const wrong = (at: string, own: string, other: string): Difference => ({
    n: target.n,
    operation: 'ledger',
    at,
    model: other,
    target: own,
    modelAnswer: at,
    targetAnswer: at,
    basis: undefined,
  });
  const amounts = ({ entries }: LedgerOutcome) =>
    entries.map(({ amount }) => normalDecimal(amount)).join(' ');
  if (amounts(target) !== amounts(model)) return wrong('entries', amounts(target), amounts(model));
  for (const [index, { transaction_id: own }] of target.entries.entries()) {
    const other = model.entries[index]?.transaction_id ?? null;
    if (own === null || other === null) continue;
    if (!match.pair('transaction', own, other)) return wrong('entries.of', own, other);
  }
  const [own, other] = [normalDecimal(target.balance), normalDecimal(model.balance)];
  return own === other ? null : wrong('balance', own, other);
}
