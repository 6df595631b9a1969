// The trading accounts that a profile names, before anything is drawn from them: whose they are,
// and that each of their accounts has had its first deposit.
import { newMark } from '../../engine/scenario/fresh-values.ts';
import type { Json } from '../../engine/send/answer.ts';
import { memberAt } from '../../engine/send/answer.ts';
import { type Place, SEED_KINDS, type SeedKind } from '../../providers/target.ts';
import type { CallStep, Value } from '../sequence.ts';
import type { Ground } from './ground.ts';
import { Player } from './player.ts';

/** The credential that is bound to the brand of the account. */
export type SeedBrand = 'brand' | 'other_brand';

export interface SeedPlace extends Place {
  readonly brand: SeedBrand;
}

const DELEGATES = ['delegated', 'read_only'] as const;
export type DelegateRole = (typeof DELEGATES)[number];

/** The one account of a trader's token; its ids are the target's. */
export interface Delegate {
  readonly account_id: string;
  readonly trading_account_id: string | undefined;
}

/** What a profile names, by the target's own ids: which of them are one account shows in these. */
export interface Seeds {
  readonly places: ReadonlyMap<SeedKind, SeedPlace>;
  readonly delegates: ReadonlyMap<DelegateRole, Delegate>;
}

/** Told what comes of it. */
export interface SeedWatch {
  readonly unreached: (kind: SeedKind) => void;
  /** What it has made stays on the target. */
  readonly played: (player: Player) => void;
}

/**
 * TXS-2: the account of a seed may have had its first deposit in another year. So each has one now,
 * of one unit and in its plainest form: whatever is paid in afterwards can be no first one. Who may
 * record it tells the brand of the account.
 */
export async function prepareSeeds(
  ground: Ground,
  { unreached, played }: SeedWatch,
): Promise<Seeds> {
  const { target } = ground;
  const places = new Map<SeedKind, SeedPlace>();
  const brands = new Map<string, SeedBrand | null>();
  for (const kind of SEED_KINDS) {
    if (!target.offers.has(kind)) continue;
    const place = await target.seed(kind);
    const { account_id: account } = place;
    if (!brands.has(account)) brands.set(account, await payFirst(ground, place, played));
    const brand = brands.get(account);
    if (brand == null) unreached(kind);
    else places.set(kind, { ...place, brand });
  }
  const delegates = new Map<DelegateRole, Delegate>();
  for (const role of places.size === 0 ? [] : DELEGATES) {
    if (!target.offers.has(role)) continue;
    const { accountId, tradingAccountId } = await target.credential(role);
    if (accountId === undefined) continue;
    delegates.set(role, { account_id: accountId, trading_account_id: tradingAccountId });
  }
  return { places, delegates };
}

const BOUND: readonly SeedBrand[] = ['brand', 'other_brand'];

/** Null where no credential that a model knows the like of reaches the place. */
async function payFirst(
  ground: Ground,
  place: Place,
  played: SeedWatch['played'],
): Promise<SeedBrand | null> {
  const { target } = ground;
  const player = new Player(ground, newMark());
  const bound = BOUND.filter((role) => target.offers.has(role));
  const beyond = new Set<string>();
  for (const as of new Set([...bound, target.mainRole])) {
    const { status, json } = await sentPatiently(player, depositAt(place, as));
    if (status === 404) beyond.add(as);
    const id = memberAt(json, 'id');
    if (status >= 300 || typeof id !== 'string') continue;
    const call = { operation: 'approveTransaction', as: target.mainRole, id } as const;
    await sentPatiently(player, { ...call, query: { account_id: place.account_id } });
    played(player);
    if (as === 'brand' || as === 'other_brand') return as;
    break;
  }
  // What refuses a deposit in any other way is to be found out.
  if (beyond.has(target.mainRole)) return null;
  return BOUND.find((role) => !beyond.has(role)) ?? null;
}

const TRIES = 3;

/** What is only put off is asked for again, under its key. */
async function sentPatiently(player: Player, call: Called): Promise<Sent> {
  const n = player.outcomes.size + 1;
  let answer = await sent(player, call, n);
  for (let more = 1; more < TRIES && isPutOff(answer); more += 1) {
    answer = await sent(player, call, n);
  }
  return answer;
}

const isPutOff = ({ status }: Sent): boolean => status === 0 || status === 429 || status >= 500;

export function depositAt(place: Place, as: string): Called {
  const { account_id, trading_account_id, currency } = place;
  const body: Value = {
    ...{
      client_reference_id: { $fresh: `first-${as}-${account_id}` },
      account_id,
      trading_account_id,
      currency,
    },
    ...{ amount: '1.00', method: 'Deposit', transaction_type: 'Deposit' },
  };
  return { operation: 'createTransaction', as, body };
}

type Called = Omit<CallStep, 'do' | 'n' | 'key'>;

interface Sent {
  readonly status: number;
  readonly json: Json | undefined;
}

/** Under a key of its own; where there is no answer the status is 0. */
export async function sent(
  player: Player,
  call: Called,
  n = player.outcomes.size + 1,
): Promise<Sent> {
  const [outcome] = await player.play({ do: 'call', n, key: { $fresh: `first-key${n}` }, ...call });
  if (outcome?.kind !== 'answer') return { status: 0, json: undefined };
  return { status: outcome.status, json: outcome.json };
}
