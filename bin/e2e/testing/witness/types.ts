// What the parts of the witness know of each other, and the six seams at which a trait or a defect
// wraps one of its honest functions.
import type {
  Account,
  Attempt,
  Bucket,
  Call,
  Credential,
  Delivery,
  Entry,
  EventRecord,
  Fault,
  Firm,
  KeyName,
  KeyRecord,
  Position,
  Reply,
  Subscription,
  Token,
  TradingAccount,
  Transaction,
} from './records.ts';
import type { Style } from './styles.ts';
import type { Json, JsonObject } from './values.ts';

export interface Field {
  readonly name: string;
  readonly kind: 'text' | 'decimal' | 'list' | 'rows';
  readonly isRequired: boolean;
}

export interface Operation {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  /** One of these is enough; an empty list asks for none. */
  readonly scopes: readonly string[];
  /** One of the nine writes. */
  readonly takesKey: boolean;
  /** Null: it takes no body. */
  readonly fields: readonly Field[] | null;
  readonly run: (context: Context) => Reply;
}

/** One request on its way. */
export interface Context {
  readonly world: World;
  call: Call;
  readonly requestId: string;
  readonly operation: Operation;
  readonly path: string;
  /** The id in the path, or empty. */
  pathId: string;
  readonly query: URLSearchParams;
  credential: Credential;
  /** What a seam changes in the credential of its token. */
  credentialChange?: (credential: Credential) => Credential;
  key: string;
  body: JsonObject;
  isReplay: boolean;
  /** Requests that were under way at the same time. */
  readonly overlaps: Context[];
  /** The row of a batch, where this is one. */
  readonly row?: number;
}

export type Timer =
  | 'key'
  | 'attempt'
  | 'settlement'
  | 'retry'
  | 'answer of a receiver'
  | 'rotation'
  | 'token'
  | 'token window'
  | 'channel';

export interface Clock {
  now(): number;
  /** How long something lasts in ms; null: it has no end, or does not happen again. */
  lasts(timer: Timer, about?: unknown): number | null;
  /** Something may have fallen due. */
  tick(): void;
}

export interface Store {
  nextId(): string;
  credential(clientId: string): Credential | undefined;
  credentials(): readonly Credential[];
  saveCredential(credential: Credential): Credential;
  token(value: string | undefined): Token | undefined;
  saveToken(token: Token): void;
  /** AUTH-5, AUTH-6, AUTH-7: whether a credential sees an account. */
  reaches(credential: Credential, account: Account): boolean;
  account(id: string): Account | undefined;
  accounts(): Iterable<Account>;
  saveAccount(account: Account, context?: Context): Account;
  /** ACC-5, ACC-6, NS-20 */
  accountByReference(context: Context, reference: string, brandId: string): Account | undefined;
  /** ACC-8, ACC-10 */
  accountByEmail(context: Context, email: string, brandId: string): Account | undefined;
  /** ACC-9, ACC-10 */
  accountByPhone(context: Context, phone: string, brandId: string): Account | undefined;
  tradingAccount(id: string): TradingAccount | undefined;
  saveTradingAccount(account: TradingAccount): TradingAccount;
  book(tradingAccountId: string, entry: Entry): void;
  transaction(id: string): Transaction | undefined;
  transactions(): Iterable<Transaction>;
  saveTransaction(transaction: Transaction, context?: Context): Transaction;
  /** TXN-2, NS-20: the oldest that the credential can reach. */
  transactionByReference(context: Context, reference: string): Transaction | undefined;
  position(id: string): Position | undefined;
  savePosition(position: Position): Position;
  subscription(id: string): Subscription | undefined;
  subscriptions(): readonly Subscription[];
  saveSubscription(subscription: Subscription): Subscription;
  /** HOOK-11, HOOK-12, NS-38 */
  sees(credential: Credential, subscription: Subscription): boolean;
  events(): readonly EventRecord[];
  saveEvent(event: EventRecord): void;
  delivery(id: string): Delivery | undefined;
  deliveries(): Iterable<Delivery>;
  /** What still has to be delivered, by subscription. */
  pending(): Iterable<ReadonlyMap<string, Delivery>>;
  saveDelivery(delivery: Delivery): Delivery;
  key(name: KeyName, context: Context): KeyRecord | undefined;
  saveKey(record: KeyRecord, context: Context): void;
  forgetKey(name: KeyName, context: Context): void;
  rateOf(credential: Credential): number;
  firmRateOf(firmId: string): number;
  /** LIM-2: how much is saved up at most. */
  burstOf(bucket: string, rate: number): number;
  bucket(name: string, rate: number): Bucket;
  saveBucket(name: string, bucket: Bucket): void;
}

