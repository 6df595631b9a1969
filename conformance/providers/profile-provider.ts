// A live target as a profile describes it: its credentials, seeds, orders and receiver, without
// operator commands. Parts that the profile scenarios find broken are withdrawn.
import { CAPABILITIES, type Capability, nameInProfile, type Role } from '../engine/capabilities.ts';
import type { Rate } from '../engine/pace/pacer.ts';
import { Blocked, MissingCapability, UsedUp } from '../engine/scenario-errors.ts';
import type { Operator } from './control-plane.ts';
import { listenAddress, type Profile } from './profile.ts';
import {
  type OrderTemplates,
  type Provider,
  SEED_KINDS,
  type SeedKind,
  type Target,
} from './target.ts';
import { WebhookReceiver } from './webhook-receiver.ts';

/** The default rate of new credentials, used if a profile names no plan. */
export const SANDBOX_PER_SECOND = 5;
export const FIRM_FACTOR = 4;

/** Which settled transactions earlier runs have used up. */
export interface UsedSeeds {
  has(transactionId: string): boolean;
  add(transactionId: string): void;
}

interface ProfileProviderOptions {
  readonly baseUrl: string;
  readonly profile: Profile;
  readonly used?: UsedSeeds;
  /** Part of every name that the run creates. */
  readonly mark: string;
  /** The source of the only credential, if there is no profile. */
  readonly tokenFrom?: string | undefined;
  /** Why there is no credential at all. */
  readonly noCredential?: string;
  readonly notes?: readonly string[];
  /** The variable of each field of the profile that names one. */
  readonly variables?: ReadonlyMap<string, string>;
  readonly maxRate?: number | undefined;
}

type Credentials = Profile['credentials'];

/**
 * Scenarios act as `firm` or `brand`. If neither exists, a credential of the other brand or the
 * other firm is used instead: there is no other for it to differ from.
 */
function withMain(credentials: Credentials): Credentials {
  const { firm, brand, other_brand: otherBrand, other_firm: otherFirm, ...rest } = credentials;
  if (firm !== undefined && brand?.brand_id !== undefined) {
    return { ...credentials, firm: { brand_id: brand.brand_id, ...firm } };
  }
  if (firm !== undefined || brand !== undefined) return credentials;
  if (otherBrand !== undefined) {
    return { ...rest, brand: otherBrand, ...(otherFirm && { other_firm: otherFirm }) };
  }
  return otherFirm === undefined ? credentials : { ...rest, firm: otherFirm };
}

/** The capabilities that a profile claims, before they are checked. */
export function offersOf(profile: Profile, maxRate?: number): Set<Capability> {
  const { seeds = {}, positions, plan, receiver } = profile;
  const offers = new Set<Capability>(Object.keys(profile.credentials) as Role[]);
  for (const kind of SEED_KINDS) if (seeds[kind]) offers.add(kind);
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
  return { open: [{ terms: open.body, other: open.other_body ?? {} }], close: close.body };
}

/** Rules about limits need bursts above the plan, with several credentials concurrently. */
export function isAmple(maxRate: number | undefined, perSecond: number): boolean {
  return maxRate === undefined || maxRate >= 20 * perSecond;
}

