// The trading accounts that a profile names: whose they are on the target, and the same accounts in
// each world of the model.
import type { Role } from '../../engine/capabilities.ts';
import { newMark } from '../../engine/scenario/fresh-values.ts';
import { Blocked } from '../../engine/scenario-errors.ts';
import { type Json, memberAt } from '../../engine/send/json.ts';
import { DELEGATED_SCOPES, EVERY_SCOPE } from '../../providers/control-provider.ts';
import { type Credential, type Place, SEED_KINDS, type SeedKind } from '../../providers/target.ts';
import type { CallStep } from '../sequence.ts';
import type { Ground } from './ground.ts';
import { Player } from './player.ts';

/** The credential that is bound to the brand of the account. */
type SeedBrand = 'brand' | 'other_brand';

interface SeedPlace extends Place {
  readonly brand: SeedBrand;
}

const DELEGATES = ['delegated', 'read_only'] as const;

/** What a profile names, by the ids of the target: they show which places are of one account. */
export interface Seeds {
  readonly places: ReadonlyMap<SeedKind, SeedPlace>;
  readonly delegates: ReadonlyMap<Role, Credential>;
}

/**
 * TXS-2: whether the account of a seed has had its first deposit is not known. So each gets one
 * now, of one unit, and no later deposit is the first. Who may record it tells the account's brand.
 */
export async function prepareSeeds(
  ground: Ground,
  unreached: (kind: SeedKind) => void,
): Promise<Seeds> {
  const { target } = ground;
  const places = new Map<SeedKind, SeedPlace>();
  const brands = new Map<string, SeedBrand | undefined>();
  for (const kind of SEED_KINDS) {
    if (!target.offers.has(kind)) continue;
    const place = await target.seed(kind);
    const { account_id: account } = place;
    if (!brands.has(account)) brands.set(account, await payFirst(ground, place));
    const brand = brands.get(account);
    if (brand === undefined) unreached(kind);
    else places.set(kind, { ...place, brand });
  }
  const delegates = new Map<Role, Credential>();
  for (const role of places.size === 0 ? [] : DELEGATES) {
    if (target.offers.has(role)) delegates.set(role, await target.credential(role));
  }
  return { places, delegates };
}

/** Undefined if no credential that the model has too reaches the place. */
async function payFirst(ground: Ground, place: Place): Promise<SeedBrand | undefined> {
  const { target } = ground;
  const player = new Player(ground, newMark());
  const bound = (['brand', 'other_brand'] as const).filter((role) => target.offers.has(role));
  const beyond = new Set<string>();
  for (const as of new Set([...bound, target.mainRole])) {
    const { status, id } = await send(player, depositAt(place, as));
    if (status === 404) beyond.add(as);
    if (id === undefined) continue;
    const approve = { operation: 'approveTransaction', as: target.mainRole, id } as const;
    await send(player, { ...approve, query: { account_id: place.account_id } });
    if (as === 'brand' || as === 'other_brand') return as;
    break;
  }
  // Any other refusal of a deposit is found when sequences are compared.
  if (beyond.has(target.mainRole)) return undefined;
  return (['brand', 'other_brand'] as const).find((role) => !beyond.has(role));
}

/** A world of the model with these accounts, each after its first deposit. */
export async function seeded(ground: Ground, { places, delegates }: Seeds): Promise<Ground> {
  const { target } = ground;
  const { operator } = target;
  const player = new Player(ground, newMark());
  const accounts = new Map<string, string>();
  const tradingAccounts = new Map<string, Place>();
  const made = async (call: Called): Promise<string> => {
    const { status, id } = await send(player, call);
    if (id !== undefined) return id;
    throw new Blocked(`the model did not make a seed: ${call.operation} ${status}`);
  };
  const accountFor = async (named: string, brand: SeedBrand): Promise<string> => {
    const known = accounts.get(named);
    if (known !== undefined) return known;
    const email = { $join: [{ $fresh: `seed-${named}` }, '@explore.example.com'] } as const;
    const names = { client_reference_id: { $fresh: `seed-${named}` }, email };
    const body = { ...names, brand_id: target.brandId(brand) ?? null };
    const id = await made({ operation: 'createAccount', as: 'firm', body });
    accounts.set(named, id);
    return id;
  };
  const placeFor = async (account: string, named: string, options = {}): Promise<Place> => {
    const place =
      tradingAccounts.get(named) ?? (await operator.openTradingAccount(account, options));
    tradingAccounts.set(named, place);
    return place;
  };
  const seeds = new Map<SeedKind, Place>();
  for (const [kind, named] of places) {
    const isNew = !accounts.has(named.account_id);
    const account = await accountFor(named.account_id, named.brand);
    const options = { currency: named.currency, provider: kind === 'provider_trading_account' };
    const place = await placeFor(account, named.trading_account_id, options);
    seeds.set(kind, place);
    if (!isNew) continue;
    const id = await made(depositAt(place, 'firm'));
    const query = { account_id: place.account_id };
    await made({ operation: 'approveTransaction', as: 'firm', id, query });
    await operator.settle(id);
  }
  const credentials = new Map<Role, Credential>();
  for (const [role, { accountId: named, tradingAccountId }] of delegates) {
    if (named === undefined) continue;
    const accountId = await accountFor(named, 'brand');
    const place =
      tradingAccountId === undefined ? undefined : await placeFor(accountId, tradingAccountId);
    // LIM-10: a delegated token is metered against its minter, so each has one of its own.
    const { clientId: mintedBy } = await operator.mint({ scopes: EVERY_SCOPE });
    const wish = { kind: 'delegated', scopes: DELEGATED_SCOPES, accountId } as const;
    const minter = mintedBy === undefined ? {} : { mintedBy };
    const credential = await operator.mint({ ...wish, ...minter, readOnly: role === 'read_only' });
    credentials.set(role, {
      ...{ ...credential, name: role, tradingAccountId: place?.trading_account_id },
    });
  }
  return { ...ground, seeds, delegates: credentials };
}

function depositAt({ account_id, trading_account_id, currency }: Place, as: string): Called {
  const client_reference_id = { $fresh: `first-${as}-${account_id}` };
  const place = { client_reference_id, account_id, trading_account_id, currency };
  const body = { ...place, amount: '1.00', method: 'Deposit', transaction_type: 'Deposit' };
  return { operation: 'createTransaction', as, body };
}

type Called = Omit<CallStep, 'do' | 'n' | 'key'>;

/** Under a key of its own; the status is 0 if there is no answer. */
async function send(player: Player, call: Called) {
  const n = player.outcomes.size + 1;
  const [outcome] = await player.play({ do: 'call', n, key: { $fresh: `first-key${n}` }, ...call });
  if (outcome?.kind !== 'answer') return { status: 0, id: undefined };
  const id: Json | undefined = memberAt(outcome.json, 'id');
  return {
    status: outcome.status,
    id: outcome.status < 300 && typeof id === 'string' ? id : undefined,
  };
}
