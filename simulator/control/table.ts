// Every row of the control plane, in the order in which its description lists them.
import type { Row } from './row.ts';
import { aboutRows } from './rows/about.ts';
import { clockRows } from './rows/clock.ts';
import { credentialRows, firmRows } from './rows/credentials.ts';
import { deliveryRows, subscriptionRows } from './rows/deliveries.ts';
import { eventRows } from './rows/events.ts';
import { faultRows } from './rows/faults.ts';
import { limitRows } from './rows/limits.ts';
import { accountRows, transactionRows } from './rows/money.ts';
import { forwardRows, nameRows } from './rows/names.ts';
import { questionRows } from './rows/questions.ts';
import { receiverRows } from './rows/receivers.ts';
import { requestRows } from './rows/requests.ts';
import { stateRows } from './rows/state.ts';
import { streamRows } from './rows/stream.ts';
import { worldRows } from './rows/worlds.ts';

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
  ...worldRows,
  ...streamRows,
];
