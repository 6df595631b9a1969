// A world with its clock as one document, and back: what the control plane gives and takes.

import { lastTimeMs } from '../../core/state/schema-parts.ts';
import {
  loadWorld,
  StateError,
  serializeSnapshot,
  snapshotWorld,
} from '../../core/state/snapshot.ts';
import type { ClockMode } from '../world/clock.ts';
import type { WorldHost } from '../world/world-host.ts';

interface SavedClockState {
  readonly mode: ClockMode;
  readonly nowMs: number;
}

/** The document in pieces; it is of the moment of the call, however slowly it is read. */
export function serializeState({ world, clock }: WorldHost): Iterable<string> {
  const now_ms = Math.max(clock.nowMs(), world.nowMs);
  return serializeSnapshot(snapshotWorld(world), { clock: { mode: clock.mode, now_ms } });
}

/**
 * Puts the world of a document in the place of this one; an advance under way ends where it is.
 * Throws a StateError, and then changes nothing.
 */
export function restoreState(host: WorldHost, document: unknown): void {
  const world = loadWorld(document, host.behaviour);
  const { mode, nowMs } = readClock(document) ?? { mode: host.clock.mode, nowMs: world.nowMs };
  host.replace(world, { mode, nowMs: Math.max(nowMs, world.nowMs) });
}

/** The clock of the document; null where it has none. */
function readClock(document: unknown): SavedClockState | null {
  const { clock } = document as { clock?: { mode?: unknown; now_ms?: unknown } | null };
  if (clock === undefined || clock === null) return null;
  if (typeof clock !== 'object') throw new StateError('clock must be an object');
  const { mode, now_ms: nowMs } = clock;
  if (mode !== 'real' && mode !== 'frozen')
    throw new StateError('clock.mode must be real or frozen');
  if (typeof nowMs === 'number' && Number.isInteger(nowMs) && nowMs >= 0 && nowMs <= lastTimeMs)
    return { mode, nowMs };
  throw new StateError('clock.now_ms must be a time in milliseconds');
}
