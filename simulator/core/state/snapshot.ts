// Saves a world as one JSON document and loads it again without loss, including timers, keys,
// buckets and suspended calls.
import { parseJson } from '../../../fixtures/lenient.ts';
import { object, type Schema, type Typed } from '../../../fixtures/schemas/kit.ts';
import { validate } from '../../../fixtures/schemas/validate.ts';
import type { Behaviour } from '../behaviour.ts';
import { addTimer, type Change, evolve, keepPast, putAt } from '../change.ts';
import { findEffectProblem } from '../pipeline/find-fault.ts';
import { count, listOf, mapOf, record, text, time, type ValueOf } from '../record-kit.ts';
import { type Account, eventSchema, type Transaction } from '../records.ts';
import { personKeys, transactionKey } from '../references.ts';
import {
  createWorld,
  idEraSchema,
  type RecordOf,
  type TableName,
  tableNames,
  tables,
  timerSchema,
  type World,
  worldOptionsSchema,
} from '../world.ts';

/** Incremented when the shape of the document changes; other versions are refused. */
const stateVersion = 5;
const stateFormat = 'trading-platform-sandbox-state';

/** Why a document cannot be loaded, in words for the user who provided it. */
export class StateError extends Error {
  override readonly name = 'StateError';
}

/** A record that does not contain its key is stored together with it. */
const keyed = (schema: Schema) => record({ key: text, value: schema });

/** The schema of each table: a list of its records. */
const tableSchemas = Object.fromEntries(
  tableNames.map((name) => {
    const { key, schema } = tables[name];
    return [name, listOf<unknown>(key === null ? keyed(schema) : (schema as Typed<unknown>))];
  }),
);

const worldSchema = object('A saved world.', {
  name: text,
  seed: text,
  startedAtMs: time,
  idEras: listOf(idEraSchema),
  options: worldOptionsSchema,
  nowMs: time,
  /** Missing counters start from the beginning. */
  counters: mapOf(count),
  events: record({ first: count, lastSeq: count, records: listOf(eventSchema) }),
  timers: listOf(timerSchema),
  ...tableSchemas,
});
type WorldDocument = ValueOf<typeof worldSchema> & {
  readonly [T in TableName]: readonly RecordOf<T>[];
};

/** A world at one moment: records never change, so copies of their lists are enough. */
export type Snapshot = Readonly<Record<string, unknown>>;

/**
 * Fast enough to run between requests: it copies references, not records. The journal is left out
 * because no answer depends on it, and so is everything that can be derived from the rest.
 */
export function snapshotWorld(world: World): Snapshot {
  const { name, seed, startedAtMs, idEras, options, nowMs, events } = world;
  const shot: Record<string, unknown> = { name, seed, startedAtMs, idEras, options, nowMs };
  shot.counters = { ...world.counters };
  for (const table of tableNames) {
    const records: ReadonlyMap<unknown, unknown> = world[table];
    shot[table] = tables[table].key === null ? [...records] : [...records.values()];
  }
  shot.events = { ...events, records: events.records.slice() };
  shot.timers = world.timers.slice();
  return shot;
}

/** The text of a snapshot in pieces of a few kilobytes, so that other work can run in between. */
export function* serializeSnapshot(
  snapshot: Snapshot,
  beside: Readonly<Record<string, unknown>> = {},
): Generator<string> {
  const head = JSON.stringify({ format: stateFormat, version: stateVersion, ...beside });
  yield `${head.slice(0, -1)},"world":{`;
  yield* serializeMembers(snapshot);
  yield '}}\n';
}

const pieceLength = 64 * 1024;

/** An entry of a table whose records do not contain their key. */
type Entry = readonly [key: string, value: unknown];

function* serializeMembers(members: Readonly<Record<string, unknown>>): Generator<string> {
  let separator = '';
  for (const [name, value] of Object.entries(members)) {
    yield `${separator}\n${JSON.stringify(name)}:`;
    separator = ',';
    const isBare = tables[name as TableName]?.key === null;
    if (isBare) yield* serializeList(value as Entry[], ([key, value]) => ({ key, value }));
    else if (Array.isArray(value)) yield* serializeList(value);
    else if (name === 'events') {
      yield '{';
      yield* serializeMembers(value as Readonly<Record<string, unknown>>);
      yield '}';
    } else yield JSON.stringify(value);
  }
}

function* serializeList<T>(
  items: readonly T[],
  as: (item: T) => unknown = (item) => item,
): Generator<string> {
  let piece = '[';
  for (const [index, item] of items.entries()) {
    piece += (index === 0 ? '\n' : ',\n') + JSON.stringify(as(item));
    if (piece.length < pieceLength) continue;
    yield piece;
    piece = '';
  }
  yield `${piece}]`;
}

/** The whole document in one call, for responses and tests. */
export function dumpWorld(world: World, beside: Readonly<Record<string, unknown>> = {}): unknown {
  return JSON.parse([...serializeSnapshot(snapshotWorld(world), beside)].join(''));
}

