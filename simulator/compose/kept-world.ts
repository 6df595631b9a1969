// A world saved in a file, combined with the start options: how it began, which options contradict
// it, and how its clock continues.
import { resolve } from 'node:path';
import type { FieldProblem } from '../../fixtures/settings.ts';
import { continueWorld, type SavedWorld } from '../host/storage/world-document.ts';
import type { ClockOptions } from '../host/world/clock.ts';
import type { Sandbox } from '../host/world/sandbox.ts';
import { findNamedWorld, type NamedWorld, type ReadOptions } from './options.ts';

/** The world of a state file. */
export interface KeptWorld extends SavedWorld {
  readonly path: string;
}

type NamedOptions = Pick<ReadOptions, 'world' | 'seed' | 'plan' | 'clock'>;

/** The default world if neither an option nor a file names one. */
const unnamedWorld = 'default';

/** How it began; undefined if the file does not say, because `sandbox` did not write it. */
const originOf = (saved: KeptWorld | null) => saved?.world.options.begun_as;

/** How the first world begins, and what a reset restores: the beginning of a saved world. */
export function beginningOf({ world, seed, plan, clock }: NamedOptions, saved: KeptWorld | null) {
  const begun = originOf(saved);
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
    seed: saved?.world.seed ?? seed ?? '1',
    // The world in the file is used; the file may not name its starting world.
    worldName: begun === undefined && saved !== null ? saved.path : name,
    /** Why a reset may not restore the starting world of the saved world. */
    note,
  };
}

export type Beginning = ReturnType<typeof beginningOf>;

/** The starting world: a saved world needs it for resets only, and it may be missing. */
function findStartingWorld(
  requested: NamedWorld | undefined,
  name: string,
  saved: KeptWorld | null,
): { readonly named: NamedWorld; readonly note: string | null } {
  const found = requested?.name === name ? requested : findNamedWorld(name);
  if (found.fixture !== undefined) {
    const note =
      saved !== null && originOf(saved) === undefined
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
export function contradictions(named: NamedOptions, saved: KeptWorld): readonly FieldProblem[] {
  const { path, world, clock } = saved;
  const begun = originOf(saved);
  const compared = [
    ['world', named.world?.name, begun?.world],
    ['seed', named.seed, world.seed],
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
  if (atMs === null || clock === null || atMs >= clock.nowMs) return problems;
  const [requested, stands] = [atMs, clock.nowMs].map((ms) => new Date(ms).toISOString());
  const why = `${requested} is before ${stands}, to which the world in ${path} has come`;
  return [...problems, { field: 'clock', message: `${why}; give a later time, or frozen` }];
}

/** Replaces the first world with a saved one, with its clock or the requested one. */
export function continueKeptWorld(
  { first, options: { wallMs = Date.now } }: Sandbox,
  { world, clock }: KeptWorld,
  requested: ClockOptions | undefined,
): void {
  if (clock === null && requested === undefined) {
    continueWorld(first, { world, clock });
    return;
  }
  const { mode = 'real', speed = 1 } = requested ?? clock ?? {};
  // A real clock continued while the sandbox was not running; a frozen one did not.
  const wentOn = mode === 'real' || clock?.mode !== 'frozen' ? wallMs() : 0;
  const nowMs = requested?.nowMs ?? Math.max(clock?.nowMs ?? 0, wentOn);
  continueWorld(first, { world, clock: { mode, speed, nowMs: Math.max(nowMs, world.nowMs) } });
}
