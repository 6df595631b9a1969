// What cannot be seen in an answer: money, events with their numbers, and stored reasons.
import { isObject, type JsonObject } from '../../e2e/testing/second-mind/values/json.ts';
import type { Known, Pair } from './known.ts';
import type { Side } from './sides.ts';

const SIX_DAYS_MS = 6 * 86_400_000;

export class States {
  readonly #sides: readonly [Side, Side];
  readonly #known: Known;
  #firstSeqs = [0, 0];

  constructor(sides: readonly [Side, Side], known: Known) {
    this.#sides = sides;
    this.#known = known;
  }

  /** What has happened until now belongs to no sequence. */
  async begin(): Promise<void> {
    for (const [at, side] of this.#sides.entries()) {
      this.#firstSeqs[at] = Number((await eventsOf(side, 0)).at(-1)?.seq ?? 0);
    }
  }

  /** Money, what only operators see of transactions, and the events with their numbers. */
  async difference(): Promise<string | null> {
    for (const { ids } of this.#known.places) {
      const found = await this.#ledger(ids);
      if (found !== null) return `trading account ${ids.simulator}: ${found}`;
    }
    const told = await Promise.all([
      eventsOf(this.#sides[0], this.#firstSeqs[0]!),
      eventsOf(this.#sides[1], this.#firstSeqs[1]!),
    ]);
    const lines = told.map((events) => events.map((each) => `${each.kind} at ${each.occurred_at}`));
    const [one, two] = lines as [string[], string[]];
    const at = one.findIndex((line, index) => line !== two[index]);
    if (at >= 0 || two.length > one.length) {
      const place = at < 0 ? one.length : at;
      return `event ${place}: ${one[place]} | ${two[place]}`;
    }
    return this.#reasons();
  }

  async #ledger(ids: Pair): Promise<string | null> {
    const read = async (side: Side, id: string) => {
      const row = await side.control('GET', `trading-accounts/${id}`);
      const entries = (Array.isArray(row.entries) ? row.entries : []).filter(isObject);
      const amounts = entries.map((each) => Number(each.amount)).sort((a, b) => a - b);
      return { balance: Number(row.balance), amounts: JSON.stringify(amounts) };
    };
    const one = await read(this.#sides[0], ids.simulator);
    const two = await read(this.#sides[1], ids.mind);
    if (one.balance !== two.balance) return `balance ${one.balance} | ${two.balance}`;
    return one.amounts === two.amounts ? null : `entries ${one.amounts} | ${two.amounts}`;
  }

  async #reasons(): Promise<string | null> {
    const read = async (side: Side) => {
      const { transactions } = await side.control('GET', 'transactions');
      return (Array.isArray(transactions) ? transactions : []).filter(isObject);
    };
    const [ones, twos] = [await read(this.#sides[0]), await read(this.#sides[1])];
    for (const { ids } of this.#known.transactions) {
      const one = ones.find(({ id }) => String(id) === ids.simulator);
      const two = twos.find(({ id }) => String(id) === ids.mind);
      for (const name of ['status', 'is_ftd', 'reason']) {
        const [first, second] = [one?.[name] ?? null, two?.[name] ?? null];
        if (first !== second) return `${name} of ${ids.simulator}: ${first} | ${second}`;
      }
    }
    return null;
  }
}

/** The simulator forgets events that the channel no longer repeats; so they are left out here. */
async function eventsOf(side: Side, after: number): Promise<JsonObject[]> {
  const { events } = await side.control('GET', `events?after_seq=${after}`);
  const { now_ms: nowMs } = await side.control('GET', 'clock');
  const all = (Array.isArray(events) ? events : []).filter(isObject);
  return all.filter((each) => Number(each.occurred_at) > Number(nowMs) - SIX_DAYS_MS);
}
