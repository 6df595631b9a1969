// Every scenario, family by family, in the order of the catalogue.
import type { Scenario } from '../engine/types.ts';
import { authenticationScenarios } from './access/authentication.ts';
import { accountScenarios } from './accounts/create.ts';
import { accountPeopleScenarios } from './accounts/people.ts';
import { bulkScenarios } from './bulk/create.ts';
import { conventionScenarios } from './conventions/conventions.ts';
import { eventChannelScenarios } from './delivery/channel.ts';
import { deliveryEndScenarios } from './delivery/ending.ts';
import { deliveryFormScenarios } from './delivery/form.ts';
import { eventKindScenarios } from './delivery/kinds.ts';
import { deliveryProgressScenarios } from './delivery/progress.ts';
import { deliveryRetryScenarios } from './delivery/retries.ts';
import { eventScenarios } from './delivery/routing.ts';
import { errorScenarios } from './errors/errors.ts';
import { idempotencyScenarios } from './idempotency/all.ts';
import { limitFirmScenarios } from './limits/firm.ts';
import { limitScenarios } from './limits/limits.ts';
import { positionScenarios } from './positions/positions.ts';
import { transactionScenarios } from './transactions/transactions.ts';
import { transactionStateScenarios } from './transitions/all.ts';
import { updateScenarios } from './updates/updates.ts';
import { webhookScenarios } from './webhooks/webhooks.ts';

export const scenarios: readonly Scenario[] = [
  ...conventionScenarios,
  ...accountScenarios,
  ...accountPeopleScenarios,
  ...updateScenarios,
  ...bulkScenarios,
  ...positionScenarios,
  ...transactionScenarios,
  ...transactionStateScenarios,
  ...authenticationScenarios,
  ...idempotencyScenarios,
  ...webhookScenarios,
  ...eventScenarios,
  ...eventKindScenarios,
  ...deliveryFormScenarios,
  ...deliveryRetryScenarios,
  ...deliveryProgressScenarios,
  ...deliveryEndScenarios,
  ...eventChannelScenarios,
  ...errorScenarios,
  ...limitScenarios,
  ...limitFirmScenarios,
];
