// The things a world is made of: firms, credentials, accounts, money, webhooks and what was done
// with them. Each is described once: its type comes from its schema, and so does the check of a
// saved state.
import type { EventCategory } from '../../fixtures/event-kinds.ts';
import { mapProfile } from '../../fixtures/schemas/account-profile.ts';
import { replySchema } from './call.ts';
import {
  count,
  decimal,
  flag,
  id,
  listOf,
  mapOf,
  number,
  ofType,
  oneOf,
  orNull,
  plan,
  rate,
  record,
  text,
  time,
  type ValueOf,
} from './record-kit.ts';
import type { OperationName } from './tables/operations.ts';

export type { PlanName } from './tables/rate-plans.ts';

export const firmSchema = record({
  id,
  name: text,
  plan,
  /**
   * Allowance of the whole firm in requests a second; null means four times its plan's rate (LIM-3,
   * NS-36).
   */
  ratePerSecond: rate,
  /** Operations the firm may not use any more are false (AUTH-8). */
  permissions: ofType<Readonly<Partial<Record<OperationName, boolean>>>>(mapOf(flag)),
});
export type Firm = ValueOf<typeof firmSchema>;

export const brandSchema = record({ id, firmId: id, name: text });
export type Brand = ValueOf<typeof brandSchema>;

export const credentialSchema = record({
  clientId: id,
  name: text,
  kind: oneOf('server', 'delegated'),
  clientSecret: text,
  firmId: id,
  /** null: firm-wide. */
  brandId: orNull(id),
  scopes: listOf(text),
  readOnly: flag,
  /** The one account a delegated token is limited to (AUTH-5). */
  accountId: orNull(id),
  /** The server credential a delegated one was minted by (LIM-10). */
  mintedBy: orNull(id),
  plan,
  /** Own limit in place of the plan's (LIM-4). */
  ratePerSecond: rate,
});
export type Credential = ValueOf<typeof credentialSchema>;
export type CredentialKind = Credential['kind'];

export const tokenSchema = record({
  token: id,
  clientId: id,
  /** null: does not expire. */
  expiresAtMs: orNull(time),
  /** Scopes narrowed when the token was asked for; null: all of the credential's. */
  scopes: orNull(listOf(text)),
});
export type Token = ValueOf<typeof tokenSchema>;

export const accountSchema = record({
  id,
  firmId: id,
  brandId: id,
  reference: text,
  email: text,
  /** Normalised (ACC-11); null when none was given. */
  phone: orNull(text),
  ...mapProfile(() => orNull(text)),
  status: text,
  revision: count,
  createdAtMs: time,
  /** The deposit that carries `is_ftd`; null until one was approved (TXS-2). */
  firstDepositId: orNull(id),
});
export type Account = ValueOf<typeof accountSchema>;

const entrySchema = record({
  transactionId: orNull(id),
  /** Signed exact decimal. */
  amount: decimal,
  kind: oneOf('movement', 'compensation'),
  atMs: time,
});
/** One movement of money on a trading account; the balance is the sum of them. */
export type Entry = ValueOf<typeof entrySchema>;

export const tradingAccountSchema = record({
  id,
  accountId: id,
  currency: text,
  /** Withdrawals from it are paid out through a payment provider (NS-21). */
  providerPayouts: flag,
  /** Exact decimal. */
  balance: decimal,
  entries: listOf(entrySchema),
});
export type TradingAccount = ValueOf<typeof tradingAccountSchema>;

export const transactionSchema = record({
  id,
  firmId: id,
  brandId: id,
  accountId: id,
  tradingAccountId: id,
  reference: text,
  currency: text,
  /** As sent (CONV-2a). */
  amount: decimal,
  /** A deviation may keep it as it was sent, which can be null. */
  method: ofType<string>(orNull(text)),
  transactionType: text,
  status: oneOf('pending', 'approved', 'settled', 'rejected', 'cancelled'),
  isFtd: flag,
  createdAtMs: time,
  /** Stored for operators, never answered by the API (TXS-19). */
  reason: orNull(text),
  /** Who rejected or cancelled it. */
  operator: orNull(text),
});
export type Transaction = ValueOf<typeof transactionSchema>;
export type TransactionStatus = Transaction['status'];

export const positionSchema = record({
  id,
  tradingAccountId: id,
  accountId: id,
  instrument: text,
  side: text,
  /** What is still open, an exact decimal; `0` once closed. */
  volume: decimal,
  openPrice: decimal,
  openedAtMs: time,
  closedAtMs: orNull(time),
});
export type Position = ValueOf<typeof positionSchema>;

export const orderSchema = record({
  id,
  tradingAccountId: id,
  positionId: id,
  instrument: text,
  side: text,
  volume: decimal,
  price: decimal,
  status: oneOf('filled'),
  createdAtMs: time,
});
export type Order = ValueOf<typeof orderSchema>;

export const keySchema = record({
  /** When its age starts (NS-42). */
  atMs: time,
  /** The answer to replay; null while the attempt runs (IDEM-14a). */
  reply: orNull(replySchema),
  /** Number of the journal entry of the call that made it. */
  firstCall: count,
});
/** What an idempotency key stands for: an attempt still running, or the first answer. */
export type KeyRecord = ValueOf<typeof keySchema>;

export const bucketSchema = record({
  /** Thousandths of a request that may still be served. */
  units: number,
  atMs: time,
});
export type Bucket = ValueOf<typeof bucketSchema>;

export const subscriptionSchema = record({
  id: count,
  firmId: id,
  brandId: orNull(id),
  /** NS-65: the one account whose events it gets; null: all of them. */
  accountId: orNull(id),
  /** NS-65: the credential that made it; null: an operator or a starting world. */
  clientId: orNull(id),
  url: text,
  categories: listOf(ofType<EventCategory>(text)),
  disabled: flag,
  disabledReason: orNull(text),
  lastDeliveredSeq: count,
  createdAtMs: time,
  secret: text,
  /** The secret before the last rotation, still signing until the overlap ends (EVT-7, NS-22). */
  previousSecret: orNull(text),
  rotatedAtMs: orNull(time),
  /** Events up to this sequence number have been looked at for delivery. */
  cursorSeq: count,
  /** All attempts of an event failed: nothing is sent until resumed (NS-28). */
  stopped: flag,
});
export type Subscription = ValueOf<typeof subscriptionSchema>;

const deliveryAttemptSchema = record({
  n: count,
  atMs: time,
  /** HTTP status of the receiver; null when none came. */
  status: orNull(count),
  error: orNull(text),
  durationMs: orNull(number),
  /** The signature header as sent. */
  signature: orNull(text),
});
export type DeliveryAttempt = ValueOf<typeof deliveryAttemptSchema>;

export const deliverySchema = record({
  id,
  subscriptionId: count,
  seq: count,
  status: oneOf('pending', 'delivered', 'exhausted', 'stopped'),
  attempts: listOf(deliveryAttemptSchema),
  /** An attempt has been handed to the host and not been answered yet. */
  inFlight: flag,
  nextDueMs: orNull(time),
  /** Attempts before this index belong to earlier rounds that ended in exhaustion. */
  roundStart: count,
});
export type Delivery = ValueOf<typeof deliverySchema>;

export const eventSchema = record({
  seq: count,
  category: ofType<EventCategory>(text),
  kind: text,
  atMs: time,
  firmId: text,
  brandId: orNull(text),
  accountId: orNull(text),
  /** JSON text: the record as the API showed it when it changed. */
  body: text,
});
/** One event of the channel; its envelope is printed when it is sent. */
export type EventRecord = ValueOf<typeof eventSchema>;
