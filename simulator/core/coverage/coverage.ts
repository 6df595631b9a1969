// Counts what calls, events and deliveries have met: rules, operations, refusals, transitions,
// kinds of events and hints. It outlives resets of its world, and decides nothing in it.
import { eventKinds } from '../../../fixtures/event-kinds.ts';
import { type RuleId, rules } from '../../../fixtures/rules.ts';
import type { HintCode } from '../hints/register.ts';
import type { JournalEntry } from '../journal.ts';
import type { Delivery, EventRecord } from '../records.ts';
import { operationNames } from '../tables/operations.ts';
import { refusalTable } from '../tables/refusals.ts';
import type { World } from '../world.ts';
import {
  besidesCite,
  type Evidence,
  type SeenCall,
  shownByKnownKey,
  shownByOperation,
  shownByRefusals,
  shownByReplays,
  shownByRetry,
  waitedAsTold,
} from './call-evidence.ts';
import { CallMemory } from './call-memory.ts';
import { rulesOfAttempt, rulesOfEvent } from './delivery-evidence.ts';
import {
  settledTransition,
  targetTransition,
  transitionNames,
  transitionOf,
} from './transitions.ts';

/** How often a hint was told, and where last. */
export interface HintCount {
  readonly count: number;
  readonly words: string;
  readonly n: number;
}

type Counts = Map<string, number>;

const zeros = (names: Iterable<string>): Counts => new Map([...names].map((name) => [name, 0]));

const refusalNames = Object.entries(refusalTable).map(([code, { status }]) => `${status} ${code}`);

/** One for each rule: what a cite of it wants besides, and how often it was met. */
interface RuleCounter {
  readonly besides: Evidence | null;
  count: number;
}

function makeCounters(): ReadonlyMap<string, RuleCounter> {
  return new Map(rules.map(({ id }) => [id, { besides: besidesCite[id] ?? null, count: 0 }]));
}

export class Coverage {
  readonly #rules = makeCounters();
  readonly operations: Counts = zeros(operationNames);
  readonly refusals: Counts = zeros(refusalNames);
  readonly transitions: Counts = zeros(transitionNames);
  readonly events: Counts = zeros(eventKinds);
  readonly hints = new Map<HintCode, HintCount>();
  readonly #memory = new CallMemory();
  /** Subscriptions up to this id were there from the start. */
  #givenTo: number;

  constructor(world?: World) {
    this.#givenTo = world?.counters.subscription ?? 0;
  }

  /** A call as it stands in the journal when it was taken; its answer may be held back. */
  call(world: World, entry: JournalEntry): void {
    const { operation, hints } = entry;
    if (operation !== null) count(this.operations, operation);
    for (const { code, words } of hints) {
      this.hints.set(code, { count: (this.hints.get(code)?.count ?? 0) + 1, words, n: entry.n });
    }
    // What is held back meets its rules when its answer leaves.
    if (entry.reply !== null || entry.reset) this.answer(world, entry);
  }

  /** The same once it is answered at last. */
  answer(world: World, entry: JournalEntry): void {
    const memory = this.#memory;
    const seen: SeenCall = { entry, world, memory };
    for (const cite of entry.cites) {
      const rule = this.#rules.get(cite);
      if (rule === undefined) continue;
      if (rule.besides === null || rule.besides(seen)) rule.count += 1;
    }
    const status = entry.reply?.status ?? 0;
    if (status > 0 && status !== 429) this.#meet('LIM-8');
    if (status > 0 && entry.key !== null) this.#meet('ERR-4');
    if (waitedAsTold(seen)) this.#meet('LIM-7');
    if (memory.isApartFromTokens(entry)) this.#meet('AUTH-3c');
    if (status >= 400) {
      count(this.refusals, refusalOf(entry));
      this.#meetShown(shownByRefusals, seen);
    }
    if (entry.idempotency === 'replayed') this.#meetShown(shownByReplays, seen);
    else if (entry.key !== null) this.#meetByRun(seen);
    else if (entry.operation === 'disableWebhook' && status > 0 && status < 300) {
      count(this.transitions, transitionOf(entry) ?? '');
    }
    memory.take(entry);
  }

