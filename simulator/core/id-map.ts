// Records by decimal id, which are also read in the order of their ids, a page at a time.

export class IdMap<V> extends Map<string, V> {
  #ascending: number[] = [];

  /** Takes any entries; a Map's own constructor would set them before the order is there. */
  static of<V>(entries: Iterable<readonly [string, V]>): IdMap<V> {
    const made = new IdMap<V>();
    if (entries instanceof IdMap) {
      // A copy is in order as its original is: nothing has to be looked for.
      made.#ascending = entries.#ascending.slice();
      for (const [id, value] of entries as IdMap<V>) Map.prototype.set.call(made, id, value);
      return made;
    }
    for (const [id, value] of entries) made.set(id, value);
    return made;
  }

  override set(id: string, value: V): this {
    const before = this.size;
    super.set(id, value);
    if (this.size === before) return this;
    const number = Number(id);
    // Ids are given out ascending, so only what a starting world named itself is put in between.
    const isLast = number > (this.#ascending.at(-1) ?? -1);
    if (isLast) this.#ascending.push(number);
    else this.#ascending.splice(this.placeAfter(number), 0, number);
    return this;
  }

  override delete(id: string): boolean {
    if (this.has(id)) this.#ascending.splice(this.placeAfter(Number(id)) - 1, 1);
    return super.delete(id);
  }

  override clear(): void {
    this.#ascending.length = 0;
    super.clear();
  }

  /** All ids, ascending. */
  get ascending(): readonly number[] {
    return this.#ascending;
  }

  /** The first place in `ascending` whose id is greater than this one. */
  placeAfter(id: number): number {
    let low = 0;
    let high = this.#ascending.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#ascending[middle] as number) > id) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}
