// A target with a control plane: makes every credential, trading account, name and fault that a
// scenario asks for.
import type { Need, Role } from '../engine/needs.ts';
import type { Sender } from '../engine/send.ts';
import { Blocked, Wanting } from '../engine/stop.ts';
import { controlOperator } from './control-operator.ts';
import type { ControlPlane, Row } from './control-plane.ts';
import type { Hook, Receiver } from './receiver.ts';
import type { Credential, CredentialWish, Operator, Place, Target } from './target.ts';

/** Every scope of the specification. */
export const EVERY_SCOPE = [
  'accounts:write',
  'trades:write',
  'trader:trade',
  'transactions:write',
  'trader:funds',
  'transactions:amend',
  'webhooks:manage',
];

/** The identities of the default world that the contract of the control plane fixes. */
const FIRMS = { firm: '1', other_firm: '2' } as const;
const BRANDS = { brand: '10', other_brand: '11' } as const;
const OTHER_FIRMS_BRAND = '20';

/** So high that no scenario meets it by accident. */
const AMPLE_PER_SECOND = 100_000;

const DELEGATED_SCOPES = ['trader:trade', 'trader:funds'];

export const WISHES: Partial<Record<Role, CredentialWish>> = {
  firm: { scopes: EVERY_SCOPE },
  brand: { scopes: EVERY_SCOPE, brand: 'brand' },
  other_brand: { scopes: EVERY_SCOPE, brand: 'other_brand' },
  other_firm: { scopes: EVERY_SCOPE, firm: 'other_firm' },
  no_scopes: { scopes: [] },
  no_amend: { scopes: EVERY_SCOPE.filter((each) => each !== 'transactions:amend') },
  amend_only: { scopes: ['transactions:amend'] },
  client: { scopes: EVERY_SCOPE },
};

export interface ControlTargetParts {
  readonly baseUrl: string;
  readonly plane: ControlPlane;
  readonly sender: Sender;
  readonly offers: ReadonlySet<Need>;
  readonly receiver: () => Promise<Receiver>;
  readonly secret: (value: string) => void;
  readonly disposable: boolean;
  readonly leave: () => Promise<void>;
}

export class ControlTarget implements Target {
  readonly baseUrl: string;
  readonly offers: ReadonlySet<Need>;
  readonly disposable: boolean;
  readonly mainRole: Role = 'firm';
  readonly operator: Operator;
  readonly #parts: ControlTargetParts;
  readonly #credentials = new Map<Role, Promise<Credential>>();
  #minted = 0;
  #ample: Promise<void> | undefined;

  constructor(parts: ControlTargetParts) {
    this.#parts = parts;
    this.baseUrl = parts.baseUrl;
    this.offers = parts.offers;
    this.disposable = parts.disposable;
    this.operator = controlOperator(parts.plane, (wish) => this.mint(wish));
  }

  credential(role: Role): Promise<Credential> {
    let made = this.#credentials.get(role);
    if (made === undefined) {
      made = this.#make(role);
      this.#credentials.set(role, made);
    }
    return made;
  }

  brandId(role: Role): string | undefined {
    if (role === 'other_firm') return OTHER_FIRMS_BRAND;
    return role === 'other_brand' ? BRANDS.other_brand : BRANDS.brand;
  }

  async mint(wish: CredentialWish, name?: string): Promise<Credential> {
    this.#ample ??= this.#firmsAmple();
    await this.#ample;
    this.#minted += 1;
    const firmId = FIRMS[wish.firm ?? 'firm'];
    const rate = rateOf(wish);
    const body: Record<string, unknown> = {
      name: name ?? `minted-${this.#minted}`,
      kind: wish.kind ?? 'server',
      firm_id: firmId,
      scopes: wish.scopes,
      ...rate,
    };
    if (wish.brand !== undefined) body.brand_id = BRANDS[wish.brand];
    if (wish.readOnly !== undefined) body.read_only = wish.readOnly;
    if (wish.accountId !== undefined) body.account_id = wish.accountId;
    if (wish.mintedBy !== undefined) body.minted_by = wish.mintedBy;
    const row = await this.#parts.plane.ask('POST', 'credentials', body);
    return this.#read(row, name ?? String(body.name), wish);
  }

