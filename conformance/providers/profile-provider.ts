// A live target as a profile describes it: its credentials, seeds, orders and receiver, and no
// powers over it. What the profile scenarios find to be of no use is withdrawn.
import { CAPABILITIES, type Capability, nameInProfile, type Role } from '../engine/capabilities.ts';
import type { Rate } from '../engine/pace/pacer.ts';
import { Blocked, MissingCapability, UsedUp } from '../engine/scenario-errors.ts';
import { listenAddress, type Profile } from './profile.ts';
import type { Credential, Operator, OrderTemplates, Place, Provider, Target } from './target.ts';
import type { WebhookEndpoint } from './webhook-receiver.ts';
import { WebhookReceiver } from './webhook-receiver.ts';

/** The default rate of new credentials, used if a profile names no plan. */
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

/** Which settled transactions earlier runs have used up. */
export interface UsedSeeds {
  has(transactionId: string): boolean;
  add(transactionId: string): void;
}

export interface ProfileProviderOptions {
  readonly baseUrl: string;
  readonly profile: Profile;
  readonly secrets: readonly string[];
  readonly used?: UsedSeeds;
  /** In every name that is made. */
  readonly mark: string;
  /** How its one credential was given, if not by a profile. */
  readonly tokenFrom?: string | undefined;
  /** Why there is no credential at all. */
  readonly noCredential?: string;
  readonly notes?: readonly string[];
  readonly maxRate?: number | undefined;
}

export function profileProvider(options: ProfileProviderOptions): Provider {
  const { used } = options;
  const { profile, isOpen } = withMain(options.profile, options.tokenFrom !== undefined);
  const notes = [...(options.notes ?? [])];
  const claimed = offersOf(profile, options.maxRate);
  const settled = profile.seeds?.settled_transactions ?? [];
  const left = settled.filter(({ id }) => used?.has(id) !== true);
  if (left.length < settled.length) {
    const gone = settled.filter((each) => !left.includes(each)).map(({ id }) => id);
    const more = left.length === 0 ? 'add others' : `${left.length} left`;
    notes.push(`seeds.settled_transactions: used up by earlier runs: ${gone.join(', ')}; ${more}.`);
  }
  const rest = { ...profile, seeds: { ...profile.seeds, settled_transactions: left } };
  const provider = new ProfileProvider({ ...options, profile: rest, notes, isOpen });
  for (const each of claimed) if (!provider.offers.has(each)) provider.lost.add(each);
  return provider;
}

/**
 * Scenarios act as `firm` or `brand`. Where there is neither, a credential of the other brand or
 * the other firm does as well: nothing is other than it then. Whether that is bound to a brand is
 * open until it has created an account.
 */
function withMain(profile: Profile, isToken: boolean): { profile: Profile; isOpen: boolean } {
  const {
    firm,
    brand,
    other_brand: otherBrand,
    other_firm: otherFirm,
    ...rest
  } = profile.credentials;
  if (firm !== undefined || brand !== undefined) {
    const brandId = firm?.brand_id ?? brand?.brand_id;
    if (firm === undefined || brandId === undefined) return { profile, isOpen: isToken };
    const credentials = { ...profile.credentials, firm: { ...firm, brand_id: brandId } };
    return { profile: { ...profile, credentials }, isOpen: isToken };
  }
  if (otherBrand !== undefined) {
    const others = otherFirm === undefined ? {} : { other_firm: otherFirm };
    const credentials = { ...rest, ...others, brand: otherBrand };
    return { profile: { ...profile, credentials }, isOpen: false };
  }
  if (otherFirm === undefined) return { profile, isOpen: false };
  return { profile: { ...profile, credentials: { ...rest, firm: otherFirm } }, isOpen: true };
}

/** What a profile claims to offer, before anything of it was tried. */
export function offersOf(profile: Profile, maxRate?: number): Set<Capability> {
  const { seeds = {}, positions, plan, receiver } = profile;
  const offers = new Set<Capability>(Object.keys(profile.credentials) as Role[]);
  if (seeds.trading_account) offers.add('trading_account');
  if (seeds.second_trading_account) offers.add('second_trading_account');
  if (seeds.provider_trading_account) offers.add('provider_trading_account');
  if ((seeds.settled_transactions ?? []).length > 0) offers.add('settled_transaction');
  if (positions) offers.add('orders');
  if (positions?.open.other_body) offers.add('other_order');
  if (plan) offers.add('plan');
  if (isAmple(maxRate, plan?.per_second ?? SANDBOX_PER_SECOND)) offers.add('bursts');
  if (receiver) offers.add('public_url');
  if (receiver?.listen) offers.add('receiver');
  return offers;
}

