// Whether the credentials of a profile are what it calls them: one that is not would look like a
// target that deviates. Only what a target that breaks one rule cannot look like is held against
// the profile.
import type { Role } from '../engine/capabilities.ts';
import type { HeaderLine } from '../engine/send/headers.ts';
import type { WireAnswer } from '../engine/send/sender.ts';
import { isNeeded, memberOf, type ProbeSession, probeName, sendProbe } from './probe.ts';
import type { Profile } from './profile-parser.ts';
import { credentialOf, mainRoleOf } from './profile-target.ts';
import type { Credential } from './target.ts';

type Credentials = Profile['credentials'];

/** Takes out every credential that is none of the kind it is called, with a word about it. */
export async function dropMisnamedRoles(
  profile: Profile,
  session: ProbeSession,
  notes: string[],
): Promise<Profile> {
  const kept: Partial<Record<Role, unknown>> = { ...profile.credentials };
  const look = new RoleProbe(profile, session);
  for (const [role, findFault] of Object.entries(FAULTS) as [Role, FindFault][]) {
    if (profile.credentials[role] === undefined || role === mainRoleOf(profile.credentials)) {
      continue;
    }
    if (!isNeeded(session, role)) continue;
    const fault = await findFault(look);
    if (fault === undefined) continue;
    notes.push(`credentials.${role}: ${fault}, so it is not used: check the profile.`);
    delete kept[role];
  }
  return { ...profile, credentials: kept as Credentials };
}

/** In words; undefined where it is what it is called, or the target may be what is wrong. */
type FindFault = (look: RoleProbe) => Promise<string | undefined>;

const FAULTS: Partial<Record<Role, FindFault>> = {
  other_firm: (look) => look.sameFirm('other_firm'),
  brand: (look) => look.firmWide('brand', 'other_brand'),
  other_brand: async (look) =>
    (await look.sameBrand()) ?? (await look.firmWide('other_brand', 'brand')),
  no_scopes: (look) => look.holdsScopes('no_scopes', 'amend_only'),
  amend_only: (look) => look.holdsScopes('amend_only', 'no_scopes'),
  no_amend: (look) => look.lacksScopes('no_amend'),
  delegated: (look) => look.cannotTrade('delegated'),
};

class RoleProbe {
  readonly #profile: Profile;
  readonly #session: ProbeSession;
  readonly #plain = new Map<Role, Promise<WireAnswer | undefined>>();

  constructor(profile: Profile, session: ProbeSession) {
    this.#profile = profile;
    this.#session = session;
  }

