// Every scenario, family by family, in the order of the catalogue.
import type { Scenario } from '../engine/types.ts';
import { accountScenarios } from './accounts.ts';
import { accountPeopleScenarios } from './accounts-people.ts';
import { accountReferenceScenarios } from './accounts-references.ts';
import { accountRefusalScenarios } from './accounts-refusals.ts';
import { authenticationScenarios } from './authentication.ts';
import { bulkScenarios } from './bulk.ts';
import { conventionScenarios } from './conventions.ts';
import { deliveryRepeatScenarios } from './deliveries-again.ts';
import { deliveryEndScenarios } from './deliveries-ended.ts';
import { deliveryFormScenarios } from './deliveries-form.ts';
import { deliveryProgressScenarios } from './deliveries-progress.ts';
import { deliveryRetryScenarios } from './deliveries-retries.ts';
import { errorScenarios } from './errors.ts';
import { eventScenarios } from './events.ts';
import { eventChannelScenarios } from './events-channel.ts';
import { eventKindScenarios } from './events-kinds.ts';
import { idempotencyScenarios } from './idempotency.ts';
import { limitScenarios } from './limits.ts';
import { limitCountingScenarios } from './limits-counting.ts';
import { limitOperationScenarios } from './limits-operations.ts';
import { limitPlanScenarios } from './limits-plans.ts';
import { positionScenarios } from './positions.ts';
import { transactionStateScenarios } from './transaction-states.ts';
import { transactionScenarios } from './transactions.ts';
import { updateScenarios } from './updates.ts';
import { updateRefusalScenarios } from './updates-refusals.ts';
import { webhookScenarios } from './webhooks.ts';
import { webhookReachScenarios } from './webhooks-reach.ts';
import { webhookTargetScenarios } from './webhooks-targets.ts';

export const scenarios: readonly Scenario[] = [
  ...conventionScenarios,
  ...accountScenarios,
  ...accountPeopleScenarios,
  ...accountReferenceScenarios,
  ...accountRefusalScenarios,
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
  ...deliveryProgressScenarios,
  ...deliveryEndScenarios,
  ...eventChannelScenarios,
  ...errorScenarios,
  ...limitScenarios,
  ...limitPlanScenarios,
  ...limitCountingScenarios,
  ...limitOperationScenarios,
];
