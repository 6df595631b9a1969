// A world with its clock as one document, and back: what the control plane sends and accepts.
import { object } from '../../../fixtures/schemas/kit.ts';
import { validate } from '../../../fixtures/schemas/validate.ts';
import type { Behaviour } from '../../core/behaviour.ts';
import { ofType, oneOf, time, type ValueOf } from '../../core/record-kit.ts';
import { beginIdEra } from '../../core/serialize.ts';
import {
  loadWorld,
  StateError,
  serializeSnapshot,
  snapshotWorld,
} from '../../core/state/snapshot.ts';
import type { World } from '../../core/world.ts';
import { type ClockState, clockModes } from '../world/clock.ts';
import type { WorldHost } from '../world/world-host.ts';

const savedClockSchema = object('A clock.', {
  mode: oneOf(...clockModes),
  now_ms: time,
  // As the control plane sets it.
  'speed?': ofType<number>({ type: 'number', minimum: 0.001, maximum: 1_000_000 }),
});

/** A clock as documents and logs hold it. */
export type SavedClock = ValueOf<typeof savedClockSchema>;

export function serializeClock({ clock, nowMs: now_ms }: WorldHost): SavedClock {
  const { mode, speed } = clock;
  return { mode, now_ms, ...(speed === 1 ? {} : { speed }) };
}

/** A file of --state also has the id of its log. */
const parts: readonly string[] = ['format', 'version', 'clock', 'log', 'world'];

/** The document in pieces; it shows the moment of the call, however slowly it is read. */
export function serializeState(host: WorldHost): Iterable<string> {
  return serializeSnapshot(snapshotWorld(host.world), { clock: serializeClock(host) });
}

/** A world that was loaded from a document. */
export interface SavedWorld {
  readonly world: World;
  /** null: the document has none. */
  readonly clock: ClockState | null;
}

/** Throws a StateError that names the error. */
export function loadState(document: unknown, behaviour: Behaviour): SavedWorld {
  const world = loadWorld(document, behaviour);
  const stray = Object.keys(document as object).find((name) => !parts.includes(name));
  if (stray !== undefined) throw new StateError(`${stray} is not known here`);
  return { world, clock: readClock(document, world.nowMs) };
}

/**
 * Replaces this world with that of a document; a running advance ends. Throws a StateError, and
 * then changes nothing.
 */
export function restoreState(host: WorldHost, document: unknown): void {
  continueWorld(host, loadState(document, host.behaviour));
}

/** Replaces this world with a loaded one. */
export function continueWorld(host: WorldHost, { world, clock }: SavedWorld): void {
  beginIdEra(world, host.idNonce());
  // The options of this sandbox decide whether deliveries may stay on this machine.
  const { allowLocalWebhooks } = host.world.options;
  world.options = { ...world.options, allowLocalWebhooks };
  const { mode, speed } = host.clock;
  host.replace(world, clock ?? { mode, nowMs: world.nowMs, speed });
}

/** The clock of the document; null if it has none. */
function readClock(document: unknown, leastMs: number): ClockState | null {
  const clock = (document as { readonly clock?: unknown }).clock ?? null;
  if (clock === null) return null;
  const [problem] = validate(savedClockSchema, clock, 'clock', 'clock');
  if (problem !== undefined) throw new StateError(`${problem.field} ${problem.message}`);
  const { mode, now_ms, speed = 1 } = clock as SavedClock;
  return { mode, nowMs: Math.max(now_ms, leastMs), speed };
}
