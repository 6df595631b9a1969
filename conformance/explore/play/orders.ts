// The orders in which calls at once may have taken place, the likeliest first, and without those
// that are known not to fit.
import { OPERATIONS } from '../../engine/operations.ts';
import { type BurstStep, type CallStep, callsOf, type Step, type Value } from '../sequence.ts';
import { type Outcome, summaryOf } from './outcome.ts';
import type { Player } from './player.ts';

/** Calls that have nothing in common may stand in any order: only within a group it matters. */
interface Group {
  /** Calls by their kind, each kind in its likeliest order: of twins it does not matter. */
  readonly kinds: readonly (readonly CallStep[])[];
  /** The order that is tried now: the kind of the call at each place. */
  order: number[];
  isSpent: boolean;
}

export class OrderSearch {
  readonly #groups: readonly Group[];

  /** `before` are the steps that were over when the calls were sent. */
  constructor(
    calls: readonly CallStep[],
    target: Player,
    before: readonly Step[] = [],
    isStruck = false,
  ) {
    const likely = [...calls].sort((one, other) => rankOf(one, target) - rankOf(other, target));
    const met = new Map<string, number>();
    for (const each of [...before, ...calls]) {
      for (const symbol of new Set(symbolsIn(each))) met.set(symbol, (met.get(symbol) ?? 0) + 1);
    }
    const kindOf = (call: CallStep): string =>
      `${answerTo(call, target)} ${likenessOf(call, (symbol) => met.get(symbol)! > 1)}`;
    // A fault that waits for the first of them ties all of them together.
    const groups = isStruck ? [likely] : groupsOf(likely, recordsIn(before));
    this.#groups = groups.map((group) => groupOf(group, kindOf));
  }

  order(): readonly CallStep[] {
    return this.#groups.flatMap(({ kinds, order }) => {
      const left = kinds.map((calls) => [...calls]);
      return order.map((kind) => left[kind]!.shift()!);
    });
  }

  /** The order does not fit at this place: on to the next that is another up to there. */
  refuse(place: number): boolean {
    let before = 0;
    for (const group of this.#groups) {
      if (place < before + group.order.length) return advance(group, place - before);
      before += group.order.length;
    }
    return false;
  }

  /** The order fits, and what follows does not: on to any other. */
  another(): boolean {
    for (const group of [...this.#groups].reverse()) {
      if (group.isSpent) continue;
      if (advance(group, group.order.length - 1)) return true;
      // All of its orders were tried: back to the first, and on with the group before.
      group.order.sort((one, other) => one - other);
    }
    return false;
  }
}

function groupOf(calls: readonly CallStep[], kindOf: (call: CallStep) => string): Group {
  const kinds = new Map<string, CallStep[]>();
  for (const call of calls) {
    const kind = kindOf(call);
    const known = kinds.get(kind);
    if (known === undefined) kinds.set(kind, [call]);
    else known.push(call);
  }
  const all = [...kinds.values()];
  const order = all.flatMap((each, kind) => each.map(() => kind));
  return { kinds: all, order, isSpent: false };
}

function answerTo({ n }: CallStep, target: Player): string {
  const outcome = target.outcomes.get(n);
  return outcome?.kind === 'answer' ? summaryOf(outcome) : `lost ${n}`;
}

/**
 * What a call is except for its label and the names that it alone has: two that are alike in it, and
 * were answered alike, are twins. Without that eight calls over a rate have 40,320 orders.
 */
function likenessOf({ n: _, ...call }: CallStep, isShared: (symbol: string) => boolean): string {
  return JSON.stringify(call, (_name, value: unknown) => {
    const symbol = symbolOf(value);
    if (symbol === undefined || !symbol.startsWith('text') || isShared(symbol)) return value;
    return { ...(value as object), $fresh: 'own', $phone: 'own' };
  });
}

/** Successes first, then by when they were answered. */
function rankOf({ n }: CallStep, target: Player): number {
  const outcome = target.outcomes.get(n);
  if (outcome?.kind !== 'answer') return Number.MAX_SAFE_INTEGER;
  // A fault strikes the first that comes.
  if (outcome.status >= 500 && outcome.status !== 501) return -1;
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

/** Symbols that earlier calls have made names of one record, each with the others. */
type Records = ReadonlyMap<string, ReadonlySet<string>>;

/** A create under a known reference shows the record that others name by its id or its tag. */
export function recordsIn(before: readonly Step[]): Records {
  const records = new Map<string, Set<string>>();
  for (const { n, operation, id, body } of callsOf(before)) {
    const named = /^create|^bulkCreate/.test(operation) ? referencesIn(body) : symbolsIn(id);
    const all = new Set([`answer ${n}`, ...named]);
    for (const each of [...all]) for (const other of records.get(each) ?? []) all.add(other);
    for (const each of all) records.set(each, all);
  }
  return records;
}

/** Fresh texts and answers that a step has to do with, and the credential of its own that it uses. */
export const symbolsOf = (step: Step): readonly string[] =>
  step.do === 'call' ? namesIn(step) : symbolsIn(step);

function referencesIn(value: unknown): readonly string[] {
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    name === 'client_reference_id' ? symbolsIn(inner) : referencesIn(inner),
  );
}

