// What a sequence has brought so far, so that later steps can name it: an id of each side.
import { isObject, type Json, type JsonObject } from '../../e2e/testing/second-mind/values/json.ts';
import type { Seen } from './sides.ts';

export interface Pair {
  readonly simulator: string;
  readonly mind: string;
}

export class Known {
  readonly accounts: { ids: Pair; tags: string[] }[] = [];
  readonly places: { ids: Pair; account: Pair; currency: string }[] = [];
  readonly transactions: { ids: Pair; account: Pair }[] = [];
  readonly hooks: Pair[] = [];
  readonly positions: { ids: Pair; place: Pair }[] = [];

  /** Keeps what an answer has brought, for later steps. */
  learn(one: Seen, two: Seen): void {
    if (one.status >= 300) return;
    const [first, second] = [JSON.parse(one.text), JSON.parse(two.text)] as [
      JsonObject,
      JsonObject,
    ];
    if (Array.isArray(first.rows) && Array.isArray(second.rows)) {
      for (const [at, row] of first.rows.entries()) {
        const other = second.rows[at];
        if (isObject(row) && isObject(other)) this.#learnAccount(row.id, other.id, null);
      }
      return;
    }
    if ('event_categories' in first) this.#learnHook(first, second);
    else if ('revision' in first) this.#learnAccount(first.id, second.id, one.header('etag'));
    else if ('position_id' in first) this.#learnPosition(first, second);
    else if ('is_ftd' in first) this.#learnTransaction(first, second);
  }

  #learnAccount(one: Json | undefined, two: Json | undefined, tag: string | null): void {
    if (typeof one !== 'string' || typeof two !== 'string') return;
    const known = this.accounts.find(({ ids }) => ids.simulator === one);
    const ids = { simulator: one, mind: two };
    if (known === undefined) this.accounts.push({ ids, tags: [tag ?? '"1"'] });
    else if (tag !== null && known.tags.at(-1) !== tag) known.tags.push(tag);
  }

  #learnHook(one: JsonObject, two: JsonObject): void {
    const ids = { simulator: String(one.id), mind: String(two.id) };
    if (!this.hooks.some((each) => each.simulator === ids.simulator)) this.hooks.push(ids);
  }

  #learnTransaction(one: JsonObject, two: JsonObject): void {
    const known = this.transactions.some(({ ids }) => ids.simulator === one.id);
    if (known) return;
    const ids = { simulator: String(one.id), mind: String(two.id) };
    const account = { simulator: String(one.account_id), mind: String(two.account_id) };
    this.transactions.push({ ids, account });
  }

  #learnPosition(one: JsonObject, two: JsonObject): void {
    const ids = { simulator: String(one.position_id), mind: String(two.position_id) };
    if (this.positions.some((each) => each.ids.simulator === ids.simulator)) return;
    const place = {
      simulator: String(one.trading_account_id),
      mind: String(two.trading_account_id),
    };
    this.positions.push({ ids, place });
  }
}
