// A world as one JSON document, and back again exactly: timers, keys, buckets and held attempts included.
import { createJournal } from './journal.ts';
import { createWorld, type World } from './world.ts';

/** Raised when a document changes its shape; older ones are migrated, newer ones refused. */
export const stateVersion = 1;

export interface StateDocument {
  readonly format: 'trading-platform-sandbox-state';
  readonly version: number;
  readonly world: unknown;
}

/** Why a document cannot be loaded, in words for the person who gave it. */
export class StateError extends Error {
  override readonly name = 'StateError';
}

/** The journal is left out: it tells of the past and decides nothing. */
export function dumpWorld(world: World): StateDocument {
  const { journal: _journal, ...rest } = world;
  return { format: 'trading-platform-sandbox-state', version: stateVersion, world: encode(rest) };
}

type Coded =
  | { readonly $map: readonly (readonly [unknown, unknown])[] }
  | { readonly $set: readonly unknown[] }
  | { readonly $bytes: string };

function encode(value: unknown): unknown {
  if (value instanceof Map) {
    const $map = [...value].map(([key, item]) => [key, encode(item)] as const);
    return { $map } satisfies Coded;
  }
  if (value instanceof Set) return { $set: [...value].map(encode) } satisfies Coded;
  if (value instanceof Uint8Array) {
    return { $bytes: Buffer.from(value).toString('base64') } satisfies Coded;
  }
  if (Array.isArray(value)) return value.map(encode);
  if (typeof value !== 'object' || value === null) return value;
  const copy: Record<string, unknown> = {};
  for (const [name, item] of Object.entries(value)) {
    if (item !== undefined) copy[name] = encode(item);
  }
  return copy;
}

function decode(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(decode);
  if (typeof value !== 'object' || value === null) return value;
  const coded = value as Partial<Record<'$map' | '$set' | '$bytes', unknown>>;
  if (Array.isArray(coded.$map)) {
    return new Map((coded.$map as [unknown, unknown][]).map(([key, item]) => [key, decode(item)]));
  }
  if (Array.isArray(coded.$set)) return new Set(coded.$set.map(decode));
  if (typeof coded.$bytes === 'string') {
    return new Uint8Array(Buffer.from(coded.$bytes, 'base64'));
  }
  const copy: Record<string, unknown> = {};
  for (const [name, item] of Object.entries(value)) copy[name] = decode(item);
  return copy;
}

/** Throws a StateError that says what is wrong; the document itself is never changed. */
export function loadWorld(document: unknown): World {
  if (typeof document !== 'object' || document === null || Array.isArray(document)) {
    throw new StateError('a state is a JSON object, as GET state answers it');
  }
  const { format, version, world } = document as Partial<StateDocument>;
  if (format !== 'trading-platform-sandbox-state') {
    throw new StateError('format must be "trading-platform-sandbox-state"');
  }
  if (version !== stateVersion) {
    throw new StateError(
      `version ${String(version)} is not one this program reads; it reads ${stateVersion}`,
    );
  }
  const decoded = decode(world);
  checkShape(decoded);
  return { ...(decoded as Omit<World, 'journal'>), journal: createJournal() };
}

/** Every part of a world is there and of its kind; what is in the parts is trusted. */
function checkShape(decoded: unknown): void {
  if (typeof decoded !== 'object' || decoded === null)
    throw new StateError('world must be an object');
  const template = createWorld({ name: '', seed: '', startedAtMs: 0 });
  for (const [name, sample] of Object.entries(template)) {
    if (name === 'journal') continue;
    const value = (decoded as Record<string, unknown>)[name];
    const fits =
      sample instanceof Map
        ? value instanceof Map
        : Array.isArray(sample)
          ? Array.isArray(value)
          : typeof value === typeof sample && value !== null;
    if (!fits) throw new StateError(`world.${name} is missing or of another kind`);
  }
}
