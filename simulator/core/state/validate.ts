// Checks a state before any of it is taken: every record has its members, and the records it names are
// there.

import { operationTable } from '../../../fixtures/operations.ts';
import { parseUrl } from '../../../fixtures/parse-url.ts';
import { ofType, type Schema } from '../../../fixtures/schemas/kit.ts';
import { validate } from '../../../fixtures/schemas/validate.ts';
import { effectPart, type Fault } from '../pipeline/find-fault.ts';
import { parsePieceRef } from '../pipeline/resume-call.ts';
import { count, id, listOf, mapOf, record, text, time } from '../record-kit.ts';
import { type EventRecord, eventSchema, keySchema, type Subscription } from '../records.ts';
import { type Timer, timerSchema } from '../timers.ts';
import { parseAddress } from '../values/address.ts';
import {
  idEraSchema,
  type SuspendedCall,
  type TableName,
  tableNames,
  tables,
  worldOptionsSchema,
} from '../world.ts';

/** Why a document cannot be loaded, in words for the person who gave it. */
export class StateError extends Error {
  override readonly name = 'StateError';
}

type StateObject = Readonly<Record<string, unknown>>;
type Records = readonly StateObject[];

/** Records of each table by their keys. */
type RecordsByTable = Readonly<Record<string, ReadonlyMap<unknown, StateObject>>>;

const anyList = ofType<readonly unknown[]>({ type: 'array' });

/** The members that are no tables. Counters may be fewer: the rest begin at their start. */
const plainSchemas = {
  name: text,
  seed: text,
  startedAtMs: time,
  idEras: listOf(idEraSchema),
  options: worldOptionsSchema,
  nowMs: time,
  counters: mapOf(count),
  events: record({ first: count, lastSeq: count, records: anyList }),
} as const satisfies Readonly<Record<string, Schema>>;

/** The lists beside the tables; of keys the pairs are looked at as those of a table are. */
const listSchemas = { finishedDeliveries: id, timers: timerSchema } as const;

/**
 * The records of each table by their keys, once all of the world is looked through. Throws a
 * StateError that names the first place where it is not whole.
 */
export function validateWorld(world: StateObject): RecordsByTable {
  for (const name of [...tableNames, ...Object.keys(listSchemas), 'keys']) {
    if (!Array.isArray(world[name])) throw new StateError(`world.${name} must be a list`);
  }
  for (const [name, schema] of Object.entries(plainSchemas)) {
    if (world[name] === undefined) throw new StateError(`world.${name} is missing`);
    assertValid(schema, world[name], `world.${name}`);
  }
  if ((world.idEras as Records).length === 0) {
    throw new StateError('world.idEras must have at least one entry');
  }
  for (const [name, schema] of Object.entries(listSchemas)) {
    assertAllValid(schema, world[name] as Records, `world.${name}`);
  }
  assertPairsValid(keySchema, world.keys as Records, 'world.keys');
  const found: Record<string, ReadonlyMap<unknown, StateObject>> = {};
  for (const name of tableNames) found[name] = readTable(name, world[name] as Records);
  if ((world.nowMs as number) < (world.startedAtMs as number)) {
    throw new StateError('world.nowMs must not be before world.startedAtMs');
  }
  checkEvents(world.events as EventLog);
  for (const name of tableNames) checkNames(name, found);
  checkCounters(world);
  checkTargets(world);
  for (const [index, fault] of (world.faults as Fault[]).entries()) checkFault(fault, index);
  checkTimers(world.timers as Timer[], world.suspendedCalls as SuspendedCall[]);
  checkSuspendedCalls(world.suspendedCalls as SuspendedCall[], found.credentials);
  return found;
}

/** The records of a table by their keys, each of which is there once. */
function readTable(name: TableName, records: Records): ReadonlyMap<unknown, StateObject> {
  const { key, schema } = tables[name];
  if (key === null) {
    assertPairsValid(schema, records, `world.${name}`);
    return new Map(records as unknown as [unknown, StateObject][]);
  }
  assertAllValid(schema, records, `world.${name}`);
  const found = new Map<unknown, StateObject>();
  for (const [index, record] of records.entries()) {
    const value = record[key];
    found.set(value, record);
    if (found.size > index) continue;
    const twice = JSON.stringify(value);
    throw new StateError(`world.${name}[${index}].${key} is there twice: ${twice}`);
  }
  return found;
}

function assertValid(schema: Schema, value: unknown, place: string): void {
  const [misfit] = validate(schema, value, place, place);
  if (misfit !== undefined) throw new StateError(`${misfit.field} ${misfit.message}`);
}

