// Follows a Map that grows: each look takes only what came since the last, however big the Map is.

interface IndexState<S> {
  readonly state: S;
  readonly entries: Iterator<readonly [unknown, unknown]>;
  taken: number;
}

/** What a Map is followed for: where it begins, and what each new entry adds. */
export interface IndexDefinition<K, V, S> {
  readonly begin: () => S;
  readonly take: (state: S, key: K, value: V) => void;
}

/** A function that answers the state for a Map; removing entries makes it begin anew. */
export function incrementalIndex<K, V, S>({ begin, take }: IndexDefinition<K, V, S>) {
  const known = new WeakMap<ReadonlyMap<K, V>, IndexState<S>>();
  return (map: ReadonlyMap<K, V>): S => {
    let followed = known.get(map);
    if (followed === undefined || followed.taken > map.size) {
      // An iterator of a Map goes on to what is added later, as long as it was never told of the
      // end.
      followed = { state: begin(), entries: map.entries(), taken: 0 };
      known.set(map, followed);
    }
    while (followed.taken < map.size) {
      const next = followed.entries.next();
      if (next.done) break;
      followed.taken += 1;
      take(followed.state, next.value[0] as K, next.value[1] as V);
    }
    return followed.state;
  };
}

/** Ids of a Map keyed by decimal ids, ascending. */
export const sortedIds = incrementalIndex<string, unknown, number[]>({
  begin: () => [],
  take: (ids, key) => {
    const id = Number(key);
    let at = ids.length;
    // Ids are given out ascending, so this walks only for those that a starting world named itself.
    while (at > 0 && (ids[at - 1] as number) > id) at -= 1;
    if (at === ids.length) ids.push(id);
    else ids.splice(at, 0, id);
  },
});

/** The first place in ascending numbers whose number is greater. */
export function placeAfter(ids: readonly number[], id: number): number {
  let low = 0;
  let high = ids.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ids[middle] as number) > id) high = middle;
    else low = middle + 1;
  }
  return low;
}
