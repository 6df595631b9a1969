// A world as one JSON document, and back again exactly: timers, keys, buckets and suspended calls
// included.
import type { Behaviour } from '../behaviour.ts';
import { put } from '../change.ts';
import { followPut } from '../evolve.ts';
import { IdMap } from '../id-map.ts';
import { keysOf } from '../keys.ts';
import type { KeyRecord } from '../records.ts';
import { personKeys, transactionKey } from '../references.ts';
import { createWorld, type SuspendedCall, tableNames, tables, type World } from '../world.ts';
import { copyTradingAccounts } from './copy-world.ts';
import { StateError, validateWorld } from './validate.ts';

/** Raised when a document changes its shape; one of another version is refused. */
const stateVersion = 4;
const stateFormat = 'trading-platform-sandbox-state';

export { StateError };

/** Members kept as they are. */
const plain = ['name', 'seed', 'startedAtMs', 'idEras', 'options', 'nowMs', 'counters'] as const;

/**
 * What a world is at one moment. Records never change, so lists of them are all that has to be
 * copied.
 */
export type Snapshot = Readonly<Record<string, unknown>>;

/** The entries of a map at one moment: a pair is made of each when it is written. */
class Pairs {
  readonly keys: readonly unknown[];
  readonly values: readonly unknown[];

  constructor(...maps: readonly ReadonlyMap<unknown, unknown>[]) {
    this.keys = maps.flatMap((map) => [...map.keys()]);
    this.values = maps.flatMap((map) => [...map.values()]);
  }
}

/**
 * Cheap enough for the middle of traffic: it copies references, not records. The journal is left
 * out (it tells of the past and decides nothing), and so is what can be worked out from the rest.
 */
export function snapshotWorld(world: World): Snapshot {
  const shot: Record<string, unknown> = {};
  for (const name of plain) shot[name] = world[name];
  shot.counters = { ...world.counters };
  for (const name of tableNames) {
    const records: ReadonlyMap<unknown, unknown> = world[name];
    shot[name] = tables[name].key === null ? new Pairs(records) : [...records.values()];
  }
  // Entries are appended in place: only as many as there are now belong to this moment.
  shot.entryCounts = [...world.tradingAccounts.values()].map(({ entries }) => entries.length);
  shot.keys = new Pairs(...world.keys.map(({ records }) => records));
  const { first, lastSeq, records } = world.events;
  shot.events = { first, lastSeq, records: records.slice() };
  shot.finishedDeliveries = world.finishedDeliveries.slice();
  shot.timers = world.timers.slice();
  shot.suspendedCalls = [...world.suspendedCalls.values()].map(serializeSuspendedCall);
  return shot;
}

function serializeSuspendedCall(suspended: SuspendedCall): unknown {
  const body = Buffer.from(suspended.call.body).toString('base64');
  return { ...suspended, call: { ...suspended.call, body } };
}

interface SnapshotDocument extends Readonly<Record<string, unknown>> {
  readonly tradingAccounts: readonly { readonly entries: readonly unknown[] }[];
  readonly entryCounts: readonly number[];
}

/** The text of a snapshot in pieces of some kilobytes, so that others get a turn between them. */
export function* serializeSnapshot(
  snapshot: Snapshot,
  beside: Readonly<Record<string, unknown>> = {},
): Generator<string> {
  const { tradingAccounts, entryCounts, ...rest } = snapshot as SnapshotDocument;
  const head = JSON.stringify({ format: stateFormat, version: stateVersion, ...beside });
  yield `${head.slice(0, -1)},"world":{`;
  yield* serializeMembers(rest);
  yield ',\n"tradingAccounts":';
  // Cut one by one as they are printed: all at once would hold others up.
  yield* serializeList(tradingAccounts, (account, index) => ({
    ...account,
    entries: account.entries.slice(0, entryCounts[index]),
  }));
  yield '}}\n';
}

const pieceLength = 64 * 1024;

function* serializeMembers(members: Readonly<Record<string, unknown>>): Generator<string> {
  let separator = '';
  for (const [name, value] of Object.entries(members)) {
    yield `${separator}\n${JSON.stringify(name)}:`;
    separator = ',';
    if (Array.isArray(value)) yield* serializeList(value);
    else if (value instanceof Pairs) {
      yield* serializeList(value.keys, (key, index) => [key, value.values[index]]);
    } else if (name === 'events') {
      yield '{';
      yield* serializeMembers(value as Readonly<Record<string, unknown>>);
      yield '}';
    } else yield JSON.stringify(value);
  }
}