  /** ACC-18 shows the firm, and AUTH-7 hides its accounts from others: both would have to fail. */
  async sameFirm(role: Role): Promise<string | undefined> {
    const main = mainRoleOf(this.#profile.credentials);
    const ours = await this.#create(main);
    const firm = memberIn(ours, 'firm_id');
    if (firm === undefined) return undefined;
    // At the brand that the profile gives it, and at ours, where no other firm can create.
    const here = this.#account({ brand_id: memberIn(ours, 'brand_id') });
    const own = memberIn(await this.#create(role), 'firm_id');
    const seen =
      own ?? memberIn(await this.#send(role, 'POST', '/api/v1/accounts', here), 'firm_id');
    if (seen !== firm) return undefined;
    const path = `/api/v1/accounts/${memberIn(ours, 'id')}`;
    const body = { first_name: 'Nobody' };
    const reached = await this.#send(role, 'PATCH', path, body, [['if-match', '"no-such-tag"']]);
    if (reached === undefined || reached.status === 404) return undefined;
    return `it is of firm ${firm}, as credentials.${main} is`;
  }

  /** ACC-15 and ACC-16 would both have to fail for a bound one to look firm-wide. */
  async firmWide(role: Role, other: Role): Promise<string | undefined> {
    const elsewhere = this.#credential(other)?.brandId;
    if (elsewhere === undefined) return undefined;
    const unnamed = await this.#send(role, 'POST', '/api/v1/accounts', this.#account());
    const there = this.#account({ brand_id: elsewhere });
    if (unnamed?.status !== 422) return undefined;
    const named = await this.#send(role, 'POST', '/api/v1/accounts', there);
    if (named === undefined || named.status >= 300) return undefined;
    return 'it is bound to no brand';
  }

  async sameBrand(): Promise<string | undefined> {
    if (this.#credential('brand') === undefined) return undefined;
    const [one, other] = [await this.#create('brand'), await this.#create('other_brand')];
    const brand = memberIn(one, 'brand_id');
    if (brand === undefined || memberIn(other, 'brand_id') !== brand) return undefined;
    return `it is bound to brand ${brand}, as credentials.brand is`;
  }

  /**
   * AUTH-4: served where another one without the scope is refused, or wherever scopes are asked
   * for.
   */
  async holdsScopes(role: Role, other: Role): Promise<string | undefined> {
    const made = await this.#create(role);
    if (made === undefined || made.status >= 300) return undefined;
    const held = 'it creates accounts, so it holds accounts:write';
    if ((await this.#create(other))?.status === 403) return held;
    const hooks = await this.#send(role, 'GET', '/api/v1/webhooks');
    const order = await this.#send(role, 'POST', '/api/v1/transactions', {});
    const served = [hooks, order].every((each) => each !== undefined && each.status !== 403);
    return served ? 'no operation that was tried is refused to it for want of a scope' : undefined;
  }

  async lacksScopes(role: Role): Promise<string | undefined> {
    const made = await this.#create(role);
    if (made?.status !== 403 || memberOf(made, 'code') !== 'forbidden') return undefined;
    return 'it lacks accounts:write: a plain create is refused (403)';
  }

  /** TXN-10, AUTH-2: the place that the profile gives it must be its own, for writing. */
  async cannotTrade(role: Role): Promise<string | undefined> {
    const { accountId, tradingAccountId } = this.#credential(role) ?? {};
    if (accountId === undefined || tradingAccountId === undefined) return undefined;
    const place = { account_id: accountId, trading_account_id: tradingAccountId, currency: 'USD' };
    const wish = { amount: '1.00', transaction_type: 'Deposit', client_reference_id: this.#name() };
    const made = await this.#send(role, 'POST', '/api/v1/transactions', { ...place, ...wish });
    const code = made && memberOf(made, 'code');
    if (code === 'read_only_credential') return 'it is read-only (403 read_only_credential)';
    if (made?.status === 404 && code === 'not_found') {
      return `it does not reach account ${accountId} and its ${tradingAccountId} (404)`;
    }
    const id = made !== undefined && made.status < 300 ? memberOf(made, 'id') : undefined;
    if (id === undefined) return undefined;
    const path = `/api/v1/transactions/${id}/cancel?account_id=${accountId}`;
    await this.#send(role, 'POST', path, { reason: 'a check of the credential' });
    return undefined;
  }

  #credential(role: Role): Credential | undefined {
    return credentialOf(this.#profile, role);
  }

  #account(over: { readonly brand_id?: string | undefined } = {}): object {
    const reference = this.#name();
    const email = `${reference}@conformance.example.com`;
    return { client_reference_id: reference, email, ...over };
  }

  #name(): string {
    return probeName(this.#session, 'role');
  }

  /** A plain account under a role, once; those that name no brand are given the main one's. */
  #create(role: Role): Promise<WireAnswer | undefined> {
    const main = this.#credential(mainRoleOf(this.#profile.credentials));
    const brandId = this.#credential(role)?.brandId ?? main?.brandId;
    const made =
      this.#plain.get(role) ??
      this.#send(role, 'POST', '/api/v1/accounts', this.#account({ brand_id: brandId }));
    this.#plain.set(role, made);
    return made;
  }

  async #send(
    role: Role,
    method: string,
    path: string,
    body?: object,
    more: readonly HeaderLine[] = [],
  ): Promise<WireAnswer | undefined> {
    const token = this.#credential(role)?.token ?? '';
    if (token === '') return undefined;
    const key: HeaderLine[] = body === undefined ? [] : [['idempotency-key', this.#name()]];
    return await sendProbe(this.#session, token, method, path, body, [...key, ...more]);
  }
}

function memberIn(answer: WireAnswer | undefined, name: string): string | undefined {
  const value = answer !== undefined && answer.status < 300 ? memberOf(answer, name) : undefined;
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
}
