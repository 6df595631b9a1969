// Targets by a control plane: a world for the run and one for each scenario that needs its own, in
// which every credential, trading account, name and fault is made on demand.
import { type Capability, EVERY_CAPABILITY, type Role } from '../engine/capabilities.ts';
import { Blocked, MissingCapability } from '../engine/scenario-errors.ts';
import type { HeaderLine } from '../engine/send/headers.ts';
import { idText, memberAt, parseJson } from '../engine/send/json.ts';
import type { Sender } from '../engine/send/sender.ts';
import { ControlPlaneClient, controlOperator, type Row } from './control-plane.ts';
import type { Profile } from './profile.ts';
import { isAmple, ordersOf } from './profile-provider.ts';
import type {
  Credential,
  CredentialOptions,
  Operator,
  OrderTemplates,
  Place,
  Provider,
  Target,
} from './target.ts';
import { type WebhookEndpoint, WebhookReceiver } from './webhook-receiver.ts';

export interface ControlProviderOptions {
  readonly baseUrl: string;
  readonly controlUrl: string;
  readonly sender: Sender;
  readonly controlToken?: string | undefined;
  readonly secret?: (value: string) => void;
  /** Orders of a profile, for a target that takes others than the usual. */
  readonly positions?: Profile['positions'];
  readonly maxRate?: number | undefined;
}

/** The fastest plan, whose limits are shown as well. */
const PRO_PER_SECOND = 200;

/** NS-1: the names that instrument and size may have, in a world that is dropped afterwards. */
const USUAL_ORDERS: OrderTemplates = {
  open: [
    { instrument: 'EURUSD', side: 'buy', volume: '0.10' },
    { symbol: 'EURUSD', side: 'buy', volume: '0.10' },
    { instrument: 'EURUSD', side: 'buy', size: '0.10' },
  ],
  other: undefined,
  close: {},
};

export async function controlProvider(options: ControlProviderOptions): Promise<Provider> {
  const plane = new ControlPlaneClient(options.controlUrl, options.sender, options.controlToken);
  const absent = await plane.absence();
  if (absent !== null)
    throw new Blocked(`no control plane answers at ${options.controlUrl}: ${absent}`);
  const provider = new ControlProvider(options, plane);
  await provider.open();
  return provider;
}

class ControlProvider implements Provider {
  readonly options: ControlProviderOptions;
  readonly offers: ReadonlySet<Capability>;
  readonly orders: OrderTemplates;
  readonly confirmable = false;
  readonly notes: readonly string[] = [];
  worlds = false;
  readonly #plane: ControlPlaneClient;
  readonly #secrets = new Set<string>();
  /** Drops each world that still exists. */
  readonly #leaves = new Set<() => Promise<void>>();
  #shared: Promise<Target> | undefined;
  #receiver: Promise<WebhookReceiver> | undefined;

  constructor(options: ControlProviderOptions, plane: ControlPlaneClient) {
    this.options = options;
    this.#plane = plane;
    this.orders = ordersOf(options.positions) ?? USUAL_ORDERS;
    // A control plane can make everything that a scenario may need.
    const isLimited = !isAmple(options.maxRate, PRO_PER_SECOND);
    this.offers = new Set(EVERY_CAPABILITY.filter((each) => each !== 'bursts' || !isLimited));
  }

  /** Everything is made on demand, so nothing is withdrawn. */
  withdraw(): void {}

