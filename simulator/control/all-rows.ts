// Every row of the control plane, in the order in which its description lists them.
import type { Row, TypedRow } from './row.ts';
import { credentialRows, firmRows } from './rows/platform/credentials.ts';
import { deliveryRows, subscriptionRows } from './rows/platform/deliveries.ts';
import { eventRows } from './rows/platform/events.ts';
import { limitRows } from './rows/platform/limits.ts';
import { accountRows, transactionRows } from './rows/platform/money.ts';
import { receiverRows } from './rows/platform/receivers.ts';
import { requestRows } from './rows/platform/requests.ts';
import { aboutRows } from './rows/sandbox/about.ts';
import { clockRows } from './rows/sandbox/clock.ts';
import { coverageRows } from './rows/sandbox/coverage.ts';
import { faultRows } from './rows/sandbox/faults.ts';
import { forwardRows, nameRows } from './rows/sandbox/names.ts';
import { questionRows } from './rows/sandbox/questions.ts';
import { snapshotRows } from './rows/sandbox/snapshots.ts';
import { stateRows } from './rows/sandbox/state.ts';
import { streamRows } from './rows/sandbox/stream.ts';
import { worldRows } from './rows/sandbox/worlds.ts';

const typedRows = [
  ...aboutRows,
  ...questionRows,
  ...clockRows,
  ...credentialRows,
  ...firmRows,
  ...accountRows,
  ...transactionRows,
  ...faultRows,
  ...nameRows,
  ...forwardRows,
  ...requestRows,
  ...coverageRows,
  ...limitRows,
  ...eventRows,
  ...subscriptionRows,
  ...deliveryRows,
  ...receiverRows,
  ...stateRows,
  ...snapshotRows,
  ...worldRows,
  ...streamRows,
];

/** What the compiler knows of each row. */
type EveryRow = (typeof typedRows)[number];

type Typed<R> =
  R extends TypedRow<string, infer Given, infer Answer>
    ? readonly [given: Given, answer: Answer]
    : never;

/** By name, what each row is given and what it answers. */
export type RowTypes = { readonly [R in EveryRow as R['name']]: Typed<R> };

export const rows: readonly Row[] = typedRows;
