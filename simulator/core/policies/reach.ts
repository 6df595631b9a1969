// What a credential can see and touch in the conforming service.
import type { Settings } from '../../../fixtures/settings.ts';
import type { ReachPolicy } from '../behaviour.ts';
import type { Credential } from '../records.ts';

interface Place {
  readonly firmId: string;
  readonly brandId: string | null;
}

/** AUTH-6, AUTH-7: of the firm, and of the brand where the credential is bound to one. */
function within(credential: Credential, place: Place): boolean {
  if (place.firmId !== credential.firmId) return false;
  return credential.brandId === null || place.brandId === credential.brandId;
}

export function reachPolicy(settings: Settings): ReachPolicy {
  // AUTH-5: the limit belongs to the delegated token, not to the name of its scope.
  const ofAccount = (credential: Credential, accountId: string | null): boolean =>
    credential.accountId === null || credential.accountId === accountId;
  return {
    brand: (credential, brandId, world) => {
      const brand = world.brands.get(brandId);
      return brand !== undefined && within(credential, { firmId: brand.firmId, brandId });
    },
    account: (credential, account) =>
      within(credential, account) && ofAccount(credential, account.id),
    transaction: (credential, transaction) =>
      within(credential, transaction) && ofAccount(credential, transaction.accountId),
    // HOOK-11, HOOK-12, NS-38, NS-65.
    subscription: (credential, subscription) =>
      within(credential, subscription) &&
      (settings.delegated_webhooks === 'brand' ||
        credential.accountId === null ||
        subscription.clientId === credential.clientId) &&
      (settings.firm_wide_sees_webhooks === 'all' || subscription.brandId === credential.brandId),
    event: (credential, event) =>
      within(credential, event) && ofAccount(credential, event.accountId),
  };
}