  /** Finds out whether worlds are offered, by making the one that the run plays in. */
  async open(): Promise<void> {
    const world = await this.#world().catch((error: unknown) => {
      if (error instanceof Blocked) return undefined;
      throw error;
    });
    this.worlds = world !== undefined;
    this.#shared = Promise.resolve(world ?? this.#whole());
  }

  shared(): Promise<Target> {
    return this.#shared!;
  }

  async own(): Promise<Target> {
    return this.worlds ? this.#world() : this.#whole();
  }

  receiver(): Promise<WebhookReceiver> {
    this.#receiver ??= WebhookReceiver.listen();
    return this.#receiver;
  }

  noteSecret(value: string): void {
    this.#secrets.add(value);
    this.options.secret?.(value);
  }

  secrets(): Iterable<string> {
    return this.#secrets;
  }

  async close(): Promise<void> {
    for (const leave of this.#leaves) await leave().catch(() => {});
    if (this.#receiver !== undefined) await (await this.#receiver).close();
  }

  /** A world whose clock stands still: nothing happens in it that a scenario does not do. */
  async #world(): Promise<Target> {
    const { name: world } = await this.#plane.ask('POST', 'worlds', { clock: 'frozen' });
    if (typeof world !== 'string') throw new Blocked('the control plane made no world');
    const leave = async () => {
      if (this.#leaves.delete(leave)) await this.#plane.ask('DELETE', `worlds/${world}`);
    };
    this.#leaves.add(leave);
    const plane = this.#plane.at(`${this.#plane.url}/worlds/${world}`);
    return new ControlTarget(this, plane, leave, [['x-sandbox-world', world]]);
  }

  #whole(): Target {
    return new ControlTarget(this, this.#plane);
  }
}

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

export const DELEGATED_SCOPES = ['trader:trade', 'trader:funds'];

const ROLE_CREDENTIALS: Partial<Record<Role, CredentialOptions>> = {
  firm: { scopes: EVERY_SCOPE },
  brand: { scopes: EVERY_SCOPE, brand: 'brand' },
  other_brand: { scopes: EVERY_SCOPE, brand: 'other_brand' },
  other_firm: { scopes: EVERY_SCOPE, firm: 'other_firm' },
  no_scopes: { scopes: [] },
  no_amend: { scopes: EVERY_SCOPE.filter((each) => each !== 'transactions:amend') },
  amend_only: { scopes: ['transactions:amend'] },
  client: { scopes: EVERY_SCOPE },
};

class ControlTarget implements Target {
  readonly baseUrl: string;
  readonly addedHeaders: readonly HeaderLine[];
  readonly offers: ReadonlySet<Capability>;
  readonly disposable: boolean;
  readonly mainRole: Role = 'firm';
  readonly mainName = 'the credential that the control plane made';
  readonly orders: OrderTemplates;
  readonly operator: Operator;
  readonly #provider: ControlProvider;
  readonly #plane: ControlPlaneClient;
  readonly #leave: (() => Promise<void>) | undefined;
  readonly #credentials = new Map<Role, Promise<Credential>>();
  /** Endpoints of its own, and the receiver that listens there. */
  readonly #endpoints: [WebhookReceiver, WebhookEndpoint][] = [];
  #minted = 0;
  #ample: Promise<void> | undefined;

  /** `leave` drops the world; without it this is the whole target. */
  constructor(
    provider: ControlProvider,
    plane: ControlPlaneClient,
    leave?: () => Promise<void>,
    addedHeaders: readonly HeaderLine[] = [],
  ) {
    this.#provider = provider;
    this.#plane = plane;
    this.#leave = leave;
    this.baseUrl = provider.options.baseUrl;
    this.addedHeaders = addedHeaders;
    this.offers = provider.offers;
    this.disposable = leave !== undefined;
    this.orders = provider.orders;
    this.operator = controlOperator(plane, (options) => this.mint(options));
  }

  credential(role: Role): Promise<Credential> {
    const made = this.#credentials.get(role) ?? this.#make(role);
    this.#credentials.set(role, made);
    return made;
  }

  nameBrand(): void {}

  brandId(role: Role): string | undefined {
    if (role === 'other_firm') return OTHER_FIRMS_BRAND;
    return role === 'other_brand' ? BRANDS.other_brand : BRANDS.brand;
  }

  async mint(options: CredentialOptions, name?: string): Promise<Credential> {
    this.#ample ??= this.#firmsAmple();
    await this.#ample;
    this.#minted += 1;
    const ownName = name ?? `minted-${this.#minted}`;
    // Members that are undefined are left out of JSON.
    const row = await this.#plane.ask('POST', 'credentials', {
      name: ownName,
      kind: options.kind ?? 'server',
      firm_id: FIRMS[options.firm ?? 'firm'],
      scopes: options.scopes,
      ...rateOf(options),
      brand_id: options.brand && BRANDS[options.brand],
      read_only: options.readOnly,
      account_id: options.accountId,
      minted_by: options.mintedBy,
    });
    return this.#read(row, ownName, options);
  }

  async #make(role: Role): Promise<Credential> {
    const options = ROLE_CREDENTIALS[role];
    if (options !== undefined) return this.mint(options, role);
    // A delegated token is metered against the credential that mints it, so each has a minter of
    // its own.
    const minter = await this.mint({ scopes: EVERY_SCOPE }, `${role}-minter`);
    const place = await this.#placeFor(minter);
    const minted: CredentialOptions = {
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
    const answer = await this.#provider.options.sender.send({
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
    const id = idText(memberAt(parseJson(text), 'id'));
    if (answer.status >= 300 || id === undefined) {
      throw new Blocked(`setup failed: an account for a delegated token: ${answer.status} ${text}`);
    }
    return this.operator.openTradingAccount(id);
  }

  /** Firms are limited too: their allowance must not be met by scenarios that are not about it. */
  async #firmsAmple(): Promise<void> {
    for (const id of Object.values(FIRMS)) {
      await this.#plane.ask('PATCH', `firms/${id}`, { rate_per_second: AMPLE_PER_SECOND });
    }
  }

  #read(row: Row, name: string, options: CredentialOptions): Credential {
    const text = (value: unknown) => (typeof value === 'string' ? value : undefined);
    const [token, clientSecret] = [text(row.token), text(row.client_secret)];
    if (token === undefined) throw new Blocked('the control plane made no token');
    this.#provider.noteSecret(token);
    if (clientSecret !== undefined) this.#provider.noteSecret(clientSecret);
    const isOtherFirm = options.firm === 'other_firm';
    return {
      name,
      token,
      brandId: isOtherFirm ? OTHER_FIRMS_BRAND : BRANDS[options.brand ?? 'brand'],
      firmId: text(row.firm_id),
      accountId: text(row.account_id),
      tradingAccountId: undefined,
      clientId: text(row.client_id),
      clientSecret,
      rates: [],
    };
  }

  seed(): Promise<Place> {
    const why = 'trading accounts are opened here, not taken from a profile';
    throw new MissingCapability('trading_account', why);
  }

  settledTransaction(): Promise<{ id: string; account_id: string }> {
    const why = 'transactions are settled here, not taken from a profile';
    throw new MissingCapability('settled_transaction', why);
  }

  async receiver(): Promise<WebhookEndpoint> {
    const receiver = await this.#provider.receiver();
    let forward = { from: '', to: '' };
    const hook = receiver.hook((name) => {
      const from = `https://${name}.hooks.example.com`;
      forward = { from, to: `${receiver.origin}/${name}` };
      return `${from}/${name}`;
    });
    this.#endpoints.push([receiver, hook]);
    await this.#plane.ask('PUT', 'forwards', forward);
    return hook;
  }

  async close(): Promise<void> {
    for (const [receiver, endpoint] of this.#endpoints.splice(0)) receiver.forget(endpoint);
    await this.#leave?.();
  }
}

function rateOf({ perSecond, plan, kind }: CredentialOptions): object {
  const onPlan = plan === undefined ? {} : { plan };
  if (perSecond === null) return onPlan;
  if (perSecond !== undefined) return { rate_per_second: perSecond, ...onPlan };
  // LIM-10: a delegated token is held to the Sandbox rate, whichever plan it is given.
  const isHeld = plan !== undefined || kind === 'delegated';
  return isHeld ? onPlan : { rate_per_second: AMPLE_PER_SECOND };
}
