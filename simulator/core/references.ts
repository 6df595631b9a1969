// Which records a reference names: nearly always one. There are several only if each is out of
// reach of the credentials that created the others (NS-20).
import type { Behaviour } from './behaviour.ts';
import type { Account, Transaction } from './records.ts';
import { existing } from './world.ts';

/** The ids for each reference in the order of creation; a single id is stored without a list. */
export type References = Map<string, string | readonly string[]>;

export function addReference(references: References, key: string, id: string): void {
  const named = references.get(key);
  references.set(key, named === undefined ? id : [named, id].flat());
}

/** AUTH-6, NS-20: the oldest record with this reference that is within reach. */
export function findReferenced<R>(
  references: References | undefined,
  key: string,
  records: ReadonlyMap<string, R>,
  isReachable: (record: R) => boolean,
): R | null {
  const named = references?.get(key);
  if (named === undefined) return null;
  const found = [named].flat().map((id) => existing(records, id));
  return found.find(isReachable) ?? null;
}

/** How an account is looked up: indexes (of a brand or a firm), and the keys in them (NS-20). */
export function personKeys({ accounts, values }: Behaviour, account: Account) {
  const { firm_id: firmId, brand_id: brandId, client_reference_id: reference } = account;
  return {
    index: accounts.referenceIndex(firmId, brandId),
    reference: values.referenceKey(reference),
    /** Email and phone are unique at the brand (ACC-10). */
    people: accounts.peopleIndex(brandId),
    email: values.emailKey(account.email),
    phone: values.phoneKey(account.phone),
  };
}

export type PersonKeys = ReturnType<typeof personKeys>;

/** How a transaction is looked up (TXN-2). */
export function transactionKey({ transactions }: Behaviour, transaction: Transaction): string {
  const { firm_id: firmId, account_id: accountId, client_reference_id: reference } = transaction;
  return transactions.referenceKey(firmId, accountId, reference);
}