export interface Sending {
  readonly delivery: Delivery;
  readonly attempt: Attempt;
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly followsRedirects: boolean;
}

export interface Delivering {
  /** EVT-1, EVT-12, EVT-13: whether a subscription gets an event. */
  wants(subscription: Subscription, event: EventRecord): boolean;
  /** Whether nothing but its time decides when it is sent. */
  isWaiting(delivery: Delivery): boolean;
  /** EVT-11, HOOK-8: why a URL cannot be delivered to, or null. */
  targetProblem(url: string, refusesUnresolved: boolean): string | null;
  /** The secrets that sign now, the newest first. */
  secretsOf(subscription: Subscription): readonly string[];
  /** The time that a signature carries. */
  signedAt(delivery: Delivery): number;
  signature(secrets: readonly string[], atMs: number, body: string): string;
  sending(delivery: Delivery): Sending;
  isSuccess(status: number | null, delivery: Delivery): boolean;
  /** What an attempt has come to. */
  ended(sending: Sending, status: number | null, error: string | null): void;
  disable(subscription: Subscription, reason: string | null): Subscription;
  /** EVT-10b */
  since(credential: Credential, seq: number): readonly EventRecord[];
}

/** Where a trait or a defect wraps the witness. */
export interface Seams {
  /** A request has come in: the result, if there is one, is the reply. */
  readonly before?: (context: Context) => Reply | undefined | Promise<Reply | undefined>;
  /** The operation has been decided and is not yet kept under its key. */
  readonly after?: (context: Context, reply: Reply) => Reply;
  /** The reply leaves; null cuts the connection. */
  readonly reply?: (context: Context, reply: Reply) => Reply | null;
  readonly store?: (store: Store, world: World) => Partial<Store>;
  readonly clock?: (clock: Clock, world: World) => Partial<Clock>;
  readonly delivery?: (delivering: Delivering, world: World) => Partial<Delivering>;
}

export interface About {
  readonly firmId: string;
  readonly brandId: string | null;
  readonly accountId: string | null;
}

export interface World {
  readonly style: Style;
  readonly seams: readonly Seams[];
  /** What sets its tokens and requests apart from those of other worlds. */
  readonly mark: string;
  readonly clock: Clock;
  readonly store: Store;
  readonly delivering: Delivering;
  readonly underway: Set<Context>;
  /** Requests whose attempt was given up (IDEM-14b). */
  readonly givenUp: Set<string>;
  readonly listeners: Set<(event: EventRecord) => void>;
  faults: Fault[];
  tokenRequests: { readonly clientId: string; readonly atMs: number }[];
  /** What names resolve to: as an operator has set it, and as the resolver found it. */
  readonly names: Map<string, readonly string[]>;
  readonly resolved: Map<string, readonly string[]>;
  /** Origins of receivers, and where their deliveries go. */
  readonly forwards: Map<string, string>;
  /** The state of a trait or a defect. */
  readonly memo: Map<string, unknown>;
  count(name: string): number;
  firm(id: string): Firm;
  changeFirm(id: string, change: Partial<Firm>): Firm;
  emit(category: string, kind: string, about: About, content: Json): EventRecord;
  /** Waits on this world's clock, for ever if null; false: the world was closed meanwhile. */
  hold(ms: number | null): Promise<boolean>;
}
