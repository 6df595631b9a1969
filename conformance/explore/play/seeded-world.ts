// A world of the model that has what a profile names: the same accounts for the same seeds and
// traders' tokens, each with its first deposit behind it.
import type { Capability, Role } from '../../engine/capabilities.ts';
import { newMark } from '../../engine/scenario/fresh-values.ts';
import { Blocked } from '../../engine/scenario-errors.ts';
import { memberAt } from '../../engine/send/answer.ts';
import { DELEGATED_SCOPES, EVERY_SCOPE } from '../../providers/control-provider.ts';
import type { Credential, Operator, Place, SeedKind, Target } from '../../providers/target.ts';
import type { WebhookEndpoint } from '../../providers/webhook-receiver.ts';
import type { Ground } from './ground.ts';
import { Player } from './player.ts';
import {
  type Delegate,
  type DelegateRole,
  depositAt,
  type SeedPlace,
  type Seeds,
  sent,
} from './seeds.ts';

/** All of it is made before the first step, so that nobody who subscribes is told of it. */
export async function seeded(ground: Ground, seeds: Seeds): Promise<Ground> {
  const making = new Making(ground);
  const places = new Map<SeedKind, Place>();
  for (const [kind, place] of seeds.places) {
    places.set(kind, await making.place(place, kind === 'provider_trading_account'));
  }
  const credentials = new Map<Role, Credential>();
  for (const [role, delegate] of seeds.delegates) {
    credentials.set(role, await making.delegate(role, delegate));
  }
  return { ...ground, target: new SeededWorld(ground.target, places, credentials) };
}

/** By the ids of the target: what is one there is one here. */
class Making {
  readonly #player: Player;
  readonly #target: Target;
  readonly #accounts = new Map<string, string>();
  readonly #tradingAccounts = new Map<string, Place>();

  constructor(ground: Ground) {
    this.#player = new Player(ground, newMark());
    this.#target = ground.target;
  }

  async place({ brand, ...named }: SeedPlace, provider: boolean): Promise<Place> {
    const isNew = !this.#accounts.has(named.account_id);
    const account = await this.#account(named.account_id, brand);
    const place = await this.#tradingAccount(account, named.trading_account_id, {
      currency: named.currency,
      provider,
    });
    if (isNew) await this.#payFirst(place);
    return place;
  }

  async delegate(role: DelegateRole, named: Delegate): Promise<Credential> {
    const account = await this.#account(named.account_id, 'brand');
    const { trading_account_id: known } = named;
    const place = known === undefined ? undefined : await this.#tradingAccount(account, known);
    const { operator } = this.#target;
    // A delegated token is metered against the credential that mints it, so each has its own.
    const { clientId } = await operator.mint({ scopes: EVERY_SCOPE });
    const credential = await operator.mint({
      kind: 'delegated',
      scopes: DELEGATED_SCOPES,
      accountId: account,
      readOnly: role === 'read_only',
      ...(clientId === undefined ? {} : { mintedBy: clientId }),
    });
    return { ...credential, name: role, tradingAccountId: place?.trading_account_id };
  }

  async #account(named: string, brand: SeedPlace['brand']): Promise<string> {
    const known = this.#accounts.get(named);
    if (known !== undefined) return known;
    const stem = `seed-${named}`;
    const body = {
      client_reference_id: { $fresh: stem },
      email: { $join: [{ $fresh: stem }, '@explore.example.com'] },
      brand_id: this.#target.brandId(brand) ?? null,
    };
    const id = await this.#made({ operation: 'createAccount', as: 'firm', body });
    this.#accounts.set(named, id);
    return id;
  }

  async #tradingAccount(
    account: string,
    named: string,
    options: Parameters<Operator['openTradingAccount']>[1] = {},
  ): Promise<Place> {
    const known = this.#tradingAccounts.get(named);
    if (known !== undefined) return known;
    const made = await this.#target.operator.openTradingAccount(account, options);
    this.#tradingAccounts.set(named, made);
    return made;
  }

  async #payFirst(place: Place): Promise<void> {
    const id = await this.#made(depositAt(place, 'firm'));
    const query = { account_id: place.account_id };
    await this.#made({ operation: 'approveTransaction', as: 'firm', id, query });
    await this.#target.operator.settle(id);
  }

  async #made(call: Parameters<typeof sent>[1]): Promise<string> {
    const { status, json } = await sent(this.#player, call);
    const id = memberAt(json, 'id');
    if (status < 300 && typeof id === 'string') return id;
    throw new Blocked(`the model did not make a seed: ${call.operation} ${status}`);
  }
}

class SeededWorld implements Target {
  readonly #world: Target;
  readonly #places: ReadonlyMap<SeedKind, Place>;
  readonly #credentials: ReadonlyMap<Role, Credential>;

  constructor(
    world: Target,
    places: ReadonlyMap<SeedKind, Place>,
    credentials: ReadonlyMap<Role, Credential>,
  ) {
    this.#world = world;
    this.#places = places;
    this.#credentials = credentials;
  }

  get baseUrl(): string {
    return this.#world.baseUrl;
  }

  get offers(): ReadonlySet<Capability> {
    return this.#world.offers;
  }

  get disposable(): boolean {
    return this.#world.disposable;
  }

  get ownUrl(): string | undefined {
    return this.#world.ownUrl;
  }

  get mainRole(): Role {
    return this.#world.mainRole;
  }

  get operator(): Operator {
    return this.#world.operator;
  }

  async credential(role: Role): Promise<Credential> {
    return this.#credentials.get(role) ?? this.#world.credential(role);
  }

  brandId(role: Role): string | undefined {
    return this.#world.brandId(role);
  }

  async seed(kind: SeedKind): Promise<Place> {
    const place = this.#places.get(kind);
    return place ?? this.#world.seed(kind);
  }

  settledTransaction(): Promise<{ id: string; account_id: string }> {
    return this.#world.settledTransaction();
  }

  receiver(): Promise<WebhookEndpoint> {
    return this.#world.receiver();
  }

  close(): Promise<void> {
    return this.#world.close();
  }
}
