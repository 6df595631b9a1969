// How the platform behaves, as one value: tables and small policies. The conforming service is one
// such value; a deviation is a function that makes another out of it.

import type {
  OperationName,
  OperationRow,
  RefusalCode,
  RefusalTable,
} from '../../fixtures/operations.ts';
import type { Settings } from '../../fixtures/settings.ts';
import type { Cite, Reply } from './call.ts';
import type { Operation, RequestContext, Stage } from './pipeline/request-context.ts';
import type {
  Account,
  Bucket,
  Credential,
  EventRecord,
  KeyRecord,
  Order,
  PlanName,
  Subscription,
  TradingAccount,
  Transaction,
} from './records.ts';
import type { TransitionTable } from './tables/transitions.ts';
import type { AddressSpace } from './values/address.ts';
import type { IfMatch } from './values/etag.ts';
import type { World } from './world.ts';

/** Idempotency keys: how they are read, what they stand for, how long, and what a repeat gets. */
export interface KeyPolicy {
  /** The key in the header; null where it is missing, blank or too long (IDEM-1). */
  readonly parse: (header: string | undefined) => string | null;
  /** What a key stands together with, by operation (IDEM-2c). */
  readonly subjects: Readonly<Partial<Record<OperationName, (context: RequestContext) => string>>>;
  /** The identity of a key record (IDEM-2, IDEM-3). */
  readonly id: (context: RequestContext) => string;
  readonly find: (world: World, keyId: string, atMs: number) => KeyRecord | undefined;
  /** Whether an answer of this status is kept for repeats (IDEM-4d, IDEM-6). */
  readonly records: (reply: Reply) => boolean;
  /** What a repeat is answered (IDEM-4, IDEM-5). */
  readonly replay: (stored: Reply, context: RequestContext) => Reply;
  readonly retentionMs: number;
  readonly abandonAfterMs: number;
}

/** One bucket a call draws from. */
export interface Demand {
  readonly bucket: string;
  /** Requests a second. */
  readonly rate: number;
}

export interface LimitPolicy {
  readonly plans: Readonly<Record<PlanName, number>>;
  /** The allowance in force for a credential, in requests a second (LIM-1, LIM-4, LIM-10). */
  readonly rate: (credential: Credential) => number;
  readonly firmRate: (world: World, firmId: string) => number;
  /** The buckets of a call: the credential's first, then its firm's (LIM-3). */
  readonly demands: (
    call: Pick<RequestContext, 'world' | 'credential' | 'behaviour'>,
  ) => readonly Demand[];
  /** How many thousandths of a request are there now (LIM-2). */
  readonly level: (bucket: Bucket | undefined, rate: number, atMs: number) => number;
  /** Thousandths of a request that a call takes (LIM-9, LIM-11). */
  readonly cost: (context: RequestContext) => number;
  readonly headers: (rate: number, waitMs: number) => Readonly<Record<string, string>>;
  /** Requests a minute at the token endpoint, for one client (AUTH-3b). */
  readonly tokenRequests: number;
  readonly tokenWindowMs: number;
  /** Whose budget a token request counts against (AUTH-3c). */
  readonly tokenBudget: (clientId: string) => string;
}

/** What a credential may see and touch; out of reach reads as unknown (AUTH-5, 6, 7). */
export interface ReachPolicy {
  readonly brand: (credential: Credential, brandId: string, world: World) => boolean;
  readonly account: (credential: Credential, account: Account) => boolean;
  readonly transaction: (credential: Credential, transaction: Transaction) => boolean;
  readonly subscription: (credential: Credential, subscription: Subscription) => boolean;
  /** Whether an event reaches a credential on the events channel. */
  readonly event: (credential: Credential, event: EventRecord) => boolean;
}

/** Which texts count as what. */
export interface ValuePolicy {
  readonly length: (text: string) => number;
  readonly isBlank: (text: string) => boolean;
  readonly maxReference: number;
  readonly isEmail: (text: string) => boolean;
  readonly isDecimal: (text: string) => boolean;
  readonly isZero: (decimal: string) => boolean;
  /** Exact sum of two decimals. */
  readonly add: (left: string, right: string) => string;
  /** The id a text stands for; null when it is not a decimal string (CONV-1c). */
  readonly id: (text: string) => string | null;
  readonly referenceKey: (reference: string) => string;
  readonly emailKey: (email: string) => string;
  readonly phone: (raw: string | null, region: string | null) => string | null;
  readonly phoneKey: (phone: string | null) => string | null;
  readonly ifMatch: (header: string | undefined) => IfMatch;
  readonly etag: (account: Account) => string;
  /** The method of a transaction that names none (TXN-6). */
  readonly method: (amount: string) => string;
}

/** People: where they must be unique, and how a new account begins. */
export interface AccountPolicy {
  readonly referenceIndex: (firmId: string, brandId: string) => string;
  readonly peopleIndex: (brandId: string) => string;
  readonly nameAfterEmail: (email: string) => { first: string; last: string };
  readonly firstStatus: string;
  readonly firstRevision: number;
  readonly nextRevision: (revision: number) => number;
  /** Statuses an update may set; null: any (UPD-4). */
  readonly statuses: readonly string[] | null;
  readonly maxRows: number;
}

