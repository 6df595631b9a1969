// Which records a reference names: nearly always one, and more only where each lies out of the
// reach of those who made the others (NS-20).

/** By reference, the ids in the order in which the records came; a single one is kept bare. */
export type References = Map<string, string | readonly string[]>;

export function addReference(references: References, key: string, id: string): void {
  const named = references.get(key);
  references.set(key, named === undefined ? id : [...idsOf(named), id]);
}

function idsOf(named: string | readonly string[]): readonly string[] {
  return typeof named === 'string' ? [named] : named;
}

/**
 * AUTH-6, NS-20: the oldest record of this reference within reach. One out of reach is passed over,
 * so that whoever asks learns nothing of it.
 */
export function findReferenced<R>(
  references: References | undefined,
  key: string,
  records: ReadonlyMap<string, R>,
  isReachable: (record: R) => boolean,
): R | null {
  const named = references?.get(key);
  if (named === undefined) return null;
  for (const id of idsOf(named)) {
    const record = records.get(id);
    if (record === undefined) throw new Error(`reference index names no record: ${id}`);
    if (isReachable(record)) return record;
  }
  return null;
}
