// Every way in which a world can change, as data, and the only code that applies it: decisions name
// changes, `evolve` applies them and maintains the data derived from the tables.
import { eventWindowMs, hourMs, keyRetentionMs } from '../../fixtures/constants.ts';
import { type JournalEntry, keepEntry } from './journal.ts';
import type { Delivery, EventRecord } from './records.ts';
import { addReference, type PersonKeys } from './references.ts';
import { own } from './state/copy-world.ts';
import {
  type Counters,
  firstIndex,
  indexSince,
  type KeyOf,
  type PeopleIndex,
  type RecordOf,
  type TableName,
  type Timer,
  tables,
  type World,
} from './world.ts';

/** The keys of a new record in the indexes besides its id. */
interface IndexKeys {
  readonly accounts: PersonKeys;
  /** The key of the reference. */
  readonly transactions: string;
}

/** A record is stored in a table under its key. */
interface PutOf<T extends TableName> {
  readonly type: 'put';
  readonly table: T;
  readonly key: KeyOf<T>;
  readonly record: RecordOf<T>;
  /** Only for a new record that has an index besides its id. */
  readonly found?: T extends keyof IndexKeys ? IndexKeys[T] : never;
}

export type Change =
  | { readonly [T in TableName]: PutOf<T> }[TableName]
  | { readonly type: 'remove'; readonly table: TableName; readonly key: string }
  /** The content of an event: `evolve` adds its sequence number and time. */
  | { readonly type: 'event'; readonly draft: Omit<EventRecord, 'seq' | 'occurred_at'> }
  | ({ readonly type: 'timer' } & Omit<Timer, 'sequence'>)
  | { readonly type: 'counter'; readonly counter: keyof Counters; readonly to: number }
  | { readonly type: 'journal'; readonly entry: JournalEntry };

/** The change that stores a record in its table, under the key in the record. */
export function put<T extends TableName>(
  table: T,
  record: RecordOf<T>,
  found?: PutOf<T>['found'],
): PutOf<T> & Change {
  const name = tables[table].key as keyof RecordOf<T>;
  return putAt(table, record[name] as KeyOf<T>, record, found);
}

/** The same for a table whose records do not carry their key. */
export function putAt<T extends TableName>(
  table: T,
  key: KeyOf<T>,
  record: RecordOf<T>,
  found?: PutOf<T>['found'],
): PutOf<T> & Change {
  return { type: 'put', table, key, record, found } as unknown as PutOf<T> & Change;
}

export const remove = (table: TableName, key: string): Change => ({ type: 'remove', table, key });

/** The changes that store a record in this table. */
export function putsInto<T extends TableName>(changes: readonly Change[], table: T) {
  return changes.filter(
    (change): change is PutOf<T> & Change => change.type === 'put' && change.table === table,
  );
}

export function evolve(world: World, changes: readonly Change[]): void {
  for (const change of changes) apply(world, change);
}

function apply(world: World, change: Change): void {
  switch (change.type) {
    case 'put':
      putRecord(world, change as PutOf<TableName>);
      break;
    case 'remove':
      (own(world, change.table) as Map<unknown, unknown>).delete(change.key);
      break;
    case 'event':
      keepEvent(world, change.draft);
      break;
    case 'timer': {
      const { dueAtMs, kind, ref } = change;
      const sequence = world.counters.timer + 1;
      raiseCounter(world, 'timer', sequence);
      addTimer(world, { dueAtMs, sequence, kind, ref });
      break;
    }
    case 'counter':
      raiseCounter(world, change.counter, change.to);
      break;
    case 'journal':
      keepEntry(own(world, 'journal'), change.entry);
  }
}

function raiseCounter(world: World, counter: keyof Counters, value: number): void {
  if (value > world.counters[counter]) own(world, 'counters')[counter] = value;
}

type AfterPut<T extends TableName> = (world: World, change: PutOf<T>) => void;

/** Derived data that changes with a record of a table. */
const afterPut: { readonly [T in TableName]?: AfterPut<T> } = {
  tokens: (world, { record: { token, client_id: clientId, expires_at_ms: expiresAtMs } }) => {
    if (expiresAtMs === null) own(world, 'lastingTokens').set(clientId, token);
  },
  accounts: (world, { key, found }) => {
    if (found === undefined) return;
    addReference(peopleIn(world, found.index).byReference, found.reference, key);
    const people = peopleIn(world, found.people);
    people.byEmail.set(found.email, key);
    if (found.phone !== null) people.byPhone.set(found.phone, key);
  },
  transactions: (world, { key, found }) => {
    if (found !== undefined) addReference(own(world, 'transactionByReference'), found, key);
  },
  tokenRequests: (world) => {
    if (world.tokenRequests.size > clientsKept) forgetIdleClients(world);
  },
  deliveries: (world, { record }) => followDelivery(world, record),
};