/** Money: which moves there are, what is a deposit, and what is booked. */
export interface TransactionPolicy {
  readonly transitions: TransitionTable;
  readonly isDeposit: (transaction: Transaction) => boolean;
  readonly isProviderPayout: (transaction: Transaction, from: TradingAccount) => boolean;
  /** Whether approving this one makes it the first-time deposit (TXS-2). */
  readonly isFirstDeposit: (transaction: Transaction, account: Account) => boolean;
  /** The signed amount that settling books. */
  readonly movement: (transaction: Transaction) => string;
  readonly referenceKey: (firmId: string, accountId: string, reference: string) => string;
  /** Milliseconds from approval to settlement; null: only on an operator's order (NS-3). */
  readonly settlementDelayMs: number | null;
}

/** How records are shown. Each answers JSON text; `requestId` differs with every attempt. */
export interface SerializePolicy {
  readonly account: (account: Account) => string;
  readonly transaction: (transaction: Transaction) => string;
  readonly order: (order: Order) => string;
  readonly subscription: (subscription: Subscription, secret: string | null) => string;
  readonly accountRead: (account: Account) => string;
  readonly accountStatus: (account: Account) => string;
  readonly transactionRead: (transaction: Transaction) => string;
  readonly problem: (problem: Problem, requestId: string) => string;
  readonly envelope: (event: EventRecord, world: World) => string;
}

/** A refusal before it is printed (ERR-1). */
export interface Problem {
  readonly status: number;
  readonly title: string;
  readonly code: string;
  readonly detail: string;
  readonly errors: readonly { readonly field: string; readonly message: string }[];
}

/** Subscriptions and where they may point. */
export interface WebhookPolicy {
  /** Why a target is refused; null when it is not (HOOK-7, HOOK-8, EVT-11). */
  readonly refuseTarget: (
    url: string,
    addresses: readonly string[] | null,
    world: World,
  ) => string | null;
  readonly space: AddressSpace;
  readonly categories: readonly string[];
  readonly secret: (world: World, count: number) => string;
}

/** Whether a redirect is followed that leads from one URL to another. */
export type FollowsRedirect = (location: string, from: URL) => boolean;

/** How events are delivered. Times are in milliseconds. */
export interface DeliveryPolicy {
  readonly wants: (subscription: Subscription, event: EventRecord) => boolean;
  /** Waits after the first, second, … failed attempt; none left: exhausted (EVT-8). */
  readonly gapsMs: readonly number[];
  readonly answerLimitMs: number;
  /** The same for who carries it, by the wall: how long a connection waits for its answer. */
  readonly connectionLimitMs: number;
  readonly succeeded: (status: number) => boolean;
  /** Null: none is followed (EVT-9a). */
  readonly followsRedirect: FollowsRedirect | null;
  /** Secrets that sign now, the newest first (EVT-7). */
  readonly secrets: (subscription: Subscription, atMs: number) => readonly string[];
  /** The signature header over the exact bytes sent (EVT-5, EVT-6). */
  readonly signature: (secrets: readonly string[], tMs: number, body: string) => string;
  /** The body of one attempt; the same for every attempt of an event (EVT-2b). */
  readonly body: (event: EventRecord, world: World, attempt: number) => string;
  readonly headers: (subscription: Subscription, signature: string) => Record<string, string>;
  readonly rechecksTarget: boolean;
  readonly overlapMs: number;
  /** How far back the events channel replays (EVT-10b). */
  readonly replayWindowMs: number;
}

/**
 * The whole of it. Core decides by nothing else, so that one wrong policy is one wrong behaviour.
 */
export interface Behaviour {
  readonly settings: Settings;
  readonly stages: readonly Stage[];
  readonly table: Readonly<Record<OperationName, OperationRow>>;
  readonly operations: Readonly<Record<OperationName, Operation>>;
  readonly refusals: RefusalTable;
  /** JSON or form text as an object, or why it cannot be read (ERR-2). */
  readonly read: (context: RequestContext, text: string) => ReadResult;
  readonly keys: KeyPolicy;
  readonly limits: LimitPolicy;
  readonly reach: ReachPolicy;
  readonly values: ValuePolicy;
  readonly accounts: AccountPolicy;
  readonly transactions: TransactionPolicy;
  readonly serialize: SerializePolicy;
  readonly webhooks: WebhookPolicy;
  readonly delivery: DeliveryPolicy;
  /** A last look at every answer before it is sent; never at what is stored for repeats. */
  readonly finalizeReply: (reply: Reply, context: RequestContext) => Reply;
  /** Turns a problem into an answer, plain text or problem+json. */
  readonly refuse: (context: RequestContext, problem: Problem) => Reply;
  readonly refusedAs: (code: RefusalCode) => { readonly status: number; readonly title: string };
  readonly requestId: (world: World, n: number) => string;
}

export type ReadResult =
  | { readonly body: Readonly<Record<string, unknown>> }
  | { readonly status: number; readonly message: string; readonly cites: readonly Cite[] };
