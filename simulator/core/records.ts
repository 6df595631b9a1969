// The records of a world: firms, credentials, accounts, money, webhooks and deliveries. Each has
// one schema, from which its type and the check of a saved state follow.
import type { EventCategory } from '../../fixtures/event-kinds.ts';
import type { OperationName } from '../../fixtures/operations.ts';
import * as schemas from '../../fixtures/schemas/records.ts';
import { replySchema } from './call.ts';
import {
  count,
  flag,
  id,
  listOf,
  mapOf,
  number,
  ofType,
  orNull,
  rate,
  record,
  stored,
  text,
  time,
  url,
  type ValueOf,
} from './record-kit.ts';

export const firmSchema = record({
  id,
  name: text,
  plan: schemas.plan,
  /** Allowance of the firm in requests a second; null: four times its plan’s (LIM-3, NS-36). */
  rate_per_second: rate,
  /** False for operations that the firm may not use (AUTH-8). */
  permissions: ofType<Readonly<Partial<Record<OperationName, boolean>>>>(mapOf(flag)),
});
export type Firm = ValueOf<typeof firmSchema>;

export const brandSchema = record({ id, firm_id: id, name: text });
export type Brand = ValueOf<typeof brandSchema>;

export const credentialSchema = record({
  ...stored(schemas.credentialMembers),
  client_id: id,
  /** The server credential that issued a delegated one (LIM-10). */
  minted_by: orNull(id),
  /** Individual limit instead of the plan's (LIM-4). */
  rate_per_second: rate,
});
export type Credential = ValueOf<typeof credentialSchema>;

export const tokenSchema = record({
  token: id,
  client_id: id,
  /** null: does not expire. */
  expires_at_ms: orNull(time),
  /** Scopes that were requested for the token; null: all scopes of the credential. */
  scopes: orNull(listOf(text)),
});
export type Token = ValueOf<typeof tokenSchema>;

export const accountSchema = record(
  stored({ ...schemas.accountMembers.api, ...schemas.accountMembers.operator }),
);
export type Account = ValueOf<typeof accountSchema>;

const entrySchema = record(stored(schemas.entryMembers));
/** One movement of money on a trading account; the balance is the sum of them. */
export type Entry = ValueOf<typeof entrySchema>;

export const tradingAccountSchema = record({
  ...stored(schemas.tradingAccountMembers),
  entries: listOf(entrySchema),
});
export type TradingAccount = ValueOf<typeof tradingAccountSchema>;

export const transactionSchema = record({
  ...stored({ ...schemas.transactionMembers.api, ...schemas.transactionMembers.operator }),
  /** A deviation may store it as it was sent, which can be null. */
  method: ofType<string>(orNull(text)),
  transaction_type: text,
});
export type Transaction = ValueOf<typeof transactionSchema>;
export type TransactionStatus = Transaction['status'];

export const positionSchema = record({
  ...stored({ ...schemas.positionMembers.api, ...schemas.positionMembers.operator }),
  side: text,
});
export type Position = ValueOf<typeof positionSchema>;

export const orderSchema = record({ ...stored(schemas.orderMembers), side: text });
export type Order = ValueOf<typeof orderSchema>;

export const keySchema = record({
  /** When the retention of the record starts (NS-42). */
  atMs: time,
  /** The answer to replay; null while the attempt runs (IDEM-14a). */
  reply: orNull(replySchema),
  /** Number of the journal entry of the first call. */
  firstCall: count,
});
/** The record of an idempotency key: a running attempt, or the first response. */
export type KeyRecord = ValueOf<typeof keySchema>;

export const bucketSchema = record({
  /** Thousandths of a request that may still be served. */
  units: number,
  atMs: time,
});
export type Bucket = ValueOf<typeof bucketSchema>;

export const subscriptionSchema = record({
  ...stored({ ...schemas.subscriptionMembers.api, ...schemas.subscriptionMembers.operator }),
  url,
  event_categories: listOf(ofType<EventCategory>(text)),
  /** Events up to this sequence number have been considered for delivery. */
  cursor_seq: count,
});
export type Subscription = ValueOf<typeof subscriptionSchema>;

export const deliverySchema = record({
  id,
  ...stored(schemas.deliveryMembers),
  /** The fault that delays its next attempt has already been applied. */
  'delayed?': flag,
  /** Attempts before this index belong to earlier rounds that ended in exhaustion. */
  round_start: count,
});
export type Delivery = ValueOf<typeof deliverySchema>;
export type DeliveryAttempt = Delivery['attempts'][number];

export const eventSchema = record({
  seq: count,
  category: ofType<EventCategory>(text),
  kind: text,
  occurred_at: time,
  firm_id: text,
  brand_id: orNull(text),
  account_id: orNull(text),
  /** JSON text: the record as the API showed it when it changed. */
  body: text,
});
/** One event of the channel; its envelope is printed when it is sent. */
export type EventRecord = ValueOf<typeof eventSchema>;