const validators = new Map<Schema, Validator>();

function validatorFor(schema: Schema): Validator {
  const fits = validators.get(schema) ?? compileValidator(schema);
  validators.set(schema, fits);
  return fits;
}

function assertAllValid(schema: Schema, records: readonly unknown[], place: string): void {
  const fits = validatorFor(schema);
  for (let index = 0; index < records.length; index += 1) {
    if (!fits(records[index])) assertValid(schema, records[index], `${place}[${index}]`);
  }
}

function assertPairsValid(schema: Schema, entries: readonly unknown[], place: string): void {
  const fits = validatorFor(schema);
  const seen = new Set<unknown>();
  for (const [index, entry] of entries.entries()) {
    const at = `${place}[${index}]`;
    if (!Array.isArray(entry) || entry.length !== 2) {
      throw new StateError(`${at} must be a pair of a name and what it stands for`);
    }
    const [name, value] = entry as [unknown, unknown];
    assertValid({ type: 'string' }, name, `${at}[0]`);
    if (!fits(value)) assertValid(schema, value, `${at}[1]`);
    if (seen.has(name)) throw new StateError(`${at}[0] is there twice: ${JSON.stringify(name)}`);
    seen.add(name);
  }
}

interface EventLog {
  readonly records: readonly EventRecord[];
  readonly first: number;
  readonly lastSeq: number;
}

/** EVT-2a: without a gap, because they are found by their place. */
function checkEvents({ records, first, lastSeq }: EventLog): void {
  assertAllValid(eventSchema, records, 'world.events.records');
  for (let index = 0; index < records.length; index += 1) {
    const { seq, body } = records[index] as EventRecord;
    const place = `world.events.records[${index}]`;
    if (seq !== first + index) throw new StateError(`${place}.seq must be ${first + index}`);
    if (!isJson(body)) throw new StateError(`${place}.body must be JSON`);
  }
  const last = records.length === 0 ? lastSeq : first + records.length - 1;
  if (lastSeq !== last) throw new StateError(`world.events.lastSeq must be ${last}`);
}

