// What a write has left behind, as an operator sees it: records, their state, money, events.
import { isDeepStrictEqual } from 'node:util';
import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import type { Traces } from './write-commands.ts';

type Row = { readonly [name: string]: unknown };

export interface Footprint {
  readonly accounts: readonly Row[];
  readonly transactions: readonly Row[];
  /** Balance and entries of the trading account. */
  readonly money: string;
  /** Every event there is: in a world of its own nobody else causes any. */
  readonly events: number;
}

/** Needs `ledger` and `emit`. */
export async function footprintOf(t: ScenarioContext, traces: Traces): Promise<Footprint> {
  const { operator } = t;
  const accounts: Row[] = [];
  for (const named of traces.accounts ?? []) accounts.push(...(await operator.accounts(named)));
  const transactions: Row[] = [];
  for (const named of traces.transactions ?? []) {
    transactions.push(...(await operator.transactions(named)));
  }
  const { tradingAccountId } = traces;
  const ledger = tradingAccountId === undefined ? null : await operator.ledger(tradingAccountId);
  const amounts = ledger?.entries.map(({ amount }) => amount).join(', ');
  return {
    accounts,
    transactions,
    money: ledger === null ? '' : `balance ${ledger.balance}, entries [${amounts}]`,
    events: (await operator.events(0)).length,
  };
}

/** What is no longer as it was, one sentence each. */
export function movesBetween(before: Footprint, after: Footprint): string[] {
  const moves: string[] = [];
  for (const kind of ['accounts', 'transactions'] as const) {
    const [were, are] = [before[kind], after[kind]];
    if (were.length !== are.length) {
      moves.push(`${are.length} ${kind} in place of ${were.length}`);
    } else if (!isDeepStrictEqual(were, are)) {
      moves.push(`${kind} changed: ${JSON.stringify(are)} after ${JSON.stringify(were)}`);
    }
  }
  if (before.money !== after.money) moves.push(`${after.money} after ${before.money}`);
  if (before.events !== after.events) {
    moves.push(`${after.events - before.events} more events`);
  }
  return moves;
}
