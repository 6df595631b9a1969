// The whole state of one simulated platform. Only `evolve` changes it; everything else reads.

import type { Schema } from '../../fixtures/schemas/kit.ts';
import { plan } from '../../fixtures/schemas/records.ts';
import { factsSchema, replySchema, suspendedRequestSchema } from './call.ts';
import { createJournal, type Journal } from './journal.ts';
import { faultSchema } from './pipeline/find-fault.ts';
import {
  count,
  flag,
  id,
  listOf,
  number,
  oneOf,
  orNull,
  record,
  text,
  time,
  url,
  type ValueOf,
} from './record-kit.ts';
import * as records from './records.ts';
import type { References } from './references.ts';
import { firstIdEra } from './serialize.ts';

/**
 * For each kind of record the number before the first id; ids are these numbers as decimal strings.
 */
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

/** The last number used of each kind; `historyEvent` ends the starting world's history. */
export type Counters = typeof noneYet;

/** The people in one scope in which references, emails and phones are unique (NS-20). */
export interface PeopleIndex {
  readonly byReference: References;
  readonly byEmail: Map<string, string>;
  readonly byPhone: Map<string, string>;
}

/** Events in sequence; `first` is the sequence number of the oldest one still kept (EVT-10b). */
export interface EventLog {
  records: records.EventRecord[];
  first: number;
  lastSeq: number;
}

const suspendedCallSchema = record({
  id,
  /** Number of the journal entry, by which the host finds the waiting caller. */
  n: count,
  requestId: text,
  /** When the call arrived (NS-42). */
  askedAtMs: time,
  call: suspendedRequestSchema,
  clientId: orNull(id),
  keyId: orNull(text),
  facts: factsSchema,
  /** null: suspended before it ran; otherwise the answer to send. */
  reply: orNull(replySchema),
  /** null: never (a hang). */
  wakeAtMs: orNull(time),
  faultId: id,
  abandoned: flag,
});
/** A call whose response is delayed: either nothing has run yet, or only the response is late. */
export type SuspendedCall = ValueOf<typeof suspendedCallSchema>;

export const timerSchema = record({
  dueAtMs: time,
  /** Order among equal times; unique in a world. */
  sequence: count,
  kind: oneOf('settle', 'wake', 'abandon', 'answer', 'deliver'),
  /** Id of the record concerned: a transaction, a suspended call, a delivery. */
  ref: id,
});
export type Timer = ValueOf<typeof timerSchema>;
export type TimerKind = Timer['kind'];

/** A kind of record that a world stores by key. */
interface Table {
  readonly schema: Schema;
  /** The member that is the key; null: the key is not part of the record. */
  readonly key: string | null;
  /** The counter that its ids come from. */
  readonly counter?: keyof Counters;
  /** Members that refer to a record of another table, which must exist unless they are null. */
  readonly names?: Readonly<Record<string, string>>;
}

export const tables = {
  firms: { schema: records.firmSchema, key: 'id' },
  brands: { schema: records.brandSchema, key: 'id' },
  credentials: { schema: records.credentialSchema, key: 'client_id', names: { firm_id: 'firms' } },
  tokens: { schema: records.tokenSchema, key: 'token' },
  accounts: { schema: records.accountSchema, key: 'id', counter: 'account' },
  tradingAccounts: {
    schema: records.tradingAccountSchema,
    key: 'id',
    counter: 'tradingAccount',
    names: { account_id: 'accounts' },
  },
  transactions: {
    schema: records.transactionSchema,
    key: 'id',
    counter: 'transaction',
    names: { account_id: 'accounts', trading_account_id: 'tradingAccounts' },
  },
  positions: {
    schema: records.positionSchema,
    key: 'id',
    counter: 'position',
    names: { account_id: 'accounts', trading_account_id: 'tradingAccounts' },
  },
  orders: { schema: records.orderSchema, key: 'id', counter: 'order' },
  subscriptions: { schema: records.subscriptionSchema, key: 'id', counter: 'subscription' },
  deliveries: {
    schema: records.deliverySchema,
    key: 'id',
    counter: 'delivery',
    names: { subscription_id: 'subscriptions' },
  },
  suspendedCalls: {
    schema: suspendedCallSchema,
    key: 'id',
    counter: 'suspendedCall',
    // A call that has not run yet runs later as this credential.
    names: { clientId: 'credentials' },
  },
  faults: { schema: faultSchema, key: 'id', counter: 'fault' },
  /** Idempotency keys, roughly oldest first. */
  keys: { schema: records.keySchema, key: null },
  buckets: { schema: records.bucketSchema, key: null },
  /** Times of the last token requests by client id (AUTH-3b). */
  tokenRequests: { schema: listOf(time), key: null },
  /** Addresses of hostnames, overriding the system's resolver. */
  names: { schema: listOf(text), key: null },
  /** Webhook origins whose deliveries go to another URL. */
  forwards: { schema: url, key: null },
} as const satisfies Readonly<Record<string, Table>>;

