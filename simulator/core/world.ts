// The whole state of one simulated platform. Only `evolve` changes it; everything else reads.

import { callSchema, factsSchema, replySchema } from './call.ts';
import { IdMap } from './id-map.ts';
import { createJournal, type Journal } from './journal.ts';
import type { KeyStore } from './keys.ts';
import type { Fault } from './pipeline/find-fault.ts';
import {
  count,
  flag,
  id,
  ofType,
  operation,
  orNull,
  record,
  text,
  time,
  type ValueOf,
} from './record-kit.ts';
import type {
  Account,
  Brand,
  Bucket,
  Credential,
  Delivery,
  EventRecord,
  Firm,
  Order,
  PlanName,
  Position,
  Subscription,
  Token,
  TradingAccount,
  Transaction,
} from './records.ts';
import type { References } from './references.ts';
import { firstIdEra } from './serialize/ids.ts';
import type { TimerHeap } from './timers.ts';

/** Of each kind the number before the first one given out; ids are decimal strings of them. */
const noneYet = {
  account: 1000,
  tradingAccount: 5000,
  transaction: 9000,
  position: 7000,
  order: 8000,
  subscription: 0,
  delivery: 0,
  credential: 0,
  token: 0,
  secret: 0,
  request: 0,
  timer: 0,
  suspendedCall: 0,
  fault: 0,
  historyEvent: 0,
};

/**
 * Last number given out of each kind; `historyEvent` is the last event of the history that the
 * world began with.
 */
export type Counters = typeof noneYet;

/**
 * Who is known where: one per place in which references, emails and phones must be unique (NS-20).
 */
export interface PeopleIndex {
  readonly byReference: References;
  readonly byEmail: Map<string, string>;
  readonly byPhone: Map<string, string>;
}

/** Events in sequence; `first` is the sequence number of the oldest one still kept (EVT-10b). */
export interface EventLog {
  records: EventRecord[];
  first: number;
  lastSeq: number;
}

export const suspendedCallSchema = record({
  id,
  /** Number of the journal entry, by which the host finds the waiting caller. */
  n: count,
  requestId: text,
  /** When it came (NS-42). */
  askedAtMs: time,
  call: callSchema,
  operation,
  clientId: orNull(id),
  keyId: orNull(text),
  subject: orNull(text),
  facts: factsSchema,
  /** null: suspended before it ran; otherwise the answer that waits. */
  reply: orNull(replySchema),
  /** null: never (a hang). */
  wakeAtMs: orNull(time),
  faultId: id,
  abandoned: flag,
});
/** A call whose answer waits for a time: either nothing has run yet, or only the answer is late. */
export type SuspendedCall = ValueOf<typeof suspendedCallSchema>;

/** How a world began, for whoever loads a document of it later. */
export interface WorldOrigin {
  readonly world: string;
  readonly plan: PlanName;
  readonly clock: { readonly mode: 'real' | 'frozen'; readonly nowMs: number | null };
}

export const worldOptionsSchema = record({
  /** Accept `http://` and loopback webhook urls; departs from HOOK-7 and HOOK-8. */
  allowLocalWebhooks: flag,
  'begun_as?': ofType<WorldOrigin>({}),
});
export type WorldOptions = ValueOf<typeof worldOptionsSchema>;

export const idEraSchema = record({ afterSeq: count, afterRequest: count, tag: text });
/** From which event and request on ids begin with this tag. */
export type IdEra = ValueOf<typeof idEraSchema>;

export interface World {
  readonly name: string;
  readonly seed: string;
  readonly startedAtMs: number;
  /** Never empty, oldest first. */
  idEras: readonly IdEra[];
  options: WorldOptions;
  /** Time of the last input; never goes back. */
  nowMs: number;
  readonly counters: Counters;
  readonly firms: Map<string, Firm>;
  readonly brands: Map<string, Brand>;
  readonly credentials: Map<string, Credential>;
  readonly tokens: Map<string, Token>;
  /** The token that does not expire, by client id; made out again from `tokens`. */
  readonly lastingTokens: Map<string, string>;
  readonly accounts: IdMap<Account>;
  /** By brand id, and by `firm:` + firm id where references are unique per firm. */
  readonly people: Map<string, PeopleIndex>;
  readonly tradingAccounts: IdMap<TradingAccount>;
  readonly transactions: IdMap<Transaction>;
  readonly transactionByReference: References;
  readonly positions: Map<string, Position>;
  readonly orders: Map<string, Order>;
  readonly keys: KeyStore;
  readonly buckets: Map<string, Bucket>;
  /** Times of the last token requests by client id (AUTH-3b). */
  readonly tokenRequests: Map<string, readonly number[]>;
  readonly subscriptions: Map<number, Subscription>;
  readonly events: EventLog;
  /** Unfinished deliveries and the last finished ones, oldest first. */
  readonly deliveries: Map<string, Delivery>;
  readonly openDeliveries: Map<number, Set<string>>;
  /** Attempts under way by subscription. */
  readonly inFlightCounts: Map<number, number>;
  readonly finishedDeliveries: string[];
  readonly timers: TimerHeap;
  readonly suspendedCalls: Map<string, SuspendedCall>;
  readonly faults: Map<string, Fault>;
  /** What hostnames resolve to, over the system's resolver. */
  readonly names: Map<string, readonly string[]>;
  /** Webhook origins whose deliveries go to another URL. */
  readonly forwards: Map<string, string>;
  readonly journal: Journal;
  /** Members that a copy of this world holds too: copied before they are written to. */
  shared: Set<string> | null;
}

export interface CreateWorldOptions {
  readonly name: string;
  readonly seed: string;
  readonly startedAtMs: number;
  readonly options?: WorldOptions;
  /** What makes its ids unlike those of a world of that name and seed; empty: they are alike. */
  readonly idNonce?: string;
}

/** An empty world: no firm, no credential, nothing. Starting worlds are loaded into it. */
export function createWorld(begun: CreateWorldOptions): World {
  const { name, seed, startedAtMs, options, idNonce = '' } = begun;
  return {
    name,
    seed,
    startedAtMs,
    idEras: [firstIdEra(name, seed, idNonce)],
    options: options ?? { allowLocalWebhooks: false },
    nowMs: startedAtMs,
    counters: { ...noneYet },
    firms: new Map(),
    brands: new Map(),
    credentials: new Map(),
    tokens: new Map(),
    lastingTokens: new Map(),
    accounts: new IdMap(),
    people: new Map(),
    tradingAccounts: new IdMap(),
    transactions: new IdMap(),
    transactionByReference: new Map(),
    positions: new Map(),
    orders: new Map(),
    keys: [],
    buckets: new Map(),
    tokenRequests: new Map(),
    subscriptions: new Map(),
    events: { records: [], first: 1, lastSeq: 0 },
    deliveries: new Map(),
    openDeliveries: new Map(),
    inFlightCounts: new Map(),
    finishedDeliveries: [],
    timers: [],
    suspendedCalls: new Map(),
    faults: new Map(),
    names: new Map(),
    forwards: new Map(),
    journal: createJournal(),
    shared: null,
  };
}

/** Where the events of this time and later begin among those that are kept; they are in order. */
export function indexSince({ records }: EventLog, atMs: number): number {
  let low = 0;
  let high = records.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((records[middle] as EventRecord).occurred_at < atMs) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The event with this sequence number, if it is still kept. */
export function findEvent(world: World, seq: number): EventRecord | undefined {
  return world.events.records[seq - world.events.first];
}
