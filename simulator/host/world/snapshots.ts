// Worlds kept in memory under a name, to go back to in milliseconds.
import { beginIdEra } from '../../core/serialize.ts';
import { copyWorld } from '../../core/state/copy-world.ts';
import type { World } from '../../core/world.ts';
import type { ClockState } from './clock.ts';
import type { WorldHost } from './world-host.ts';

export interface WorldSnapshot {
  readonly world: World;
  readonly clock: ClockState;
}

/** A world as it stands, what is due by now included. */
export function takeSnapshot(host: WorldHost): WorldSnapshot {
  const nowMs = Math.max(host.clock.nowMs(), host.world.nowMs);
  host.fireUntil(nowMs);
  const { mode, speed } = host.clock;
  return { world: copyWorld(host.world), clock: { mode, speed, nowMs } };
}

const known = new WeakMap<WorldHost, Snapshots>();

/** The snapshots of a world. */
export function snapshotsOf(host: WorldHost): Snapshots {
  const snapshots = known.get(host) ?? new Snapshots(host);
  known.set(host, snapshots);
  return snapshots;
}

/** They outlive resets of their world, and end with it. */
class Snapshots {
  readonly #host: WorldHost;
  readonly #kept = new Map<string, WorldSnapshot>();

  constructor(host: WorldHost) {
    this.#host = host;
  }

  /** By name, the oldest first. */
  list(): readonly (readonly [string, WorldSnapshot])[] {
    return [...this.#kept];
  }

  /** Takes the place of an older one of that name. */
  take(name: string): WorldSnapshot {
    const snapshot = takeSnapshot(this.#host);
    this.#kept.delete(name);
    this.#kept.set(name, snapshot);
    this.#host.notify({ kind: 'snapshots' });
    return snapshot;
  }

  /** Puts a copy in the place of the world; the snapshot stays. False: there is none. */
  restore(name: string): boolean {
    const snapshot = this.#kept.get(name);
    if (snapshot === undefined) return false;
    const world = copyWorld(snapshot.world);
    // A receiver that remembers ids must not take what comes now for what it has seen.
    beginIdEra(world, this.#host.idNonce());
    this.#host.replace(world, snapshot.clock);
    return true;
  }

  drop(name: string): boolean {
    const isDropped = this.#kept.delete(name);
    if (isDropped) this.#host.notify({ kind: 'snapshots' });
    return isDropped;
  }
}
