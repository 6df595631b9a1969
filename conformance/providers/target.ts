// The capabilities of a target beyond its API, and their provider: the interfaces between engine
// and providers.

import type { Capability, Role } from '../engine/capabilities.ts';
import type { Rate } from '../engine/pace/pacer.ts';
import type { RequestBody } from '../engine/send/call.ts';
import type { HeaderLine } from '../engine/send/headers.ts';
import type { Operator } from './control-plane.ts';
import type { WebhookEndpoint } from './webhook-receiver.ts';

export interface Credential {
  /** The role, or a name for a credential created on demand. Reports show it instead of the token. */
  readonly name: string;
  readonly token: string;
  /** The brand of creates under this credential; undefined if it is not known. */
  readonly brandId: string | undefined;
  readonly firmId?: string | undefined;
  /** The one account of a delegated token. */
  readonly accountId?: string | undefined;
  readonly tradingAccountId?: string | undefined;
  readonly clientId?: string | undefined;
  readonly clientSecret?: string | undefined;
  /** The rate per credential and per firm; empty if the target has no real limit. */
  readonly rates: readonly Rate[];
}

/** A credential to create on demand. Firm 1 and no brand by default. */
export interface CredentialOptions {
  readonly scopes: readonly string[];
  readonly kind?: 'server' | 'delegated';
  readonly firm?: 'firm' | 'other_firm';
  readonly brand?: 'brand' | 'other_brand';
  readonly readOnly?: boolean;
  readonly accountId?: string;
  /** The client_id that mints a delegated token. */
  readonly mintedBy?: string | undefined;
  readonly plan?: 'sandbox' | 'standard' | 'pro';
  /** Requests per second; by default far more than a run needs, unless `plan` is given. */
  readonly perSecond?: number | null;
}

/** The trading accounts that a profile may name, by their names there. */
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
  /** The first accepted one is used. A profile gives one. */
  readonly open: readonly OrderTemplate[];
  readonly close: RequestBody;
}

/** Where a scenario runs: the live target, or a world created for it. */
export interface Target {
  readonly baseUrl: string;
  /** Sent with every call and not recorded: they name the world for calls without a token. */
  readonly addedHeaders?: readonly HeaderLine[];
  readonly offers: ReadonlySet<Capability>;
  /** True if nothing in it remains after the run, so that no clean-up is needed. */
  readonly disposable: boolean;
  /** A URL that belongs to the tester, even if deliveries to it do not arrive. */
  readonly ownUrl?: string | undefined;
  /** Undefined if no order may be sent. */
  readonly orders?: OrderTemplates | undefined;
  /** The default role of scenarios: `firm`, or the role that exists. */
  readonly mainRole: Role;
  /** How the user provided the main credential. */
  readonly mainName?: string;
  /** Notes the brand in which a credential without a configured brand creates. */
  nameBrand?(role: Role, brandId: string): void;
  credential(role: Role): Promise<Credential>;
  /** The brand that a role names in bodies, known before any call. */
  brandId(role: Role): string | undefined;
  /** Throws MissingCapability for a command that is not offered. */
  readonly operator: Operator;
  /** Seeds of a profile; throws MissingCapability if there are none (left). */
  seed(kind: SeedKind): Promise<Place>;
  settledTransaction(): Promise<{ id: string; account_id: string }>;
  /** A webhook endpoint that the target can reach. */
  receiver(): Promise<WebhookEndpoint>;
  close(): Promise<void>;
}

export interface Provider {
  readonly offers: ReadonlySet<Capability>;
  /** Capabilities that were configured but do not work: an expired token, a missing or used seed. */
  readonly lost?: ReadonlySet<Capability>;
  /** Withdraws a part that turned out not to work. Only parts of a profile are checked so. */
  withdraw?(need: Capability, why: string): void;
  /** True if scenarios can run concurrently in separate worlds. */
  readonly worlds: boolean;
  /** The target that shared scenarios play on. */
  shared(): Promise<Target>;
  /** A world for one scenario, or the whole target if there are no worlds. */
  own(): Promise<Target>;
  /** Notes about the target for the user before the run, one sentence each. */
  readonly notes: readonly string[];
  close(): Promise<void>;
}