/** An object is taken at its braces: reading hundreds of thousands through takes too long. */
function isJson(text: string): boolean {
  if (text.startsWith('{') && text.endsWith('}')) return true;
  try {
    JSON.parse(text);
    return true;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

/** Every record that a table names is in the world. */
function checkNames(name: TableName, found: RecordsByTable): void {
  const { names = {} } = tables[name] as { readonly names?: Readonly<Record<string, string>> };
  for (const [member, where] of Object.entries(names)) {
    let index = 0;
    for (const record of found[name]?.values() ?? []) {
      if (!found[where]?.has(record[member])) {
        const named = JSON.stringify(record[member]);
        throw new StateError(
          `world.${name}[${index}].${member} is ${named}, not in world.${where}`,
        );
      }
      index += 1;
    }
  }
}

/** No id is beyond its counter: the next one would take its place. */
function checkCounters(world: StateObject): void {
  const counters = world.counters as Readonly<Record<string, number>>;
  for (const name of tableNames) {
    const { counter } = tables[name] as { readonly counter?: string };
    const to = counter === undefined ? undefined : counters[counter];
    if (to === undefined) continue;
    for (const { id } of world[name] as Records) {
      if (!(Number(id) > to)) continue;
      throw new StateError(`world.counters.${counter} must be at least ${id}, as in world.${name}`);
    }
  }
}

/** URLs and addresses that are read as such when something is sent to them. */
function checkTargets(world: StateObject): void {
  for (const [index, { url }] of (world.subscriptions as Subscription[]).entries()) {
    if (parseUrl(url) !== null) continue;
    throw new StateError(`world.subscriptions[${index}].url must be a URL`);
  }
  for (const [index, [, to]] of (world.forwards as [string, string][]).entries()) {
    if (parseUrl(to) === null) throw new StateError(`world.forwards[${index}][1] must be a URL`);
  }
  for (const [index, [, addresses]] of (world.names as [string, string[]][]).entries()) {
    const wrong = addresses.findIndex((address) => parseAddress(address) === null);
    if (wrong < 0) continue;
    throw new StateError(`world.names[${index}][1][${wrong}] must be an IP address`);
  }
}

function checkFault({ effect }: Fault, index: number): void {
  const wants = effectPart(effect.kind);
  if (wants === undefined || Object.hasOwn(effect, wants)) return;
  throw new StateError(`world.faults[${index}].effect.${wants} is missing`);
}

function checkTimers(timers: readonly Timer[], suspended: readonly SuspendedCall[]): void {
  const unanswered = new Set(suspended.filter(({ reply }) => reply === null).map(({ id }) => id));
  for (const [index, { kind, ref, dueAtMs }] of timers.entries()) {
    const above = (index - 1) >> 1;
    if (above >= 0 && dueAtMs < (timers[above] as Timer).dueAtMs) {
      throw new StateError(`world.timers[${index}] must not be due before world.timers[${above}]`);
    }
    if (kind === 'piece' && !/^\d+\/[1-9]\d*\/[1-9]\d*$/.test(ref)) {
      throw new StateError(`world.timers[${index}].ref must be a call, a piece and how many`);
    }
    const answered = kind === 'answer' ? ref : kind === 'piece' ? parsePieceRef(ref).id : null;
    if (answered === null || !unanswered.has(answered)) continue;
    throw new StateError(
      `world.timers[${index}].ref is a call in world.suspendedCalls that has no reply`,
    );
  }
}

/** One that has not run yet runs as its credential later on. */
function checkSuspendedCalls(
  suspended: readonly SuspendedCall[],
  credentials: RecordsByTable[string] | undefined,
): void {
  for (const [index, { reply, clientId, operation }] of suspended.entries()) {
    if (reply !== null || credentials?.has(clientId)) continue;
    if (clientId === null && operationTable[operation].auth === 'client') continue;
    const named = JSON.stringify(clientId);
    throw new StateError(
      `world.suspendedCalls[${index}].clientId is ${named}, not in world.credentials`,
    );
  }
}

type Validator = (value: unknown) => boolean;

/** Says yes to nothing that the walker would find fault with. */
export function compileValidator(schema: Schema): Validator {
  const types = [schema.type ?? []].flat();
  const nullable = types.includes('null');
  const checks = types.filter((type) => type !== 'null').map((type) => checkOf(type, schema));
  const [first, second] = checks;
  if (first === undefined) return () => false;
  if (second !== undefined) {
    return (value) => (value === null ? nullable : checks.some((check) => check(value)));
  }
  return nullable ? (value) => value === null || first(value) : first;
}

function checkOf(type: string, schema: Schema): Validator {
  switch (type) {
    case 'string':
      return checkText(schema);
    case 'integer':
    case 'number':
      return checkNumber(type, schema);
    case 'boolean':
      return (value) => typeof value === 'boolean';
    case 'array':
      return checkList(schema);
    default:
      return checkMembers(schema);
  }
}

function checkText({ enum: values, pattern, minLength = 0 }: Schema): Validator {
  const allowed = values === undefined ? null : new Set<unknown>(values);
  if (allowed !== null) return (value) => typeof value === 'string' && allowed.has(value);
  if (pattern !== undefined) {
    const form = new RegExp(pattern, 'u');
    return (value) => typeof value === 'string' && form.test(value);
  }
  if (minLength === 0) return (value) => typeof value === 'string';
  return (value) => typeof value === 'string' && value.trim().length >= minLength;
}

function checkNumber(type: 'integer' | 'number', schema: Schema): Validator {
  const { minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY } = schema;
  const allowed = schema.enum;
  return (value) =>
    typeof value === 'number' &&
    value >= minimum &&
    value <= maximum &&
    (type === 'number' || Number.isInteger(value)) &&
    (allowed === undefined || allowed.includes(value));
}

function checkList({ items }: Schema): Validator {
  if (items === undefined) return (value) => Array.isArray(value);
  const check = compileValidator(items);
  return (value) => {
    if (!Array.isArray(value)) return false;
    for (const item of value) if (!check(item)) return false;
    return true;
  };
}

function checkMembers({ properties = {}, required = [], additionalProperties }: Schema): Validator {
  const members = Object.entries(properties).map(([name, schema]) => {
    const check = compileValidator(schema);
    return { name, check, optional: !required.includes(name) };
  });
  const others =
    typeof additionalProperties === 'object' ? compileValidator(additionalProperties) : null;
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
    const record = value as Readonly<Record<string, unknown>>;
    for (const { name, check, optional } of members) {
      const member = record[name];
      if (member === undefined ? !optional : !check(member)) return false;
    }
    if (others === null) return true;
    for (const [name, member] of Object.entries(record)) {
      if (!Object.hasOwn(properties, name) && !others(member)) return false;
    }
    return true;
  };
}