function putRecord<T extends TableName>(world: World, change: PutOf<T>): void {
  const { table, key, record } = change;
  const records = own(world, table) as unknown as Map<unknown, RecordOf<T>>;
  records.set(key, record);
  const { counter } = tables[table] as { readonly counter?: keyof Counters };
  if (counter !== undefined) raiseCounter(world, counter, Number(key));
  (afterPut[table] as AfterPut<T> | undefined)?.(world, change);
}

function peopleIn(world: World, index: string): PeopleIndex {
  const all = own(world, 'people');
  let people = all.get(index);
  if (people === undefined) {
    people = { byReference: new Map(), byEmail: new Map(), byPhone: new Map() };
    all.set(index, people);
  }
  return people;
}

type EventDraft = Extract<Change, { readonly type: 'event' }>['draft'];

function keepEvent(world: World, draft: EventDraft): void {
  const events = own(world, 'events');
  const { category, kind, firm_id, brand_id, account_id, body } = draft;
  const seq = events.lastSeq + 1;
  const occurred_at = world.nowMs;
  events.lastSeq = seq;
  if (events.records.length === 0) events.first = seq;
  // Written out member by member: a spread here costs more than the rest of an event.
  events.records.push({ seq, category, kind, occurred_at, firm_id, brand_id, account_id, body });
  forgetOldEvents(world);
}

/** Drops events older than the window, in batches instead of one by one. */
function forgetOldEvents({ events, nowMs }: World): void {
  const horizon = nowMs - eventWindowMs;
  if ((events.records[0]?.occurred_at ?? nowMs) >= horizon) return;
  const old = indexSince(events, horizon);
  if (old < 1024 && old * 2 < events.records.length) return;
  events.records = events.records.slice(old);
  events.first += old;
}

const finishedDeliveriesKept = 2000;

/** Tracks the open deliveries of each subscription, and forgets the oldest finished ones. */
function followDelivery(world: World, { id, subscription_id, status }: Delivery): void {
  const openDeliveries = own(world, 'openDeliveries');
  const open = openDeliveries.get(subscription_id) ?? new Set<string>();
  if (status === 'pending') {
    openDeliveries.set(subscription_id, open.add(id));
    return;
  }
  const hasEnded = open.delete(id);
  if (!hasEnded || world.deliveries.size < finishedDeliveriesKept * 2) return;
  const deliveries = own(world, 'deliveries');
  for (const [oldId, old] of deliveries) {
    if (deliveries.size <= finishedDeliveriesKept) return;
    const isOver = old.status !== 'pending' && !old.in_flight && !waitsForResume(world, old);
    if (isOver) deliveries.delete(oldId);
  }
}

/** NS-28: such a delivery is kept, because delivery continues with it when an operator resumes. */
function waitsForResume({ subscriptions }: World, { status, subscription_id }: Delivery): boolean {
  return status === 'exhausted' && subscriptions.get(subscription_id)?.stopped === true;
}

const clientsKept = 10_000;

/** Any client id can be sent: clients without a request in the last minute are removed. */
function forgetIdleClients(world: World): void {
  const requests = own(world, 'tokenRequests');
  for (const [clientId, times] of requests) {
    if ((times.at(-1) ?? 0) < world.nowMs - 60_000) requests.delete(clientId);
  }
  // With a frozen clock no client becomes idle. Remove half of them together, so that not every
  // call scans.
  for (const clientId of requests.keys()) {
    if (requests.size <= clientsKept / 2) break;
    if (!world.credentials.has(clientId)) requests.delete(clientId);
  }
}

/** Time never goes backwards. */
export function moveClock(world: World, atMs: number): void {
  if (atMs <= world.nowMs) return;
  const isNextHour = Math.floor(atMs / hourMs) > Math.floor(world.nowMs / hourMs);
  world.nowMs = atMs;
  if (isNextHour && world.keys.size > 0) forgetOldKeys(world);
}

/** IDEM-7: once an hour, so that forgetting costs nothing per request. */
function forgetOldKeys(world: World): void {
  const keys = own(world, 'keys');
  for (const [keyId, { atMs, reply }] of keys) {
    if (reply === null) continue;
    if (world.nowMs - atMs < keyRetentionMs + hourMs) return;
    keys.delete(keyId);
  }
}

/** Stores a starting world's history: its events in order, and how many came before them. */
export function keepPast(world: World, past: readonly EventRecord[], forgotten: number): void {
  const events = own(world, 'events');
  events.records = [...past];
  events.first = forgotten + 1;
  events.lastSeq = forgotten + past.length;
}

/** Returns the number of the next call. */
export function countCall(world: World): number {
  own(world, 'counters').request += 1;
  return world.counters.request;
}

/** Timers are sorted by time, and equal times by the order in which they were set. */
export function addTimer(world: World, timer: Timer): void {
  const timers = own(world, 'timers');
  const at = firstIndex(timers, ({ dueAtMs, sequence }) =>
    dueAtMs === timer.dueAtMs ? sequence > timer.sequence : dueAtMs > timer.dueAtMs,
  );
  timers.splice(at, 0, timer);
}

export function takeTimer(world: World): Timer | undefined {
  return own(world, 'timers').shift();
}
