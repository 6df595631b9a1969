// Valid request bodies, fresh each time, as the specification's field tables have them.
import type { Place } from '../providers/target.ts';
import type { Body } from './client.ts';
import type { Fresh } from './fresh.ts';

/** No phone: two accounts must not meet by one. Give a fresh one where it matters. */
export function newAccount(fresh: Fresh, brandId: string | undefined, over: Body): Body {
  const brand = brandId === undefined ? {} : { brand_id: brandId };
  return {
    client_reference_id: fresh.reference(),
    email: fresh.email(),
    first_name: 'Ada',
    last_name: 'Conformance',
    country: 'GB',
    language: 'en',
    ...brand,
    ...over,
  };
}

export function newTransaction(fresh: Fresh, place: Place, over: Body): Body {
  return {
    client_reference_id: fresh.reference(),
    account_id: place.account_id,
    trading_account_id: place.trading_account_id,
    currency: place.currency,
    amount: '25.00',
    transaction_type: 'Deposit',
    ...over,
  };
}
