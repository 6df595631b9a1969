// Every scenario, family by family, in the order of the catalogue.
import type { Scenario } from '../engine/types.ts';
import { authenticationScenarios } from './access/authentication.ts';
import { accountScenarios } from './accounts/create.ts';
import { accountTimeScenarios } from './accounts/in-time.ts';
import { accountPeopleScenarios } from './accounts/people.ts';
import { accountReferenceScenarios } from './accounts/references.ts';
import { accountRefusalScenarios } from './accounts/refusals.ts';
import { bulkScenarios } from './bulk/create.ts';
import { conventionScenarios } from './conventions/conventions.ts';
import { deliveryEndScenarios } from './delivery/ending.ts';
import { eventKindScenarios } from './delivery/event-kinds.ts';
import { eventChannelScenarios } from './delivery/events-channel.ts';
import { deliveryFormScenarios } from './delivery/form.ts';
import { deliveryProgressScenarios } from './delivery/progress.ts';
import { realTimeScenarios } from './delivery/real-time.ts';
import { redirectScenarios } from './delivery/redirects.ts';
import { deliveryRepeatScenarios } from './delivery/repeats-and-rotation.ts';
import { deliveryRetryScenarios } from './delivery/retries.ts';
import { eventScenarios } from './delivery/routing.ts';
import { errorScenarios } from './errors/table.ts';
import { idempotencyScenarios } from './idempotency/all.ts';
import { limitCountingScenarios } from './limits/counting.ts';
import { limitFirmScenarios } from './limits/firm.ts';
import { limitFirmInRealTimeScenarios } from './limits/firm-in-real-time.ts';
import { limitOperationScenarios } from './limits/operations.ts';
import { limitPlanScenarios } from './limits/plans.ts';
import { limitScenarios } from './limits/rate.ts';
import { positionScenarios } from './positions/positions.ts';
import { transactionScenarios } from './transactions/create.ts';
import { transactionStateScenarios } from './transitions/all.ts';
import { updateRefusalScenarios } from './updates/refusals.ts';
import { updateScenarios } from './updates/update.ts';
import { webhookReachScenarios } from './webhooks/reach.ts';
import { webhookScenarios } from './webhooks/subscriptions.ts';
import { webhookTargetScenarios } from './webhooks/target-urls.ts';

export const scenarios: readonly Scenario[] = [
  ...conventionScenarios,
  ...accountScenarios,
  ...accountPeopleScenarios,
  ...accountReferenceScenarios,
  ...accountRefusalScenarios,
  ...accountTimeScenarios,
  ...updateScenarios,
  ...updateRefusalScenarios,
  ...bulkScenarios,
  ...positionScenarios,
  ...transactionScenarios,
  ...transactionStateScenarios,
  ...authenticationScenarios,
  ...idempotencyScenarios,
  ...webhookScenarios,
  ...webhookReachScenarios,
  ...webhookTargetScenarios,
  ...eventScenarios,
  ...eventKindScenarios,
  ...deliveryFormScenarios,
  ...deliveryRepeatScenarios,
  ...deliveryRetryScenarios,
  ...redirectScenarios,
  ...realTimeScenarios,
  ...deliveryProgressScenarios,
  ...deliveryEndScenarios,
  ...eventChannelScenarios,
  ...errorScenarios,
  ...limitScenarios,
  ...limitPlanScenarios,
  ...limitCountingScenarios,
  ...limitFirmScenarios,
  ...limitFirmInRealTimeScenarios,
  ...limitOperationScenarios,
];