/** The orders that a profile describes. */
export function ordersOf(positions: Profile['positions']): OrderTemplates | undefined {
  if (positions === undefined) return undefined;
  const { open, close } = positions;
  return { open: [open.body], other: open.other_body, close: close.body };
}

/** Rules about limits are shown by bursts above the plan, of several credentials at once. */
export function isAmple(maxRate: number | undefined, perSecond: number): boolean {
  return maxRate === undefined || maxRate >= 20 * perSecond;
}

interface ProviderOptions extends ProfileProviderOptions {
  readonly notes: string[];
  /** Whether the main credential may yet turn out to be bound to a brand. */
  readonly isOpen: boolean;
}

class ProfileProvider implements Provider {
  readonly worlds = false;
  readonly confirmable = true;
  readonly offers: Set<Capability>;
  readonly lost = new Set<Capability>();
  readonly notes: string[];
  readonly #options: ProviderOptions;
  readonly #target: ProfileTarget;

  constructor(options: ProviderOptions) {
    this.#options = options;
    this.offers = offersOf(options.profile, options.maxRate);
    this.notes = options.notes;
    this.#target = new ProfileTarget(options, this.offers);
  }

  withdraw(need: Capability, why: string): void {
    this.offers.delete(need);
    this.lost.add(need);
    this.notes.push(`${nameInProfile(need)}: ${why}.`);
    this.#target.drop(need);
  }

  async shared(): Promise<Target> {
    return this.#target;
  }

  async own(): Promise<Target> {
    return this.#target;
  }

  secrets(): Iterable<string> {
    return this.#options.secrets;
  }

  close(): Promise<void> {
    return this.#target.end();
  }
}

type Credentials = Readonly<Partial<Record<Role, Readonly<Record<string, string | undefined>>>>>;

class ProfileTarget implements Target {
  readonly baseUrl: string;
  readonly offers: ReadonlySet<Capability>;
  readonly disposable = false;
  readonly operator: Operator = unsupportedOperator();
  readonly orders: OrderTemplates | undefined;
  readonly #options: ProviderOptions;
  #receiver: Promise<WebhookReceiver> | undefined;
  readonly #offers: Set<Capability>;
  readonly #settled: { readonly id: string; readonly account_id: string }[];
  #credentials: Credentials;

  constructor(options: ProviderOptions, offers: Set<Capability>) {
    this.#options = options;
    this.#offers = offers;
    this.#credentials = options.profile.credentials as Credentials;
    this.baseUrl = options.baseUrl;
    this.offers = offers;
    this.orders = ordersOf(options.profile.positions);
    this.#settled = [...(options.profile.seeds?.settled_transactions ?? [])];
  }

  get mainRole(): Role {
    return this.#credentials.firm === undefined && this.#credentials.brand ? 'brand' : 'firm';
  }

  /** How the main credential was given, for people. */
  get mainName(): string {
    return this.#options.tokenFrom ?? `credentials.${this.mainRole}`;
  }

  get ownUrl(): string | undefined {
    const url = this.#options.profile.receiver?.public_url;
    return url === undefined ? undefined : pathUnder(url, `conformance-${this.#options.mark}`);
  }

