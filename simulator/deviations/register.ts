// The register of deliberate deviations, in the order of the rules they break.

import { reachDeviations } from './access/reach.ts';
import { referenceDeviations } from './access/references.ts';
import { tokenDeviations } from './access/tokens.ts';
import { accountDeviations } from './accounts/create-account.ts';
import { accountPeopleDeviations } from './accounts/people.ts';
import { accountShapeDeviations } from './accounts/shapes.ts';
import { batchDeviations } from './bulk/batches.ts';
import { bulkDeviations } from './bulk/rows.ts';
import { conventionDeviations } from './conventions/values.ts';
import { envelopeDeviations } from './delivery/envelopes.ts';
import { retryDeviations } from './delivery/retries.ts';
import { signatureDeviations } from './delivery/signatures.ts';
import type { Deviation } from './deviation.ts';
import { plainTextDeviations } from './errors/plain-texts.ts';
import { errorDeviations } from './errors/problems.ts';
import { requestIdDeviations } from './errors/request-ids.ts';
import { keyDeviations } from './idempotency/keys.ts';
import { recordDeviations } from './idempotency/records.ts';
import { replayedEffectDeviations } from './idempotency/replayed-effects.ts';
import { replayDeviations } from './idempotency/replays.ts';
import { retryableAnswerDeviations } from './idempotency/retryable-answers.ts';
import { singleOperationDeviations } from './idempotency/single-operations.ts';
import { subjectDeviations } from './idempotency/subjects.ts';
import { forgettingDeviations } from './idempotency/unkeyed-operations.ts';
import { limitAnswerDeviations } from './limits/answers.ts';
import { limitCountingDeviations } from './limits/counting.ts';
import { limitDeviations } from './limits/rates.ts';
import { transactionDeviations } from './transactions/create-transaction.ts';
import { transactionMemberDeviations } from './transactions/members.ts';
import { cancellingDeviations } from './transitions/cancel.ts';
import { payoutDeviations } from './transitions/payouts.ts';
import { transitionRequestDeviations } from './transitions/requests.ts';
import { transitionDeviations } from './transitions/states.ts';
import { updateTagDeviations } from './updates/tags.ts';
import { updateDeviations } from './updates/update-account.ts';
import { webhookStateDeviations } from './webhooks/states.ts';
import { webhookDeviations } from './webhooks/subscriptions.ts';
import { targetDeviations } from './webhooks/targets.ts';

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
  ...transitionDeviations,
  ...payoutDeviations,
  ...cancellingDeviations,
  ...transitionRequestDeviations,
  ...errorDeviations,
  ...plainTextDeviations,
  ...requestIdDeviations,
  ...keyDeviations,
  ...subjectDeviations,
  ...replayDeviations,
  ...replayedEffectDeviations,
  ...forgettingDeviations,
  ...recordDeviations,
  ...singleOperationDeviations,
  ...retryableAnswerDeviations,
  ...tokenDeviations,
  ...reachDeviations,
  ...referenceDeviations,
  ...limitDeviations,
  ...limitAnswerDeviations,
  ...limitCountingDeviations,
  ...webhookDeviations,
  ...webhookStateDeviations,
  ...targetDeviations,
  ...envelopeDeviations,
  ...signatureDeviations,
  ...retryDeviations,
];

export function findDeviation(id: string): Deviation | undefined {
  return deviations.find((deviation) => deviation.id === id);
}
