// The things a world is made of: firms, credentials, accounts, money, webhooks and what was done
// with them.
import type { EventCategory } from '../../fixtures/event-kinds.ts';
import type { Profile } from '../../fixtures/schemas/account-profile.ts';
import type { Reply } from './call.ts';
import type { OperationName } from './tables/operations.ts';

export type PlanName = 'sandbox' | 'standard' | 'pro';
export type CredentialKind = 'server' | 'delegated';
export type TransactionStatus = 'pending' | 'approved' | 'settled' | 'rejected' | 'cancelled';

export interface Firm {
  readonly id: string;
  readonly name: string;
  readonly plan: PlanName;
  /**
   * Allowance of the whole firm in requests a second; null means four times its plan's rate (LIM-3,
   * NS-36).
   */
  readonly ratePerSecond: number | null;
  /** Operations the firm may not use any more are false (AUTH-8). */
  readonly permissions: Readonly<Partial<Record<OperationName, boolean>>>;
}

export interface Brand {
  readonly id: string;
  readonly firmId: string;
  readonly name: string;
}

export interface Credential {
  readonly clientId: string;
  readonly name: string;
  readonly kind: CredentialKind;
  readonly clientSecret: string;
  readonly firmId: string;
  /** null: firm-wide. */
  readonly brandId: string | null;
  readonly scopes: readonly string[];
  readonly readOnly: boolean;
  /** The one account a delegated token is limited to (AUTH-5). */
  readonly accountId: string | null;
  /** The server credential a delegated one was minted by (LIM-10). */
  readonly mintedBy: string | null;
  readonly plan: PlanName;
  /** Own limit in place of the plan's (LIM-4). */
  readonly ratePerSecond: number | null;
}

export interface Token {
  readonly token: string;
  readonly clientId: string;
  /** null: does not expire. */
  readonly expiresAtMs: number | null;
  /** Scopes narrowed when the token was asked for; null: all of the credential's. */
  readonly scopes: readonly string[] | null;
}

export interface Account extends Profile {
  readonly id: string;
  readonly firmId: string;
  readonly brandId: string;
  readonly reference: string;
  readonly email: string;
  /** Normalised (ACC-11); null when none was given. */
  readonly phone: string | null;
  readonly status: string;
  readonly revision: number;
  readonly createdAtMs: number;
  /** The deposit that carries `is_ftd`; null until one was approved (TXS-2). */
  readonly firstDepositId: string | null;
}

export interface TradingAccount {
  readonly id: string;
  readonly accountId: string;
  readonly currency: string;
  /** Withdrawals from it are paid out through a payment provider (NS-21). */
  readonly providerPayouts: boolean;
  /** Exact decimal. */
  readonly balance: string;
  readonly entries: readonly Entry[];
}

/** One movement of money on a trading account; the balance is the sum of them. */
export interface Entry {
  readonly transactionId: string | null;
  /** Signed exact decimal. */
  readonly amount: string;
  readonly kind: 'movement' | 'compensation';
  readonly atMs: number;
}

export interface Transaction {
  readonly id: string;
  readonly firmId: string;
  readonly brandId: string;
  readonly accountId: string;
  readonly tradingAccountId: string;
  readonly reference: string;
  readonly currency: string;
  /** As sent (CONV-2a). */
  readonly amount: string;
  readonly method: string;
  readonly transactionType: string;
  readonly status: TransactionStatus;
  readonly isFtd: boolean;
  readonly createdAtMs: number;
  /** Stored for operators, never answered by the API (TXS-19). */
  readonly reason: string | null;
  /** Who rejected or cancelled it. */
  readonly operator: string | null;
}

export interface Position {
  readonly id: string;
  readonly tradingAccountId: string;
  readonly accountId: string;
  readonly instrument: string;
  readonly side: string;
  /** What is still open, an exact decimal; `0` once closed. */
  readonly volume: string;
  readonly openPrice: string;
  readonly openedAtMs: number;
  readonly closedAtMs: number | null;
}

export interface Order {
  readonly id: string;
  readonly tradingAccountId: string;
  readonly positionId: string;
  readonly instrument: string;
  readonly side: string;
  readonly volume: string;
  readonly price: string;
  readonly status: 'filled';
  readonly createdAtMs: number;
}

/** What an idempotency key stands for: an attempt still running, or the first answer. */
export interface KeyRecord {
  /** When its age starts (NS-42). */
  readonly atMs: number;
  /** The answer to replay; null while the attempt runs (IDEM-14a). */
  readonly reply: Reply | null;
  /** Number of the journal entry of the first attempt. */
  readonly attempt: number;
}

export interface Bucket {
  /** Thousandths of a request that may still be served. */
  readonly units: number;
  readonly atMs: number;
}

export interface Subscription {
  readonly id: number;
  readonly firmId: string;
  readonly brandId: string | null;
  readonly url: string;
  readonly categories: readonly EventCategory[];
  readonly disabled: boolean;
  readonly disabledReason: string | null;
  readonly lastDeliveredSeq: number;
  readonly createdAtMs: number;
  readonly secret: string;
  /** The secret before the last rotation, still signing until the overlap ends (EVT-7, NS-22). */
  readonly previousSecret: string | null;
  readonly rotatedAtMs: number | null;
  /** Events up to this sequence number have been looked at for delivery. */
  readonly cursorSeq: number;
  /** All attempts of an event failed: nothing is sent until resumed (NS-28). */
  readonly stopped: boolean;
}

export type DeliveryStatus = 'pending' | 'delivered' | 'exhausted' | 'stopped';

export interface Delivery {
  readonly id: string;
  readonly subscriptionId: number;
  readonly seq: number;
  readonly status: DeliveryStatus;
  readonly attempts: readonly DeliveryAttempt[];
  /** An attempt has been handed to the host and not been answered yet. */
  readonly inFlight: boolean;
  readonly nextDueMs: number | null;
  /** Attempts before this index belong to earlier rounds that ended in exhaustion. */
  readonly roundStart: number;
}

export interface DeliveryAttempt {
  readonly n: number;
  readonly atMs: number;
  /** HTTP status of the receiver; null when none came. */
  readonly status: number | null;
  readonly error: string | null;
  readonly durationMs: number | null;
  /** The signature header as sent. */
  readonly signature: string | null;
}

/** One event of the channel; its envelope is printed when it is sent. */
export interface EventRecord {
  readonly seq: number;
  readonly category: EventCategory;
  readonly kind: string;
  readonly atMs: number;
  readonly firmId: string;
  readonly brandId: string | null;
  readonly accountId: string | null;
  /** JSON text: the record as the API showed it when it changed. */
  readonly body: string;
}
