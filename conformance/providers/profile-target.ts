// A live target as a profile describes it: its credentials, seeds and receiver, and no powers over
// it.
import { NEEDS, type Need, type Role } from '../engine/needs.ts';
import type { Rate } from '../engine/pace.ts';
import { Blocked, Wanting } from '../engine/stop.ts';
import type { Profile } from './profile.ts';
import type { Hook, Receiver } from './receiver.ts';
import type { Credential, Operator, Place, Target } from './target.ts';

/** The default for new credentials, kept to wherever a profile does not say. */
export const SANDBOX_PER_SECOND = 5;
const FIRM_FACTOR = 4;

const POWERS: Readonly<Record<keyof Operator, Need>> = {
  advance: 'clock',
  nowMs: 'clock',
  mint: 'mint',
  rescope: 'mint',
  openTradingAccount: 'fresh_trading_account',
  settle: 'settle',
  ledger: 'ledger',
  settings: 'clock',
  transactions: 'ledger',
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

export interface ProfileTargetParts {
  readonly baseUrl: string;
  readonly profile: Profile;
  readonly offers: ReadonlySet<Need>;
  /** Undefined where no delivery could arrive. */
  readonly receiver: Receiver | undefined;
  /** Why nothing can be tried; null when something can. */
  readonly hindrance: string | null;
  /** Told each settled transaction that is handed out: cancelling it uses it up. */
  readonly used: (transactionId: string) => void;
}

export class ProfileTarget implements Target {
  readonly baseUrl: string;
  readonly offers: ReadonlySet<Need>;
  readonly disposable = false;
  readonly mainRole: Role;
  readonly ownUrl: string | undefined;
  readonly operator: Operator = powerless();
  readonly #parts: ProfileTargetParts;
  readonly #settled: { readonly id: string; readonly account_id: string }[];

  constructor(parts: ProfileTargetParts) {
    this.#parts = parts;
    this.baseUrl = parts.baseUrl;
    this.offers = parts.offers;
    this.mainRole = mainRoleOf(parts.profile.credentials);
    this.ownUrl = parts.profile.receiver?.public_url;
    this.#settled = [...(parts.profile.seeds?.settled_transactions ?? [])];
  }

  async credential(role: Role): Promise<Credential> {
    const { hindrance } = this.#parts;
    if (hindrance !== null) throw new Blocked(hindrance);
    const found = credentialOf(this.#parts.profile, role);
    if (found === undefined) throw wanting(role);
    return found;
  }

  brandId(role: Role): string | undefined {
    return credentialOf(this.#parts.profile, role)?.brandId;
  }

  async seed(
    kind: 'trading_account' | 'second_trading_account' | 'provider_trading_account',
  ): Promise<Place> {
    const place = this.#parts.profile.seeds?.[kind];
    if (place === undefined) throw wanting(kind);
    return place;
  }

  async settledTransaction(): Promise<{ id: string; account_id: string }> {
    const next = this.#settled.shift();
    if (next === undefined) throw wanting('settled_transaction');
    this.#parts.used(next.id);
    return next;
  }

  async receiver(): Promise<Hook> {
    const { receiver, profile } = this.#parts;
    if (receiver === undefined || profile.receiver === undefined) throw wanting('receiver');
    return receiver.hook((name) => pathUnder(profile.receiver!.public_url, name));
  }

  async close(): Promise<void> {}
}

/** The public url with one more step in its path; a query stays where it is. */
export function pathUnder(publicUrl: string, name: string): string {
  const url = new URL(publicUrl);
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/${name}`;
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
    { key: role === 'other_firm' ? 'other firm' : 'firm', perSecond: firm },
  ];
}

function wanting(need: Need): Wanting {
  return new Wanting(need, `the profile does not offer it: add ${NEEDS[need].add}`);
}

function powerless(): Operator {
  const refuse = (verb: string | symbol) => () => {
    throw wanting(POWERS[verb as keyof Operator] ?? 'mint');
  };
  return new Proxy({} as Operator, {
    get: (_, verb) => (verb === 'then' ? undefined : refuse(verb)),
  });
}