function* serializeList<T>(
  items: readonly T[],
  as: (item: T, index: number) => unknown = (item) => item,
): Generator<string> {
  let piece = '[';
  for (const [index, item] of items.entries()) {
    piece += (index === 0 ? '\n' : ',\n') + JSON.stringify(as(item, index));
    if (piece.length < pieceLength) continue;
    yield piece;
    piece = '';
  }
  yield `${piece}]`;
}

/** The whole document at once, for answers and tests. */
export function dumpWorld(world: World, beside: Readonly<Record<string, unknown>> = {}): unknown {
  return JSON.parse([...serializeSnapshot(snapshotWorld(world), beside)].join(''));
}

/** Throws a StateError that says what is wrong; the document itself is never changed. */
export function loadWorld(document: unknown, behaviour: Behaviour): World {
  const shot = findWorldIn(document);
  const found = validateWorld(shot);
  const { name, seed, startedAtMs } = shot as unknown as World;
  const world = createWorld({ name, seed, startedAtMs });
  const loaded: Record<string, unknown> = { ...world, ...found };
  for (const name of plain) loaded[name] = shot[name];
  loaded.counters = { ...world.counters, ...(shot.counters as World['counters']) };
  const { accounts, tradingAccounts, transactions, suspendedCalls } = found as unknown as World;
  loaded.accounts = IdMap.of(accounts);
  loaded.tradingAccounts = copyTradingAccounts(tradingAccounts);
  loaded.transactions = IdMap.of(transactions);
  loaded.suspendedCalls = new Map(
    [...suspendedCalls].map(([id, each]) => [id, parseSuspendedCall(each)]),
  );
  loaded.keys = keysOf(shot.keys as [string, KeyRecord][]);
  // What grows in place is copied: the document may be loaded again.
  const events = shot.events as World['events'];
  loaded.events = { ...events, records: events.records.slice() };
  loaded.finishedDeliveries = (shot.finishedDeliveries as string[]).slice();
  loaded.timers = (shot.timers as World['timers']).slice();
  const whole = loaded as unknown as World;
  indexWorld(whole, behaviour);
  return whole;
}

function parseSuspendedCall(suspended: SuspendedCall): SuspendedCall {
  const body = new Uint8Array(Buffer.from(suspended.call.body as unknown as string, 'base64'));
  return { ...suspended, call: { ...suspended.call, body } };
}

/** What is worked out of the records, under the settings now in force (NS-20). */
function indexWorld(world: World, behaviour: Behaviour): void {
  for (const token of world.tokens.values()) followPut(world, put('tokens', token));
  for (const account of world.accounts.values()) {
    followPut(world, put('accounts', account, personKeys(behaviour, account)));
  }
  for (const transaction of world.transactions.values()) {
    followPut(world, put('transactions', transaction, transactionKey(behaviour, transaction)));
  }
  for (const delivery of world.deliveries.values()) followPut(world, put('deliveries', delivery));
}

/** People mix up the files of this program. */
function likelyKind(document: object): string {
  if ('settings' in document || 'forwards' in document) {
    return 'this looks like a configuration file, which --config takes';
  }
  if ('base_url' in document) return 'this looks like a profile of the judge';
  if ('firms' in document) return 'this looks like a starting world, which --world takes';
  if ('schema' in document) return 'this looks like a report';
  return 'this is no saved world, as --state or GET state write it';
}

function findWorldIn(document: unknown): Readonly<Record<string, unknown>> {
  if (!isObject(document))
    throw new StateError('a state is a JSON object, as GET state answers it');
  const { format, version, world } = document;
  if (format !== stateFormat) {
    throw new StateError(`format must be "${stateFormat}": ${likelyKind(document)}`);
  }
  if (version !== stateVersion) {
    const isNewer = typeof version === 'number' && version > stateVersion;
    const whose = isNewer ? 'a newer' : 'another';
    throw new StateError(
      `version ${String(version)} is of ${whose} release, and this one reads version ${stateVersion}: use that release, or move the file away to begin with the starting world`,
    );
  }
  if (!isObject(world)) throw new StateError('world must be an object');
  return world;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
