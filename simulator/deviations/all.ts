// The register of deliberate deviations, in the order of the rules they break.
import { accountPeopleDeviations } from './account-people.ts';
import { accountShapeDeviations } from './account-shapes.ts';
import { accountDeviations } from './accounts.ts';
import { authenticationDeviations } from './authentication.ts';
import { bulkDeviations } from './bulk.ts';
import { batchDeviations } from './bulk-batches.ts';
import { conventionDeviations } from './conventions.ts';
import { deliveryDeviations } from './deliveries.ts';
import { retryDeviations } from './delivery-retries.ts';
import type { Deviation } from './deviation.ts';
import { errorDeviations } from './errors.ts';
import { forgettingDeviations } from './idempotency-forgetting.ts';
import { keyDeviations } from './idempotency-keys.ts';
import { recordDeviations } from './idempotency-records.ts';
import { replayDeviations } from './idempotency-replays.ts';
import { subjectDeviations } from './idempotency-subjects.ts';
import { limitAnswerDeviations } from './limit-answers.ts';
import { limitCountingDeviations } from './limit-counting.ts';
import { limitDeviations } from './limits.ts';
import { reachDeviations } from './reach.ts';
import { requestIdDeviations } from './request-ids.ts';
import { retryableAnswerDeviations } from './retryable-answers.ts';
import { signatureDeviations } from './signatures.ts';
import { targetDeviations } from './targets.ts';
import { askingDeviations } from './transaction-asking.ts';
import { cancellingDeviations } from './transaction-cancelling.ts';
import { transactionMemberDeviations } from './transaction-members.ts';
import { payoutDeviations } from './transaction-payouts.ts';
import { stateDeviations } from './transaction-states.ts';
import { transactionDeviations } from './transactions.ts';
import { updateTagDeviations } from './update-tags.ts';
import { updateDeviations } from './updates.ts';
import { webhookStateDeviations } from './webhook-states.ts';
import { webhookDeviations } from './webhooks.ts';

export type { Deviation } from './deviation.ts';

export const deviations: readonly Deviation[] = [
  ...accountDeviations,
  ...accountPeopleDeviations,
  ...accountShapeDeviations,
  ...updateDeviations,
  ...updateTagDeviations,
  ...bulkDeviations,
  ...batchDeviations,
  ...conventionDeviations,
  ...transactionDeviations,
  ...transactionMemberDeviations,
  ...stateDeviations,
  ...payoutDeviations,
  ...cancellingDeviations,
  ...askingDeviations,
  ...errorDeviations,
  ...requestIdDeviations,
  ...keyDeviations,
  ...subjectDeviations,
  ...replayDeviations,
  ...forgettingDeviations,
  ...recordDeviations,
  ...retryableAnswerDeviations,
  ...authenticationDeviations,
  ...reachDeviations,
  ...limitDeviations,
  ...limitAnswerDeviations,
  ...limitCountingDeviations,
  ...webhookDeviations,
  ...webhookStateDeviations,
  ...targetDeviations,
  ...deliveryDeviations,
  ...signatureDeviations,
  ...retryDeviations,
];

export function findDeviation(id: string): Deviation | undefined {
  return deviations.find((deviation) => deviation.id === id);
}
