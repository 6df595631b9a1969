// What a target can offer a scenario beyond its API, and who offers it: the ports between engine
// and providers.

import type { Capability, Role } from '../engine/capabilities.ts';
import type { Rate } from '../engine/pace/pacer.ts';
import type { RequestBody } from '../engine/send/call.ts';
import type { HeaderLine } from '../engine/send/headers.ts';
import type { Operator } from './control-plane.ts';
import type { WebhookEndpoint } from './webhook-receiver.ts';

export interface Credential {
  /** The role, or a name for one that was made on demand. Reports show it instead of the token. */
  readonly name: string;
  readonly token: string;
  /** The brand that creates under this credential name; undefined when it is not known. */
  readonly brandId: string | undefined;
  readonly firmId: string | undefined;
  /** The one account of a delegated token. */
  readonly accountId: string | undefined;
  readonly tradingAccountId: string | undefined;
  readonly clientId: string | undefined;
  readonly clientSecret: string | undefined;
  /** The rate per credential and per firm; empty if the target has no real limit. */
  readonly rates: readonly Rate[];
}

/** A credential to make on demand. Firm 1 and no brand when left out. */
export interface CredentialOptions {
  readonly scopes: readonly string[];
  readonly kind?: 'server' | 'delegated';
  readonly firm?: 'firm' | 'other_firm';
  readonly brand?: 'brand' | 'other_brand';
  readonly readOnly?: boolean;
  readonly accountId?: string;
  /** The client_id that mints a delegated token. */
  readonly mintedBy?: string;
  readonly plan?: 'sandbox' | 'standard' | 'pro';
  /** Requests a second; far more than a run needs when left out, unless `plan` is given. */
  readonly perSecond?: number | null;
}

/** The trading accounts that a profile may name, by the names they have there. */
export const SEED_KINDS = [
  'trading_account',
  'second_trading_account',
  'provider_trading_account',
] as const;
export type SeedKind = (typeof SEED_KINDS)[number];

/** An account with its trading account, as in request bodies. */
export interface Place {
  readonly account_id: string;
  readonly trading_account_id: string;
  readonly currency: string;
}

export interface LedgerEntry {
  readonly transaction_id: string | null;
  readonly amount: string;
  readonly kind: string;
}

/** An order that opens a position; trading_account_id is added. */
export interface OrderTemplate {
  readonly terms: RequestBody;
  /** The members of an order that differs in instrument, side and size; empty if not known. */
  readonly other: RequestBody;
}

/** Orders, whose form the specification leaves open (NS-1). */
export interface OrderTemplates {
  /** The first that is taken is used. A profile gives one. */
  readonly open: readonly OrderTemplate[];
  readonly close: RequestBody;
}

/** Where a scenario plays: the live target, or a world made for it. */
export interface Target {
  readonly baseUrl: string;
  /** Sent with every call and not recorded: they name the world, which a call without a token does not. */
  readonly addedHeaders?: readonly HeaderLine[];
  readonly offers: ReadonlySet<Capability>;
  /** True when nothing of it outlives the run, so that nothing need be tidied. */
  readonly disposable: boolean;
  /** A url of the tester's own, whether or not deliveries to it arrive. */
  readonly ownUrl?: string | undefined;
  /** Undefined where no order may be sent. */
  readonly orders?: OrderTemplates | undefined;
  /** The role that scenarios act as unless they say otherwise: `firm`, or what there is. */
  readonly mainRole: Role;
  /** How a person gave the main credential. */
  readonly mainName?: string;
  /** Notes the brand in which a credential creates that named none. */
  nameBrand?(role: Role, brandId: string): void;
  credential(role: Role): Promise<Credential>;
  /** The brand to name in bodies under a role, known before any call. */
  brandId(role: Role): string | undefined;
  /** Throws MissingCapability for a power that is not offered. */
  readonly operator: Operator;
  /** Seeds of a profile; throws MissingCapability when there are none (left). */
  seed(kind: SeedKind): Promise<Place>;
  settledTransaction(): Promise<{ id: string; account_id: string }>;
  /** A webhook endpoint that the target can reach. */
  receiver(): Promise<WebhookEndpoint>;
  close(): Promise<void>;
}

export interface Provider {
  readonly offers: ReadonlySet<Capability>;
  /** What was given and does not work: an expired token, a seed that is gone or used up. */
  readonly lost?: ReadonlySet<Capability>;
  /** Whether its parts come from a profile, which may be wrong. */
  readonly confirmable: boolean;
  /** Withdraws a part that turned out not to work. */
  withdraw(need: Capability, why: string): void;
  /** True if scenarios can run in separate worlds at the same time. */
  readonly worlds: boolean;
  /** The target that shared scenarios play on. */
  shared(): Promise<Target>;
  /** A world for one scenario, or the whole target when there are no worlds. */
  own(): Promise<Target>;
  /** What a person should know of the target before it is judged, one sentence each. */
  readonly notes: readonly string[];
  close(): Promise<void>;
}
