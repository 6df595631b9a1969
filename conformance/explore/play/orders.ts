// The orders in which calls at once may have taken place, the likeliest first, and without those
// that are known not to fit.
import type { CallStep } from '../sequence.ts';
import type { Player } from './player.ts';

/** Calls that have nothing in common may stand in any order: only within a group it matters. */
interface Group {
  /** Calls by their place in the likeliest order. */
  readonly calls: readonly CallStep[];
  /** The order that is tried now, as places in `calls`. */
  order: number[];
  isSpent: boolean;
}

export class OrderSearch {
  readonly #groups: readonly Group[];

  constructor(calls: readonly CallStep[], target: Player) {
    const likely = [...calls].sort((one, other) => rankOf(one, target) - rankOf(other, target));
    this.#groups = groupsOf(likely).map((group) => ({
      calls: group,
      order: group.map((_, at) => at),
      isSpent: false,
    }));
  }

  order(): readonly CallStep[] {
    return this.#groups.flatMap(({ calls, order }) => order.map((at) => calls[at]!));
  }

  /** The order does not fit at this place: on to the next that is another up to there. */
  refuse(place: number): boolean {
    let before = 0;
    for (const group of this.#groups) {
      if (place < before + group.calls.length) return advance(group, place - before);
      before += group.calls.length;
    }
    return false;
  }

  /** The order fits, and what follows does not: on to any other. */
  another(): boolean {
    for (const group of [...this.#groups].reverse()) {
      if (group.isSpent) continue;
      if (advance(group, group.calls.length - 1)) return true;
      // All of its orders were tried: back to the first, and on with the group before.
      group.order = group.calls.map((_, at) => at);
    }
    return false;
  }
}

/** Successes first, then by when they were answered. */
function rankOf({ n }: CallStep, target: Player): number {
  const outcome = target.outcomes.get(n);
  if (outcome?.kind !== 'answer') return Number.MAX_SAFE_INTEGER;
  const kind = outcome.status === 201 ? 0 : outcome.status < 300 ? 1 : 2;
  return kind * 1e9 + outcome.answeredAtMs;
}

/**
 * The next order, in the order of the words of a dictionary, that differs at `place` or before it.
 */
function advance(group: Group, place: number): boolean {
  const { order } = group;
  // What stands behind the place is tried again from its beginning.
  const tail = order.slice(place + 1).sort((one, other) => other - one);
  const next = nextPermutation([...order.slice(0, place + 1), ...tail]);
  if (next === null) {
    group.isSpent = true;
    return false;
  }
  group.order = next;
  return true;
}

function nextPermutation(order: readonly number[]): number[] | null {
  let at = order.length - 2;
  while (at >= 0 && order[at]! >= order[at + 1]!) at -= 1;
  if (at < 0) return null;
  let other = order.length - 1;
  while (order[other]! <= order[at]!) other -= 1;
  const next = [...order];
  [next[at], next[other]] = [next[other]!, next[at]!];
  return [...next.slice(0, at + 1), ...next.slice(at + 1).reverse()];
}

/** A list shows what any call of its kind has done, whatever the two name. */
const KINDS = [
  { list: 'listWebhooks', of: /Webhook/ },
  { list: 'listAccounts', of: /Account/ },
  { list: 'listTransactions', of: /Transaction/ },
] as const;

/** Calls that share a key, a record or a name, directly or by way of others. */
function groupsOf(calls: readonly CallStep[]): readonly (readonly CallStep[])[] {
  const groups: { names: Set<string>; calls: CallStep[] }[] = [];
  const listed = KINDS.filter(({ list }) => calls.some(({ operation }) => list === operation));
  for (const call of calls) {
    const kinds = listed.filter(({ of }) => of.test(call.operation));
    const names = new Set([...namesIn(call), ...kinds.map(({ list }) => list)]);
    const kin = groups.filter((group) => [...names].some((name) => group.names.has(name)));
    const merged = {
      names: new Set([...names, ...kin.flatMap((group) => [...group.names])]),
      calls: [...kin.flatMap((group) => group.calls), call],
    };
    for (const group of kin) groups.splice(groups.indexOf(group), 1);
    groups.push(merged);
  }
  return groups.map((group) => calls.filter((call) => group.calls.includes(call)));
}

/** Symbols by which calls may have to do with one another, and credentials that are metered. */
function namesIn(call: CallStep): readonly string[] {
  const own = symbolsIn(call);
  return /^m\d/.test(call.as) ? [...own, `as ${call.as}`] : own;
}

function symbolsIn(value: unknown): readonly string[] {
  if (value === null || typeof value !== 'object') return [];
  const inner = Object.values(value).flatMap(symbolsIn);
  const fresh = (value as { $fresh?: unknown }).$fresh ?? (value as { $phone?: unknown }).$phone;
  if (fresh !== undefined) return [`text ${String(fresh)}`, ...inner];
  const of = (value as { $of?: unknown }).$of ?? (value as { $header?: unknown }).$header;
  return of === undefined ? inner : [`answer ${String(of)}`, ...inner];
}
