// For targets without a control plane: the trading accounts of the profile replace those that would
// be created for each sequence. Finds their brands on the target and creates them in model worlds.
import type { Capability, Role } from '../../engine/capabilities.ts';
import { newMark } from '../../engine/scenario/fresh-values.ts';
import { Blocked } from '../../engine/scenario-errors.ts';
import { memberAt } from '../../engine/send/json.ts';
import {
  type Credential,
  type Place,
  type Provider,
  SEED_KINDS,
  type SeedKind,
} from '../../providers/target.ts';
import { SCOPES, TRADER_SCOPES } from '../../spec/operations.ts';
import type { CallStep } from '../sequence.ts';
import { type Ground, Spent } from './ground.ts';
import { isSetupFailure } from './outcome.ts';
import { Player } from './player.ts';

const BRANDS = ['brand', 'other_brand'] as const;
const DELEGATES = ['delegated', 'read_only'] as const;

/** The seeds of a profile, with the target's ids: they show which trading accounts share an account. */
export interface Seeds {
  readonly places: ReadonlyMap<SeedKind, Place & { readonly brand: (typeof BRANDS)[number] }>;
  readonly delegates: ReadonlyMap<Role, Credential>;
}

/** Undefined if trading accounts can be opened, or if the profile names none that can be used. */
export async function takeSeeds(
  { offers }: Provider,
  ground: Ground,
  failed: (why: string) => void,
): Promise<Seeds | undefined> {
  const isNeeded = !offers.has('fresh_trading_account');
  if (!isNeeded || !SEED_KINDS.some((each) => offers.has(each))) return undefined;
  try {
    const seeds = await prepareSeeds(ground, failed);
    return seeds.places.size > 0 ? seeds : undefined;
  } catch (error) {
    if (isSetupFailure(error)) failed(error.message);
    else if (!(error instanceof Spent)) throw error;
    return undefined;
  }
}

export function offersWith({ offers }: Provider, seeds: Seeds | undefined): Set<Capability> {
  const useless = offers.has('fresh_trading_account')
    ? []
    : SEED_KINDS.filter((kind) => seeds?.places.has(kind) !== true);
  return new Set([...offers].filter((each) => !useless.some((kind) => kind === each)));
}

/**
 * TXS-2: whether the account of a seed has had its first deposit is unknown. So each gets one now,
 * of one unit, and no later deposit is the first. The role that may record it reveals the brand.
 */
async function prepareSeeds(ground: Ground, failed: (why: string) => void): Promise<Seeds> {
  const { target } = ground;
  const places: Seeds['places'] & Map<SeedKind, unknown> = new Map();
  const brands = new Map<string, (typeof BRANDS)[number] | undefined>();
  for (const kind of SEED_KINDS.filter((each) => target.offers.has(each))) {
    const place = await target.seed(kind);
    const { account_id: account } = place;
    if (!brands.has(account)) brands.set(account, await payFirst(ground, place));
    const brand = brands.get(account);
    if (brand !== undefined) places.set(kind, { ...place, brand });
    else failed(`seeds.${kind} is reached by none of the credentials, or by the main one alone`);
  }
  const delegates = new Map<Role, Credential>();
  for (const role of places.size === 0 ? [] : DELEGATES) {
    if (target.offers.has(role)) delegates.set(role, await target.credential(role));
  }
  return { places, delegates };
}

/** Undefined if no credential that the model also has reaches the trading account. */
async function payFirst(ground: Ground, place: Place) {
  const { target } = ground;
  const player = new Player(ground, newMark());
  const beyond = new Set<string>();
  const callers = [...BRANDS.filter((each) => target.offers.has(each)), target.mainRole];
  for (const as of new Set(callers)) {
    const { status, id } = await send(player, depositAt(place, as));
    if (status === 404) beyond.add(as);
    if (id === undefined) continue;
    await send(player, approvalOf(id, place, target.mainRole));
    const own = BRANDS.find((each) => each === as);
    if (own !== undefined) return own;
    break;
  }
  // Any other refusal of a deposit is found when sequences are compared.
  return beyond.has(target.mainRole) ? undefined : BRANDS.find((role) => !beyond.has(role));
}

export async function seeded(ground: Ground, { places, delegates }: Seeds): Promise<Ground> {
  const { target } = ground;
  const { operator } = target;
  const player = new Player(ground, newMark());
  const made = async (call: Called): Promise<string> => {
    const { status, id } = await send(player, call);
    if (id !== undefined) return id;
    throw new Blocked(`the model did not make a seed: ${call.operation} ${status}`);
  };
  // By their names on the target.
  const accounts = new Map<string, string>();
  const tradingAccounts = new Map<string, Place>();
  const accountFor = async (named: string, brand: (typeof BRANDS)[number]): Promise<string> => {
    const reference = { $fresh: `seed-${named}` };
    const email = { $join: [reference, '@explore.example.com'] };
    const body = { client_reference_id: reference, email, brand_id: target.brandId(brand) ?? null };
    const call: Called = { operation: 'createAccount', as: 'firm', body };
    const id = accounts.get(named) ?? (await made(call));
    accounts.set(named, id);
    return id;
  };
  const placeFor = async (account: string, named: string, options = {}): Promise<Place> => {
    const known = tradingAccounts.get(named);
    const place = known ?? (await operator.openTradingAccount(account, options));
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
    await made(approvalOf(id, place, 'firm'));
    await operator.settle(id);
  }
  const credentials = new Map<Role, Credential>();
  for (const [role, { accountId: named, tradingAccountId }] of delegates) {
    if (named === undefined) continue;
    const accountId = await accountFor(named, 'brand');
    const place = tradingAccountId && (await placeFor(accountId, tradingAccountId));
    // LIM-10: a delegated token is metered against its minter, so each has a separate minter.
    const { clientId: mintedBy } = await operator.mint({ scopes: SCOPES });
    const credential = await operator.mint({
      ...{ kind: 'delegated', scopes: TRADER_SCOPES, accountId, readOnly: role === 'read_only' },
      ...(mintedBy !== undefined && { mintedBy }),
    });
    const own = place ? { tradingAccountId: place.trading_account_id } : {};
    credentials.set(role, { ...credential, name: role, ...own });
  }
  return { ...ground, seeds, delegates: credentials };
}

type Called = Omit<CallStep, 'do' | 'n' | 'key'>;

function depositAt({ account_id, trading_account_id, currency }: Place, as: string): Called {
  const client_reference_id = { $fresh: `first-${as}-${account_id}` };
  const place = { client_reference_id, account_id, trading_account_id, currency };
  const body = { ...place, amount: '1.00', method: 'Deposit', transaction_type: 'Deposit' };
  return { operation: 'createTransaction', as, body };
}

const approvalOf = (id: string, { account_id }: Place, as: string): Called => ({
  ...{ operation: 'approveTransaction', as, id, query: { account_id } },
});

/** Sends under a new key; the status is 0 if there is no response. */
async function send(player: Player, call: Called) {
  const n = player.outcomes.size + 1;
  const [outcome] = await player.play({ do: 'call', n, key: { $fresh: `first-key${n}` }, ...call });
  if (outcome?.kind !== 'answer') return { status: 0, id: undefined };
  const { status, json } = outcome;
  const id = memberAt(json, 'id');
  return { status, id: status < 300 && typeof id === 'string' ? id : undefined };
}
