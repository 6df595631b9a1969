// A world with its clock as one document, and back: what the control plane gives and takes.

import { lastTimeMs } from '../../core/record-kit.ts';
import { beginIdEra } from '../../core/serialize.ts';
import {
  loadWorld,
  StateError,
  serializeSnapshot,
  snapshotWorld,
} from '../../core/state/snapshot.ts';
import type { ClockState } from '../world/clock.ts';
import type { WorldHost } from '../world/world-host.ts';

/** A clock as documents write it down. */
export function serializeClock({ world, clock }: WorldHost) {
  const { mode, speed } = clock;
  const now_ms = Math.max(clock.nowMs(), world.nowMs);
  return { mode, now_ms, ...(speed === 1 ? {} : { speed }) };
}

/** The document in pieces; it is of the moment of the call, however slowly it is read. */
export function serializeState(host: WorldHost): Iterable<string> {
  return serializeSnapshot(snapshotWorld(host.world), { clock: serializeClock(host) });
}

/**
 * Puts the world of a document in the place of this one; an advance under way ends where it is.
 * Throws a StateError, and then changes nothing.
 */
export function restoreState(host: WorldHost, document: unknown): void {
  const world = loadWorld(document, host.behaviour);
  beginIdEra(world, host.idNonce());
  // The options of this sandbox decide whether deliveries may stay here, not a document.
  const { allowLocalWebhooks } = host.world.options;
  world.options = { ...world.options, allowLocalWebhooks };
  const { mode, speed } = host.clock;
  const clock = readClock(document) ?? { mode, nowMs: world.nowMs, speed };
  host.replace(world, { ...clock, nowMs: Math.max(clock.nowMs, world.nowMs) });
}

/** As the control plane sets it. */
const [slowest, fastest] = [0.001, 1_000_000];

/** The clock of the document; null where it has none. */
function readClock(document: unknown): ClockState | null {
  const { clock } = document as {
    clock?: { mode?: unknown; now_ms?: unknown; speed?: unknown } | null;
  };
  if (clock === undefined || clock === null) return null;
  if (typeof clock !== 'object') throw new StateError('clock must be an object');
  const { mode, now_ms: nowMs, speed = 1 } = clock;
  if (mode !== 'real' && mode !== 'frozen')
    throw new StateError('clock.mode must be real or frozen');
  if (typeof speed !== 'number' || !(speed >= slowest && speed <= fastest)) {
    throw new StateError(`clock.speed must be a number from ${slowest} to ${fastest}`);
  }
  if (typeof nowMs === 'number' && Number.isInteger(nowMs) && nowMs >= 0 && nowMs <= lastTimeMs)
    return { mode, nowMs, speed };
  throw new StateError('clock.now_ms must be a time in milliseconds');
}