  /** A write that ran, or was refused, and no repeat. */
  #meetByRun(seen: SeenCall): void {
    const { entry, memory, world } = seen;
    const first = memory.findFirst(entry, world.journal);
    if (first !== undefined) this.#meetShown(shownByKnownKey, { ...seen, first });
    if (memory.hasRetryable) this.#meetShown(shownByRetry, seen);
    const own = entry.operation === null ? undefined : shownByOperation[entry.operation];
    if (own?.[1](seen)) this.#meet(own[0]);
    const transition = transitionOf(entry);
    if (transition !== null) count(this.transitions, transition);
  }

  #meetShown(shown: readonly (readonly [RuleId, (seen: SeenCall) => boolean])[], seen: SeenCall) {
    for (const [id, evidence] of shown) if (evidence(seen)) this.#meet(id);
  }

  #meet(id: RuleId): void {
    this.#add(id, 1);
  }

  #add(id: RuleId, times: number): void {
    const rule = this.#rules.get(id);
    if (rule !== undefined) rule.count += times;
  }

  /** The rules that were met, in the order of the catalogue, and how often each. */
  get rules(): ReadonlyMap<RuleId, number> {
    const met = [...this.#rules].filter(([, { count: times }]) => times > 0);
    return new Map(met.map(([id, { count: times }]) => [id as RuleId, times]));
  }

  event(world: World, event: EventRecord): void {
    count(this.events, event.kind);
    if (event.kind === 'transaction.settled') count(this.transitions, settledTransition);
    const { subscriptions } = world;
    if (subscriptions.size === 0) return;
    for (const id of rulesOfEvent(event, subscriptions.values(), this.#givenTo)) this.#meet(id);
  }

  /** An attempt has ended. */
  attempt(delivery: Delivery): void {
    for (const id of rulesOfAttempt(delivery)) this.#meet(id);
  }

  /** EVT-11: a target was found to be no longer public. */
  targetRefused(): void {
    count(this.transitions, targetTransition);
    this.#meet('EVT-11');
  }

  /** IDEM-14b: an attempt was given up, not before its time. */
  abandoned(): void {
    this.#meet('IDEM-14b');
  }

  /** Another world stands in the place of this one: what was counted stays. */
  forget(now: World): void {
    this.#givenTo = Math.min(this.#givenTo, now.counters.subscription);
    this.#memory.forget();
  }

  /** Begins anew. */
  clear(): void {
    for (const rule of this.#rules.values()) rule.count = 0;
    this.hints.clear();
    const { operations, refusals, transitions, events } = new Coverage();
    for (const [mine, none] of [
      [this.operations, operations],
      [this.refusals, refusals],
      [this.transitions, transitions],
      [this.events, events],
    ] as const) {
      mine.clear();
      for (const [name, zero] of none) mine.set(name, zero);
    }
    this.#memory.forget();
  }

  /** Counts what another has counted too. */
  add(other: Coverage): void {
    for (const [id, times] of other.rules) this.#add(id, times);
    for (const [code, told] of other.hints) {
      const before = this.hints.get(code)?.count ?? 0;
      this.hints.set(code, { ...told, count: before + told.count });
    }
    addCounts(this.operations, other.operations);
    addCounts(this.refusals, other.refusals);
    addCounts(this.transitions, other.transitions);
    addCounts(this.events, other.events);
  }
}

function count(counts: Counts, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

function addCounts(counts: Counts, more: Counts): void {
  for (const [name, times] of more) counts.set(name, (counts.get(name) ?? 0) + times);
}

/** `409 invalid_state`; where there is no code, what the body is. */
function refusalOf({ reply, operation }: JournalEntry): string {
  if (reply === null) return '';
  const code = /"(?:code|error)":"(\w+)"/.exec(reply.body)?.[1];
  if (code !== undefined && reply.contentType !== 'text/html') {
    return operation === 'issueToken'
      ? `${reply.status} ${code} (token)`
      : `${reply.status} ${code}`;
  }
  return `${reply.status} ${reply.contentType === 'text/plain' ? 'plain text' : 'of a gateway'}`;
}
