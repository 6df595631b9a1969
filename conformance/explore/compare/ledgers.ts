// Compares balances and ledger entries: the money that was moved, whatever the answers were.
import type { LedgerOutcome } from '../play/outcome.ts';
import type { Difference } from './difference.ts';
import { type Comparing, normalDecimal } from './values.ts';

type Entries = LedgerOutcome['entries'];
/** The id of a transaction; null: an entry without one, undefined: an unknown one. */
type Id = string | null | undefined;

/** NS-3: entries of the transactions in `unsettled`, by the model's ids, are left out. */
export function compareLedgers(
  target: LedgerOutcome,
  model: LedgerOutcome,
  unsettled: ReadonlySet<string>,
  { match }: Comparing,
): Difference | null {
  const wrong = (at: string, own: string, other: string): Difference => ({
    ...{ n: target.n, operation: 'ledger', at, model: other, target: own },
    ...{ modelAnswer: 'entries', targetAnswer: 'entries', basis: undefined },
  });
  const modelOf = (id: Id) => (id == null ? id : match.modelOf('transaction', id));
  // NS-3: either of two transactions may be booked first. So the entries of each are grouped, in the
  // model's order of transactions; entries of unpaired transactions come last, in their own order.
  const places = new Map<Id, number>();
  for (const { transaction_id: id } of model.entries) {
    const isKnown = id === null || match.targetOf('transaction', id) !== undefined;
    if (isKnown && !places.has(id)) places.set(id, places.size);
  }
  const inOrder = (entries: Entries, nameOf: (id: Id) => Id) => {
    const placeOf = (id: Id) => places.get(nameOf(id)) ?? places.size;
    return entries
      .filter(({ transaction_id: id }) => !unsettled.has(nameOf(id) ?? ''))
      .sort((one, two) => placeOf(one.transaction_id) - placeOf(two.transaction_id));
  };
  const [own, other] = [inOrder(target.entries, modelOf), inOrder(model.entries, (id) => id)];
  const [came, due] = [amountsOf(own), amountsOf(other)];
  if (came.join() !== due.join()) return wrong('entries', inWords(came), inWords(due));
  for (const [index, { transaction_id: id }] of own.entries()) {
    const counterpart = other[index]?.transaction_id ?? null;
    if (id === null || counterpart === null) continue;
    if (!match.pair('transaction', id, counterpart)) return wrong('entries.of', id, counterpart);
  }
  // The balances are comparable only if both sides use the same sign for each movement.
  const signsOf = (entries: Entries) => entries.map(({ amount }) => isMinus(amount)).join();
  if (unsettled.size > 0 || signsOf(own) !== signsOf(other)) return null;
  const [balance, dueBalance] = [target, model].map((each) => normalDecimal(each.balance));
  return balance === dueBalance ? null : wrong('balance', balance!, dueBalance!);
}

const isMinus = (amount: string): boolean => normalDecimal(amount).startsWith('-');

/**
 * NS-27, NS-43: the sign of a movement is open; whether later entries have the same or the opposite
 * sign is not. So the first entry of each transaction counts as plus.
 */
function amountsOf(entries: Entries): readonly string[] {
  const turned = new Map<string | null, boolean>();
  return entries.map(({ transaction_id: id, amount }) => {
    if (!turned.has(id)) turned.set(id, isMinus(amount));
    const text = normalDecimal(amount);
    if (turned.get(id) !== true || text === '0') return text;
    return text.startsWith('-') ? text.slice(1) : `-${text}`;
  });
}

const inWords = (amounts: readonly string[]): string => amounts.slice(0, 12).join(', ') || 'none';
