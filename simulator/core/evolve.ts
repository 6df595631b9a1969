// The only code that changes a World: one function a kind of change.
import type { Change, ChangeOf } from './change.ts';
import { keepEntry } from './journal.ts';
import { dropExpiredKeys, forgetKey, hasExpiredKeys, setKey } from './keys.ts';
import type { Delivery, EventRecord } from './records.ts';
import { addReference } from './references.ts';
import { own } from './state/copy-world.ts';
import { popTimer, pushTimer, type Timer } from './timers.ts';
import { indexSince, type PeopleIndex, type World } from './world.ts';

/** EVT-10b: the events channel replays within seven days; older events are forgotten. */
export const eventWindowMs = 7 * 24 * 3600 * 1000;
const finishedDeliveriesKept = 2000;
const clientsKept = 10_000;

type Apply = { readonly [T in Change['type']]: (world: World, change: ChangeOf<T>) => void };

/** Applies changes in order. */
export function evolve(world: World, changes: readonly Change[]): void {
  for (const change of changes) {
    (apply[change.type] as (world: World, change: Change) => void)(world, change);
  }
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

function raiseCounter(world: World, counter: keyof World['counters'], id: string | number): void {
  const value = Number(id);
  if (value > world.counters[counter]) own(world, 'counters')[counter] = value;
}

function keepEvent(world: World, record: EventRecord): void {
  const events = own(world, 'events');
  events.lastSeq = record.seq;
  if (events.records.length === 0) events.first = record.seq;
  events.records.push(record);
  forgetOldEvents(world, record.occurred_at);
}

/** Drops events older than the window, in one cut when enough have gathered, never one by one. */
function forgetOldEvents(world: World, atMs: number): void {
  const events = own(world, 'events');
  const horizon = atMs - eventWindowMs;
  if ((events.records[0]?.occurred_at ?? atMs) >= horizon) return;
  const old = indexSince(events, horizon);
  if (old < 1024 && old * 2 < events.records.length) return;
  events.records = events.records.slice(old);
  events.first += old;
}

function setDelivery(world: World, delivery: Delivery): void {
  const deliveries = own(world, 'deliveries');
  const openDeliveries = own(world, 'openDeliveries');
  const finishedDeliveries = own(world, 'finishedDeliveries');
  raiseCounter(world, 'delivery', delivery.id);
  countInFlight(world, delivery);
  deliveries.set(delivery.id, delivery);
  const open = openDeliveries.get(delivery.subscription_id) ?? new Set<string>();
  if (delivery.status === 'pending') {
    openDeliveries.set(delivery.subscription_id, open.add(delivery.id));
    return;
  }
  if (!open.delete(delivery.id)) return;
  finishedDeliveries.push(delivery.id);
  if (finishedDeliveries.length < finishedDeliveriesKept * 2) return;
  for (const id of finishedDeliveries.splice(0, finishedDeliveriesKept)) {
    const finished = deliveries.get(id);
    // One that was taken up again is unfinished and stays.
    if (finished === undefined || finished.status === 'pending') continue;
    if (finished.in_flight || waitsForResume(world, finished)) finishedDeliveries.push(id);
    else deliveries.delete(id);
  }
}

/** NS-28: delivery goes on with it when an operator says so, however late. */
function waitsForResume({ subscriptions }: World, delivery: Delivery): boolean {
  return (
    delivery.status === 'exhausted' && subscriptions.get(delivery.subscription_id)?.stopped === true
  );
}

function countInFlight(world: World, delivery: Delivery): void {
  const before = world.deliveries.get(delivery.id)?.in_flight === true ? 1 : 0;
  const step = (delivery.in_flight ? 1 : 0) - before;
  if (step === 0) return;
  const inFlightCounts = own(world, 'inFlightCounts');
  const count = inFlightCounts.get(delivery.subscription_id) ?? 0;
  inFlightCounts.set(delivery.subscription_id, count + step);
}

const apply: Apply = {
  'firm-set': (world, { firm }) => {
    own(world, 'firms').set(firm.id, firm);
  },
  'brand-set': (world, { brand }) => {
    own(world, 'brands').set(brand.id, brand);
  },
  'credential-set': (world, { credential }) => {
    own(world, 'credentials').set(credential.client_id, credential);
  },
  'token-issued': (world, { token }) => {
    own(world, 'tokens').set(token.token, token);
    if (token.expires_at_ms === null) own(world, 'lastingTokens').set(token.client_id, token.token);
  },
  'token-request': (world, { clientId, times }) => {
    own(world, 'tokenRequests').set(clientId, times);
    if (world.tokenRequests.size > clientsKept) forgetIdleClients(world);
  },
  'account-created': (world, { account, keys }) => {
    raiseCounter(world, 'account', account.id);
    own(world, 'accounts').set(account.id, account);
    addReference(peopleIn(world, keys.index).byReference, keys.reference, account.id);
    const people = peopleIn(world, keys.people);
    people.byEmail.set(keys.email, account.id);
    if (keys.phone !== null) people.byPhone.set(keys.phone, account.id);
  },
  'account-changed': (world, { account }) => {
    own(world, 'accounts').set(account.id, account);
  },
  'trading-account-set': (world, { tradingAccount }) => {
    raiseCounter(world, 'tradingAccount', tradingAccount.id);
    own(world, 'tradingAccounts').set(tradingAccount.id, tradingAccount);
  },
  'entry-booked': (world, { tradingAccountId, entry, balance }) => {
    const tradingAccounts = own(world, 'tradingAccounts');
    const found = tradingAccounts.get(tradingAccountId);
    if (found === undefined) throw new Error(`no trading account ${tradingAccountId} to book on`);
    // The list is this record's own: appending keeps booking constant however long it grows.
    (found.entries as (typeof entry)[]).push(entry);
    tradingAccounts.set(tradingAccountId, { ...found, balance });
  },
  'transaction-created': (world, { transaction, referenceKey }) => {
    raiseCounter(world, 'transaction', transaction.id);
    own(world, 'transactions').set(transaction.id, transaction);
    addReference(own(world, 'transactionByReference'), referenceKey, transaction.id);
  },
  'transaction-changed': (world, { transaction }) => {
    own(world, 'transactions').set(transaction.id, transaction);
  },
  'position-set': (world, { position }) => {
    raiseCounter(world, 'position', position.id);
    own(world, 'positions').set(position.id, position);
  },
  'order-set': (world, { order }) => {
    raiseCounter(world, 'order', order.id);
    own(world, 'orders').set(order.id, order);
  },
  'subscription-set': (world, { subscription }) => {
    raiseCounter(world, 'subscription', subscription.id);
    own(world, 'subscriptions').set(subscription.id, subscription);
  },
  'delivery-set': (world, { delivery }) => setDelivery(world, delivery),
  // Written out member by member: a spread here costs more than all the rest of an event.
  'event-recorded': (
    world,
    { draft: { category, kind, firm_id: firmId, brand_id: brandId, account_id: accountId, body } },
  ) => {
    const seq = world.events.lastSeq + 1;
    keepEvent(world, {
      seq,
      category,
      kind,
      occurred_at: world.nowMs,
      firm_id: firmId,
      brand_id: brandId,
      account_id: accountId,
      body,
    });
  },
  'bucket-drawn': (world, { name, units, atMs }) => {
    own(world, 'buckets').set(name, { units, atMs });
  },
  'key-recorded': (world, { keyId, record }) => {
    setKey(own(world, 'keys'), keyId, record, world.nowMs);
  },
  'key-forgotten': (world, { keyId }) => {
    forgetKey(own(world, 'keys'), keyId);
  },
  'timer-set': (world, { dueAtMs, kind, ref }) => {
    own(world, 'counters').timer += 1;
    pushTimer(own(world, 'timers'), { dueAtMs, sequence: world.counters.timer, kind, ref });
  },
  'suspended-set': (world, { suspended }) => {
    own(world, 'suspendedCalls').set(suspended.id, suspended);
  },
  'suspended-removed': (world, { id }) => {
    own(world, 'suspendedCalls').delete(id);
  },
  'fault-set': (world, { fault }) => {
    own(world, 'faults').set(fault.id, fault);
  },
  'fault-removed': (world, { id }) => {
    own(world, 'faults').delete(id);
  },
  'name-set': (world, { hostname, addresses }) => {
    if (addresses === null) own(world, 'names').delete(hostname);
    else own(world, 'names').set(hostname, addresses);
  },
  'forward-set': (world, { from, to }) => {
    if (to === null) own(world, 'forwards').delete(from);
    else own(world, 'forwards').set(from, to);
  },
  counted: (world, { counter, to }) => {
    if (to > world.counters[counter]) own(world, 'counters')[counter] = to;
  },
  journalled: (world, { entry }) => keepEntry(own(world, 'journal'), entry),
};

/** Anybody can name a client: those whose minute is over are forgotten before they pile up. */
function forgetIdleClients(world: World): void {
  const requests = own(world, 'tokenRequests');
  for (const [clientId, times] of requests) {
    if ((times[times.length - 1] ?? 0) < world.nowMs - 60_000) requests.delete(clientId);
  }
  // A clock that stands makes nobody idle. Half of them at once, so that not each call looks anew.
  for (const clientId of requests.keys()) {
    if (requests.size <= clientsKept / 2) break;
    if (!world.credentials.has(clientId)) requests.delete(clientId);
  }
}

/** Time goes on, never back. */
export function moveClock(world: World, atMs: number): void {
  if (atMs <= world.nowMs) return;
  world.nowMs = atMs;
  if (hasExpiredKeys(world.keys, atMs)) dropExpiredKeys(own(world, 'keys'), atMs);
}

/** Puts a starting world's past in place: its events in order, and how many were before them. */
export function keepPast(world: World, past: readonly EventRecord[], forgotten: number): void {
  const events = own(world, 'events');
  events.records = [...past];
  events.first = forgotten + 1;
  events.lastSeq = forgotten + past.length;
}

/** Numbers a call. */
export function countCall(world: World): number {
  own(world, 'counters').request += 1;
  return world.counters.request;
}

/** Takes the next timer off the heap. */
export function takeTimer(world: World): Timer | undefined {
  return popTimer(own(world, 'timers'));
}