/** Throws a StateError that names the error; the document itself is never changed. */
export function loadWorld(document: unknown, behaviour: Behaviour): World {
  const shot = findWorldIn(document);
  const { name, seed, startedAtMs, options, idEras, nowMs } = shot;
  const world = createWorld({ name, seed, startedAtMs, options });
  Object.assign(world, { idEras, nowMs });
  Object.assign(world.counters, shot.counters);
  loadEvents(world, shot);
  for (const table of tableNames) loadTable(world, behaviour, table, shot);
  for (const table of tableNames) checkNames(world, table);
  for (const [index, { effect }] of shot.faults.entries()) {
    const problem = findEffectProblem(effect, `world.faults[${index}].effect`);
    if (problem !== null) throw new StateError(`${problem.field} ${problem.message}`);
  }
  for (const timer of shot.timers) {
    if (timer.kind === 'answer' && world.suspendedCalls.get(timer.ref)?.reply === null) {
      throw new StateError(`world.timers: suspended call ${timer.ref} has no reply to send`);
    }
    addTimer(world, timer);
  }
  return world;
}

function findWorldIn(document: unknown): WorldDocument {
  if (typeof document !== 'object' || document === null || Array.isArray(document)) {
    throw new StateError('a state is a JSON object, as GET state returns it');
  }
  const { format, version, world } = document as Readonly<Record<string, unknown>>;
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
  const [problem] = validate(worldSchema, world, 'world', 'world');
  if (problem !== undefined) throw new StateError(`${problem.field} ${problem.message}`);
  const { idEras, nowMs, startedAtMs } = world as WorldDocument;
  if (idEras.length === 0) throw new StateError('world.idEras must have at least one entry');
  if (nowMs < startedAtMs) {
    throw new StateError('world.nowMs must not be before world.startedAtMs');
  }
  return world as WorldDocument;
}

/** Users may pass another file of this program by mistake. */
function likelyKind(document: object): string {
  if ('settings' in document || 'forwards' in document) {
    return 'this looks like a configuration file, which --config takes';
  }
  if ('base_url' in document) return 'this looks like a profile of the judge';
  if ('firms' in document) return 'this looks like a starting world, which --world takes';
  if ('schema' in document) return 'this looks like a report';
  return 'this file is not a saved world';
}

/** EVT-2a: without a gap, because events are found by their index. */
function loadEvents(world: World, { events: { first, lastSeq, records } }: WorldDocument): void {
  for (const [index, { seq, body }] of records.entries()) {
    const place = `world.events.records[${index}]`;
    if (seq !== first + index) throw new StateError(`${place}.seq must be ${first + index}`);
    if (!isJson(body)) throw new StateError(`${place}.body must be JSON`);
  }
  const last = records.length === 0 ? lastSeq : first + records.length - 1;
  if (lastSeq !== last) throw new StateError(`world.events.lastSeq must be ${last}`);
  keepPast(world, records, first - 1);
  Object.assign(world.events, { lastSeq });
}

/** Only the braces are checked: parsing hundreds of thousands of bodies takes too long. */
function isJson(body: string): boolean {
  return (body.startsWith('{') && body.endsWith('}')) || parseJson(body) !== undefined;
}

/** Loads the records of a table, with the data derived from them under the current settings. */
function loadTable(
  world: World,
  behaviour: Behaviour,
  table: TableName,
  document: WorldDocument,
): void {
  const { key: member } = tables[table];
  for (const [index, item] of (document[table] as readonly unknown[]).entries()) {
    const { key, value } = item as { readonly key: string; readonly value: unknown };
    const id = member === null ? key : (item as Record<string, string>)[member];
    const record = member === null ? value : item;
    evolve(world, [changeFor(behaviour, table, id as string, record)]);
    if (world[table].size > index) continue;
    const place = `world.${table}[${index}].${member ?? 'key'}`;
    throw new StateError(`${place} is there twice: ${JSON.stringify(id)}`);
  }
}

function changeFor(behaviour: Behaviour, table: TableName, key: string, record: unknown): Change {
  switch (table) {
    case 'accounts': {
      const account = record as Account;
      return putAt(table, key, account, personKeys(behaviour, account));
    }
    case 'transactions': {
      const transaction = record as Transaction;
      return putAt(table, key, transaction, transactionKey(behaviour, transaction));
    }
    default:
      return putAt(table, key as never, record as never);
  }
}

/** Checks that every record that another record refers to exists. */
function checkNames(world: World, table: TableName): void {
  const { names = {} } = tables[table] as { readonly names?: Readonly<Record<string, TableName>> };
  for (const [member, where] of Object.entries(names)) {
    const named: ReadonlyMap<unknown, unknown> = world[where];
    let index = 0;
    for (const record of (world[table] as ReadonlyMap<unknown, object>).values()) {
      const id = (record as Readonly<Record<string, unknown>>)[member];
      if (id !== null && !named.has(id)) {
        const place = `world.${table}[${index}].${member}`;
        throw new StateError(`${place} is ${JSON.stringify(id)}, not in world.${where}`);
      }
      index += 1;
    }
  }
}
