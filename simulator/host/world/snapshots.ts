// A snapshot of a world in memory: restored in milliseconds, or copied.
import { beginIdEra } from '../../core/serialize.ts';
import { copyWorld } from '../../core/state/copy-world.ts';
import type { World } from '../../core/world.ts';
import type { ClockState } from './clock.ts';
import type { WorldHost } from './world-host.ts';

export interface WorldSnapshot {
  readonly world: World;
  readonly clock: ClockState;
}

/** Includes work that is due by now. */
export function takeSnapshot(host: WorldHost): WorldSnapshot {
  const { nowMs } = host;
  host.fireUntil(nowMs);
  const { mode, speed } = host.clock;
  return { world: copyWorld(host.world), clock: { mode, speed, nowMs } };
}

/** Replaces the world with a copy; the snapshot stays usable. */
export function restoreSnapshot(host: WorldHost, { world, clock }: WorldSnapshot): void {
  const copy = copyWorld(world);
  // A receiver that remembers ids must not mistake new events for known ones.
  beginIdEra(copy, host.idNonce());
  host.replace(copy, clock);
}