export function profileProvider(options: ProfileProviderOptions): Provider {
  const { profile, maxRate, baseUrl, mark, tokenFrom, noCredential, used, variables } = options;
  const { seeds = {}, plan } = profile;
  const notes = [...(options.notes ?? [])];
  const lost = new Set<Capability>();
  const main = withMain(profile.credentials);
  const offers = offersOf({ ...profile, credentials: main }, maxRate);
  let credentials: Readonly<Partial<Record<Role, Readonly<Record<string, string | undefined>>>>> =
    main;
  const named = seeds.settled_transactions ?? [];
  let settled: typeof named = named.filter(({ id }) => !used?.has(id));
  const gone = named.filter((each) => !settled.includes(each)).map(({ id }) => id);
  if (gone.length > 0) {
    const more = settled.length === 0 ? 'add others' : `${settled.length} left`;
    notes.push(`seeds.settled_transactions: used up by earlier runs: ${gone.join(', ')}; ${more}.`);
  }
  if (settled.length === 0 && offers.delete('settled_transaction')) lost.add('settled_transaction');
  /** A main credential named `firm` may turn out to be bound to a brand. */
  const isOpen = tokenFrom !== undefined || profile.credentials.firm === undefined;
  let receiver: Promise<WebhookReceiver> | undefined;
  const mainRole = (): Role =>
    credentials.firm === undefined && credentials.brand ? 'brand' : 'firm';

  /** The rates that must have room for each request of a role: its own first, its firm's last. */
  const ratesOf = (role: Role): Rate[] => {
    const perSecond = plan?.per_second ?? SANDBOX_PER_SECOND;
    const own: Rate = { key: 'main', perSecond };
    const firm: Rate = {
      key: role === 'other_firm' ? 'other firm' : 'firm',
      perSecond: plan?.firm_per_second ?? perSecond * FIRM_FACTOR,
      ...(plan?.firm_per_second === undefined ? { isAssumed: true } : {}),
    };
    if (role === mainRole() || role === 'client') return [own, firm];
    if (role !== 'delegated' && role !== 'read_only') return [{ key: role, perSecond }, firm];
    // LIM-10: the Sandbox rate under any plan. NS-37: they may share one allowance, and that of the
    // credential that minted them, most likely the main one.
    return [{ key: 'delegated', perSecond: Math.min(perSecond, SANDBOX_PER_SECOND) }, own, firm];
  };

  const target: Target = {
    ...{ baseUrl, offers, disposable: false, operator: unsupportedOperator() },
    orders: ordersOf(profile.positions),
    get mainRole() {
      return mainRole();
    },
    get mainName() {
      const field = `credentials.${mainRole()}`;
      const variable = variables?.get(`${field}.token`);
      return tokenFrom ?? (variable === undefined ? field : `${field} (env:${variable})`);
    },
    get ownUrl() {
      const url = profile.receiver?.public_url;
      return url === undefined ? undefined : pathUnder(url, `conformance-${mark}`);
    },
    nameBrand(role, brandId) {
      const { firm, ...rest } = credentials;
      const given = { ...credentials[role], brand_id: brandId };
      if (role === 'firm' && isOpen) {
        credentials = { ...rest, brand: given };
        offers.delete('firm');
        offers.add('brand');
      } else credentials = { ...credentials, [role]: given };
    },
    async credential(role) {
      const given = credentials[role];
      if (given === undefined && role === mainRole()) {
        const needs = 'scenarios act as a server credential with every scope';
        throw new Blocked(noCredential ?? `${needs}: add credentials.firm or brand`);
      }
      if (given === undefined) throw missing(role);
      return {
        name: role,
        token: given.token ?? '',
        brandId: given.brand_id,
        accountId: given.account_id,
        tradingAccountId: given.trading_account_id,
        clientId: given.client_id,
        clientSecret: given.client_secret,
        rates: ratesOf(role),
      };
    },
    brandId: (role) => credentials[role]?.brand_id,
    async seed(kind) {
      const place = offers.has(kind) ? seeds[kind] : undefined;
      if (place === undefined) throw missing(kind);
      return place;
    },
    async settledTransaction() {
      const [next, ...rest] = settled;
      if (next === undefined && offers.has('settled_transaction')) {
        const words = 'each of seeds.settled_transactions is used up; add others';
        throw new UsedUp('settled_transaction', words);
      }
      if (next === undefined) throw missing('settled_transaction');
      settled = rest;
      used?.add(next.id);
      return next;
    },
    async receiver() {
      const { listen, public_url: url } = profile.receiver ?? {};
      if (listen === undefined || url === undefined) throw missing('receiver');
      receiver ??= openReceiver(listen);
      return (await receiver).hook((name) => pathUnder(url, name));
    },
    close: async () => {},
  };

  return {
    ...{ worlds: false, offers, lost, notes },
    withdraw(need, why) {
      lost.add(need);
      notes.push(`${nameInProfile(need)}: ${why}.`);
      offers.delete(need);
      const { [need as Role]: _, ...rest } = credentials;
      credentials = rest;
      const place = seeds[need as SeedKind];
      // Checking these would have used them up.
      settled = settled.filter((each) => each.account_id !== place?.account_id);
      if (settled.length === 0) offers.delete('settled_transaction');
    },
    shared: async () => target,
    own: async () => target,
    close: async () => (await receiver?.catch(() => undefined))?.close(),
  };
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

/** The public URL with one more path segment; the query is kept. */
function pathUnder(publicUrl: string, name: string): string {
  const url = new URL(publicUrl);
  url.pathname = `${url.pathname.replace(/(?<!\/)\/+$/, '')}/${name}`;
  return url.href;
}

function missing(need: Capability): MissingCapability {
  const add = `add ${CAPABILITIES[need].add}`;
  return new MissingCapability(need, `the profile does not offer it: ${add}`);
}

/** Every command requires a control plane, which is a declared need of scenarios that use one. */
function unsupportedOperator(): Operator {
  const refuse = () => {
    throw missing('mint');
  };
  return new Proxy({} as Operator, { get: (_, verb) => (verb === 'then' ? undefined : refuse) });
}
