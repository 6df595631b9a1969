// Copies a world in constant time: both worlds share the same maps and lists, and the first one to
// write to a map or list copies it.
import type { Journal } from '../journal.ts';
import type { World } from '../world.ts';

function eachOf<K, V>(map: ReadonlyMap<K, V>, copy: (value: V) => V): Map<K, V> {
  const copied = new Map<K, V>();
  for (const [key, value] of map) copied.set(key, copy(value));
  return copied;
}

const copyJournal = (journal: Journal): Journal => ({
  ...journal,
  slots: journal.slots.slice(),
  limits: new Map(journal.limits),
});

/** Members that are replaced as a whole, and never changed in place. */
const replaced = ['name', 'seed', 'startedAtMs', 'idEras', 'options', 'nowMs', 'shared'] as const;

/** Containers of records; records themselves never change. */
type Container = Exclude<keyof World, (typeof replaced)[number]>;

/** How to copy the members that are not a plain Map of records. */
const copies: { readonly [M in Container]?: (value: World[M]) => World[M] } = {
  counters: (counters) => ({ ...counters }),
  people: (people) =>
    eachOf(people, ({ byReference, byEmail, byPhone }) => ({
      byReference: new Map(byReference),
      byEmail: new Map(byEmail),
      byPhone: new Map(byPhone),
    })),
  events: (events) => ({ ...events, records: events.records.slice() }),
  openDeliveries: (open) => eachOf(open, (ids) => new Set(ids)),
  timers: (timers) => timers.slice(),
  journal: copyJournal,
};

/** Returns a member for writing; a shared member is copied first. */
export function own<M extends Container>(world: World, member: M): World[M] {
  const { shared } = world;
  if (shared?.delete(member)) {
    (world as { -readonly [N in M]: World[N] })[member] = copyOf(member, world[member]);
    if (shared.size === 0) world.shared = null;
  }
  return world[member];
}

function copyOf<M extends Container>(member: M, value: World[M]): World[M] {
  const copy = copies[member] as ((value: World[M]) => World[M]) | undefined;
  if (copy !== undefined) return copy(value);
  if (value instanceof Map) return new Map(value) as World[M];
  throw new Error(`no way to copy world.${member}`);
}

/** A second world with the same contents; neither sees changes to the other. */
export function copyWorld(world: World): World {
  const containers = Object.keys(world).filter(
    (name) => !replaced.some((each) => each === name),
  ) as Container[];
  world.shared = new Set(containers);
  return { ...world, shared: new Set(containers) };
}
