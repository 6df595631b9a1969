// The orders in which concurrent calls may have taken place, the most likely first, each once.
import { memberAt } from '../../engine/send/json.ts';
import {
  type BurstStep,
  type CallStep,
  type Step,
  sameValue,
  symbolOf,
  symbolsIn,
} from '../sequence.ts';
import { summaryOf } from './outcome.ts';
import type { Player } from './player.ts';

export class OrderSearch {
  /** Calls by kind, each kind in its most likely order: the order of equal calls does not matter. */
  readonly #kinds: readonly (readonly CallStep[])[];
  /** The kind of the call at each place. */
  #order: readonly number[] = [];

  /** `before` are the steps that were complete when the calls were sent. */
  constructor({ calls }: Pick<BurstStep, 'calls'>, before: readonly Step[], target: Player) {
    const ran = calls.filter((call) => !isDeferred(call, calls, target));
    const likely = ran.sort((one, other) => rankOf(one, target) - rankOf(other, target));
    const [seen, shared] = [new Set<string>(), new Set<string>()];
    for (const each of [...before, ...calls]) {
      for (const symbol of new Set(symbolsIn(each))) (seen.has(symbol) ? shared : seen).add(symbol);
    }
    const kinds = new Map<string, CallStep[]>();
    for (const call of likely) {
      const outcome = target.outcomes.get(call.n);
      const answer = outcome?.kind === 'answer' ? summaryOf(outcome) : `lost ${call.n}`;
      const kind = `${answer} ${likenessOf(call, shared)}`;
      kinds.set(kind, [...(kinds.get(kind) ?? []), call]);
    }
    this.#kinds = [...kinds.values()];
    this.reset();
  }

  order(): readonly CallStep[] {
    const left = this.#kinds.map((calls) => [...calls]);
    return this.#order.map((kind) => left[kind]!.shift()!);
  }

  reset(): void {
    this.#order = this.#kinds.flatMap((calls, kind) => calls.map(() => kind));
  }

  /** Moves to the next order that differs up to this place; false if none is left. */
  next(place = this.#order.length - 1): boolean {
    // The places after it start again from their first order.
    const tail = this.#order.slice(place + 1).sort((one, other) => other - one);
    const next = nextPermutation([...this.#order.slice(0, place + 1), ...tail]);
    if (next !== undefined) this.#order = next;
    return next !== undefined;
  }
}

function nextPermutation(order: readonly number[]): readonly number[] | undefined {
  const at = order.findLastIndex((each, index) => each < (order[index + 1] ?? each));
  if (at < 0) return undefined;
  const other = order.findLastIndex((each) => each > order[at]!);
  const next = order.with(at, order[other]!).with(other, order[at]!);
  return [...next.slice(0, at + 1), ...next.slice(at + 1).reverse()];
}

/**
 * A call without its label and the names that only it uses: two calls that are equal in this respect,
 * and were answered alike, are twins. Without it, eight calls over a rate have 40,320 orders.
 */
function likenessOf({ n: _, ...call }: CallStep, shared: ReadonlySet<string>): string {
  return JSON.stringify(call, (_name, value: unknown) => {
    const symbol = symbolOf(value);
    if (symbol === undefined || !symbol.startsWith('text') || shared.has(symbol)) return value;
    return { ...(value as object), $fresh: 'own', $phone: 'own' };
  });
}

/** Successes first, then by the time of the answer. */
function rankOf({ n }: CallStep, { outcomes }: Player): number {
  const outcome = outcomes.get(n);
  if (outcome?.kind !== 'answer') return Number.MAX_SAFE_INTEGER;
  const kind = outcome.status === 201 ? 0 : outcome.status < 300 ? 1 : 2;
  return kind * 1e9 + outcome.answeredAtMs;
}

/** IDEM-14a, IDEM-15: refused while its twin was in flight, or by contention: it has not run. */
function isDeferred(call: CallStep, calls: readonly CallStep[], { outcomes }: Player): boolean {
  const outcome = outcomes.get(call.n);
  if (outcome?.kind !== 'answer') return false;
  const code = memberAt(outcome.json, 'code');
  if (outcome.status === 503 && code === 'write_contention') return calls.length > 1;
  const isAttemptOf = (other: CallStep) =>
    other !== call &&
    other.operation === call.operation &&
    other.as === call.as &&
    sameValue(other.key, call.key);
  return code === 'idempotency_in_flight' && calls.some(isAttemptOf);
}