  /** Notes the brand in which a credential creates; `isBound` when it named none. */
  nameBrand(role: Role, brandId: string, isBound: boolean): void {
    const given = { ...this.#credentials[role], brand_id: brandId };
    if (role === 'firm' && isBound && this.#options.isOpen) {
      const { firm: _, ...rest } = this.#credentials;
      this.#credentials = { ...rest, brand: given };
      this.#offers.delete('firm');
      this.#offers.add('brand');
    } else this.#credentials = { ...this.#credentials, [role]: given };
  }

  drop(need: Capability): void {
    const { [need as Role]: _, ...rest } = this.#credentials;
    this.#credentials = rest;
    const lost = need.endsWith('trading_account')
      ? this.#place(need as 'trading_account')
      : undefined;
    const kept = this.#settled.filter((each) => each.account_id !== lost?.account_id);
    // Nothing of these could be tried without using them up.
    this.#settled.splice(0, this.#settled.length, ...kept);
    if (kept.length === 0) this.#offers.delete('settled_transaction');
  }

  async credential(role: Role): Promise<Credential> {
    const given = this.#credentials[role];
    if (given === undefined && role === this.mainRole) {
      const add =
        'scenarios act as a server credential with every scope: add credentials.firm or brand';
      throw new Blocked(this.#options.noCredential ?? add);
    }
    if (given === undefined) throw missing(role);
    return {
      name: role,
      token: given.token ?? '',
      brandId: given.brand_id,
      firmId: undefined,
      accountId: given.account_id,
      tradingAccountId: given.trading_account_id,
      clientId: given.client_id,
      clientSecret: given.client_secret,
      rates: this.#ratesOf(role),
    };
  }

  brandId(role: Role): string | undefined {
    return this.#credentials[role]?.brand_id;
  }

  async seed(kind: 'trading_account'): Promise<Place> {
    const place = this.offers.has(kind) ? this.#place(kind) : undefined;
    if (place === undefined) throw missing(kind);
    return place;
  }

  async settledTransaction(): Promise<{ id: string; account_id: string }> {
    const next = this.#settled.shift();
    if (next === undefined && this.offers.has('settled_transaction')) {
      const words = 'each of seeds.settled_transactions is used up; add others';
      throw new UsedUp('settled_transaction', words);
    }
    if (next === undefined) throw missing('settled_transaction');
    this.#options.used?.add(next.id);
    return next;
  }

  async receiver(): Promise<WebhookEndpoint> {
    const { listen, public_url: url } = this.#options.profile.receiver ?? {};
    if (listen === undefined || url === undefined) throw missing('receiver');
    this.#receiver ??= openReceiver(listen);
    return (await this.#receiver).hook((name) => pathUnder(url, name));
  }

  async close(): Promise<void> {}

  async end(): Promise<void> {
    await (await this.#receiver?.catch(() => undefined))?.close();
  }

  #place(kind: 'trading_account'): Place | undefined {
    return this.#options.profile.seeds?.[kind];
  }

  /** The rates that must have room for each request of a role: its own first, its firm's last. */
  #ratesOf(role: Role): Rate[] {
    const { plan } = this.#options.profile;
    const perSecond = plan?.per_second ?? SANDBOX_PER_SECOND;
    const main: Rate = { key: 'main', perSecond };
    const firm: Rate = {
      key: role === 'other_firm' ? 'other firm' : 'firm',
      perSecond: plan?.firm_per_second ?? perSecond * FIRM_FACTOR,
      ...(plan?.firm_per_second === undefined ? { isAssumed: true } : {}),
    };
    if (role === this.mainRole || role === 'client') return [main, firm];
    if (role !== 'delegated' && role !== 'read_only') return [{ key: role, perSecond }, firm];
    // LIM-10: at the Sandbox rate on every plan. NS-37: they may share one allowance, and that
    // of the credential which minted them, most likely the main one.
    return [{ key: 'delegated', perSecond: Math.min(perSecond, SANDBOX_PER_SECOND) }, main, firm];
  }
}

async function openReceiver(listen: string): Promise<WebhookReceiver> {
  const { host, port } = listenAddress(listen);
  try {
    return await WebhookReceiver.listen(host, port);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    const why = code === 'EADDRINUSE' ? 'something else listens there already' : code;
    const words = `cannot listen on ${listen} (${why}), so nothing is received`;
    throw new MissingCapability('receiver', words);
  }
}

/** The public url with one more step in its path; a query stays where it is. */
export function pathUnder(publicUrl: string, name: string): string {
  const url = new URL(publicUrl);
  url.pathname = `${url.pathname.replace(/(?<!\/)\/+$/, '')}/${name}`;
  return url.href;
}

function missing(need: Capability): MissingCapability {
  return new MissingCapability(
    need,
    `the profile does not offer it: add ${CAPABILITIES[need].add}`,
  );
}

function unsupportedOperator(): Operator {
  const refuse = (verb: string | symbol) => () => {
    throw missing(OPERATOR_CAPABILITIES[verb as keyof Operator] ?? 'mint');
  };
  return new Proxy({} as Operator, {
    get: (_, verb) => (verb === 'then' ? undefined : refuse(verb)),
  });
}