/** EVT-7, EVT-13: what is delivered, and how it is signed, depends on what came first. */
const CHANGES_NOTICES = /^(create|rotate|disable)Webhook/;

/** Calls that share a key, a record or a name, directly or by way of others. */
function groupsOf(calls: readonly CallStep[], records: Records): readonly (readonly CallStep[])[] {
  const groups: { names: Set<string>; calls: CallStep[] }[] = [];
  const listed = KINDS.filter(({ list }) => calls.some(({ operation }) => list === operation));
  const areWatched = calls.some(({ operation }) => CHANGES_NOTICES.test(operation));
  for (const call of calls) {
    const kinds = listed.filter(({ of }) => of.test(call.operation));
    const own = namesIn(call);
    const shown = own.flatMap((name) => [...(records.get(name) ?? [])]);
    const isTied = areWatched && OPERATIONS[call.operation].method !== 'GET';
    const tied = isTied ? ['subscriptions'] : [];
    const names = new Set([...own, ...shown, ...kinds.map(({ list }) => list), ...tied]);
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
  const symbol = symbolOf(value);
  return symbol === undefined ? inner : [symbol, ...inner];
}

function symbolOf(value: unknown): string | undefined {
  if (value === null || typeof value !== 'object') return undefined;
  const fresh = (value as { $fresh?: unknown }).$fresh ?? (value as { $phone?: unknown }).$phone;
  if (fresh !== undefined) return `text ${String(fresh)}`;
  const of = (value as { $of?: unknown }).$of ?? (value as { $header?: unknown }).$header;
  return of === undefined ? undefined : `answer ${String(of)}`;
}

/** Of calls that did something or were refused finally; what was put off did nothing. */
export function searchFor(
  { calls }: BurstStep,
  before: readonly Step[],
  target: Player,
): OrderSearch {
  // A fault that waits for one of them strikes the model too: that one has to be played.
  const last = before.findLast((each) => each.do === 'fault' || callsOf([each]).length > 0);
  const isPut = (call: CallStep) => isPutOff(call, calls, target.outcomes.get(call.n));
  const ran = last?.do === 'fault' ? calls : calls.filter((call) => !isPut(call));
  return new OrderSearch(ran, target, before, last?.do === 'fault');
}

/** IDEM-14a, IDEM-15: in flight beside its like; or contention, which never runs. */
function isPutOff(
  call: CallStep,
  calls: readonly CallStep[],
  outcome: Outcome | undefined,
): boolean {
  if (outcome?.kind !== 'answer') return false;
  const { status, json } = outcome;
  const code = (json as { code?: unknown } | null | undefined)?.code;
  if (status === 503 && code === 'write_contention') return calls.length > 1;
  if (code !== 'idempotency_in_flight') return false;
  return calls.some((each) => each.n !== call.n && isAttemptOf(each, call));
}

/** IDEM-2a, IDEM-2b: one key of one credential, for one subject. */
const isAttemptOf = (one: CallStep, other: CallStep): boolean =>
  one.operation === other.operation &&
  one.as === other.as &&
  same(one.key, other.key) &&
  same(subjectOf(one), subjectOf(other));

/** What the table of subjects has for it (IDEM-2c). */
function subjectOf({ operation, id, query, body }: CallStep): unknown {
  const said = (body ?? {}) as { readonly [name: string]: Value };
  if (/^create/.test(operation)) return inOneCase(said.client_reference_id);
  if (operation === 'bulkCreateAccounts') return said.accounts;
  if (/Position$/.test(operation)) return said.trading_account_id;
  return operation === 'updateAccount' ? id : query?.account_id;
}

/** NS-35: whether a transaction's reference is one subject in any case is open. */
function inOneCase(reference: Value | undefined): Value | undefined {
  const { $case, of } = (reference ?? {}) as { readonly $case?: string; readonly of?: Value };
  if ($case !== undefined) return inOneCase(of);
  return typeof reference === 'string' ? reference.toLowerCase() : reference;
}

const same = (one: unknown, other: unknown): boolean =>
  JSON.stringify(one) === JSON.stringify(other);
