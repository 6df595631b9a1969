// Every scenario by family, in the order of the catalogue.

import { moveScenarios } from '../cases/moves.ts';
import { replayMatrices } from '../cases/replays.ts';
import { scopeScenarios } from '../cases/scopes.ts';
import type { Scenario } from '../engine/types.ts';
import { authenticationScenarios } from './access/authentication.ts';
import { accountScenarios } from './accounts/accounts.ts';
import { bulkScenarios } from './bulk/create.ts';
import { conventionScenarios } from './conventions/conventions.ts';
import { deliveryEndScenarios } from './delivery/ending.ts';
import { deliveryFormScenarios } from './delivery/form.ts';
import { deliveryProgressScenarios } from './delivery/progress.ts';
import { deliveryRetryScenarios } from './delivery/retries.ts';
import { eventScenarios } from './delivery/routing.ts';
import { errorScenarios } from './errors/errors.ts';
import { concurrencyScenarios } from './idempotency/at-once.ts';
import { keyScenarios } from './idempotency/keys.ts';
import { lifetimeScenarios } from './idempotency/lifetime.ts';
import { repeatScenarios } from './idempotency/repeats.ts';
import { limitScenarios } from './limits/limits.ts';
import { transactionScenarios } from './transactions/transactions.ts';
import { transitionScenarios } from './transitions/transitions.ts';
import { updateScenarios } from './updates/updates.ts';
import { webhookScenarios } from './webhooks/webhooks.ts';

export const scenarios: readonly Scenario[] = [
  ...conventionScenarios,
  ...accountScenarios,
  ...updateScenarios,
  ...bulkScenarios,
  ...scopeScenarios,
  ...transactionScenarios,
  ...moveScenarios,
  ...transitionScenarios,
  ...authenticationScenarios,
  ...keyScenarios,
  ...replayMatrices,
  ...repeatScenarios,
  ...lifetimeScenarios,
  ...concurrencyScenarios,
  ...webhookScenarios,
  ...eventScenarios,
  ...deliveryFormScenarios,
  ...deliveryRetryScenarios,
  ...deliveryProgressScenarios,
  ...deliveryEndScenarios,
  ...errorScenarios,
  ...limitScenarios,
];
