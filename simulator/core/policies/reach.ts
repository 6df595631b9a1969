// What a credential can see and touch in the conforming service.
import type { Settings } from '../../../fixtures/settings.ts';
import type { ReachPolicy } from '../behaviour.ts';
import type { Credential } from '../records.ts';

interface Place {
  readonly firm_id: string;
  readonly brand_id: string | null;
}

/** AUTH-6, AUTH-7: of the firm, and of the brand where the credential is bound to one. */
function within(credential: Credential, place: Place): boolean {
  if (place.firm_id !== credential.firm_id) return false;
  return credential.brand_id === null || place.brand_id === credential.brand_id;
}

export function reachPolicy(settings: Settings): ReachPolicy {
  // AUTH-5: the limit belongs to the delegated token, not to the name of its scope.
  const ofAccount = (credential: Credential, accountId: string | null): boolean =>
    credential.account_id === null || credential.account_id === accountId;
  return {
    brand: (credential, brandId, world) => {
      const brand = world.brands.get(brandId);
      return (
        brand !== undefined && within(credential, { firm_id: brand.firm_id, brand_id: brandId })
      );
    },
    account: (credential, account) =>
      within(credential, account) && ofAccount(credential, account.id),
    transaction: (credential, transaction) =>
      within(credential, transaction) && ofAccount(credential, transaction.account_id),
    // HOOK-11, HOOK-12, NS-38, NS-65.
    subscription: (credential, subscription) =>
      within(credential, subscription) &&
      (settings.delegated_webhooks === 'brand' ||
        credential.account_id === null ||
        subscription.client_id === credential.client_id) &&
      (settings.firm_wide_sees_webhooks === 'all' || subscription.brand_id === credential.brand_id),
    event: (credential, event) =>
      within(credential, event) && ofAccount(credential, event.account_id),
  };
}
