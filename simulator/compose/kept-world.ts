// A world saved in a file, combined with the start options: how it began, which options contradict
// it, and how its clock continues.
import { resolve } from 'node:path';
import { plan } from '../../fixtures/schemas/records.ts';
import { validate } from '../../fixtures/schemas/validate.ts';
import type { FieldProblem } from '../../fixtures/settings.ts';
import { number, oneOf, orNull, record, text, time, type ValueOf } from '../core/record-kit.ts';
import { restoreState, type SavedClock, savedClockSchema } from '../host/storage/world-document.ts';
import { type ClockOptions, type ClockState, clockModes } from '../host/world/clock.ts';
import type { Sandbox } from '../host/world/sandbox.ts';
import { findNamedWorld, type NamedWorld, type ReadOptions } from './options.ts';

const mode = oneOf(...clockModes);
const begunSchema = record({ world: text, plan, clock: record({ mode, nowMs: orNull(number) }) });

/**
 * The parts of a state file that affect the options; loading it shows whether it is a valid state.
 */
export interface SavedWorld {
  readonly path: string;
  readonly document: unknown;
  readonly seed: string | undefined;
  /** Null if the file does not say, because `sandbox` did not write it. */
  readonly begun: ValueOf<typeof begunSchema> | null;
  readonly clock: ClockState | null;
}

export function readSavedWorld(path: string, document: unknown): SavedWorld {
  const { world, clock } = (document ?? {}) as Record<'world' | 'clock', Record<string, unknown>>;
  const { seed, options, nowMs } = world ?? {};
  const begun = (options as { readonly begun_as?: unknown } | null | undefined)?.begun_as;
  const savedClock = readAs(savedClockSchema, clock) as SavedClock | null;
  return {
    path,
    document,
    seed: readAs(text, seed) ?? undefined,
    begun: readAs(begunSchema, begun),
    clock: savedClock && {
      mode: savedClock.mode,
      nowMs: Math.max(savedClock.now_ms, readAs(time, nowMs) ?? 0),
      speed: savedClock.speed,
    },
  };
}

function readAs<S extends Parameters<typeof validate>[0]>(schema: S, value: unknown) {
  return validate(schema, value, 'it').length === 0 ? (value as ValueOf<S>) : null;
}

type NamedOptions = Pick<ReadOptions, 'world' | 'seed' | 'plan' | 'clock'>;

/** The default world if neither an option nor a file names one. */
const unnamedWorld = 'default';

/** How the first world begins, and what a reset restores: the beginning of a saved world. */
export function beginningOf({ world, seed, plan, clock }: NamedOptions, saved: SavedWorld | null) {
  const begun = saved?.begun;
  const name = begun?.world ?? world?.name ?? unnamedWorld;
  const { named, note } = findStartingWorld(world, name, saved);
  const standing = { mode: saved?.clock?.mode ?? 'real', nowMs: null } as const;
  return {
    fixture: named.fixture,
    begunAs: {
      world: named.name,
      plan: begun?.plan ?? plan ?? ('sandbox' as const),
      // The clock can be changed at any time; the other three affect every record of the world.
      clock: clock ?? begun?.clock ?? standing,
    },
    seed: saved?.seed ?? seed ?? '1',
    // The world in the file is used; the file may not name its starting world.
    worldName: begun === null && saved !== null ? saved.path : name,
    /** Why a reset may not restore the starting world of the saved world. */
    note,
  };
}

export type Beginning = ReturnType<typeof beginningOf>;

/** The starting world: a saved world needs it for resets only, and it may be missing. */
function findStartingWorld(
  requested: NamedWorld | undefined,
  name: string,
  saved: SavedWorld | null,
): { readonly named: NamedWorld; readonly note: string | null } {
  const found = requested?.name === name ? requested : findNamedWorld(name);
  if (found.fixture !== undefined) {
    const note =
      saved?.begun === null
        ? `${saved.path} does not say as which world it began; a reset leads to "${name}"`
        : null;
    return { named: { name, fixture: found.fixture }, note };
  }
  // The same path in another spelling.
  if (requested !== undefined) return { named: requested, note: null };
  const { fixture } = findNamedWorld(unnamedWorld);
  if (fixture === undefined || saved === null) throw new Error(found.problems.join('; '));
  const note = `${saved.path} began as ${name}, which cannot be read; a reset leads to "${unnamedWorld}"`;
  return { named: { name: unnamedWorld, fixture }, note };
}

/** The options that a saved world contradicts; they cannot be applied to it. */
export function contradictions(named: NamedOptions, saved: SavedWorld): readonly FieldProblem[] {
  const { begun, path } = saved;
  const compared = [
    ['world', named.world?.name, begun?.world],
    ['seed', named.seed, saved.seed],
    ['plan', named.plan, begun?.plan],
  ] as const;
  const problems = compared.flatMap(([field, requested, was]) => {
    if (requested === undefined || was === undefined || requested === was) return [];
    if (field === 'world' && resolve(requested) === resolve(was)) return [];
    const remedy = 'leave the option out, or keep this world in another file';
    const message = `${requested} contradicts ${path}, whose world began with ${was}; ${remedy}`;
    return [{ field, message }];
  });
  const atMs = named.clock?.nowMs ?? null;
  if (atMs === null || saved.clock === null || atMs >= saved.clock.nowMs) return problems;
  const [requested, stands] = [atMs, saved.clock.nowMs].map((ms) => new Date(ms).toISOString());
  const why = `${requested} is before ${stands}, to which the world in ${path} has come`;
  return [...problems, { field: 'clock', message: `${why}; give a later time, or frozen` }];
}

/**
 * Replaces the first world with a saved one, with its clock or the requested one. Throws a
 * StateError, and then changes nothing.
 */
export function restoreSavedWorld(
  { first, options: { wallMs = Date.now } }: Sandbox,
  { document, clock }: SavedWorld,
  requested: ClockOptions | undefined,
): void {
  if (clock === null && requested === undefined) {
    restoreState(first, document);
    return;
  }
  const { mode = 'real', speed = 1 } = requested ?? clock ?? {};
  // A real clock continued while the sandbox was not running; a frozen one did not.
  const wentOn = mode === 'real' || clock?.mode !== 'frozen' ? wallMs() : 0;
  const now_ms = requested?.nowMs ?? Math.max(clock?.nowMs ?? 0, wentOn);
  restoreState(first, { ...(document as object), clock: { mode, now_ms, speed } });
}
