// Every scenario, family by family, in the order of the catalogue.

import { moveScenarios } from '../cases/moves.ts';
import { replayMatrices } from '../cases/replays.ts';
import type { Scenario } from '../engine/types.ts';
import { authenticationScenarios } from './access/authentication.ts';
import { accountScenarios } from './accounts/accounts.ts';
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
import { concurrencyScenarios } from './idempotency/at-once.ts';
import { effectScenarios } from './idempotency/effects.ts';
import { keyScenarios } from './idempotency/keys.ts';
import { lifetimeScenarios } from './idempotency/lifetime.ts';
import { repeatScenarios } from './idempotency/repeats.ts';
import { limitFirmScenarios } from './limits/firm.ts';
import { limitScenarios } from './limits/limits.ts';
import { positionScenarios } from './positions/positions.ts';
import { transactionScenarios } from './transactions/transactions.ts';
import { firstDepositScenarios } from './transitions/first-deposit.ts';
import { moneyScenarios } from './transitions/money.ts';
import { refusedDecisionScenarios } from './transitions/refused.ts';
import { updateScenarios } from './updates/updates.ts';
import { webhookScenarios } from './webhooks/webhooks.ts';

export const scenarios: readonly Scenario[] = [
  ...conventionScenarios,
  ...accountScenarios,
  ...updateScenarios,
  ...bulkScenarios,
  ...positionScenarios,
  ...transactionScenarios,
  ...moveScenarios,
  ...moneyScenarios,
  ...refusedDecisionScenarios,
  ...firstDepositScenarios,
  ...authenticationScenarios,
  ...keyScenarios,
  ...replayMatrices,
  ...repeatScenarios,
  ...effectScenarios,
  ...lifetimeScenarios,
  ...concurrencyScenarios,
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
