// The records of the witness, with the names of the API. They are immutable:
// the store replaces a record by its next version.
import { type Json, type JsonObject, textOr } from './values.ts';

type Texts<Name extends string> = Readonly<Record<Name, string>>;

export type Headers = readonly (readonly [name: string, value: string])[];

export interface Call {
  readonly method: string;
  /** Path and query as received. */
  readonly target: string;
  readonly headers: Headers;
  readonly body: Buffer;
}

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
}

export type Plan = 'sandbox' | 'standard' | 'pro';

export interface Firm {
  readonly id: string;
  readonly brands: readonly string[];
  readonly plan: Plan;
  readonly rate_per_second: number | null;
  readonly permissions: Readonly<Record<string, boolean>>;
}

/** The credential of a request before its token is read. */
export const ANONYMOUS = {
  name: '',
  kind: 'server' as 'server' | 'delegated',
  client_id: '',
  client_secret: '',
  firm_id: '',
  brand_id: null as string | null,
  scopes: [] as readonly string[],
  read_only: false,
  account_id: null as string | null,
  minted_by: null as string | null,
  plan: 'sandbox' as Plan,
  rate_per_second: null as number | null,
};

export type Credential = Readonly<typeof ANONYMOUS>;

export interface Token {
  readonly value: string;
  readonly client_id: string;
  readonly expires_ms: number | null;
}

/** EVT-1 */
export const CATEGORIES = ['account', 'order', 'position', 'transaction'];

/** The personal members of an account. */
export const PROFILE = ['first_name', 'last_name', 'country', 'language'] as const;
export const UPDATABLE = [...PROFILE, 'status'] as const;

export type Profile = Readonly<Record<(typeof PROFILE)[number], string | null>>;

/** The personal members that a body sends; null for each of the others. */
export function profileIn(body: JsonObject): Profile {
  return Object.fromEntries(PROFILE.map((name) => [name, textOr(body[name], null)])) as Profile;
}

export interface Account
  extends Profile,
    Texts<'id' | 'client_reference_id' | 'email' | 'status' | 'brand_id' | 'firm_id'> {
  readonly revision: number;
  readonly phone: string | null;
  readonly created_ms: number;
  readonly changed_ms: number;
}

export interface Entry {
  readonly transaction_id: string;
  readonly amount: string;
  readonly kind: 'movement' | 'compensation';
  readonly at_ms: number;
}

export interface TradingAccount extends Texts<'id' | 'account_id' | 'currency'> {
  readonly provider_payouts: boolean;
  readonly entries: readonly Entry[];
}

export interface Transaction
  extends Texts<'id' | 'account_id' | 'trading_account_id' | 'client_reference_id'>,
    Texts<'currency' | 'amount' | 'method' | 'transaction_type'> {
  readonly status: 'pending' | 'approved' | 'settled' | 'rejected' | 'cancelled';
  readonly is_ftd: boolean;
  readonly created_at: number;
  readonly settles_ms: number | null;
  readonly changed_ms: number;
  readonly reason: string | null;
  readonly operator: string | null;
}

export interface Position
  extends Texts<'id' | 'trading_account_id' | 'instrument' | 'side' | 'volume'> {
  readonly open: boolean;
}

export interface Subscription extends Texts<'id' | 'firm_id' | 'url' | 'secret'> {
  readonly brand_id: string | null;
  readonly event_categories: readonly string[];
  readonly disabled: boolean;
  readonly disabled_reason: string | null;
  readonly last_delivered_seq: number;
  readonly created_at: number;
  readonly previous_secret: string | null;
  readonly rotated_ms: number;
  /** NS-28: nothing more is sent after the last attempt until an operator resumes it. */
  readonly stopped: boolean;
}

export interface EventRecord extends Texts<'id' | 'category' | 'kind' | 'firmId'> {
  readonly seq: number;
  readonly atMs: number;
  readonly brandId: string | null;
  readonly accountId: string | null;
  readonly content: Json;
}

export type About = Pick<EventRecord, 'firmId' | 'brandId' | 'accountId'>;

export function aboutOf({ id, firm_id, brand_id }: Account): About {
  return { firmId: firm_id, brandId: brand_id, accountId: id };
}

/** AUTH-5, AUTH-6, AUTH-7: whether a credential sees what is about this account. */
export const isSeen = (credential: Credential, { firmId, brandId, accountId }: About): boolean =>
  credential.firm_id === firmId &&
  (credential.brand_id === null || credential.brand_id === brandId) &&
  (credential.kind === 'server' || credential.account_id === accountId);

export interface Delivery {
  readonly id: string;
  readonly subscriptionId: string;
  readonly event: EventRecord;
  readonly status: 'pending' | 'delivered' | 'exhausted' | 'stopped';
  readonly attempts: number;
  readonly dueAtMs: number;
  readonly inFlight: boolean;
}

/** IDEM-2: the owner and the subject of a key. */
export type KeyName = Texts<'owner' | 'operation' | 'subject' | 'key'>;

export interface KeyRecord {
  readonly name: KeyName;
  readonly requestId: string;
  readonly startedMs: number;
  readonly answeredMs: number;
  /** Null while the attempt runs. */
  readonly reply: Reply | null;
}

export interface Fault {
  readonly id: string;
  readonly match: JsonObject;
  readonly phase: 'before' | 'after';
  readonly effect: JsonObject;
  readonly times: number;
  readonly hits: number;
}
