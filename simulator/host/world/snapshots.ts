// A world as it stands, kept in memory: to go back to in milliseconds, or to be copied.
import { beginIdEra } from '../../core/serialize.ts';
import { copyWorld } from '../../core/state/copy-world.ts';
import type { World } from '../../core/world.ts';
import type { ClockState } from './clock.ts';
import type { WorldHost } from './world-host.ts';

export interface WorldSnapshot {
  readonly world: World;
  readonly clock: ClockState;
}

/** What is due by now is included. */
export function takeSnapshot(host: WorldHost): WorldSnapshot {
  const nowMs = Math.max(host.clock.nowMs(), host.world.nowMs);
  host.fireUntil(nowMs);
  const { mode, speed } = host.clock;
  return { world: copyWorld(host.world), clock: { mode, speed, nowMs } };
}

/** Puts a copy in the place of the world; the snapshot stays. */
export function restoreSnapshot(host: WorldHost, { world, clock }: WorldSnapshot): void {
  const copy = copyWorld(world);
  // A receiver that remembers ids must not mistake new events for known ones.
  beginIdEra(copy, host.idNonce());
  host.replace(copy, clock);
}
