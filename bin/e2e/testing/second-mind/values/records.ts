// What the second mind keeps, each kind in a plain array.
import type { Json } from './json.ts';

export interface Call {
  readonly method: string;
  /** Path and query as they came. */
  readonly target: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Buffer;
}

export interface Answer {
  status: number;
  headers: [string, string][];
  body: string;
}

export interface Firm {
  readonly id: string;
  readonly brands: readonly string[];
  plan: Plan;
  ratePerSecond: number | null;
  permissions: Record<string, boolean>;
}

export type Plan = 'sandbox' | 'standard' | 'pro';

export interface Credential {
  readonly name: string;
  readonly kind: 'server' | 'delegated';
  readonly clientId: string;
  readonly clientSecret: string;
  readonly firmId: string;
  readonly brandId: string | null;
  scopes: string[];
  readonly readOnly: boolean;
  readonly accountId: string | null;
  readonly mintedBy: string | null;
  plan: Plan;
  ratePerSecond: number | null;
}

export interface Token {
  readonly value: string;
  readonly clientId: string;
  readonly expiresAtMs: number | null;
}

/** What an account says of its person. */
export const PROFILE = ['first_name', 'last_name', 'country', 'language'] as const;

export interface Account extends Record<(typeof PROFILE)[number], string | null> {
  readonly id: string;
  readonly firmId: string;
  readonly brandId: string;
  readonly reference: string;
  email: string;
  phone: string | null;
  status: string;
  revision: number;
  readonly createdAtMs: number;
  /** What follows is kept for defects alone. */
  sentPhone?: string | null;
  madeBy?: string;
  bornIn?: string;
  bornInBatch?: boolean;
  namedBrand?: boolean;
  shown?: { readonly atMs: number; readonly account: Account };
  changedAtMs: number;
  asCreated?: Account;
  before?: Account;
}

export interface Entry {
  readonly transactionId: string | null;
  readonly amount: string;
  readonly kind: string;
  readonly atMs: number;
}

export interface TradingAccount {
  readonly id: string;
  readonly accountId: string;
  readonly currency: string;
  readonly providerPayouts: boolean;
  entries: Entry[];
}

export type Status = 'pending' | 'approved' | 'settled' | 'rejected' | 'cancelled';

export interface Transaction {
  readonly id: string;
  readonly firmId: string;
  readonly brandId: string;
  readonly reference: string;
  readonly accountId: string;
  readonly tradingAccountId: string;
  readonly currency: string;
  readonly amount: string;
  readonly method: string;
  readonly transactionType: string;
  status: Status;
  isFtd: boolean;
  readonly createdAtMs: number;
  approvedAtMs: number | null;
  settlesAtMs: number | null;
  reason: string | null;
  actedBy: string | null;
  hadSettled: boolean;
  changedAtMs: number;
}

export interface Position {
  readonly id: string;
  readonly tradingAccountId: string;
  readonly instrument: string;
  readonly side: string;
  volume: string;
  open: boolean;
}

export interface Subscription {
  readonly id: number;
  readonly firmId: string;
  readonly brandId: string | null;
  readonly url: string;
  categories: string[];
  disabled: boolean;
  disabledReason: string | null;
  lastDeliveredSeq: number;
  readonly createdAtMs: number;
  secret: string;
  previousSecret: string | null;
  rotatedAtMs: number;
  /** Nothing more is sent after the last attempt until somebody resumes it (NS-28). */
  stopped: boolean;
  disabledAtMs: number;
}

export interface EventRecord {
  readonly id: string;
  readonly seq: number;
  readonly category: string;
  readonly kind: string;
  readonly atMs: number;
  readonly firmId: string;
  readonly brandId: string | null;
  readonly accountId: string | null;
  readonly content: Json;
}

export interface Attempt {
  readonly n: number;
  readonly atMs: number;
  status: number | null;
  error: string | null;
  readonly signature: string;
}

export interface Delivery {
  readonly id: string;
  readonly subscriptionId: number;
  readonly event: EventRecord;
  status: 'pending' | 'delivered' | 'exhausted' | 'stopped';
  attempts: Attempt[];
  dueAtMs: number;
  inFlight: boolean;
}

export interface KeyRecord {
  readonly clientId: string;
  readonly operation: string;
  readonly subject: string;
  readonly key: string;
  readonly startedAtMs: number;
  answeredAtMs: number | null;
  lastUsedAtMs: number;
  uses: number;
  readonly body: string;
  /** Null while the attempt still runs. */
  answer: Answer | null;
  /** What another call was told meanwhile, kept for a defect alone. */
  refused?: Answer;
}

export interface Bucket {
  readonly name: string;
  tokens: number;
  atMs: number;
}

export interface Fault {
  readonly id: string;
  readonly match: Readonly<Record<string, Json>>;
  readonly phase: 'before' | 'after';
  readonly effect: Readonly<Record<string, Json>>;
  times: number;
  hits: number;
}
