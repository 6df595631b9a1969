// A live target as a profile describes it: its credentials, seeds and receiver, and no powers over
// it.
import { CAPABILITIES, type Capability, type Role } from '../engine/capabilities.ts';
import type { Rate } from '../engine/pace/pacer.ts';
import { Blocked, MissingCapability, UsedUp } from '../engine/scenario-errors.ts';
import type { Profile } from './profile-parser.ts';
import type { Credential, Operator, Place, SeedKind, Target } from './target.ts';
import type { WebhookEndpoint, WebhookReceiver } from './webhook-receiver.ts';

/** The default for new credentials, kept to wherever a profile does not say. */
export const SANDBOX_PER_SECOND = 5;
export const FIRM_FACTOR = 4;

const OPERATOR_CAPABILITIES: Readonly<Record<keyof Operator, Capability>> = {
  advance: 'clock',
  nowMs: 'clock',
  deliveriesInFlight: 'clock',
  mint: 'mint',
  rescope: 'mint',
  openTradingAccount: 'fresh_trading_account',
  settle: 'settle',
  ledger: 'ledger',
  settings: 'clock',
  transactions: 'ledger',
  accounts: 'ledger',
  fault: 'fault',
  resolve: 'dns',
  permit: 'permissions',
  emit: 'emit',
  events: 'emit',
  resume: 'clock',
  firmRate: 'rates',
};

/** The role to act as by default: the firm-wide credential where there is one. */
export function mainRoleOf(credentials: Profile['credentials']): Role {
  return credentials.firm === undefined && credentials.brand !== undefined ? 'brand' : 'firm';
}

export interface ProfileTargetOptions {
  readonly baseUrl: string;
  readonly profile: Profile;
  readonly offers: ReadonlySet<Capability>;
  /** Undefined where no delivery could arrive. */
  readonly receiver: WebhookReceiver | undefined;
  /** Why nothing can be tried; null when something can. */
  readonly problem: string | null;
  /** Told each settled transaction that is handed out: cancelling it uses it up. */
  readonly used: (transactionId: string) => void;
}

export class ProfileTarget implements Target {
  readonly baseUrl: string;
  readonly offers: ReadonlySet<Capability>;
  readonly disposable = false;
  readonly mainRole: Role;
  readonly ownUrl: string | undefined;
  readonly operator: Operator = unsupportedOperator();
  readonly #options: ProfileTargetOptions;
  readonly #settled: { readonly id: string; readonly account_id: string }[];

  constructor(options: ProfileTargetOptions) {
    this.#options = options;
    this.baseUrl = options.baseUrl;
    this.offers = options.offers;
    this.mainRole = mainRoleOf(options.profile.credentials);
    this.ownUrl = options.profile.receiver?.public_url;
    this.#settled = [...(options.profile.seeds?.settled_transactions ?? [])];
  }

  async credential(role: Role): Promise<Credential> {
    const { problem } = this.#options;
    if (problem !== null) throw new Blocked(problem);
    const found = credentialOf(this.#options.profile, role);
    if (found === undefined) throw missingCapability(role);
    return found;
  }

  brandId(role: Role): string | undefined {
    return credentialOf(this.#options.profile, role)?.brandId;
  }

  async seed(kind: SeedKind): Promise<Place> {
    const place = this.#options.profile.seeds?.[kind];
    if (place === undefined) throw missingCapability(kind);
    return place;
  }

  async settledTransaction(): Promise<{ id: string; account_id: string }> {
    const next = this.#settled.shift();
    if (next === undefined && this.offers.has('settled_transaction')) {
      const words = 'each of seeds.settled_transactions is used up; add others';
      throw new UsedUp('settled_transaction', words);
    }
    if (next === undefined) throw missingCapability('settled_transaction');
    this.#options.used(next.id);
    return next;
  }

  async receiver(): Promise<WebhookEndpoint> {
    const { receiver, profile } = this.#options;
    if (receiver === undefined || profile.receiver === undefined)
      throw missingCapability('receiver');
    return receiver.hook((name) => pathUnder(profile.receiver!.public_url, name));
  }

  async close(): Promise<void> {}
}

/** The public url with one more step in its path; a query stays where it is. */
export function pathUnder(publicUrl: string, name: string): string {
  const url = new URL(publicUrl);
  url.pathname = `${url.pathname.replace(/(?<!\/)\/+$/, '')}/${name}`;
  return url.href;
}

export function credentialOf(profile: Profile, role: Role): Credential | undefined {
  // Which fields there are depends on the role; the profile's reader has seen to that.
  const given = profile.credentials[role] as Readonly<Record<string, string>> | undefined;
  if (given === undefined) return undefined;
  return {
    name: role,
    token: given.token ?? '',
    brandId: given.brand_id,
    firmId: undefined,
    accountId: given.account_id,
    tradingAccountId: given.trading_account_id,
    clientId: given.client_id,
    clientSecret: given.client_secret,
    rates: ratesOf(profile, role, given.token ?? role),
  };
}

/** The credential's own rate first, then its firm's: both must have room for each request. */
function ratesOf({ plan, credentials }: Profile, role: Role, token: string): Rate[] {
  const key = role === mainRoleOf(credentials) ? 'main' : `token ${token}`;
  const perSecond = plan?.per_second ?? SANDBOX_PER_SECOND;
  const firm = plan?.firm_per_second ?? perSecond * FIRM_FACTOR;
  // LIM-10: a delegated token is held to the Sandbox rate whatever the plan.
  const delegated = role === 'delegated' || role === 'read_only';
  const own = delegated ? Math.min(perSecond, SANDBOX_PER_SECOND) : perSecond;
  return [
    // NS-37: delegated tokens may share one allowance, and a client may be the main credential's.
    { key: delegated ? 'delegated' : role === 'client' ? 'main' : key, perSecond: own },
    {
      key: role === 'other_firm' ? 'other firm' : 'firm',
      perSecond: firm,
      ...(plan?.firm_per_second === undefined ? { isAssumed: true } : {}),
    },
  ];
}

function missingCapability(need: Capability): MissingCapability {
  return new MissingCapability(
    need,
    `the profile does not offer it: add ${CAPABILITIES[need].add}`,
  );
}

function unsupportedOperator(): Operator {
  const refuse = (verb: string | symbol) => () => {
    throw missingCapability(OPERATOR_CAPABILITIES[verb as keyof Operator] ?? 'mint');
  };
  return new Proxy({} as Operator, {
    get: (_, verb) => (verb === 'then' ? undefined : refuse(verb)),
  });
}
