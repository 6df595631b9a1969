// Where a world began: what the options say of that, what a state file says, and if they agree.
import { resolve } from 'node:path';
import type { FieldProblem } from '../../fixtures/settings.ts';
import { lastTimeMs } from '../core/record-kit.ts';
import type { PlanName } from '../core/records.ts';
import type { ClockOptions } from '../host/world/sandbox.ts';
import { planNames, type ReadOptions } from './options.ts';

/** How the first world of a sandbox begins, and what a reset leads back to. */
export interface WorldOrigin {
  readonly world: string;
  readonly seed: string;
  readonly plan: PlanName;
  readonly clock: ClockOptions;
}

/** What a state file says that bears on the options. */
export interface SavedWorld {
  readonly path: string;
  readonly document: unknown;
  /** Undefined where the file is not what it should be, which loading it will tell. */
  readonly seed: string | undefined;
  /** Null where the file does not say: it was not written by `sandbox`. */
  readonly begun: Omit<WorldOrigin, 'seed'> | null;
  readonly clock: { readonly mode: ClockOptions['mode']; readonly nowMs: number } | null;
}

/** What is taken where neither an option nor a file says anything. */
export const unnamedOrigin: WorldOrigin = {
  world: 'default',
  seed: '1',
  plan: 'sandbox',
  clock: { mode: 'real', nowMs: null },
};

export type NamedOptions = Pick<ReadOptions, 'world' | 'seed' | 'plan' | 'clock'>;

/** How the first world begins: a saved one as it began, where that is known. */
export function originOf(named: NamedOptions, saved: SavedWorld | null): WorldOrigin {
  const { world, seed, plan, clock } = named;
  const stands = saved?.clock ? { mode: saved.clock.mode, nowMs: null } : unnamedOrigin.clock;
  return {
    world: saved?.begun?.world ?? world?.name ?? unnamedOrigin.world,
    seed: saved?.seed ?? seed ?? unnamedOrigin.seed,
    plan: saved?.begun?.plan ?? plan ?? unnamedOrigin.plan,
    // A clock can be set at any time; the other three are in every record of the world.
    clock: clock ?? saved?.begun?.clock ?? stands,
  };
}

/** Each option that a saved world contradicts: it can be served only as it is. */
export function contradictions(named: NamedOptions, saved: SavedWorld): readonly FieldProblem[] {
  const { world, seed, plan, clock } = named;
  const { begun, path } = saved;
  const problems: FieldProblem[] = [];
  const differ = (field: string, asked: string, was: string) => {
    const remedy = 'leave the option out, or keep this world in another file';
    const message = `${asked} contradicts ${path}, whose world began with ${was}; ${remedy}`;
    problems.push({ field, message });
  };
  if (world !== undefined && begun !== null && resolve(world.name) !== resolve(begun.world)) {
    differ('world', world.name, begun.world);
  }
  if (seed !== undefined && saved.seed !== undefined && seed !== saved.seed) {
    differ('seed', seed, saved.seed);
  }
  if (plan !== undefined && begun !== null && plan !== begun.plan) {
    differ('plan', plan, begun.plan);
  }
  const atMs = clock?.nowMs ?? null;
  if (atMs !== null && saved.clock !== null && atMs < saved.clock.nowMs) {
    const [asked, stands] = [atMs, saved.clock.nowMs].map((ms) => new Date(ms).toISOString());
    const why = `${asked} is before ${stands}, to which the world in ${path} has come`;
    const message = `${why}; give a later time, or frozen`;
    problems.push({ field: 'clock', message });
  }
  return problems;
}

/** What a document says of its world's beginning; nothing is thrown, whatever it is. */
export function readSavedWorld(path: string, document: unknown): SavedWorld {
  const { world, clock } = membersOf(document);
  const { seed, options, nowMs } = membersOf(world);
  const { mode, now_ms } = membersOf(clock);
  return {
    path,
    document,
    seed: typeof seed === 'string' ? seed : undefined,
    begun: readBegun(membersOf(options).begun_as),
    clock: isMode(mode) && isTime(now_ms) ? { mode, nowMs: later(now_ms, nowMs) } : null,
  };
}

function readBegun(given: unknown): SavedWorld['begun'] {
  const { world, plan, clock } = membersOf(given);
  const { mode, nowMs } = membersOf(clock);
  if (typeof world !== 'string' || !planNames.includes(plan as PlanName) || !isMode(mode))
    return null;
  const atMs = typeof nowMs === 'number' ? nowMs : null;
  return { world, plan: plan as PlanName, clock: { mode, nowMs: atMs } };
}

const isTime = (ms: unknown): ms is number =>
  Number.isSafeInteger(ms) && (ms as number) >= 0 && (ms as number) <= lastTimeMs;
const later = (ms: number, other: unknown) => (isTime(other) ? Math.max(ms, other) : ms);
const isMode = (mode: unknown): mode is ClockOptions['mode'] =>
  mode === 'real' || mode === 'frozen';

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