export type TableName = keyof typeof tables;
export const tableNames = Object.keys(tables) as TableName[];

export type RecordOf<T extends TableName> = ValueOf<(typeof tables)[T]['schema']>;
export type KeyOf<T extends TableName> = T extends 'subscriptions' ? number : string;

type Tables = { readonly [T in TableName]: Map<KeyOf<T>, RecordOf<T>> };

const worldOriginSchema = record({
  world: text,
  plan,
  clock: record({ mode: oneOf('real', 'frozen'), nowMs: orNull(number) }),
});
/** How a world began, for a program that loads its document later. */
export type WorldOrigin = ValueOf<typeof worldOriginSchema>;

export const worldOptionsSchema = record({
  /** Accept `http://` and loopback webhook urls; departs from HOOK-7 and HOOK-8. */
  allowLocalWebhooks: flag,
  'begun_as?': worldOriginSchema,
});
export type WorldOptions = ValueOf<typeof worldOptionsSchema>;

export const idEraSchema = record({ afterSeq: count, afterRequest: count, tag: text });
/** The first event and the first request whose ids have this tag. */
export type IdEra = ValueOf<typeof idEraSchema>;

export interface World extends Tables {
  readonly name: string;
  readonly seed: string;
  readonly startedAtMs: number;
  /** Never empty, oldest first. */
  idEras: readonly IdEra[];
  options: WorldOptions;
  /** Time of the last input; never goes back. */
  nowMs: number;
  readonly counters: Counters;
  readonly events: EventLog;
  readonly timers: Timer[];
  // Everything below is derived from the tables.
  /** The token that does not expire, by client id. */
  readonly lastingTokens: Map<string, string>;
  /** By brand id, and by `firm:` and the firm id if references are unique per firm. */
  readonly people: Map<string, PeopleIndex>;
  readonly transactionByReference: References;
  /** Deliveries that have not ended, by subscription. */
  readonly openDeliveries: Map<number, Set<string>>;
  readonly journal: Journal;
  /** Members shared with a copy of this world: they are copied before a write. */
  shared: Set<string> | null;
}

interface CreateWorldOptions extends Pick<World, 'name' | 'seed' | 'startedAtMs' | 'options'> {
  /** Makes its ids unlike those of a world with this name and seed; if empty, they are equal. */
  readonly idNonce?: string;
}

/** An empty world: no firm, no credential, nothing. Starting worlds are loaded into it. */
export function createWorld({ idNonce = '', ...begun }: CreateWorldOptions): World {
  const { name, seed, startedAtMs, options } = begun;
  const empty = Object.fromEntries(tableNames.map((table) => [table, new Map()]));
  return {
    ...(empty as unknown as Tables),
    ...{ name, seed, startedAtMs, options },
    idEras: [firstIdEra(name, seed, idNonce)],
    nowMs: startedAtMs,
    counters: { ...noneYet },
    events: { records: [], first: 1, lastSeq: 0 },
    timers: [],
    lastingTokens: new Map(),
    people: new Map(),
    transactionByReference: new Map(),
    openDeliveries: new Map(),
    journal: createJournal(),
    shared: null,
  };
}

/** The index of the first item for which `holds` is true; it is true for all later items. */
export function firstIndex<T>(items: readonly T[], holds: (item: T) => boolean): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(items[middle] as T)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The index of the first kept event at or after this time; events are in order. */
export const indexSince = ({ records }: EventLog, atMs: number): number =>
  firstIndex(records, ({ occurred_at }) => occurred_at >= atMs);

/** A record whose id stands in another record or in a timer, so that it exists. */
export function existing<R>(records: ReadonlyMap<string, R>, id: string): R {
  const record = records.get(id);
  if (record === undefined) throw new Error(`there is no record ${id}, although its id is in use`);
  return record;
}

/** The event with this sequence number, if it is still kept. */
export function findEvent(world: World, seq: number): records.EventRecord | undefined {
  return world.events.records[seq - world.events.first];
}
