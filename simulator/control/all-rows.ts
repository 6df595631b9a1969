// Every row of the control plane, in the order in which its description lists them.
import type { Row } from './row.ts';
import { credentialRows, firmRows } from './rows/platform/credentials.ts';
import { deliveryRows, subscriptionRows } from './rows/platform/deliveries.ts';
import { eventRows } from './rows/platform/events.ts';
import { limitRows } from './rows/platform/limits.ts';
import { accountRows, transactionRows } from './rows/platform/money.ts';
import { receiverRows } from './rows/platform/receivers.ts';
import { requestRows } from './rows/platform/requests.ts';
import { aboutRows } from './rows/sandbox/about.ts';
import { clockRows } from './rows/sandbox/clock.ts';
import { faultRows } from './rows/sandbox/faults.ts';
import { forwardRows, nameRows } from './rows/sandbox/names.ts';
import { questionRows } from './rows/sandbox/questions.ts';
import { snapshotRows } from './rows/sandbox/snapshots.ts';
import { stateRows } from './rows/sandbox/state.ts';
import { streamRows } from './rows/sandbox/stream.ts';
import { worldRows } from './rows/sandbox/worlds.ts';

export const rows: readonly Row[] = [
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
