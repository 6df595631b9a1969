// Every row of the control plane by its name, in the order of its description.
import type { Row, RowDraft, TypedRow } from './row.ts';
import { aboutRows } from './rows/about.ts';
import { clockRows } from './rows/clock.ts';
import { credentialRows, firmRows } from './rows/credentials.ts';
import { deliveryRows, eventRows } from './rows/events.ts';
import { faultRows, nameRows } from './rows/faults.ts';
import { journalRows } from './rows/journal.ts';
import { moneyRows } from './rows/money.ts';
import { stateRows, worldRows } from './rows/worlds.ts';

const groups = {
  Sandbox: ['The sandbox itself, and what happens in it as it happens.', aboutRows],
  Clock: ['The one clock of everything: settlement, keys, allowances, tokens, retries.', clockRows],
  Credentials: ['Who may call.', credentialRows],
  Firms: ['What firms may do, and how fast.', firmRows],
  Money: ['Accounts, trading accounts, transactions, with what the API does not show.', moneyRows],
  Faults: ['What is to go wrong on order.', faultRows],
  Names: ['What webhook hostnames resolve to, and where deliveries really go.', nameRows],
  Journal: [
    'Every call with its checks and reasons, coverage, idempotency keys, allowances.',
    journalRows,
  ],
  Events: ['The numbered log of events.', eventRows],
  Deliveries: ['Webhook subscriptions and what was sent to them.', deliveryRows],
  State: ['The whole world as a document, and snapshots of it.', stateRows],
  Worlds: ['Isolated worlds in the same process.', worldRows],
} as const;

/** Tags of the description with their words. */
export const tags = Object.entries(groups).map(([name, [description]]) => ({ name, description }));

type Rows = (typeof groups)[keyof typeof groups][1];
type Names<R> = R extends unknown ? keyof R : never;
type Found<R, N extends PropertyKey> = R extends Readonly<Record<N, infer Found>> ? Found : never;

/** By name, the input and output type of each row. */
export type RowTypes = {
  readonly [N in Names<Rows>]: Found<Rows, N> extends TypedRow<infer Given, infer Answer>
    ? { readonly given: Given; readonly answer: Answer }
    : never;
};

export const rows: readonly Row[] = Object.entries(groups).flatMap(([tag, [, tagged]]) =>
  Object.entries<RowDraft>(tagged).map(([name, draft]) => ({ ...draft, name, tag })),
);