  async #make(role: Role): Promise<Credential> {
    const wish = WISHES[role];
    if (wish !== undefined) return this.mint(wish, role);
    // A delegated token is metered against the credential that mints it, so each has a minter of
    // its own.
    const minter = await this.mint({ scopes: EVERY_SCOPE }, `${role}-minter`);
    const place = await this.#placeFor(minter);
    const minted: CredentialWish = {
      kind: 'delegated',
      scopes: DELEGATED_SCOPES,
      accountId: place.account_id,
      readOnly: role === 'read_only',
      ...(minter.clientId === undefined ? {} : { mintedBy: minter.clientId }),
    };
    const credential = await this.mint(minted, role);
    return { ...credential, tradingAccountId: place.trading_account_id };
  }

  async #placeFor(minter: Credential): Promise<Place> {
    const mark = `${Date.now().toString(36)}-${Math.random().toString(36).slice(2, 10)}`;
    const account = {
      client_reference_id: `delegate-${mark}`,
      email: `delegate-${mark}@conformance.example.com`,
      brand_id: BRANDS.brand,
    };
    const answer = await this.#parts.sender.send({
      method: 'POST',
      url: `${this.baseUrl}/api/v1/accounts`,
      headers: [
        ['authorization', `Bearer ${minter.token}`],
        ['content-type', 'application/json'],
        ['idempotency-key', `delegate-${mark}`],
      ],
      body: Buffer.from(JSON.stringify(account)),
      timeoutMs: 30_000,
    });
    const text = Buffer.from(answer.body).toString();
    const id = /"id"\s*:\s*"([^"]+)"/.exec(text)?.[1];
    if (answer.status !== 201 || id === undefined) {
      throw new Blocked(`setup failed: an account for a delegated token: ${answer.status} ${text}`);
    }
    return this.operator.openTradingAccount(id);
  }

  /** Firms are limited too: their allowance must not be met by scenarios that are not about it. */
  async #firmsAmple(): Promise<void> {
    for (const id of Object.values(FIRMS)) {
      const rate = { rate_per_second: AMPLE_PER_SECOND };
      await this.#parts.plane.ask('PATCH', `firms/${id}`, rate);
    }
  }

  #read(row: Row, name: string, wish: CredentialWish): Credential {
    const token = row.token;
    if (typeof token !== 'string') throw new Blocked('the control plane made no token');
    this.#parts.secret(token);
    if (typeof row.client_secret === 'string') this.#parts.secret(row.client_secret);
    const text = (value: unknown) => (typeof value === 'string' ? value : undefined);
    const otherFirm = wish.firm === 'other_firm';
    return {
      name,
      token,
      brandId: otherFirm ? OTHER_FIRMS_BRAND : BRANDS[wish.brand ?? 'brand'],
      firmId: text(row.firm_id),
      accountId: text(row.account_id),
      tradingAccountId: undefined,
      clientId: text(row.client_id),
      clientSecret: text(row.client_secret),
      rates: [],
    };
  }

  seed(): Promise<Place> {
    throw new Wanting(
      'trading_account',
      'trading accounts are opened here, not taken from a profile',
    );
  }

  settledTransaction(): Promise<{ id: string; account_id: string }> {
    throw new Wanting(
      'settled_transaction',
      'transactions are settled here, not taken from a profile',
    );
  }

  async receiver(): Promise<Hook> {
    const receiver = await this.#parts.receiver();
    let from = '';
    let to = '';
    const hook = receiver.hook((name) => {
      from = `https://${name}.hooks.example.com`;
      to = `${receiver.origin}/${name}`;
      return `${from}/${name}`;
    });
    await this.#parts.plane.ask('PUT', 'forwards', { from, to });
    return hook;
  }

  close(): Promise<void> {
    return this.#parts.leave();
  }
}

function rateOf(wish: CredentialWish): object {
  if (wish.perSecond === null) return wish.plan === undefined ? {} : { plan: wish.plan };
  if (wish.perSecond !== undefined) {
    const rate = { rate_per_second: wish.perSecond };
    return wish.plan === undefined ? rate : { ...rate, plan: wish.plan };
  }
  if (wish.plan !== undefined) return { plan: wish.plan };
  // LIM-10: a delegated token is held to the Sandbox rate whatever it is given.
  return wish.kind === 'delegated' ? {} : { rate_per_second: AMPLE_PER_SECOND };
}
