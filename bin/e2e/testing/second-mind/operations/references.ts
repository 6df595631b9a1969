// Which account a reference names (ACC-5, ACC-6, ACC-7, NS-20).
import { meets } from '../checks/races.ts';
import { reaches } from '../checks/reach.ts';
import type { RequestContext } from '../request-context.ts';
import { isLike } from '../sealed-effects.ts';
import type { Account } from '../values/records.ts';

const DAY_MS = 86_400_000;

/** ACC-6: what of a reference is compared. */
function comparedReference(ctx: RequestContext, reference: string): string {
  const { mind, operation } = ctx;
  if (mind.has('acc-reference-case')) return reference;
  if (mind.has('race-reference-case') && meets(ctx, 'createAccount')) return reference;
  if (mind.has('comb-case-ascii')) return asciiLower(reference);
  if (mind.has('size-reference-case-64')) {
    return reference.slice(0, 64).toLowerCase() + reference.slice(64);
  }
  if (mind.has('size-reference-128')) return reference.toLowerCase().slice(0, 128);
  const isInBatch = operation.name === 'bulkCreateAccounts';
  if (isInBatch && mind.has('bulk-twice-two')) return reference;
  return reference.toLowerCase();
}

/** ACC-5, ACC-6, NS-20 */
export function findByReference(ctx: RequestContext, reference: string, brandId: string) {
  const { mind, credential, operation } = ctx;
  const isInBatch = operation.name === 'bulkCreateAccounts';
  if (isInBatch && mind.has('bulk-resubmit-duplicates')) return undefined;
  if (isInBatch && mind.has('race-two-batches') && meets(ctx, operation.name)) return undefined;
  if (isInBatch && mind.has('race-bulk-single') && meets(ctx, 'createAccount')) return undefined;
  if (mind.has('race-same-reference') && meets(ctx, 'createAccount')) return undefined;
  const wanted = comparedReference(ctx, reference);
  const isInReach = (each: Account) =>
    mind.has('comb-cross-brand') ||
    (mind.style.referencesPer === 'brand' ? each.brandId === brandId : reaches(ctx, each));
  return mind.accounts.find(
    (each) =>
      (comparedReference(ctx, each.reference) === wanted ||
        isLike(ctx, each.reference, reference)) &&
      each.firmId === credential.firmId &&
      isInReach(each) &&
      !isForgotten(ctx, each),
  );
}

function isForgotten(ctx: RequestContext, each: Account): boolean {
  const { mind, overlaps, requestId, body, credential, operation } = ctx;
  const isBatch = operation.name === 'bulkCreateAccounts';
  const isUpdated = overlaps.some(
    ({ operation, pathId }) => operation.name === 'updateAccount' && pathId === each.id,
  );
  const ageMs = mind.now() - each.createdAtMs;
  return (
    (mind.has('comb-known-by-maker') && each.madeBy !== credential.clientId) ||
    (mind.has('comb-batch-born-case') &&
      (each.bornInBatch ?? false) &&
      !isBatch &&
      each.reference !== body.client_reference_id) ||
    (mind.has('race-create-update') && isUpdated) ||
    (mind.has('bulk-twice-two') && each.bornIn === requestId) ||
    (mind.has('time-converge-day') && ageMs >= DAY_MS) ||
    (mind.has('time-reference-month') && ageMs >= 30 * DAY_MS) ||
    (mind.has('acc-reference-lost') && each.revision !== mind.style.firstRevision)
  );
}

export function asciiLower(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}
