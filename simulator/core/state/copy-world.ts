// A second world that is as the first one is now, in a moment, however large that is: both hold the
// same maps and lists, and whichever writes to one first takes a copy of it.
import { IdMap } from '../id-map.ts';
import type { Journal } from '../journal.ts';
import { copyKeys } from '../keys.ts';
import type { TradingAccount } from '../records.ts';
import type { World } from '../world.ts';

const mapOf = <K, V>(map: ReadonlyMap<K, V>): Map<K, V> => new Map(map);

function eachOf<K, V>(map: ReadonlyMap<K, V>, copy: (value: V) => V): Map<K, V> {
  const copied = new Map<K, V>();
  for (const [key, value] of map) copied.set(key, copy(value));
  return copied;
}

const copyJournal = (journal: Journal): Journal => ({
  ...journal,
  slots: journal.slots.slice(),
  weights: journal.weights.slice(),
  limits: mapOf(journal.limits),
});

/** Entries are the one list in a record that is added to in place. */
export function copyTradingAccounts(
  all: ReadonlyMap<string, TradingAccount>,
): IdMap<TradingAccount> {
  const copied = new IdMap<TradingAccount>();
  for (const [id, one] of all) copied.set(id, { ...one, entries: one.entries.slice() });
  return copied;
}

/** What holds records; records themselves never change. */
export type Container = Exclude<
  keyof World,
  'name' | 'seed' | 'startedAtMs' | 'idEras' | 'options' | 'nowMs' | 'shared'
>;

/** One line a member, so that none is forgotten. */
const copies: { readonly [M in Container]: (value: World[M]) => World[M] } = {
  counters: (counters) => ({ ...counters }),
  firms: mapOf,
  brands: mapOf,
  credentials: mapOf,
  tokens: mapOf,
  lastingTokens: mapOf,
  accounts: IdMap.of,
  people: (people) =>
    eachOf(people, ({ byReference, byEmail, byPhone }) => ({
      byReference: mapOf(byReference),
      byEmail: mapOf(byEmail),
      byPhone: mapOf(byPhone),
    })),
  tradingAccounts: copyTradingAccounts,
  transactions: IdMap.of,
  transactionByReference: mapOf,
  positions: mapOf,
  orders: mapOf,
  keys: copyKeys,
  buckets: mapOf,
  tokenRequests: mapOf,
  subscriptions: mapOf,
  events: (events) => ({ ...events, records: events.records.slice() }),
  deliveries: mapOf,
  openDeliveries: (open) => eachOf(open, (ids) => new Set(ids)),
  inFlightCounts: mapOf,
  finishedDeliveries: (ids) => ids.slice(),
  timers: (timers) => timers.slice(),
  suspendedCalls: mapOf,
  faults: mapOf,
  names: mapOf,
  forwards: mapOf,
  journal: copyJournal,
};

const containers = Object.keys(copies) as Container[];

/** A member to write to: this world's own, from now on. */
export function own<M extends Container>(world: World, member: M): World[M] {
  const { shared } = world;
  if (shared?.delete(member)) {
    (world as { -readonly [N in M]: World[N] })[member] = copies[member](world[member]);
    if (shared.size === 0) world.shared = null;
  }
  return world[member];
}

/** The same world once more: what happens in one does not happen in the other. */
export function copyWorld(world: World): World {
  world.shared = new Set(containers);
  return { ...world, shared: new Set(containers) };
}
