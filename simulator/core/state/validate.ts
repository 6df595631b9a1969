// Looks a state through before any of it is taken: every record has its members, and what one
// record says of another is there.
import { type Schema, validate } from '../../../fixtures/schemas/validate.ts';
import { effectPart, type Fault } from '../pipeline/find-fault.ts';
import { parsePieceRef } from '../pipeline/send-body.ts';
import { type EventRecord, eventSchema, type Subscription } from '../records.ts';
import { operationTable } from '../tables/operations.ts';
import type { Timer } from '../timers.ts';
import { parseAddress } from '../values/address.ts';
import type { SuspendedCall } from '../world.ts';
import { compileValidator, type Validator } from './compile-validator.ts';
import { countedLists, lists, pairSchemas, plainSchemas, recordSchemas } from './schemas.ts';

/** Why a document cannot be loaded, in words for the person who gave it. */
export class StateError extends Error {
  override readonly name = 'StateError';
}

type StateObject = Readonly<Record<string, unknown>>;
type Records = readonly StateObject[];

/** Records of each list by their ids. */
type RecordsById = Readonly<Record<string, ReadonlyMap<unknown, StateObject>>>;

/**
 * The records of each list by their ids, once all of the world is looked through. Throws a
 * StateError that names the first place where it is not whole.
 */
export function validateWorld(world: StateObject): RecordsById {
  for (const name of Object.keys({ ...recordSchemas, ...pairSchemas })) {
    if (!Array.isArray(world[name])) throw new StateError(`world.${name} must be a list`);
  }
  for (const [name, schema] of Object.entries(plainSchemas)) {
    if (world[name] === undefined) throw new StateError(`world.${name} is missing`);
    assertValid(schema, world[name], `world.${name}`);
  }
  if ((world.idEras as Records).length === 0) {
    throw new StateError('world.idEras must have at least one entry');
  }
  for (const [name, schema] of Object.entries(recordSchemas)) {
    assertAllValid(schema, world[name] as Records, `world.${name}`);
  }
  for (const [name, schema] of Object.entries(pairSchemas)) {
    assertPairsValid(schema, world[name] as Records, `world.${name}`);
  }
  if ((world.nowMs as number) < (world.startedAtMs as number)) {
    throw new StateError('world.nowMs must not be before world.startedAtMs');
  }
  checkEvents(world.events as EventLog);
  const found = findIds(world);
  checkReferences(world, found);
  checkCounters(world);
  checkTargets(world);
  for (const [index, fault] of (world.faults as Fault[]).entries()) checkFault(fault, index);
  checkTimers(world.timers as Timer[], world.suspendedCalls as SuspendedCall[]);
  checkSuspendedCalls(world.suspendedCalls as SuspendedCall[], found.credentials);
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

/** Each id is there once. */
function findIds(world: StateObject): RecordsById {
  const found: Record<string, Map<unknown, StateObject>> = {};
  for (const [name, key] of Object.entries({ ...lists, suspendedCalls: 'id' })) {
    const ids = new Map<unknown, StateObject>();
    for (const [index, record] of (world[name] as Records).entries()) {
      const id = record[key];
      ids.set(id, record);
      if (ids.size > index) continue;
      throw new StateError(`world.${name}[${index}].${key} is there twice: ${JSON.stringify(id)}`);
    }
    found[name] = ids;
  }
  return found;
}

/** Which member of which list names a record without which the program cannot go on. */
const references = [
  ['credentials', 'firm_id', 'firms'],
  ['tradingAccounts', 'account_id', 'accounts'],
  ['transactions', 'account_id', 'accounts'],
  ['transactions', 'trading_account_id', 'tradingAccounts'],
  ['positions', 'account_id', 'accounts'],
  ['positions', 'trading_account_id', 'tradingAccounts'],
  ['deliveries', 'subscription_id', 'subscriptions'],
] as const;

function checkReferences(world: StateObject, found: RecordsById): void {
  for (const [name, member, where] of references) {
    const known = found[where];
    for (const [index, record] of (world[name] as Records).entries()) {
      if (known?.has(record[member])) continue;
      const named = JSON.stringify(record[member]);
      throw new StateError(`world.${name}[${index}].${member} is ${named}, not in world.${where}`);
    }
  }
}

function checkCounters(world: StateObject): void {
  const counters = world.counters as Readonly<Record<string, number>>;
  for (const [counter, name] of Object.entries(countedLists)) {
    const to = counters[counter];
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
    if (URL.canParse(url)) continue;
    throw new StateError(`world.subscriptions[${index}].url must be a URL`);
  }
  for (const [index, [, to]] of (world.forwards as [string, string][]).entries()) {
    if (!URL.canParse(to)) throw new StateError(`world.forwards[${index}][1] must be a URL`);
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
  credentials: RecordsById[string] | undefined,
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
