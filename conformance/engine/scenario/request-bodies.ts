// Valid request bodies, fresh each time, as the specification's field tables have them.
import type { Place } from '../../providers/target.ts';
import { NEW_PROFILE } from '../account-members.ts';
import type { RequestBody } from '../send/client.ts';
import type { FreshValues } from './fresh-values.ts';

/** No phone: two accounts must not meet by one. Give a fresh one where it matters. */
export function newAccount(
  fresh: FreshValues,
  brandId: string | undefined,
  over: RequestBody,
): RequestBody {
  const brand = brandId === undefined ? {} : { brand_id: brandId };
  return {
    client_reference_id: fresh.reference(),
    email: fresh.email(),
    ...NEW_PROFILE,
    ...brand,
    ...over,
  };
}

export function newTransaction(fresh: FreshValues, place: Place, over: RequestBody): RequestBody {
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
